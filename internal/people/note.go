package people

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// note is what a person of a call leaves under the call's Request-ID: who was made, and
// what tells that person from another one. It is written in the transaction that makes the
// person, so that whatever ends the call, the same call again makes the others alone.
type note struct {
	*People
	actor       *model.Actor
	id          string // the Request-ID and the place in the call
	command     *CreateCommand
	fingerprint []byte
	account     *model.Account
	sealed      []byte // the fingerprint
}

// noteOf returns the note of a person of a call; nil where the call has no Request-ID. The
// blank in it keeps it from being one that a message is sent under.
func (p *People) noteOf(actor *model.Actor, request string, place int, c *CreateCommand,
	account *model.Account) *note {
	if request == "" {
		return nil
	}
	// Its hash alone would let a reader of the store try passwords: it is stored sealed.
	fingerprint := sha256.Sum256(fmt.Appendf(nil, "%q", [][]string{
		{string(c.Organization), c.FirstName, c.LastName, c.DisplayName, c.Username, c.Password, c.Title, c.Department,
			strconv.FormatBool(c.IssueKey)},
		c.Emails, c.Phones,
	}))
	return &note{People: p, actor: actor, id: request + " " + strconv.Itoa(place), command: c,
		fingerprint: fingerprint[:], account: account}
}

// Update is a transaction that may store the note: it is sealed before.
func (n *note) Update(ctx context.Context, write func(*store.Tx) error, traits ...store.Trait) error {
	return n.vault.Update(ctx, func(leases *content.Leases) (err error) {
		n.sealed, err = n.vault.SealFingerprint(ctx, leases, n.actor.Account, n.id, n.account.Created, n.fingerprint)
		return err
	}, write, traits...)
}

// put writes the note. It returns store.ErrConflict where the same call, sent twice at a
// time, was faster.
func (n *note) put(tx *store.Tx) error {
	if n == nil {
		return nil
	}
	return tx.PutRequest(&store.Request{
		Account: n.actor.Account, ID: n.id, Fingerprint: n.sealed, Organization: n.command.Organization,
		Message: model.MessageID(n.account.ID), Created: n.account.Created,
	}, n.account.Created.Add(-model.RepeatWindow))
}

// before returns whom the same call made before, as the actor sees that person now. One who
// is gone since, or out of the actor's sight, is not made again: that is not_found. A
// different person under the same note is request_id_reused.
func (n *note) before(ctx context.Context) (made Created, found bool, err error) {
	if n == nil {
		return made, false, nil
	}
	var first store.Request
	var t access.Target
	var seen error // why the person cannot be shown
	err = n.store.View(ctx, func(tx *store.Tx) error {
		first, found, err = tx.Request(n.actor.Account, n.id, n.account.Created.Add(-model.RepeatWindow))
		if err != nil || !found {
			return err
		}
		t, seen = n.access.Target(tx, n.actor, model.AccountID(first.Message).String())
		if seen == nil && !n.actor.MaySee(t.ID, t.Memberships) {
			seen = model.Missing()
		}
		return nil
	})
	if err != nil || !found {
		return made, false, err
	}
	fingerprint, err := n.vault.OpenFingerprint(ctx, n.actor.Account, first.ID, first.Fingerprint)
	switch {
	case err != nil && !content.Unreadable(err):
		return made, false, err
	case !bytes.Equal(fingerprint, n.fingerprint):
		return made, true, model.Invalidf("request_id_reused", "Request-ID",
			"Another person was made under this Request-ID, in this place.")
	case seen != nil:
		return made, true, seen
	}
	made.Entity = t.SeenBy(n.actor, n.command.Organization)
	return made, true, n.reads.Record(ctx, n.now(), n.actor, model.AuditEntry{Action: model.ActionUserRead, User: t.ID})
}
