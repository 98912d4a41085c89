package service

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Refusals are written at once as long as there are few. Past that they are put
// together and written with how often they happened, once a minute, so that whoever
// is refused on purpose cannot fill the disk: 60 lines a minute, and some for those
// that were put together.
const (
	refusalBurst     = 200         // lines at once
	refusalInterval  = time.Second // between lines in the long run
	refusalGather    = time.Minute // how long refusals are put together
	refusalDifferent = 50          // kinds of them that are told apart
)

// Refusal is a call that was refused, as the interface knows it.
type Refusal struct {
	Action       model.AuditAction
	Outcome      string       // the code of the error
	Actor        *model.Actor // nil where nobody was recognised
	Name         string       // the key, or else the address, that was tried then
	Organization model.OrganizationID
	User         string // as the path names them
	Group        string
	Key          string
}

// refusals counts what is refused.
type refusals struct {
	mu     sync.Mutex // guards all below
	room   float64
	filled time.Time
	told   time.Time // when what was put together was written last
	held   map[heldRefusal]*model.AuditEntry
}

// heldRefusal is what refusals are told apart by when they are put together.
type heldRefusal struct {
	action  model.AuditAction
	code    string
	account model.AccountID
}

// admit reports whether a refusal may have a line of its own.
func (r *refusals) admit(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held, r.room, r.filled = map[heldRefusal]*model.AuditEntry{}, refusalBurst, now
	}
	// A clock that was ahead and goes back fills it anew.
	r.room = min(refusalBurst, r.room+max(0, float64(now.Sub(r.filled))/float64(refusalInterval)))
	r.filled = now
	if r.room < 1 {
		return false
	}
	r.room--
	return true
}

// hold puts a refusal together with others of its kind.
func (r *refusals) hold(line model.AuditEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held, r.room, r.filled = map[heldRefusal]*model.AuditEntry{}, refusalBurst, line.Time.Time
	}
	kind := heldRefusal{line.Action, line.Outcome, line.Account}
	if _, known := r.held[kind]; !known && len(r.held) >= refusalDifferent {
		kind = heldRefusal{}
	}
	if e := r.held[kind]; e != nil {
		e.Times += line.Times
		return
	}
	e := model.AuditEntry{Time: line.Time, Action: model.ActionAccess, Outcome: "other", Times: line.Times}
	if kind != (heldRefusal{}) {
		e.Action, e.Outcome, e.Account = kind.action, kind.code, kind.account
	}
	r.held[kind] = &e
}

// take returns what was put together, once a minute.
func (r *refusals) take(now time.Time, all bool) []*model.AuditEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := now.Sub(r.told); len(r.held) == 0 || !all && age >= 0 && age < refusalGather {
		return nil
	}
	out := slices.Collect(maps.Values(r.held))
	clear(r.held)
	r.told = now
	slices.SortFunc(out, func(a, b *model.AuditEntry) int { return a.Time.Compare(b.Time.Time) })
	return out
}

// Refused notes in the audit log that a call was refused. It never fails: what
// cannot be written now is written later, with how often it happened.
func (s *Service) Refused(ctx context.Context, r Refusal) {
	now := s.now()
	origin := originOf(ctx)
	line := model.AuditEntry{
		Time: model.AuditTime{Time: now}, Action: r.Action, Outcome: r.Outcome, Times: 1, Address: origin.Address, RequestID: origin.RequestID,
	}
	if r.Actor != nil {
		line.Account, line.Key = r.Actor.Account, r.Actor.Key.Key
	}
	if !s.refusals.admit(now) {
		s.refusals.hold(line)
		return
	}
	err := s.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		e := line
		if err := s.describeRefusal(tx, &r, &e); err != nil {
			return err
		}
		return record(tx, &e)
	})
	if err != nil {
		s.refusals.hold(line)
	}
}

// describeRefusal says on whom a refused call was. Of what the path names only
// tokens are noted, and only where they exist: the rest may be anybody's address, or
// a secret in the wrong place. The line goes into an organization's chain where its
// member was refused there; what strangers try is for the operators alone.
func (s *Service) describeRefusal(tx *store.Tx, r *Refusal, line *model.AuditEntry) error {
	concerned := line.Account
	if r.Actor == nil {
		if err := s.describeAttempt(tx, r.Name, line); err != nil {
			return err
		}
		concerned = line.User
	}
	if id, ok := model.ParseAccountID(r.User); ok {
		line.User = id
	}
	if id, ok := model.ParseGroupID(r.Group); ok {
		line.Group = id
	}
	if r.Key != "" && r.Actor != nil {
		k, found, err := tx.Key(r.Key)
		if err != nil {
			return err
		}
		if found {
			line.OnKey = k.Key
		}
	}
	if id, ok := model.ParseOrganizationID(string(r.Organization)); ok {
		_, found, err := tx.Organization(id)
		if err != nil {
			return err
		}
		if !found {
			return s.refusedAtHome(tx, concerned, line)
		}
		line.Organization = r.Organization
		if r.Actor != nil && (r.Actor.MemberOf(r.Organization) || r.Actor.Operator) {
			line.Chain = r.Organization
			return nil
		}
	}
	return s.refusedAtHome(tx, concerned, line)
}

// refusedAtHome puts a refusal into the chain of the account that was refused, or
// tried.
func (s *Service) refusedAtHome(tx *store.Tx, concerned model.AccountID, line *model.AuditEntry) error {
	account, _, err := tx.Account(concerned)
	if err != nil {
		return err
	}
	return atHome(tx, line, &account)
}

// maxAttempt is more than a key or an address has, in bytes.
const maxAttempt = 320

// describeAttempt finds out whose key, or whose account, was tried in vain.
func (s *Service) describeAttempt(tx *store.Tx, name string, line *model.AuditEntry) error {
	if name == "" || len(name) > maxAttempt || strings.ContainsRune(name, 0) {
		return nil
	}
	key, found, err := tx.Key(name)
	if err != nil {
		return err
	}
	if found {
		line.OnKey, line.User = key.Key, key.Account
		return nil
	}
	entity, _, found, err := s.resolve(tx, &model.Actor{}, name, false)
	if found {
		line.User = model.AccountID(entity)
	}
	return err
}

// FlushRefusals writes what was put together of refusals: in a sweep once a minute,
// and all of it before the server stops.
func (s *Service) FlushRefusals(ctx context.Context, all bool) error {
	held := s.refusals.take(s.now(), all)
	if len(held) == 0 {
		return nil
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		for _, e := range held {
			line := *e
			if err := record(tx, &line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, e := range held {
			s.refusals.hold(*e)
		}
	}
	return err
}
