package push

import (
	"context"
	"slices"
	"time"

	"signet/internal/egress"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
)

// round is one look at whom to tell of a message.
type round struct {
	*Pusher
	job          *store.Job
	now          time.Time
	number       int64 // of the organization
	id           model.MessageID
	organization model.OrganizationID // once the message was read

	message *store.MessageRow // nil: it is gone
	left    []target          // that are not due
	calls   []call            // that are to be made
	later   []target          // that are looked at again, with those that are left
}

// call is a push that is to be made.
type call struct {
	target
	subscription subscriptions.Subscription
	scope        model.OrganizationID // of the session
	unread       int
}

// important reports whether the message comes through a mute, and at once.
func (r *round) important() bool { return r.message.Priority > 0 }

// decide finds out which of the targets are told now, and which are looked at again later.
func (r *round) decide(ctx context.Context, targets []target) error {
	var fresh []model.AccountID
	var ids []model.SubscriptionID
	seen := map[model.SubscriptionID]target{}
	for _, t := range targets {
		if t.subscription.IsZero() {
			fresh = append(fresh, t.account)
		} else {
			ids = append(ids, t.subscription)
			seen[t.subscription] = t
		}
	}
	err := r.Store.View(ctx, func(tx *store.Tx) error {
		r.message, r.calls, r.later = nil, nil, slices.Clone(r.left)
		err := tx.NameOrganizations([]int64{r.number}, func(int) *model.OrganizationID { return &r.organization })
		if err != nil {
			return err
		}
		row, found, err := tx.MessageOf(r.organization, r.id)
		if err != nil || !found || row.Recalled || !row.Lasts(r.now) {
			return err
		}
		r.message = &row
		all, err := subscriptions.OfEach(tx, fresh, ids)
		if err != nil || len(all) == 0 {
			return err
		}
		accounts := make([]model.AccountID, len(all))
		for i := range all {
			accounts[i] = all[i].Account
		}
		slices.SortFunc(accounts, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
		accounts = slices.Compact(accounts)
		recipients, err := subscriptions.Recipients(tx, &row, accounts, r.now)
		if err != nil {
			return err
		}
		open, err := r.Streams.Keys(tx, accounts)
		if err != nil {
			return err
		}
		for _, s := range all {
			if to := recipients[s.Account]; to != nil {
				t, before := seen[s.ID]
				r.one(t, before, s, to, open[s.Key])
			}
		}
		return nil
	}, store.Short)
	if err != nil {
		return err
	}
	return r.admit(ctx)
}

// one decides about one subscription (contract, section 8), which was seen before, or not.
func (r *round) one(t target, seen bool, s subscriptions.Subscription, to *subscriptions.Recipient, open bool) {
	if to.Status >= model.Read || to.Undisturb || to.Muted && !r.important() {
		return
	}
	if seen && s.Told > t.pushes && !r.important() {
		return // a later push told of this message too
	}
	if !seen {
		t = target{subscription: s.ID, pushes: s.Pushes}
	}
	if open {
		if t.waited || to.Status >= model.Delivered {
			return // the page has it
		}
		t.waited, t.due = true, r.now.Add(grace)
		r.later = append(r.later, t)
		return
	}
	if t.due = r.free(&t, &s); t.due.After(r.now) || len(r.calls) == batch {
		r.later = append(r.later, t)
		return
	}
	r.calls = append(r.calls, call{target: t, subscription: s})
}

// free returns from when on a subscription may be told of the message.
func (r *round) free(t *target, s *subscriptions.Subscription) time.Time {
	rests := s.Rests
	switch {
	case r.important():
		rests = time.Time{}
	case s.Pushes > t.pushes: // a later push was begun, and perhaps tells of this message too: by then it has ended
		rests = rests.Add(egress.Timeout - pace)
	}
	if s.Unwanted.After(rests) {
		return s.Unwanted
	}
	return rests
}

// admit leaves out calls to sessions that have ended, or may not read the message.
func (r *round) admit(ctx context.Context) error {
	admitted := r.calls[:0]
	for _, c := range r.calls {
		reader, err := r.Access.Reader(ctx, c.subscription.Key)
		if err != nil {
			return err
		}
		if reader != nil && reader.Account == c.subscription.Account && reader.MemberOf(r.organization) {
			c.scope = reader.Key.Scope
			admitted = append(admitted, c)
		}
	}
	r.calls = admitted
	return nil
}
