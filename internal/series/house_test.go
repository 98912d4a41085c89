package series

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/tally"
	"signet/internal/testclock"
)

// begin is when the time of tests begins.
var begin = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// house is a database with two organizations, on which servers run whose clock a test sets.
type house struct {
	t     *testing.T
	clock *testclock.Clock
	open  func() store.Engine // the database, once more
	first *server
	org   model.Organization
	other model.Organization
}

// server is one, as far as this package is concerned.
type server struct {
	*house
	engine   *countedEngine
	store    *store.Store
	tally    *tally.Tally
	recorder *Recorder
	work     *backlog.Worker
	here     Here
	shared   Shared
	asked    int // how often it told what the store tells
}

// newHouse is on the embedded store, where all servers have it in common: a server that starts is
// another recorder.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, clock: testclock.At(begin)}
	engine := enginetest.Open(t, t.TempDir(), enginetest.Options{Clock: h.clock.Now})
	t.Cleanup(func() { h.must(engine.Close()) })
	h.open = func() store.Engine { return engine }
	return h.furnish()
}

// onBothEngines runs a test on the embedded store, and on PostgreSQL, where each server has connections of
// its own.
func onBothEngines(t *testing.T, test func(t *testing.T, h *house)) {
	t.Run("embedded", func(t *testing.T) { test(t, newHouse(t)) })
	t.Run("postgresql", func(t *testing.T) {
		h := &house{t: t, clock: testclock.At(begin)}
		address := postgrestest.URL(t)
		h.open = func() store.Engine {
			engine, err := postgres.Open(t.Context(), address, postgres.Options{Clock: h.clock.Now, Connections: 4})
			h.must(err)
			t.Cleanup(func() { h.must(engine.Close()) })
			return engine
		}
		test(t, h.furnish())
	})
}

func (h *house) furnish() *house {
	h.first = h.server()
	h.org = model.Organization{ID: "aaaaaaaaaaaaaaaaaaaaaaaa", Name: "Org", Created: begin.Add(-48 * time.Hour)}
	h.other = model.Organization{ID: "bbbbbbbbbbbbbbbbbbbbbbbb", Name: "Other", Created: begin.Add(30 * time.Minute)}
	h.must(h.first.store.Update(h.t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&h.org); err != nil {
			return err
		}
		return tx.InsertOrganization(&h.other)
	}))
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// server starts another server.
func (h *house) server() *server {
	h.t.Helper()
	s := &server{house: h, engine: &countedEngine{Engine: h.open()}, tally: new(tally.Tally)}
	var err error
	s.store, err = store.Open(h.t.Context(), s.engine, func() string { return "epoch" })
	h.must(err)
	s.recorder = NewRecorder(Options{Store: s.store, Tally: s.tally, Now: h.clock.Now,
		Here:   func() Here { return s.here },
		Shared: func(context.Context) Shared { s.asked++; return s.shared },
		Log:    slog.New(slog.DiscardHandler),
	})
	s.work = backlog.NewWorker(backlog.Options{Store: s.store, Now: h.clock.Now, Log: slog.New(slog.DiscardHandler)})
	s.work.Register(s.recorder.Kind())
	return s
}

// send has a server count messages of this moment, of priority where it is 1, to so many recipients.
func (s *server) send(o *model.Organization, messages, priority, copies int) *model.Message {
	m := &model.Message{Organization: o.ID, Created: s.clock.Now(), Priority: priority}
	for range messages {
		s.tally.Sent(m, copies, 2*time.Millisecond)
	}
	return m
}

// call has a server count accounts of an organization that call, each with a key that acts there alone.
func (s *server) call(o *model.Organization, accounts ...int) {
	for _, n := range accounts {
		s.tally.Called(&model.Actor{Account: account(n), Key: model.Key{Scope: o.ID},
			Memberships: []model.Membership{{Organization: o.ID}}})
	}
}

func account(n int) model.AccountID { return model.AccountID{byte(n >> 8), byte(n)} }

// pass lets time pass, minute by minute, in which these servers run.
func (h *house) pass(d time.Duration, servers ...*server) {
	h.t.Helper()
	for end := h.clock.Now().Add(d); h.clock.Now().Before(end); {
		h.clock.Set(h.clock.Now().Truncate(time.Minute).Add(time.Minute))
		for _, s := range servers {
			h.must(s.recorder.Tick(h.t.Context()))
		}
	}
}

// settle does the jobs that are due.
func (s *server) settle() {
	s.t.Helper()
	s.must(s.work.Settle(s.t.Context()))
	for _, kind := range s.work.Kinds() {
		if n := kind.Failed(); n > 0 {
			s.t.Fatalf("%d jobs failed", n)
		}
	}
}

// told are the figures of an organization, or of the installation where that is nil.
func (h *house) told(o *model.Organization, ask Ask) History {
	h.t.Helper()
	history, err := store.Read(h.t.Context(), h.first.store, func(tx *store.Tx) (History, error) {
		if o == nil {
			return Installation(tx, &ask, h.clock.Now())
		}
		return Organization(tx, o, &ask, h.clock.Now())
	})
	h.must(err)
	return history
}

// want compares a figure from the beginning on, or from a time after it; a dash stands for what is
// not known.
func (h *house) want(o *model.Organization, step time.Duration, after time.Duration, name, want string) {
	h.t.Helper()
	n := len(strings.Fields(want))
	since := begin.Add(after).Truncate(step)
	told := h.told(o, Ask{Names: []string{name}, Since: since, Until: since.Add(time.Duration(n) * step), Step: step})
	if got := text(told.Series[name]); got != want {
		h.t.Errorf("%s by %v from %v on: got %q, want %q", name, step, since.Format(time.DateTime), got, want)
	}
}

func text(points []float64) string {
	var out []string
	for _, point := range points {
		if math.IsNaN(point) {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(math.Round(point*1000)/1000))
		}
	}
	return strings.Join(out, " ")
}

// rows counts what is stored, by step.
func (h *house) rows(step int) (n int) {
	h.t.Helper()
	h.must(h.first.store.View(h.t.Context(), func(tx *store.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) FROM figures WHERE step = ?`, []any{step}, &n)
		return err
	}))
	return n
}

// countedEngine counts what a server asks of its database, and may be away.
type countedEngine struct {
	store.Engine
	updates, statements atomic.Int64
	away                atomic.Bool
}

func (e *countedEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if e.away.Load() {
		return store.ErrUnavailable
	}
	e.updates.Add(1)
	return e.Engine.Update(ctx, func(s store.Session) error { return fn(countedSession{s, &e.statements}) }, traits...)
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	s.statements.Add(1)
	return s.Session.Exec(query, args...)
}

func (s countedSession) Post(query string, args ...any) error {
	s.statements.Add(1)
	return s.Session.Post(query, args...)
}

func (s countedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(query, args, each)
}

func (s countedSession) Ask(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Ask(query, args, each)
}

// names are those of a history's series, in order.
func (h History) names() (out []string) {
	for name := range h.Series {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
