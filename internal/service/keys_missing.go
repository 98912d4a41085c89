package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// topicKeys is the warning of a server whose key ring lacks keys that something is sealed
// with.
const topicKeys = "keyring_older"

const (
	// missingRound is how often a server whose ring lacks keys looks whether it still
	// does, and missingCount how often it counts anew what that affects.
	missingRound = 5 * time.Second
	missingCount = time.Hour
)

// Missing is what is sealed with keys that a ring does not hold.
type Missing struct {
	Keys     int // how many keys these are
	Messages int
	Held     int // messages that only a legal hold keeps
	Metadata int
}

// KeysInUse calls fn with the key of each text that is sealed and not over: of messages, of
// those that only a legal hold keeps, and of metadata.
func KeysInUse(ctx context.Context, kept *store.Store, now time.Time, fn func(id seal.KeyID, count func(*Missing) *int)) error {
	for _, table := range []struct {
		after messagesAfter
		held  bool
		count func(*Missing) *int
	}{
		{(*store.Tx).MessagesAfter, false, func(m *Missing) *int { return &m.Messages }},
		{(*store.Tx).HeldMessagesAfter, true, func(m *Missing) *int { return &m.Held }},
	} {
		var organization model.OrganizationID
		var last model.MessageID
		for {
			var rows []store.MessageRow
			err := kept.View(ctx, func(tx *store.Tx) (err error) {
				rows, err = table.after(tx, organization, last, readBatch)
				return err
			})
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				break
			}
			for i := range rows {
				row := &rows[i]
				organization, last = row.Organization, row.ID
				over := !table.held && !row.Ends.IsZero() && !row.Ends.After(now)
				if id, sealed := seal.KeyOf(row.Sealed); sealed && !over {
					fn(id, table.count)
				}
			}
		}
	}
	var organization model.OrganizationID
	var entity model.EntityID
	for {
		var rows []store.MetadataRow
		err := kept.View(ctx, func(tx *store.Tx) (err error) {
			rows, err = tx.MetadataAfter(organization, entity, readBatch)
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			organization, entity = rows[i].Organization, rows[i].Entity
			if id, sealed := seal.KeyOf(rows[i].Content); sealed {
				fn(id, func(m *Missing) *int { return &m.Metadata })
			}
		}
	}
}

// countMissing counts what is sealed with keys that the ring does not hold.
func (s *Service) countMissing(ctx context.Context) (m Missing, err error) {
	keys := map[seal.KeyID]bool{}
	err = KeysInUse(ctx, s.store, s.now(), func(id seal.KeyID, count func(*Missing) *int) {
		if !s.vault.Ring.Has(id) {
			keys[id] = true
			*count(&m)++
		}
	})
	m.Keys = len(keys)
	return m, err
}

// WatchKeys tells of a key ring that is older than what is sealed, for as long as it is. It
// is a background task of each start, and ends at once where the ring has the newest key.
func (s *Service) WatchKeys(ctx context.Context) {
	tick := time.NewTicker(missingRound)
	defer tick.Stop()
	var counted time.Time
	size := -1
	for {
		due, err := s.store.KeysMissing(ctx)
		if err == nil && !due {
			s.warnings.Clear(topicKeys)
			return
		}
		if err == nil {
			err = s.vault.Ring.Refresh(ctx)
		}
		if now, n := s.now(), s.vault.Ring.Size(); err == nil && (n != size || now.Sub(counted) >= missingCount) {
			if err = s.tellMissing(ctx); err == nil {
				counted, size = now, n
				s.allKeys.Store(true) // an older ring may hold keys of which nothing was left since
			}
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, seal.ErrUnavailable) {
			s.log.Error("what is sealed with keys that the key ring lacks was not counted; it is tried again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// tellMissing counts, and warns, or takes note that nothing is missing.
func (s *Service) tellMissing(ctx context.Context) error {
	m, err := s.countMissing(ctx)
	if err != nil {
		return err
	}
	if m.Keys == 0 {
		return s.store.NoteKeysMissing(ctx, false)
	}
	text := fmt.Sprintf("the key ring is older than what is stored: %d keys are missing, and %d messages and %d metadata cannot be read", m.Keys, m.Messages, m.Metadata)
	if m.Held > 0 {
		text += fmt.Sprintf(", nor %d that a legal hold keeps", m.Held)
	}
	s.warnings.Set(topicKeys, text+`; look for a newer copy of the key ring, and take its keys over with "signet keys import", while the server runs ("signet keys verify" names what does not open)`)
	return nil
}
