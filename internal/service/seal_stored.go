package service

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

const (
	// sealBatch is how many rows one transaction seals.
	sealBatch = 200
	// sealRetry is after how long a pass that failed begins again.
	sealRetry = time.Minute
)

// messagesAfter reads messages of a table in the order of their keys, from the one
// after the given one.
type messagesAfter func(tx *store.Tx, organization model.OrganizationID, id model.MessageID, limit int) ([]store.MessageRow, error)

// SealStored seals what was stored before content was, while the server serves: it is
// a background task of every start, and has nothing to do once it came to its end.
// What a pass that was cut short has sealed, the next one passes over. The end is noted
// in the store, and in the key ring: from then on nothing is read that is not sealed,
// whatever somebody writes into the store.
func (s *Service) SealStored(ctx context.Context) {
	for {
		err := s.sealStored(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.log.Warn("sealing what was stored before is put off", "error", err)
		timer := time.NewTimer(sealRetry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

func (s *Service) sealStored(ctx context.Context) error {
	if s.unsealed {
		return nil
	}
	var done bool
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		done, err = tx.SealingDone()
		return err
	})
	if err != nil {
		return err
	}
	if s.ring.Marked(seal.AllSealed) {
		if !done {
			s.log.Warn("the key ring says that everything is sealed, and the store does not: it is of an earlier time, or somebody changed it; " +
				"what is not sealed is not read, and signet keys verify lists it")
		}
		return nil
	}
	if !done {
		if err := s.sealAll(ctx); err != nil {
			return err
		}
	}
	return keyFault(s.ring.Mark(ctx, seal.AllSealed))
}

// sealAll seals all that is not, and notes in the store that nothing is left.
func (s *Service) sealAll(ctx context.Context) error {
	messages, err := s.sealMessages(ctx, (*store.Tx).MessagesAfter, (*store.Tx).SealMessage)
	if err != nil {
		return err
	}
	// After the messages: one that ended meanwhile, under a legal hold, has gone there.
	held, err := s.sealMessages(ctx, (*store.Tx).HeldMessagesAfter, (*store.Tx).SealHeldMessage)
	if err != nil {
		return err
	}
	metadata, err := s.sealAllMetadata(ctx)
	if err != nil {
		return err
	}
	if messages+held+metadata > 0 {
		s.log.Info("sealed what was stored before", "messages", messages, "held_messages", held, "metadata", metadata)
		s.recalled.Store(true) // so that the sweep removes what the rows held from the files
		s.eraseSoon()
	}
	return s.store.Update(ctx, func(tx *store.Tx) error { return tx.FinishSealing() })
}

// sealMessages seals the messages of a table, which after reads and put writes.
func (s *Service) sealMessages(ctx context.Context, after messagesAfter, put func(*store.Tx, *store.MessageRow, []byte) error) (total int, err error) {
	var organization model.OrganizationID
	var id model.MessageID
	for {
		var rows []store.MessageRow
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			rows, err = after(tx, organization, id, sealBatch)
			return err
		})
		if err != nil || len(rows) == 0 {
			return total, err
		}
		last := &rows[len(rows)-1]
		organization, id = last.Organization, last.ID
		var sealed [][]byte
		err = s.updateSealed(ctx, s.store.Update, func(keys *held) error {
			sealed = make([][]byte, len(rows))
			for i := range rows {
				row := &rows[i]
				if len(row.Sealed) == 0 || seal.Sealed(row.Sealed) {
					continue
				}
				if sealed[i], err = keys.seal(ctx, s, messageKey(row), row.Sealed, messageBinding(row)); err != nil {
					return err
				}
			}
			return nil
		}, func(tx *store.Tx) error {
			for i, text := range sealed {
				if text == nil {
					continue
				}
				if err := put(tx, &rows[i], text); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return total, err
		}
		for _, text := range sealed {
			if text != nil {
				total++
			}
		}
	}
}

func (s *Service) sealAllMetadata(ctx context.Context) (total int, err error) {
	var organization model.OrganizationID
	var entity model.EntityID
	for {
		var rows []store.MetadataRow
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			rows, err = tx.MetadataAfter(organization, entity, sealBatch)
			return err
		})
		if err != nil || len(rows) == 0 {
			return total, err
		}
		last := &rows[len(rows)-1]
		organization, entity = last.Organization, last.Entity
		for i := range rows {
			row := &rows[i]
			if seal.Sealed(row.Content) {
				continue
			}
			var sealed []byte
			err := s.updateSealed(ctx, s.store.Update, func(keys *held) (err error) {
				sealed, err = keys.seal(ctx, s, metadataKey(row.Organization), row.Content, metadataBinding(row.Organization, row.Entity))
				return err
			}, func(tx *store.Tx) error { return tx.SealMetadata(row, sealed) })
			if err != nil {
				return total, err
			}
			total++
		}
	}
}
