package sweep

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// house is a store with what sweeps it, and a clock that a test sets.
type house struct {
	t        *testing.T
	now      time.Time
	engine   *counted
	store    *store.Store
	vault    *content.Vault
	log      *slog.Logger
	warnings *health.Warnings
}

// counted counts what is written.
type counted struct {
	store.Engine
	updates int
	most    int64  // rows that one transaction wrote
	after   func() // is called after each transaction; nil: nothing is
}

func (c *counted) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	c.updates++
	if c.after != nil {
		defer c.after()
	}
	return c.Engine.Update(ctx, func(s store.Session) error {
		rows := int64(0)
		err := fn(countedSession{s, &rows})
		c.most = max(c.most, rows)
		return err
	}, traits...)
}

type countedSession struct {
	store.Session
	rows *int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	n, err := s.Session.Exec(query, args...)
	*s.rows += n
	return n, err
}

func (s countedSession) Post(query string, args ...any) error {
	_, err := s.Exec(query, args...)
	return err
}

// newHouse keeps its files in a place.
func newHouse(t *testing.T, files string, log *slog.Logger) *house {
	t.Helper()
	h := &house{t: t, now: time.Now(), log: log, warnings: health.New(log)}
	dir := t.TempDir()
	h.engine = &counted{Engine: enginetest.Open(t, dir, enginetest.Options{Clock: h.clock})}
	t.Cleanup(func() { h.must(h.engine.Close()) })
	var err error
	h.store, err = store.Open(t.Context(), h.engine, func() string { return model.RandomText(8) })
	h.must(err)
	enginetest.Authenticate(h.store)
	blobs, err := blob.Open(files)
	h.must(err)
	t.Cleanup(func() { h.must(blobs.Close()) })
	h.vault = &content.Vault{Store: h.store, Ring: sealtest.Open(t, dir, h.clock), Blobs: blobs}
	return h
}

func (h *house) clock() time.Time { return h.now }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// sweeper is the sweeper of a server that has just started.
func (h *house) sweeper() *Sweeper {
	return NewSweeper(Options{
		Store: h.store, Vault: h.vault, Cases: forgetful{}, Access: forgetful{},
		Log: h.log, Warnings: h.warnings, Retention: 24 * time.Hour,
		Clock: custody.NewClock(custody.ClockOptions{Store: h.store, Now: h.clock}),
		Audit: audit.NewLog(audit.Options{Store: h.store, Clock: h.clock}),
	})
}

// mustUpload keeps a file that nothing refers to yet.
func (h *house) mustUpload() model.Attachment {
	h.t.Helper()
	a := model.Attachment{Blob: model.BlobID(uuid.Must(uuid.NewV7())), Name: "x", ContentType: "a/b", Size: 1,
		Key: h.vault.NewFileKey()}
	h.must(h.vault.PutFile(h.t.Context(), &a, strings.NewReader("x")))
	return a
}

// forgetful are use cases that remember nothing.
type forgetful struct{}

func (forgetful) Age()                                       {}
func (forgetful) Forget()                                    {}
func (forgetful) SweepBehind(bool)                           {}
func (forgetful) ForgetMessages(...model.MessageID)          {}
func (forgetful) DeleteEndedKeys(*store.Tx, time.Time) error { return nil }
func (forgetful) FlushUses(context.Context) error            { return nil }
func (forgetful) Wake(context.Context, ...model.AccountID)   {}

// Hundreds of queues in which nothing is old are read only.
func TestQueuesAreWrittenWhereSomethingIsOldOnly(t *testing.T) {
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.DiscardHandler))
	const queues = 2*queueBatch + 7
	account := func(i int) model.AccountID { return model.AccountID{byte(1 + i/256), byte(i)} }
	old := map[int]bool{0: true, queueBatch - 1: true, queueBatch: true, queues - 1: true}
	position := func(age time.Duration) int64 { return h.now.Add(-age).UnixMicro() }
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range queues {
			ages := []time.Duration{time.Hour}
			if old[i] {
				ages = append(ages, 25*time.Hour)
			}
			for _, age := range ages {
				err := tx.InsertEvent(account(i), position(age), "", model.EventSettings, model.MessageID{},
					store.Payload{}.Encode())
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
	count := func() (events int) {
		t.Helper()
		q, err := NewSurvey(h.store, h.clock).Count(t.Context())
		h.must(err)
		if q.Accounts != queues {
			t.Errorf("there are %d queues, want %d", q.Accounts, queues)
		}
		return q.Events
	}
	w := h.sweeper()
	for _, want := range []struct{ events, updates int }{{queues, 3}, {queues, 0}} {
		h.engine.updates = 0
		h.must(w.trimQueues(t.Context(), h.now))
		if events, updates := count(), h.engine.updates; events != want.events || updates != want.updates {
			t.Errorf("%d events are left after %d transactions, want %d after %d", events, updates, want.events, want.updates)
		}
	}
}
