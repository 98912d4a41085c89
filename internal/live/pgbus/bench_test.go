package pgbus

import (
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/live"
	"signet/internal/live/bustest"
	"signet/internal/load"
	"signet/internal/store/postgrestest"
)

func BenchmarkNotices(b *testing.B) {
	bustest.Bench(b, func(b *testing.B) (func(*live.Hub, bustest.Options) (bustest.Bus, error), func() time.Duration) {
		server := postgrestest.Start(b)
		n := &network{url: server.URL(b)}
		postmaster := mustFindPostmaster(b, n.url)
		return n.Open, func() time.Duration {
			return load.ConsumptionOf(os.Getpid()).CPU + load.CPUOfTree(postmaster)
		}
	})
}

// mustFindPostmaster returns the process of the database's server.
func mustFindPostmaster(b *testing.B, url string) (pid int) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err == nil {
		defer conn.Close(b.Context())
		err = conn.QueryRow(b.Context(), `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int`).Scan(&pid)
	}
	if err != nil {
		b.Fatal(err)
	}
	return pid
}
