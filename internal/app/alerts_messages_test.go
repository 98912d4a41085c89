package app

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// Another program holds the database for longer than a second, again and again.
func trySendsSlow(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	w.each = w.mustSendWell
	w.want(6 * time.Minute)
	minute := 0
	w.each = func() {
		if minute++; minute%4 == 1 {
			w.mustSendWhileHeld(3)
		}
	}
	w.want(16*time.Minute, "SignetSendsSlow")
	w.each = w.mustSendWell
	w.want(10 * time.Minute)
}

// mustSendWhileHeld sends messages while the database is held for more than a second of the server's time.
func (w *watched) mustSendWhileHeld(n int) {
	w.t.Helper()
	engine, err := sqlite.Open(home.Database(w.cfg.Data), sqlite.Options{})
	must(w.t, err)
	held, release := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		err := engine.Update(w.t.Context(), func(store.Session) error { close(held); <-release; return nil })
		if err != nil {
			w.t.Errorf("hold the database: %v", err)
		}
	})
	<-held
	for range n {
		running.Go(func() {
			if status := w.send(0); status != http.StatusNoContent {
				w.t.Errorf("a send was answered %d", status)
			}
		})
	}
	w.until("signet_http_requests_in_flight", float64(n))
	w.pass(1200 * time.Millisecond)
	close(release)
	running.Wait()
	must(w.t, engine.Close())
}

// acknowledge acknowledges all that waits for somebody.
func (w *watched) acknowledge(who person) {
	w.t.Helper()
	events, err := who.Poll(w.t.Context(), client.PollOptions{Limit: 1000})
	must(w.t, err)
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	must(w.t, who.Ack(w.t.Context(), ids...))
}

// Bob's program reads for more than a day, and then no more, while messages come for it. That nobody
// reads what comes for Alice and the operator is no fault: nobody ever did.
func tryReaderStops(t *testing.T, cfg *config.Config, seen *witness) {
	cfg.Backup.MaxAge = 0
	w := mustWatch(t, cfg, seen, watching{step: 10 * time.Minute})
	w.each = func() { w.mustSendWell(); w.acknowledge(w.bob) }
	w.want(25 * time.Hour)
	w.step = 2 * time.Minute
	w.want(10 * time.Minute)
	w.each = w.mustSendWell // nobody else calls
	w.want(time.Hour)
	w.want(30*time.Minute, "SignetQueuesWithoutReader")
	w.each = func() { w.mustSendWell(); w.acknowledge(w.bob) }
	w.want(4 * time.Minute)
	// Now Alice calls no more either: she never read.
	w.each = func() { w.acknowledge(w.bob) }
	w.want(2 * time.Hour)
}

// Pieces of work cannot be finished: the database refuses an event for one of those whom they concern.
func tryPiecesFail(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{step: 61 * time.Second}) // what fails waits for a minute at most
	w.want(5 * time.Minute)
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	var users client.NewUsers
	for i := range 300 {
		users.Users = append(users.Users, client.NewUser{Username: fmt.Sprint("nurse", i)})
	}
	made, err := operator.CreateUsers(t.Context(), w.organization(), users)
	must(t, err)
	var members []string
	for _, one := range made {
		if one.Err != nil {
			t.Fatal(one.Err)
		}
		members = append(members, one.User.Token)
	}
	group, err := w.alice.CreateGroup(t.Context(), client.NewGroup{Name: "Crowd", Members: members})
	must(t, err)
	change(t, cfg.Data, `CREATE TRIGGER stuck BEFORE INSERT ON events
		WHEN NEW.account = (SELECT account FROM addresses WHERE kind = 3 AND address = 'nurse299')
		BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
	w.mustSendTo(group.Token, client.Outgoing{Body: "to so many that their events come later"})
	failed := 0.0
	fail := func() {
		wantIn(t, "a piece fails, again if it did before", func() (more bool) {
			before := failed
			failed = mustFindSeries(t, w.metrics(), `signet_job_failures_total{kind="fanout"}`)
			return failed > before
		})
	}
	fail()
	w.each = fail // by then it is tried again
	w.want(9 * time.Minute)
	w.want(12*time.Minute, "SignetJobsFailing", "SignetPiecesLate")
	change(t, cfg.Data, `DROP TRIGGER stuck`)
	w.each = nil
	w.pass(w.step)
	wantIn(t, "the pieces are done", func() bool {
		w.pass(10 * time.Second) // after which what waits is counted again
		return mustFindSeries(t, w.metrics(), `signet_pieces{what="pieces"}`) == 0
	})
	w.want(10 * time.Minute)
}
