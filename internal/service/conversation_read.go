package service

import (
	"context"
	"math"
	"slices"
	"time"

	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/threads"
)

// ReadConversation marks all that the actor received in a conversation, up to a sort, Read,
// and tells the senders, as MarkStatus does (contract, section 7). It returns how many
// messages these were. Where they are many they are marked in pieces, the oldest first: a
// call that fails may have marked some.
func (s *Service) ReadConversation(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID, upTo int64) (marked int, err error) {
	known := s.messages.reading()
	var ids []model.MessageID
	err = s.store.View(ctx, func(tx *store.Tx) error {
		r := &historyReader{service: s, tx: tx, actor: actor, known: known, now: s.now()}
		talk, err := s.talk(ctx, r, address, organization)
		if err != nil {
			return err
		}
		ids, err = talk.unread(tx, actor, upTo)
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.Reverse(ids)
	for part := range slices.Chunk(ids, fanout.Rows/markedRows) {
		begun := time.Now()
		if err := s.mark(ctx, actor, part, model.Read, s.now()); err != nil {
			return marked, err
		}
		if marked += len(part); marked < len(ids) {
			if err := backlog.Rest(ctx, begun); err != nil {
				return marked, err
			}
		}
	}
	return marked, nil
}

// unread returns the messages of a conversation that the actor has not read, up to a sort,
// the newest first. The count of what is unread tells when it has found all: mostly these
// are the newest, and what lies behind them need not be looked at.
func (t *talk) unread(tx *store.Tx, actor *model.Actor, upTo int64) ([]model.MessageID, error) {
	if t.thread.After >= t.thread.Before {
		return nil, nil
	}
	most, err := t.countUnread(tx, actor)
	if err != nil || most == 0 {
		return nil, err
	}
	if most == math.MaxInt32 && upTo < t.thread.Before { // nothing is counted: what is newer need not be found
		t.thread.Before = upTo + 1
	}
	ids, sorts, err := threads.Unread(tx, &t.thread, most)
	if err != nil {
		return nil, err
	}
	newer := 0
	for newer < len(sorts) && sorts[newer] > upTo {
		newer++
	}
	return ids[newer:], nil
}

// countUnread returns how many messages of the conversation are unread, or as many as there
// can be where nobody counts them: what an account got of a group before it left it counts
// as nothing with it.
func (t *talk) countUnread(tx *store.Tx, actor *model.Actor) (int, error) {
	if !t.group {
		c, _, err := tx.Conversation(actor.Account, t.organization, t.entity)
		return c.Unread, err
	}
	c, found, err := tx.GroupConversation(actor.Account, model.GroupID(t.entity))
	if err != nil || !found || c.Floor < c.Cleared {
		return math.MaxInt32, err
	}
	return c.Unread, nil
}
