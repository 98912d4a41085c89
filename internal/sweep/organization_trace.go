package sweep

import (
	"context"
	"errors"
	"time"

	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/quota"
)

// traces erases what accounts keep of an organization that a command erases. Before, it ends the
// accounts that the organization created and that are in no other one, unless these stay, or a
// legal hold keeps messages of theirs. It comes after what the organization held itself.
//
// The state of its job is whether the accounts stay, and how many of the tables were looked
// through: each may take seconds.
func (e *Eraser) traces(ctx context.Context, j *store.Job) (backlog.Next, error) {
	id := model.OrganizationID(j.Subject)
	stay, stage := j.State[0] == 1, int(j.State[1])
	left, err := store.Read(ctx, e.Store, func(tx *store.Tx) (bool, error) { return erasure.BeingErased(tx, id) })
	if err != nil || left {
		return backlog.At(e.Now().Add(time.Second / 10)), err
	}
	if stage == 0 && !stay {
		if err := e.endAccounts(ctx, id); err != nil {
			return backlog.Next{}, err
		}
	}
	for tables := e.tracesOf(id); stage < len(tables); stage++ {
		j.State[1] = byte(stage)
		err := backlog.Turn(ctx)
		if err == nil {
			err = tables[stage](ctx)
		}
		if err != nil {
			return backlog.Next{}, err
		}
	}
	over := backlog.Over()
	over.Done = e.Wipe
	return over, e.Store.Update(ctx, func(tx *store.Tx) error { return erasure.ForgetToken(tx, id) })
}

// endAccounts ends the accounts that an organization created and that are in no other one.
func (e *Eraser) endAccounts(ctx context.Context, id model.OrganizationID) error {
	accounts, err := store.Read(ctx, e.Store, func(tx *store.Tx) ([]model.AccountID, error) {
		return erasure.OnlyIn(tx, id)
	})
	for i := 0; i < len(accounts) && err == nil; i++ {
		err = e.EndAccount(ctx, accounts[i])
		if model.IsNotFound(err) || errors.Is(err, model.UnderHold()) {
			err = nil
		}
		err = errors.Join(err, backlog.Turn(ctx))
	}
	return err
}

// tracesOf looks through a table each for what accounts keep of a deleted organization, and
// erases it, some rows in a transaction.
func (e *Eraser) tracesOf(id model.OrganizationID) []func(context.Context) error {
	t := &accountTraces{store: e.Store, gone: e.gone}
	return []func(context.Context) error{
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after erasure.RequestKey) ([]erasure.RequestKey, error) {
				return erasure.RequestsIn(tx, id, after, pieceRows)
			}, erasure.EraseRequests)
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after erasure.ConversationKey) ([]erasure.ConversationKey, error) {
				return erasure.ConversationsIn(tx, id, after, pieceRows)
			}, erasure.EraseConversations)
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after erasure.PastMemberKey) ([]erasure.PastMemberKey, error) {
				return erasure.PastMembersIn(tx, id, after, pieceRows)
			}, erasure.ErasePastMembers)
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after erasure.ConversationKey) ([]erasure.ConversationKey, error) {
				return erasure.MutesIn(tx, id, after, pieceRows)
			}, erasure.EraseMutes)
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after erasure.EventKey) ([]erasure.EventKey, error) {
				return erasure.EventsIn(tx, id, after, pieceRows)
			}, erasure.EraseEvents)
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after model.AccountID) ([]model.AccountID, error) {
				return erasure.MadeBy(tx, id, after, pieceRows)
			}, func(tx *store.Tx, found []model.AccountID) error { return tx.ForgetMaker(id, found) })
		},
		func(ctx context.Context) error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after model.AccountID) ([]model.AccountID, error) {
				return erasure.PasswordsOf(tx, id, after, pieceRows)
			}, func(tx *store.Tx, found []model.AccountID) error { return tx.ForgetPasswords(id, found) })
		},
		func(ctx context.Context) error {
			counts, err := store.Read(ctx, e.Store, func(tx *store.Tx) ([]quota.Count, error) { return quota.By(tx, id) })
			if err != nil {
				return err
			}
			return audit.SumUp(ctx, e.Store, e.Now(), counts)
		},
	}
}

// eraseAfter is eraseFound where find looks in the order of keys, after the last one that was
// found.
func eraseAfter[T any](ctx context.Context, t *accountTraces, find func(tx *store.Tx, after T) ([]T, error),
	erase func(*store.Tx, []T) error) error {
	var after T
	return eraseFound(ctx, t, func(tx *store.Tx) ([]T, error) { return find(tx, after) },
		func(tx *store.Tx, found []T) error {
			after = found[len(found)-1]
			return erase(tx, found)
		})
}
