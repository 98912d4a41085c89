package overview

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// Undelivered is a message that is New, without what it says.
type Undelivered struct {
	model.Message     // without content
	Waiting       int // how many have it New

	at cursor
}

// Undelivered lists the messages of an organization that are New some time after they were
// sent, in the order of the accounts in whose queues they wait: one to a group once, with
// the first of them. It reads these queues, and not the messages, of which there are very
// many: what a recipient deleted from its queue unread, or left there for longer than events
// are kept, is not among them.
func (c *Overview) Undelivered(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	after time.Duration, ask Ask) (out Page[Undelivered], err error) {
	upTo := c.now().Add(-after).UnixMicro()
	w := walk[Undelivered]{
		list: c.list(actor, "undelivered", organization, int64(after)),
		accounts: func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
			return tx.MembersAfter(organization, after, limit)
		},
		entries: func(tx *store.Tx, accounts []model.AccountID, from cursor) (out []Undelivered, err error) {
			with, err := stored.WithUndelivered(tx, organization, accounts, upTo)
			if err != nil {
				return nil, err
			}
			for _, account := range accounts {
				if len(out) > ask.Size {
					break // one more than the page has
				}
				if slices.Contains(with, account) {
					if out, err = c.appendUndelivered(tx, out, organization, account, from, upTo, ask.Size+1); err != nil {
						return nil, err
					}
				}
			}
			return out, nil
		},
		cursor: func(u *Undelivered) cursor { return u.at },
	}
	err = c.read(ctx, actor, model.ActionUndelivered, organization, func(tx *store.Tx) error {
		out, err = w.page(tx, ask)
		return err
	})
	return out, err
}

// appendUndelivered appends what waits in an account's queue after a place, until there are
// so many.
func (c *Overview) appendUndelivered(tx *store.Tx, out []Undelivered, organization model.OrganizationID,
	account model.AccountID, from cursor, upTo int64, most int) ([]Undelivered, error) {
	after := int64(0)
	if account == from.Account && from.Then != "" {
		var err error
		if after, err = strconv.ParseInt(from.Then, 10, 64); err != nil {
			return nil, fmt.Errorf("read the place in a queue: %w", err)
		}
	}
	for len(out) < most {
		queued, err := stored.Undelivered(tx, account, organization, after, upTo, piece)
		if err != nil || len(queued) == 0 {
			return out, err
		}
		ids := make([]model.MessageID, len(queued))
		for i, q := range queued {
			ids[i] = q.Message
		}
		heads, err := tx.MessageHeads([]model.OrganizationID{organization}, ids, c.now())
		if err != nil {
			return nil, err
		}
		counts, err := stored.CountNew(tx, organization, account, ids)
		if err != nil {
			return nil, err
		}
		byID := byToken(heads, func(m *store.MessageRow) model.MessageID { return m.ID })
		for _, q := range queued {
			// One that other accounts before have New was listed with the first of them.
			if m := byID[q.Message]; m != nil && !m.Recalled && counts[q.Message].Before == 0 {
				out = append(out, Undelivered{Message: m.Message, Waiting: counts[q.Message].All,
					at: cursor{Account: account, Then: fmt.Sprintf("%019d", q.Position)}})
			}
		}
		if len(queued) < piece {
			return out, nil
		}
		after = queued[len(queued)-1].Position
	}
	return out, nil
}
