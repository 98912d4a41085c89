package sweep

import (
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/authorship"
	"signet/internal/store/erasure"
	"signet/internal/store/escalation"
	"signet/internal/store/metadata"
	"signet/internal/store/notes"
	"signet/internal/store/piecework"
	"signet/internal/store/searchindex"
)

// lookWindow is how many rows a step of an account's erasure looks at, which takes some
// milliseconds in which others may write.
const lookWindow = 2000

// accountTraces erases what accounts have left that were closed. Each step writes as little
// as holds up nobody. What another server has erased meanwhile, it leaves.
type accountTraces struct {
	store *store.Store
	gone  func(rows []store.MessageRow) // is told which messages each transaction removed
}

// erase looks through the next rows of a table, erases what it finds, and notes how far it
// has come. It reports whether something is left; after the last stage the account is gone.
func (t *accountTraces) erase(ctx context.Context, e erasure.AccountErasure) (next erasure.AccountErasure, more bool,
	err error) {
	if e.Stage == erasure.StageOver {
		return e, false, t.finish(ctx, e.Account)
	}
	found, err := store.Read(ctx, t.store, func(tx *store.Tx) (erasure.Traces, error) {
		return erasure.TracesOf(tx, e, lookWindow)
	})
	if err != nil {
		return e, true, err
	}
	if err := t.messages(ctx, found.Messages); err != nil {
		return e, true, err
	}
	for copies := range slices.Chunk(found.Copies, pieceRows) {
		err := t.update(ctx, func(tx *store.Tx) error { return erasure.EraseCopies(tx, e.Account, copies) })
		if err != nil {
			return e, true, err
		}
	}
	for events := range slices.Chunk(found.Events, pieceRows) {
		err := t.update(ctx, func(tx *store.Tx) error { return erasure.EraseEvents(tx, events) })
		if err != nil {
			return e, true, err
		}
	}
	for events := range slices.Chunk(found.Changes, pieceRows) {
		err := t.update(ctx, func(tx *store.Tx) error { return erasure.ForgetCaller(tx, e.Account, events) })
		if err != nil {
			return e, true, err
		}
	}
	return found.Next, true, t.store.Update(ctx, func(tx *store.Tx) error { return erasure.Keep(tx, &found.Next) })
}

// update is store.Update with a rest after it.
func (t *accountTraces) update(ctx context.Context, fn func(tx *store.Tx) error) error {
	begun := time.Now()
	if err := t.store.Update(ctx, fn); err != nil {
		return err
	}
	return backlog.Rest(ctx, begun)
}

// errTakenBack says that messages are left, since they are still being taken back from a group in pieces.
var errTakenBack = errors.New("a recalled message is still being taken back")

// messages erases messages, for all readers. Under a legal hold that was set since the
// account ended, they are put aside for that, as recalled ones are. In the end it returns errTakenBack where it
// left some.
func (t *accountTraces) messages(ctx context.Context, keys []store.MessageKey) error {
	left := false
	for len(keys) > 0 {
		some := keys[:min(len(keys), batch)]
		if other := slices.IndexFunc(some, func(k store.MessageKey) bool {
			return k.Organization != some[0].Organization
		}); other > 0 {
			some = some[:other] // messages are locked in the order of their tokens
		}
		keys = keys[len(some):]
		for more := true; more; {
			begun := time.Now()
			var gone []store.MessageRow
			var waiting bool
			err := t.store.Update(ctx, func(tx *store.Tx) error {
				rows, waits, err := erasable(tx, some)
				if err != nil {
					return err
				}
				waiting = waits
				gone, more, err = endMessages(tx, rows)
				return err
			})
			if err != nil {
				return err
			}
			left = left || waiting
			t.gone(gone)
			if err := backlog.Rest(ctx, begun); err != nil {
				return err
			}
		}
	}
	if left {
		return errTakenBack
	}
	return nil
}

// erasable returns those of some messages that are there, but for those that are still being taken back, and
// reports whether there are such.
func erasable(tx *store.Tx, some []store.MessageKey) (rows []store.MessageRow, waits bool, err error) {
	for _, k := range some {
		row, found, err := tx.MessageOf(k.Organization, k.ID)
		if err != nil {
			return nil, false, err
		}
		if !found {
			continue
		}
		if row.Recalled && row.Group {
			back, err := piecework.TakesBack(tx, k.Organization, model.GroupID(row.Recipient), k.ID)
			if err != nil {
				return nil, false, err
			}
			if back {
				waits = true
				continue
			}
		}
		rows = append(rows, row)
	}
	return rows, waits, nil
}

