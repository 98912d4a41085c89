package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// explaining notes how the server carries out what is asked through it.
type explaining struct {
	*Engine
	plans []string
}

func (e *explaining) View(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	return e.Engine.View(ctx, func(s store.Session) error { return fn(explainingSession{s, e}) })
}

func (e *explaining) Update(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	return e.Engine.Update(ctx, func(s store.Session) error { return fn(explainingSession{s, e}) })
}

type explainingSession struct {
	store.Session
	engine *explaining
}

func (s explainingSession) Query(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Query(query, args, each)
}

func (s explainingSession) Ask(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Ask(query, args, each)
}

func (s explainingSession) Post(query string, args ...any) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Post(query, args...)
}

func (s explainingSession) explain(query string, args []any) error {
	var plan strings.Builder
	err := s.Session.Query("EXPLAIN "+query, args, func(row store.Row) error {
		var line string
		err := row.Scan(&line)
		plan.WriteString(line + "\n")
		return err
	})
	s.engine.plans = append(s.engine.plans, plan.String())
	return err
}

// fillMessages makes messages to many people, all of which have ended, so that nothing but
// the statement itself speaks for looking at messages before copies.
const fillMessages = `
INSERT INTO organization_numbers (organization, number) VALUES ('aaaaaaaaaaaaaaaaaaaaaaaa', 1);
INSERT INTO messages (organization_number, message, sender, recipient, is_group, content, blob, created, expires, ends,
	ttl, dor, priority, sort, thread, recalled, replay, original_sender, original_created,
	escalation)
	SELECT 1, decode(lpad(to_hex(i), 32, '0'), 'hex'), decode(repeat('01', 16), 'hex'), decode(lpad(to_hex(i % 100), 32, '0'), 'hex'), 0,
	'', '', i, i, i, 1, 0, 0, i, i % 100, 0, 0, '', 0, '' FROM generate_series(1, 5000) AS i;
INSERT INTO deliveries (organization_number, message, account, position, replayed, status, status_time, status_event)
	SELECT organization_number, message, recipient, sort, 0, 0, 0, 0 FROM messages`

// An account's copies have no index of their own: to go through those of all accounts for
// them costs more the more is stored.
func TestCountingUnreadBeginsWithWhatHasEnded(t *testing.T) {
	testenv.Long(t)
	url := postgrestest.URL(t)
	e, kept := mustExplain(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	// First as before any message has come, then as after many, of which the database has no statistics yet.
	for _, fill := range []string{"", fillMessages, "ANALYZE"} {
		if _, err := conn.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
		wantCopiesByTheirMessages(t, e, kept)
	}
}

// mustExplain opens a store whose statements are explained.
func mustExplain(t *testing.T, url string) (*explaining, *store.Store) {
	t.Helper()
	engine, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &explaining{Engine: engine}
	kept, err := store.Open(t.Context(), e, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, kept
}

func wantCopiesByTheirMessages(t *testing.T, e *explaining, kept *store.Store) {
	t.Helper()
	e.plans = nil
	err := kept.View(t.Context(), func(tx *store.Tx) error {
		now, account := time.UnixMilli(10_000), model.AccountID{15: 7}
		if _, _, err := tx.Unread(account, "", now); err != nil {
			return err
		}
		_, err := tx.UnsweptUnread(account, now)
		return err
	})
	if err != nil || len(e.plans) != 2 {
		t.Fatalf("%d plans, error %v", len(e.plans), err)
	}
	for _, plan := range e.plans {
		_, copies, _ := strings.Cut(plan, " on deliveries d ")
		_, condition, _ := strings.Cut(copies, "\n")
		condition, _, _ = strings.Cut(condition, "\n")
		if !strings.Contains(condition, "THEN e.message") {
			t.Errorf("copies are looked for by %q:\n%s", strings.TrimSpace(condition), plan)
		}
		if !strings.Contains(plan, "messages_ends") {
			t.Errorf("messages are looked for without their end:\n%s", plan)
		}
	}
}
