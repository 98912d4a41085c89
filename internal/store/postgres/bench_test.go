package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// BenchmarkUpdate writes a message's rows, from 1, 16 and 64 callers, to a server
// that syncs its disk.
func BenchmarkUpdate(b *testing.B) {
	server := postgrestest.Start(b, "fsync = on", "full_page_writes = on")
	for _, pooled := range []bool{false, true} {
		for _, callers := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("pooled-%t/callers-%d", pooled, callers), func(b *testing.B) {
				e := mustOpen(b, server.URL(b), Options{Pooled: pooled})
				mustExec(
					b, e, `CREATE TABLE messages (organization TEXT NOT NULL, message BYTEA NOT NULL, sender BYTEA NOT NULL, recipient BYTEA NOT NULL,
					content BYTEA NOT NULL, created BIGINT NOT NULL, ends BIGINT NOT NULL, PRIMARY KEY (organization, message))`)
				mustExec(
					b, e, `CREATE TABLE deliveries (organization TEXT NOT NULL, message BYTEA NOT NULL, account BYTEA NOT NULL, position BIGINT NOT NULL,
					PRIMARY KEY (organization, message, account))`)
				mustExec(
					b, e, `CREATE TABLE events (account BYTEA NOT NULL, position BIGINT NOT NULL, message BYTEA NOT NULL, PRIMARY KEY (account, position))`)
				mustExec(
					b, e, `CREATE TABLE conversations (account BYTEA NOT NULL, entity BYTEA NOT NULL, unread BIGINT NOT NULL, PRIMARY KEY (account, entity))`)
				b.ReportAllocs()
				b.ResetTimer()
				var left, made atomic.Int64
				left.Store(int64(b.N))
				var group sync.WaitGroup
				for range callers {
					group.Go(func() {
						for left.Add(-1) >= 0 {
							if err := benchMessage(e, made.Add(1)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			})
		}
	}
}

func benchMessage(e *Engine, n int64) error {
	var message model.MessageID
	binary.BigEndian.PutUint64(message[:], uint64(n))
	sender, recipient := model.AccountID{1, 15: byte(n)}, model.AccountID{2, 15: byte(n >> 3)}
	content := make([]byte, 350)
	return e.Update(context.Background(), func(s store.Session) error {
		position, err := s.Position([]model.AccountID{sender, recipient}, 1)
		if err != nil {
			return err
		}
		for _, statement := range []struct {
			text string
			args []any
		}{
			{
				`INSERT INTO messages (organization, message, sender, recipient, content, created, ends) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				[]any{"organization", message, sender, recipient, content, n, n}},
			{`INSERT INTO deliveries (organization, message, account, position) VALUES (?, ?, ?, ?)`,
				[]any{"organization", message, recipient, position}},
			{`INSERT INTO events (account, position, message) VALUES (?, ?, ?)`, []any{recipient, position, message}},
			{
				`INSERT INTO conversations AS c (account, entity, unread) VALUES (?, ?, 1) ON CONFLICT (account, entity) DO UPDATE SET unread = c.unread + 1`,
				[]any{recipient, sender}},
			{
				`INSERT INTO conversations AS c (account, entity, unread) VALUES (?, ?, 0) ON CONFLICT (account, entity) DO UPDATE SET unread = c.unread`,
				[]any{sender, recipient}},
		} {
			if err := s.Post(statement.text, statement.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
