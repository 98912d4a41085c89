// Package overview answers what administrators and operators ask in order to run an
// organization or the installation: what there is of organizations, members, groups,
// requests, keys, queues and messages that wait, how the installation does, and with which
// settings. It changes nothing but the audit log.
//
// It owns these lists: who may ask, what they show, and how they are paged. It does not
// know HTTP, what a message says, or how anything is changed (service, access).
package overview

import (
	"context"
	"time"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/config"
	"signet/internal/continuation"
	"signet/internal/model"
	"signet/internal/store"
)

// Options are what an overview works with.
type Options struct {
	Store   *store.Store
	Access  *access.Control
	Streams Streams
	Clock   func() time.Time

	Installation Installation
	Settings     []config.Effective // of this server
}

// Streams knows which event streams are open.
type Streams interface {
	// Scopes returns the scopes of the keys that opened the accounts' streams, one for each
	// stream.
	Scopes(tx *store.Tx, accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID, error)
}

// Overview answers. It is safe for concurrent use.
type Overview struct {
	store   *store.Store
	access  *access.Control
	streams Streams
	clock   func() time.Time
	reads   *audit.Reads

	installation Installation
	settings     []config.Effective
}

// New returns an overview.
func New(o Options) *Overview {
	return &Overview{store: o.Store, access: o.Access, streams: o.Streams, clock: o.Clock, reads: audit.NewReads(o.Store),
		installation: o.Installation, settings: o.Settings}
}

func (c *Overview) now() time.Time { return c.clock().UTC().Truncate(time.Millisecond) }

// Ask says which page of a list is wanted.
type Ask struct {
	Size         int    // 1 or more
	Continuation string // of the page before; empty: the first page
}

// Page is some of a list. One may hold fewer than were asked for, even none, where a
// filter leaves out many: its end is where the continuation is empty.
type Page[E any] struct {
	Results      []E
	Continuation string
}

const (
	// piece is how many entries of a list are looked at together.
	piece = 200
	// mostLooked is after how many entries a page that a filter keeps empty ends.
	mostLooked = 2000
)

// list names a list to the continuations of its pages.
func (c *Overview) list(actor *model.Actor, purpose string, asked ...any) *continuation.List {
	return &continuation.List{Secret: c.store.Secret(), Purpose: "console " + purpose + " 1",
		Asked: append([]any{actor.Account}, asked...)}
}

// read answers from one snapshot what an actor may ask about an organization, and notes
// in the audit log that it was read.
func (c *Overview) read(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx) error) error {
	if err := actor.MayAdminister(organization); err != nil {
		return err
	}
	err := c.store.View(ctx, func(tx *store.Tx) error {
		_, found, err := tx.Organization(organization)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		return fn(tx)
	})
	if err != nil {
		return err
	}
	return c.reads.Record(ctx, c.now(), actor, model.AuditEntry{Action: action, Chain: organization,
		Organization: organization})
}

// readAll is read for what is about the whole installation, which operators ask.
func (c *Overview) readAll(ctx context.Context, actor *model.Actor, action model.AuditAction,
	fn func(tx *store.Tx) error) error {
	return c.askAll(ctx, actor, action, func() error { return c.store.View(ctx, fn) })
}

// askAll is readAll for what is not in the store.
func (c *Overview) askAll(ctx context.Context, actor *model.Actor, action model.AuditAction, fn func() error) error {
	if !actor.Operates() {
		return model.NotAllowed()
	}
	if err := fn(); err != nil {
		return err
	}
	return c.record(ctx, actor, action)
}

// record notes in the audit log that an actor read what belongs to more than one
// organization: in the log of the actor's own, which for an operator is the platform's.
func (c *Overview) record(ctx context.Context, actor *model.Actor, action model.AuditAction) error {
	return c.reads.Record(ctx, c.now(), actor, model.AuditEntry{Action: action, User: actor.Account})
}

// byToken finds things by what names them.
func byToken[K comparable, V any](all []V, token func(*V) K) map[K]*V {
	out := make(map[K]*V, len(all))
	for i := range all {
		out[token(&all[i])] = &all[i]
	}
	return out
}
