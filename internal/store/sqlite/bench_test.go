package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// benchSchema is what a message writes, in the shape of the store's tables.
var benchSchema = []string{
	`CREATE TABLE messages (organization TEXT NOT NULL, message BLOB NOT NULL, sender BLOB NOT NULL, recipient BLOB NOT NULL,
		content BLOB NOT NULL, created BIGINT NOT NULL, ends BIGINT NOT NULL, PRIMARY KEY (organization, message)) WITHOUT ROWID`,
	`CREATE INDEX messages_ends ON messages (ends)`,
	`CREATE TABLE deliveries (organization TEXT NOT NULL, message BLOB NOT NULL, account BLOB NOT NULL, position BIGINT NOT NULL,
		status INTEGER NOT NULL, PRIMARY KEY (organization, message, account)) WITHOUT ROWID`,
	`CREATE TABLE events (account BLOB NOT NULL, position BIGINT NOT NULL, kind TEXT NOT NULL, payload BLOB NOT NULL,
		PRIMARY KEY (account, position)) WITHOUT ROWID`,
	`CREATE TABLE conversations (account BLOB NOT NULL, organization TEXT NOT NULL, entity BLOB NOT NULL, unread BIGINT NOT NULL,
		PRIMARY KEY (account, organization, entity)) WITHOUT ROWID`,
	`CREATE TABLE requests (account BLOB NOT NULL, request TEXT NOT NULL, message BLOB NOT NULL,
		PRIMARY KEY (account, request)) WITHOUT ROWID`,
}

// BenchmarkUpdate writes a message's six rows, from 1, 16 and 64 callers.
func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("callers-%d", callers), func(b *testing.B) {
			e, err := Open(filepath.Join(b.TempDir(), "bench.db"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			mustExec(b, e, benchSchema...)
			content := make([]byte, 350)
			b.ReportAllocs()
			b.ResetTimer()
			before := e.Stats()
			start := time.Now()
			var left atomic.Int64
			left.Store(int64(b.N))
			done := make(chan error, callers)
			times := make([]time.Duration, b.N)
			for range callers {
				go func() {
					for i := left.Add(-1); i >= 0; i = left.Add(-1) {
						began := time.Now()
						if err := benchMessage(e, content); err != nil {
							done <- err
							return
						}
						times[i] = time.Since(began)
					}
					done <- nil
				}()
			}
			for range callers {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			after := e.Stats()
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(after.Updates-before.Updates)/float64(after.Commits-before.Commits), "updates/commit")
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "updates/s")
			b.ReportMetric(float64(after.Checkpoints-before.Checkpoints), "checkpoints")
			b.ReportMetric(float64(after.Scrubbed-before.Scrubbed), "scrubbed")
		})
	}
}

func benchAccount(n uint64) (id model.AccountID) {
	binary.BigEndian.PutUint64(id[:], n*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func benchMessage(e *Engine, content []byte) error {
	const organization = model.OrganizationID("0123456789abcdefghijABCD")
	var message model.MessageID
	now := time.Now().UnixMilli()
	binary.BigEndian.PutUint64(message[:], uint64(now)<<16)
	binary.BigEndian.PutUint64(message[8:], rand.Uint64())
	sender, recipient := benchAccount(rand.Uint64N(5000)), benchAccount(rand.Uint64N(5000))
	request := message.String()
	return e.Update(context.Background(), func(s store.Session) error {
		position, err := s.Position([]model.AccountID{sender, recipient}, 1)
		if err != nil {
			return err
		}
		if _, err := s.Exec(
			`INSERT INTO messages (organization, message, sender, recipient, content, created, ends) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			organization, message, sender, recipient, content, now, now+int64(rand.Uint64N(1<<30))); err != nil {
			return err
		}
		if _, err := s.Exec(
			`INSERT INTO deliveries (organization, message, account, position, status) VALUES (?, ?, ?, ?, ?)`,
			organization, message, recipient, position, 0); err != nil {
			return err
		}
		if _, err := s.Exec(`INSERT INTO events (account, position, kind, payload) VALUES (?, ?, ?, ?)`,
			recipient, position, "message", content[:64]); err != nil {
			return err
		}
		const upsert = `INSERT INTO conversations (account, organization, entity, unread) VALUES (?, ?, ?, ?)
			ON CONFLICT (account, organization, entity) DO UPDATE SET unread = conversations.unread + excluded.unread`
		if _, err := s.Exec(upsert, recipient, organization, sender, 1); err != nil {
			return err
		}
		if _, err := s.Exec(upsert, sender, organization, recipient, 0); err != nil {
			return err
		}
		_, err = s.Exec(`INSERT INTO requests (account, request, message) VALUES (?, ?, ?)`, sender, request, message)
		return err
	})
}

// BenchmarkView reads one row by its key.
func BenchmarkView(b *testing.B) {
	e, err := Open(filepath.Join(b.TempDir(), "bench.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	mustExec(b, e, benchSchema...)
	for range 2000 {
		if err := benchMessage(e, make([]byte, 350)); err != nil {
			b.Fatal(err)
		}
	}
	for name, ctx := range map[string]func() (context.Context, context.CancelFunc){
		"background":  func() (context.Context, context.CancelFunc) { return context.Background(), func() {} },
		"cancellable": func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
	} {
		b.Run(name, func(b *testing.B) {
			ctx, cancel := ctx()
			defer cancel()
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					account := benchAccount(rand.Uint64N(5000))
					var position int64
					var payload []byte
					err := e.View(ctx, func(s store.Session) error {
						return s.Query(`SELECT position, payload FROM events WHERE account = ? ORDER BY position LIMIT 1`,
							[]any{account}, func(r store.Row) error { return r.Scan(&position, &payload) })
					})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
