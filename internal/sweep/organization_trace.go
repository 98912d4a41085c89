package sweep

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// tracesOf erases what accounts have left of a deleted organization, some rows in a transaction.
// Another run goes on where one was broken off.
func (t *accountTraces) tracesOf(ctx context.Context, id model.OrganizationID) error {
	for _, erase := range []func() error{
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after store.RequestKey) ([]store.RequestKey, error) {
				return tx.RequestsIn(id, after, pieceRows)
			}, (*store.Tx).EraseRequests)
		},
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after store.ConversationKey) ([]store.ConversationKey, error) {
				return tx.ConversationsIn(id, after, pieceRows)
			}, (*store.Tx).EraseConversations)
		},
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after store.PastMemberKey) ([]store.PastMemberKey, error) {
				return tx.PastMembersIn(id, after, pieceRows)
			}, (*store.Tx).ErasePastMembers)
		},
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after store.ConversationKey) ([]store.ConversationKey, error) {
				return tx.MutesIn(id, after, pieceRows)
			}, (*store.Tx).EraseMutes)
		},
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after store.EventKey) ([]store.EventKey, error) {
				return tx.EventsIn(id, after, pieceRows)
			}, (*store.Tx).EraseEvents)
		},
		func() error {
			return eraseAfter(ctx, t, func(tx *store.Tx, after model.AccountID) ([]model.AccountID, error) {
				return tx.MadeBy(id, after, pieceRows)
			}, func(tx *store.Tx, found []model.AccountID) (store.Erased, error) {
				return nil, tx.ForgetMaker(id, found)
			})
		},
	} {
		if err := erase(); err != nil {
			return err
		}
	}
	return nil
}

// eraseAfter is eraseFound where find looks in the order of keys, after the last one that was
// found.
func eraseAfter[T any](ctx context.Context, t *accountTraces, find func(tx *store.Tx, after T) ([]T, error),
	erase func(*store.Tx, []T) (store.Erased, error)) error {
	var after T
	return eraseFound(ctx, t, func(tx *store.Tx) ([]T, error) { return find(tx, after) },
		func(tx *store.Tx, found []T) (store.Erased, error) {
			after = found[len(found)-1]
			return erase(tx, found)
		})
}