// finish erases what names an account in others' rows and in what it made for others, and at
// last its own rows, with what a call that had begun before may have given it meanwhile. What
// has no index is looked for outside of transactions that write.
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
	if err := t.forget(ctx, id); err != nil {
		return err
	}
	for more := true; more; {
		err := t.update(ctx, func(tx *store.Tx) (err error) {
			more, err = erasure.EraseOwn(tx, id, pieceRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return t.update(ctx, func(tx *store.Tx) error {
		if err := authorship.ForgetMade(tx, by, request); err != nil {
			return err
		}
		if err := searchindex.RemoveAccount(tx, id); err != nil {
			return err
		}
		if err := erasure.CloseAccount(tx, id); err != nil {
			return err
		}
		return erasure.FinishAccount(tx, id)
	})
}

// forget erases what names an account in rows that are not its own.
func (t *accountTraces) forget(ctx context.Context, id model.AccountID) error {
	var conversation, mute erasure.ConversationKey // the last ones that were erased
	entity := model.EntityID(id)
	for _, erase := range []func() error{
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]erasure.ConversationKey, error) {
				return erasure.ConversationsNaming(tx, id, conversation, pieceRows)
			}, func(tx *store.Tx, found []erasure.ConversationKey) error {
				conversation = found[len(found)-1]
				return erasure.EraseConversations(tx, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]erasure.ConversationKey, error) {
				return erasure.MutesNaming(tx, id, mute, pieceRows)
			}, func(tx *store.Tx, found []erasure.ConversationKey) error {
				mute = found[len(found)-1]
				return erasure.EraseMutes(tx, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]escalation.Asked, error) {
				return escalation.Naming(tx, id, pieceRows)
			}, func(tx *store.Tx, found []escalation.Asked) error {
				return escalation.Forget(tx, id, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]model.Policy, error) {
				return escalation.PoliciesNaming(tx, id, 1)
			}, func(tx *store.Tx, found []model.Policy) error {
				return escalation.ForgetInPolicies(tx, id, found)
			})
		},
		func() error { return t.routes(ctx, id) },
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]notes.Key, error) {
				return notes.Naming(tx, id, pieceRows)
			}, func(tx *store.Tx, found []notes.Key) error {
				return notes.Forget(tx, id, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]model.OrganizationID, error) {
				return metadata.OrganizationsOf(tx, entity, pieceRows)
			}, func(tx *store.Tx, found []model.OrganizationID) error {
				return metadata.Erase(tx, entity, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]searchindex.Left, error) {
				return searchindex.LeftOf(tx, entity, pieceRows)
			}, func(tx *store.Tx, found []searchindex.Left) error {
				return searchindex.EraseLeft(tx, entity, found)
			})
		},
		func() error {
			return eraseFound(ctx, t, func(tx *store.Tx) ([]authorship.Works, error) {
				works, err := authorship.WorksOf(tx, id, pieceRows)
				if len(works.Keys)+len(works.Webhooks)+len(works.Groups) == 0 {
					return nil, err
				}
				return []authorship.Works{works}, err
			}, func(tx *store.Tx, found []authorship.Works) error {
				return authorship.ForgetAuthor(tx, found[0])
			})
		},
	} {
		if err := erase(); err != nil {
			return err
		}
	}
	return nil
}

// routes erases the rules by which alerts go to an account.
func (t *accountTraces) routes(ctx context.Context, id model.AccountID) error {
	account, err := store.Read(ctx, t.store, func(tx *store.Tx) (a model.Account, err error) {
		a, _, err = tx.Account(id)
		return a, err
	})
	if err != nil {
		return err
	}
	return eraseFound(ctx, t, func(tx *store.Tx) ([]model.OrganizationID, error) {
		return erasure.RoutesTo(tx, &account, pieceRows)
	}, func(tx *store.Tx, found []model.OrganizationID) error {
		return erasure.ForgetRoutes(tx, &account, found)
	})
}

// eraseFound erases what find finds, until that is nothing.
func eraseFound[T any](ctx context.Context, t *accountTraces, find func(*store.Tx) ([]T, error),
	erase func(*store.Tx, []T) error) error {
	for {
		found, err := store.Read(ctx, t.store, find)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := t.update(ctx, func(tx *store.Tx) error { return erase(tx, found) }); err != nil {
			return err
		}
	}
}

// account goes on with the erasure of an account that has ended.
func (e *Eraser) account(ctx context.Context, j *store.Job) (backlog.Next, error) {
	left, found, err := e.leftOf(ctx, model.AccountID(j.Subject))
	if err != nil || !found {
		return backlog.Over(), err
	}
	traces := accountTraces{store: e.Store, gone: e.gone}
	for more := true; more; {
		if waits, err := e.waits(ctx, &left); err != nil {
			return backlog.Next{}, err
		} else if waits {
			return backlog.At(e.Now().Add(time.Second)), nil
		}
		if err := backlog.Turn(ctx); err != nil {
			return backlog.Next{}, err
		}
		left, more, err = traces.erase(ctx, left)
		if errors.Is(err, errTakenBack) {
			return backlog.At(e.Now().Add(time.Second)), nil
		}
		if err != nil {
			return backlog.Next{}, err
		}
	}
	over := backlog.Over()
	over.Done = e.Wipe
	return over, nil
}

func (e *Eraser) leftOf(ctx context.Context, account model.AccountID) (left erasure.AccountErasure, found bool,
	err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) (err error) {
		left, found, err = erasure.Of(tx, account)
		return err
	})
	return left, found, err
}

// waits reports whether an erasure waits until what was left to be done in pieces before,
// and may tell of the account, is done.
func (e *Eraser) waits(ctx context.Context, left *erasure.AccountErasure) (bool, error) {
	if left.Stage != erasure.StageEvents {
		return false, nil
	}
	return store.Read(ctx, e.Store, func(tx *store.Tx) (bool, error) { return piecework.HasPiecesBefore(tx, left.Noted) })
}
