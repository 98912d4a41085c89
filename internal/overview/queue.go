package overview

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// Queue is an account's queue that holds something.
type Queue struct {
	Account     model.AccountID
	Username    string
	DisplayName string
	Depth       int       // events
	Oldest      time.Time // when the first of them was queued
	Seen        time.Time // as of a Member
	Streams     int       // open now
}

// Queues lists the members of an organization who have events of it in their queues, in
// the order of their accounts. What belongs to another organization, or to none, is not
// told. Only those are listed whose oldest such event is older than that.
func (c *Overview) Queues(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	older time.Duration, ask Ask) (out Page[Queue], err error) {
	w := c.queues(actor, organization, older)
	w.accounts = func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
		return tx.MembersAfter(organization, after, limit)
	}
	w.entries = func(tx *store.Tx, accounts []model.AccountID, _ cursor) ([]Queue, error) {
		lengths, err := stored.QueuesIn(tx, organization, accounts)
		if err != nil {
			return nil, err
		}
		return c.shownQueues(tx, organization, older, lengths)
	}
	err = c.read(ctx, actor, model.ActionQueueList, organization, func(tx *store.Tx) error {
		out, err = w.page(tx, ask)
		return err
	})
	return out, err
}

// AllQueues lists the queues of the installation for operators, whatever they hold.
func (c *Overview) AllQueues(ctx context.Context, actor *model.Actor, older time.Duration,
	ask Ask) (out Page[Queue], err error) {
	err = c.readAll(ctx, actor, model.ActionQueueList, func(tx *store.Tx) error {
		var lengths []stored.QueueLength
		w := c.queues(actor, "", older)
		w.accounts = func(tx *store.Tx, after model.AccountID, limit int) (accounts []model.AccountID, err error) {
			lengths, err = stored.QueueLengths(tx, after, limit)
			for _, l := range lengths {
				accounts = append(accounts, l.Account)
			}
			return accounts, err
		}
		w.entries = func(tx *store.Tx, _ []model.AccountID, _ cursor) ([]Queue, error) {
			return c.shownQueues(tx, "", older, lengths)
		}
		out, err = w.page(tx, ask)
		return err
	})
	return out, err
}

func (c *Overview) queues(actor *model.Actor, organization model.OrganizationID, older time.Duration) *walk[Queue] {
	return &walk[Queue]{
		list:   c.list(actor, "queues", organization, int64(older)),
		cursor: func(q *Queue) cursor { return cursor{Account: q.Account, All: true} },
	}
}

// shownQueues shows queues, in their order; the organization is empty for all of them.
func (c *Overview) shownQueues(tx *store.Tx, organization model.OrganizationID, older time.Duration,
	lengths []stored.QueueLength) ([]Queue, error) {
	begun := c.now().Add(-older)
	var accounts []model.AccountID
	for _, l := range lengths {
		if older == 0 || store.TimeOf(l.First).Before(begun) {
			accounts = append(accounts, l.Account)
		}
	}
	if len(accounts) == 0 {
		return nil, nil
	}
	owners, err := owners(tx, accounts)
	if err != nil {
		return nil, err
	}
	streams, err := c.streams.Scopes(tx, accounts)
	if err != nil {
		return nil, err
	}
	byAccount := byToken(lengths, func(l *stored.QueueLength) model.AccountID { return l.Account })
	out := make([]Queue, 0, len(accounts))
	for _, id := range accounts {
		o, l := owners[id], byAccount[id]
		if o == nil {
			continue
		}
		q := Queue{Account: id, Username: o.Username, DisplayName: o.DisplayName, Depth: l.Events,
			Oldest: store.TimeOf(l.First)}
		_, q.Seen = c.use(o, organization)
		for _, scope := range streams[id] {
			if organization == "" || scope == "" || scope == organization {
				q.Streams++
			}
		}
		out = append(out, q)
	}
	return out, nil
}
