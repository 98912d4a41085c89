package custody

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"signet/internal/content"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/metadata"
	"signet/internal/store/notes"
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
	Keys      int // how many keys these are
	Messages  int
	Held      int // messages that only a legal hold keeps
	Metadata  int
	Notes     int // of groups
	Webhooks  int // whose secrets
	Providers int // whose client secrets
}

// KeysInUse calls fn with the key of each text that is sealed and not over: of messages, of
// those that only a legal hold keeps, of metadata, of notes of groups, and of the secrets of webhooks and
// providers.
func KeysInUse(ctx context.Context, kept *store.Store, now time.Time,
	fn func(id seal.KeyID, count func(*Missing) *int)) error {
	for _, table := range []struct {
		held  bool
		count func(*Missing) *int
	}{
		{false, func(m *Missing) *int { return &m.Messages }},
		{true, func(m *Missing) *int { return &m.Held }},
	} {
		err := content.EachMessage(ctx, kept, table.held, func(row *store.MessageRow) error {
			over := !table.held && !row.Ends.IsZero() && !row.Ends.After(now)
			if id, sealed := seal.KeyOf(row.Sealed); sealed && !over {
				fn(id, table.count)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	err := content.EachMetadata(ctx, kept, func(row *metadata.Row) error {
		if id, sealed := seal.KeyOf(row.Content); sealed {
			fn(id, func(m *Missing) *int { return &m.Metadata })
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = content.EachWebhook(ctx, kept, func(row *store.WebhookRow) error {
		if id, sealed := seal.KeyOf(row.Secret); sealed {
			fn(id, func(m *Missing) *int { return &m.Webhooks })
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = content.EachProvider(ctx, kept, func(row *store.ProviderRow) error {
		if id, sealed := seal.KeyOf(row.Secret); sealed {
			fn(id, func(m *Missing) *int { return &m.Providers })
		}
		return nil
	})
	if err != nil {
		return err
	}
	return content.EachNote(ctx, kept, func(row *notes.Row) error {
		over := !row.Created.Add(model.NoteLife).After(now)
		for _, text := range row.Sealed() { // all are sealed with one key
			if id, sealed := seal.KeyOf(text); sealed && !over {
				fn(id, func(m *Missing) *int { return &m.Notes })
				break
			}
		}
		return nil
	})
}

// KeyWatch tells of a key ring that is older than what is sealed, for as long as it is.
type KeyWatch struct {
	Store    *store.Store
	Ring     *seal.Ring
	Clock    func() time.Time
	Log      *slog.Logger
	Warnings *health.Warnings

	// Older is called after each count: an older ring may hold keys with which nothing is
	// sealed any more.
	Older func()
}

// Run watches until ctx ends. It is a background task of each start, and ends at once
// where the ring has the newest key.
func (w *KeyWatch) Run(ctx context.Context) {
	tick := time.NewTicker(missingRound)
	defer tick.Stop()
	var counted time.Time
	size := -1
	for {
		due, err := w.Store.KeysMissing(ctx)
		if err == nil && !due {
			w.Warnings.Clear(topicKeys)
			return
		}
		if err == nil {
			err = w.Ring.Refresh(ctx)
		}
		if now, n := w.Clock(), w.Ring.Size(); err == nil && (n != size || now.Sub(counted) >= missingCount) {
			if err = w.tell(ctx); err == nil {
				counted, size = now, n
				w.Older()
			}
		}
		if err != nil && ctx.Err() == nil && health.MissingPart(err) == "" && !errors.Is(err, store.ErrUnavailable) {
			w.Log.Error("what is sealed with keys that the key ring lacks was not counted; it is tried again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// count counts what is sealed with keys that the ring does not hold.
func (w *KeyWatch) count(ctx context.Context) (m Missing, err error) {
	keys := map[seal.KeyID]bool{}
	err = KeysInUse(ctx, w.Store, w.Clock().UTC().Truncate(time.Millisecond),
		func(id seal.KeyID, count func(*Missing) *int) {
			if !w.Ring.Has(id) {
				keys[id] = true
				*count(&m)++
			}
		})
	m.Keys = len(keys)
	return m, err
}

// tell counts, and warns, or notes that nothing is missing.
func (w *KeyWatch) tell(ctx context.Context) error {
	m, err := w.count(ctx)
	if err != nil {
		return err
	}
	if m.Keys == 0 {
		return w.Store.NoteKeysMissing(ctx, false)
	}
	text := fmt.Sprintf("the key ring is older than what is stored: %d keys are missing, and %d messages and %d "+
		"metadata cannot be read",
		m.Keys, m.Messages, m.Metadata)
	if m.Notes > 0 {
		text += fmt.Sprintf(", nor names in %d notes of groups", m.Notes)
	}
	if m.Webhooks > 0 {
		text += fmt.Sprintf(", nor do %d webhooks sign", m.Webhooks)
	}
	if m.Providers > 0 {
		text += fmt.Sprintf(", nor do %d providers sign anybody in", m.Providers)
	}
	if m.Held > 0 {
		text += fmt.Sprintf(", nor %d that a legal hold keeps", m.Held)
	}
	w.Warnings.Set(topicKeys,
		text+`; look for a newer copy of the key ring, and take its keys over with "signet keys import", `+
			`while the server runs ("signet keys verify" names what does not open)`)
	return nil
}
