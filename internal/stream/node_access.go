package stream

import (
	"context"
	"slices"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

const (
	// lookThrough is how often a node looks at all of its readers, whatever the log says: a
	// row that was changed by hand is in no log. So does a node that did nothing for so long,
	// since it may have missed a change.
	lookThrough = time.Minute

	// changeKept is for how long a change stays in the log once a node has seen it. By then
	// all others have seen it too, or look through all of their readers next.
	changeKept = 2 * lookThrough
)

// accessLog is how far a node has come in looking who of its readers still may read. It looks
// at each once after the reader has come, whom it may have let in by what it remembered, and
// then again when the store's log says that the access of the reader's account has changed.
type accessLog struct {
	through time.Time                        // when all readers were looked at
	newest  uint64                           // of the readers that were
	seen    map[store.AccessChange]time.Time // what is in the log, and since when that is known
}

// changed returns the accounts of changes that were not seen before, and whether they may be
// all that there are.
func (l *accessLog) changed(changes []store.AccessChange) (accounts map[model.AccountID]bool, all bool) {
	accounts = map[model.AccountID]bool{}
	for _, c := range changes {
		if _, seen := l.seen[c]; !seen {
			accounts[c.Account] = true
			all = all || c.Everybody()
		}
	}
	return accounts, all
}

// note notes that what is in the log was seen, and returns what has been there for long enough.
func (l *accessLog) note(changes []store.AccessChange, now time.Time) (over []store.AccessChange) {
	seen := make(map[store.AccessChange]time.Time, len(changes))
	for _, c := range changes {
		since, known := l.seen[c]
		if !known {
			since = now
		}
		if seen[c] = since; now.Sub(since) >= changeKept {
			over = append(over, c)
		}
	}
	l.seen = seen
	return over
}

// check ends the streams whose key or membership has ended, and those that another node
// has told this one to end.
func (n *Node) check(ctx context.Context) error {
	r := n.registry
	now := r.clock()
	// Before the log is read: who comes later is looked at in the next round.
	readers := r.hub.Subscriptions()
	var changes []store.AccessChange
	var told []presence.Stream
	err := r.store.View(ctx, func(tx *store.Tx) error {
		changes, told = nil, nil
		if err := tx.AskAccessChanges(&changes); err != nil {
			return err
		}
		if err := presence.AskStreamsToEnd(tx, n.id, n.time.StoreTime(now), &told); err != nil {
			return err
		}
		return tx.Await()
	}, store.Short)
	if err != nil {
		return err
	}
	endTold(readers, told)
	newest := n.access.newest
	for _, sub := range readers {
		newest = max(newest, sub.Number())
	}
	accounts, all := n.access.changed(changes)
	if r.guard.reminded(now) || now.Sub(n.access.through) >= lookThrough {
		all = true
	}
	if !all {
		readers = slices.DeleteFunc(readers, func(sub *live.Subscription) bool {
			return sub.Number() <= n.access.newest && !accounts[sub.Account]
		})
	}
	if err := r.endRevoked(ctx, readers, now); err != nil {
		if all {
			r.guard.remind(now)
		}
		return err
	}
	if n.access.newest = newest; all {
		n.access.through = now
	}
	over := n.access.note(changes, now)
	if len(over) == 0 {
		return nil
	}
	return r.store.Update(ctx, func(tx *store.Tx) error { return tx.ForgetAccessChanges(over) })
}

// endTold ends the streams that another node has told this one to end, in case
// the word was lost.
func endTold(readers []*live.Subscription, told []presence.Stream) {
	for _, t := range told {
		reason := live.Deleted
		if t.State == presence.Replaced {
			reason = live.Replaced
		}
		for _, sub := range readers {
			if sub.ID == t.Stream {
				sub.End(reason)
			}
		}
	}
}
