package push

import (
	"context"
	"errors"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
)

// errTaken is that another server has the job: the claim ended before the work.
var errTaken = errors.New("another server tells of the message")

// begin notes the calls, so that no other server makes one of them, and counts what they tell. Whoever goes on
// with the job after this server was killed finds in its state which were begun.
func (r *round) begin(ctx context.Context) error {
	if len(r.calls) == 0 {
		return nil
	}
	var begun []call
	var later []target
	var state []byte
	err := r.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if begun, later, err = r.beginEach(tx); err != nil {
			return err
		}
		job := *r.job
		job.State = encodeTargets(slices.Concat(later, targetsOf(begun)))
		if held, err := tx.ClaimJob(&job, job.Due); err != nil || !held {
			return errors.Join(err, errTaken)
		}
		state = job.State
		return nil
	})
	if err != nil {
		return err
	}
	r.calls, r.later, r.job.State = begun, later, state
	return r.countUnread(ctx)
}

// beginEach counts the calls in the rows of their subscriptions.
func (r *round) beginEach(tx *store.Tx) (begun []call, later []target, err error) {
	later = slices.Clone(r.later)
	for _, c := range r.calls {
		c.due = r.now
		ok, err := subscriptions.Begin(tx, &c.subscription, r.now.Add(pace))
		if err != nil {
			return nil, nil, err
		}
		if !ok { // somebody has just pushed to it: it is looked at again
			later = append(later, c.target)
			continue
		}
		c.pushes = c.subscription.Pushes + 1
		begun = append(begun, c)
	}
	return begun, later, nil
}

func targetsOf(calls []call) []target {
	out := make([]target, len(calls))
	for i := range calls {
		out[i] = calls[i].target
	}
	return out
}

// countUnread finds out how many messages are unread, of all that were there when the calls were begun.
func (r *round) countUnread(ctx context.Context) error {
	type reader struct {
		account model.AccountID
		scope   model.OrganizationID
	}
	return r.Store.View(ctx, func(tx *store.Tx) error {
		counted := map[reader]int{}
		for i := range r.calls {
			c := &r.calls[i]
			by := reader{c.subscription.Account, c.scope}
			unread, known := counted[by]
			if !known {
				var err error
				if unread, _, err = tx.Unread(by.account, c.scope, r.now); err != nil {
					return err
				}
				counted[by] = unread
			}
			c.unread = unread
		}
		return nil
	}, store.Short)
}
