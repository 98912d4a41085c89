package backlog

import (
	"context"
	"encoding/binary"
	"log/slog"
	"sync"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
)

// server is one on a store, as far as this package is concerned. Its jobs note in a table
// that they were done.
type server struct {
	store  *store.Store
	worker *Worker
	kill   func() // ends it as kill -9 would: without a word to the database
	stop   func() // ends it as it ends by itself
}

const count store.JobKind = 1 // notes that it was done, parts and in all

// counting is a kind of jobs of several steps, each of which is a row, and no two of a job the
// same: the state says how many there were.
func counting() *Kind {
	return &Kind{Number: count, Name: "count", Step: func(tx *store.Tx, j *store.Job) (Next, error) {
		return did(tx, j)
	}}
}

func did(tx *store.Tx, j *store.Job) (Next, error) {
	steps, done := j.Subject[8], byte(0)
	if len(j.State) > 0 {
		done = j.State[0]
	}
	if err := tx.Post(`INSERT INTO done (job, step, at) VALUES (?, ?, ?)`, int64(binary.BigEndian.Uint64(j.Subject)),
		int64(done), time.Now().UnixMicro()); err != nil {
		return Next{}, err
	}
	if done++; done >= steps {
		return Over(), nil
	}
	j.State = []byte{done}
	return Again(), nil
}

// job is one of so many steps.
func job(id uint64, steps byte, due time.Time) *store.Job {
	return &store.Job{Kind: count, Subject: append(binary.BigEndian.AppendUint64(nil, id), steps), Due: due}
}

// city is a database on which servers start and are killed.
type city struct {
	t       testing.TB
	dir     string
	address string // of the database; empty: it is embedded
}

func newCity(t testing.TB) *city {
	c := &city{t: t, dir: t.TempDir()}
	if enginetest.OnPostgres() {
		c.address = postgrestest.URL(t)
	}
	s := c.start(nil, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Post(`CREATE TABLE done (job BIGINT NOT NULL, step BIGINT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (job, step))`)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.kill()
	return c
}

// start starts a server whose clock is wrong by so much.
func (c *city) start(kinds []*Kind, wrong time.Duration) *server {
	c.t.Helper()
	engine, cut := c.open()
	kept, err := store.Open(c.t.Context(), engine, func() string { return "epoch" })
	if err != nil {
		c.t.Fatal(err)
	}
	s := &server{store: kept, worker: NewWorker(Options{Store: kept, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(wrong) }})}
	s.worker.Register(kinds...)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.worker.Run(ctx) })
	s.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		_ = kept.Close() // it was perhaps cut off
	})
	s.kill = func() { cut(); s.stop() }
	c.t.Cleanup(s.kill)
	return s
}

// open opens an engine on the database, and returns what cuts it off from that.
func (c *city) open() (engine store.Engine, cut func()) {
	c.t.Helper()
	if c.address == "" {
		return enginetest.Open(c.t, c.dir, enginetest.Options{}), func() {}
	}
	through, cut := postgrestest.Line(c.t, c.address)
	engine, err := postgres.Open(c.t.Context(), through,
		postgres.Options{Connections: 4, Patience: 50 * time.Millisecond})
	if err != nil {
		c.t.Fatal(err)
	}
	return engine, cut
}
