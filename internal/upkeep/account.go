package upkeep

import (
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/authorship"
)

const (
	// lookWindow is how many rows a step of an account's erasure looks at, which takes some
	// milliseconds in which others may write.
	lookWindow = 2000
	// accountTime is for how long a sweep erases accounts before it does its other tasks.
	accountTime = 2 * time.Second
)

// accountTraces erases what accounts have left that were closed. Each step writes as little
// as holds up nobody. What another server has erased meanwhile, it leaves.
type accountTraces struct {
	store *store.Store
	gone  func(rows []store.MessageRow, erased store.Erased) // is told what each transaction removed
}

// erase looks through the next rows of a table, erases what it finds, and notes how far it
// has come. It reports whether something is left; after the last stage the account is gone.
func (t *accountTraces) erase(ctx context.Context, e store.AccountErasure) (next store.AccountErasure, more bool,
	err error) {
	if e.Stage == store.ErasureOver {
		return e, false, t.finish(ctx, e.Account)
	}
	found, err := store.Read(ctx, t.store, func(tx *store.Tx) (store.Traces, error) { return tx.TracesOf(e, lookWindow) })
	if err != nil {
		return e, true, err
	}
	if err := t.messages(ctx, found.Messages); err != nil {
		return e, true, err
	}
	for copies := range slices.Chunk(found.Copies, batch) {
		err := t.update(ctx, func(tx *store.Tx) (store.Erased, error) { return tx.EraseCopies(e.Account, copies) })
		if err != nil {
			return e, true, err
		}
	}
	for events := range slices.Chunk(found.Events, batch) {
		err := t.update(ctx, func(tx *store.Tx) (store.Erased, error) { return tx.EraseEvents(events) })
		if err != nil {
			return e, true, err
		}
	}
	return found.Next, true, t.store.Update(ctx, func(tx *store.Tx) error { return tx.KeepErasure(&found.Next) })
}

// update is store.Update that tells what went.
func (t *accountTraces) update(ctx context.Context, fn func(tx *store.Tx) (store.Erased, error)) error {
	var erased store.Erased
	err := t.store.Update(ctx, func(tx *store.Tx) (err error) {
		erased, err = fn(tx)
		return err
	})
	if err == nil {
		t.gone(nil, erased)
	}
	return err
}

// messages erases messages, for all readers. Under a legal hold that was set since the
// account ended, they are put aside for that, as recalled ones are.
func (t *accountTraces) messages(ctx context.Context, keys []store.MessageKey) error {
	for len(keys) > 0 {
		some := keys[:min(len(keys), batch)]
		if other := slices.IndexFunc(some, func(k store.MessageKey) bool {
			return k.Organization != some[0].Organization
		}); other > 0 {
			some = some[:other] // messages are locked in the order of their tokens
		}
		keys = keys[len(some):]
		for more := true; more; {
			var gone []store.MessageRow
			err := t.store.Update(ctx, func(tx *store.Tx) error {
				rows := make([]store.MessageRow, 0, len(some))
				for _, k := range some {
					row, found, err := tx.MessageOf(k.Organization, k.ID)
					if err != nil {
						return err
					}
					if found {
						rows = append(rows, row)
					}
				}
				var err error
				gone, more, err = endMessages(tx, rows)
				return err
			})
			if err != nil {
				return err
			}
			t.gone(gone, nil)
		}
	}
	return nil
}

// finish erases others' conversations with an account, who made it, that it made keys and
// groups, and at last its own rows, with what a call that had begun before may have given it meanwhile. What has no
// index is looked for outside of transactions that write.
func (t *accountTraces) finish(ctx context.Context, id model.AccountID) error {
	var by model.AccountID
	var request string
	err := t.store.View(ctx, func(tx *store.Tx) (err error) {
		by, request, _, err = authorship.RequestThatMade(tx, id)
		return err
	})
	if err != nil {
		return err
	}
	for {
		keys, err := store.Read(ctx, t.store, func(tx *store.Tx) ([]store.ConversationKey, error) {
			return tx.ConversationsNaming(id, batch)
		})
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		err = t.update(ctx, func(tx *store.Tx) (store.Erased, error) { return tx.EraseConversations(keys) })
		if err != nil {
			return err
		}
	}
	for {
		works, err := store.Read(ctx, t.store, func(tx *store.Tx) (authorship.Works, error) {
			return authorship.WorksOf(tx, id, batch)
		})
		if err != nil {
			return err
		}
		if len(works.Keys)+len(works.Groups) == 0 {
			break
		}
		if err := t.store.Update(ctx, func(tx *store.Tx) error { return authorship.ForgetAuthor(tx, works) }); err != nil {
			return err
		}
	}
	return t.update(ctx, func(tx *store.Tx) (store.Erased, error) {
		if err := authorship.ForgetMade(tx, by, request); err != nil {
			return nil, err
		}
		if _, err := tx.CloseAccount(id); err != nil {
			return nil, err
		}
		return tx.FinishAccount(id)
	})
}

// sweepAccounts goes on with the erasure of accounts that calls have ended. Where much is
// left it asks for another sweep, after the other tasks of this one.
func (w *Sweeper) sweepAccounts(ctx context.Context) (erased int, err error) {
	begun := time.Now()
	all, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]store.AccountErasure, error) {
		return tx.AccountErasures(batch)
	})
	if err != nil {
		return 0, err
	}
	traces := accountTraces{store: w.Store, gone: func(rows []store.MessageRow, rest store.Erased) {
		w.forget(rows)
		w.Counts.Erased.Add(int64(len(rows)))
		erased += len(rows) + len(rest)
	}}
	for _, e := range all {
		for more := true; more; {
			if waits, err := w.waits(ctx, &e); err != nil || waits {
				if err != nil {
					return erased, err
				}
				break
			}
			if time.Since(begun) > accountTime {
				w.again()
				return erased, nil
			}
			if e, more, err = traces.erase(ctx, e); err != nil {
				return erased, err
			}
		}
	}
	return erased, nil
}

// waits reports whether an erasure waits until what was left to be done in pieces before,
// and may tell of the account, is done.
func (w *Sweeper) waits(ctx context.Context, e *store.AccountErasure) (bool, error) {
	if e.Stage != store.EraseEvents {
		return false, nil
	}
	return store.Read(ctx, w.Store, func(tx *store.Tx) (bool, error) { return tx.HasPiecesBefore(e.Noted) })
}
