package postgres

import (
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// Who ends the wait for a synchronous replica leaves a commit on one server alone, which confirms it with a warning, or
// has it where it is looked for. Nobody is answered before the replica has it.
func TestWhatOneServerHasAloneIsNotAnswered(t *testing.T) {
	for _, test := range []struct{ end, setting string }{
		{end: "pg_cancel_backend"}, {end: "pg_terminate_backend"},
		{"pg_cancel_backend", "client_min_messages = error"}, // which keeps the warning from clients that do not ask for it
	} {
		t.Run(test.end+" "+test.setting, func(t *testing.T) {
			t.Parallel()
			primary := postgrestest.Start(t, test.setting)
			standby := primary.StartStandby(t)
			e := mustOpen(t, primary.URL(t), Options{Patience: time.Minute})
			mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
			standby.Stop(t, false)
			answered := make(chan error, 1)
			go func() {
				answered <- e.Update(t.Context(), func(s store.Session) error {
					return s.Post(`INSERT INTO items (name) VALUES ('a')`)
				})
			}()

			begun := 0
			next := func() (process int) { // that waits, of a transaction that began after the last one
				for process == 0 {
					select {
					case err := <-answered:
						t.Fatalf("it was answered (%v) while no replica had it", err)
					default:
					}
					err := e.View(t.Context(), func(s store.Session) error {
						return s.Query(`SELECT pid, (EXTRACT(EPOCH FROM xact_start) * 1000000)::BIGINT AS begun FROM pg_stat_activity
							WHERE wait_event = 'SyncRep' AND EXTRACT(EPOCH FROM xact_start) * 1000000 > ? ORDER BY begun LIMIT 1`,
							[]any{begun}, func(r store.Row) error { return r.Scan(&process, &begun) })
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				return process
			}
			for range 3 {
				if mustCount(t, e, `SELECT CAST(`+test.end+`(CAST(? AS INTEGER)) AS INTEGER)`, next()) != 1 {
					t.Fatal("the wait could not be ended")
				}
			}
			next()
			standby.Restart(t)
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
			if n := mustCount(t, e, `SELECT COUNT(*) FROM items`); n != 1 {
				t.Errorf("there are %d items", n)
			}
			if n := e.Stats().Recovered; n != 1 {
				t.Errorf("%d transactions were found", n)
			}
		})
	}
}
