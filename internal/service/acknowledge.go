package service

import (
	"context"
	"slices"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
)

// acknowledgedRows is how many rows an acknowledgement changes: the event, the copy, the
// sender's event.
const acknowledgedRows = 3

// Acknowledge takes events out of the actor's queue. What carries a message
// makes that Delivered, if it was New. Unknown ids are ignored. Many ids take several
// transactions, in their order: what one that fails leaves is acknowledged by a repeat.
func (s *Service) Acknowledge(ctx context.Context, actor *model.Actor, ids []string) error {
	positions := make([]int64, 0, len(ids))
	for _, id := range ids {
		if cursor, ok := model.ParseCursor(id); ok && cursor.Epoch == s.store.Epoch() {
			positions = append(positions, cursor.Position)
		}
	}
	for some := range slices.Chunk(positions, fanout.Rows/acknowledgedRows) {
		if err := s.acknowledge(ctx, actor, some); err != nil {
			return err
		}
	}
	return nil
}

// AcknowledgeEvents is Acknowledge for events that were read from the queue.
func (s *Service) AcknowledgeEvents(ctx context.Context, actor *model.Actor, events []model.Event) error {
	ids := make([]string, len(events))
	for i := range events {
		ids[i] = events[i].ID
	}
	return s.Acknowledge(ctx, actor, ids)
}

// acknowledge acknowledges events, by their positions, in one transaction.
func (s *Service) acknowledge(ctx context.Context, actor *model.Actor, all []int64) error {
	now, account := s.now(), actor.Account
	delivered := store.Payload{Account: account, Status: model.Delivered, Time: now.UnixMilli()}.Encode()
	var senders []model.AccountID
	arrived := 0
	err := s.spare(ctx, func(tx *store.Tx) error {
		senders = nil
		notices, err := s.access.Notices(tx, actor)
		if err != nil {
			return err
		}
		positions, err := tx.WithinScope(account, all, actor.Key.Scope, notices)
		if err != nil {
			return err
		}
		// Past its retention an event is not queued any more, removed already or not.
		arrivals, keeps, err := tx.Arrivals(account, positions, s.oldest(now), now)
		if err != nil {
			return err
		}
		arrived = len(arrivals)
		for i := range arrivals {
			if arrivals[i].Told {
				senders = append(senders, arrivals[i].Sender)
			}
		}
		position := int64(0)
		if len(senders) > 0 {
			if position, err = tx.Position(len(senders), senders...); err != nil {
				return err
			}
		}
		for i := range arrivals {
			a := &arrivals[i]
			if err := tx.Deliver(account, a, now, position, statusKind(a.Group), delivered); err != nil {
				return err
			}
			if a.Told {
				position++
			}
		}
		if keeps {
			if err := tx.KeepEvents(account, positions); err != nil {
				return err
			}
		}
		return tx.DeleteEventsAt(account, positions)
	}, store.ShortOf(account))
	if err != nil {
		return err
	}
	s.counts.Delivered.Add(int64(arrived))
	s.hub.Wake(ctx, senders...)
	return nil
}
