package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// Behind a pooler a connection may lead to a server that has become a standby: nothing is written there, and nothing
// read.
func TestAStandbyBehindAPoolerIsLeft(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	for _, write := range []bool{true, false} {
		server, err := pgconn.Connect(t.Context(), "postgres://signet@"+standby.Addr()+"/postgres?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		c := &connection{server: server, statements: make(map[string]*statement)}
		s := newSession(t.Context(), nil, c, write)
		err = s.Query(`SELECT 1`, nil, func(store.Row) error { return nil })
		wantError(t, err, store.ErrUnavailable)
		if v := s.verdict(); v != afresh {
			t.Errorf("write %t: verdict %d on %v, want %d", write, v, err, afresh)
		}
		s.end()
	}
}
