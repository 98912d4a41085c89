package app

import (
	"log/slog"
	"strings"
	"testing"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// A key ring in another database of the same PostgreSQL server looks like another place,
// and a base backup has both.
func TestKeyRingOnTheDatabasesServerIsToldOf(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	other := postgrestest.Start(t)
	for _, told := range []bool{true, false} {
		cfg := settings(t)
		sharedKeys(t, cfg)
		if cfg.Database = postgrestest.URL(t); !told {
			cfg.Keyring = other.URL(t)
		}
		log := new(testlog.Log)
		a, err := Open(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "the key ring is on the PostgreSQL server of the database"); got != told {
			t.Errorf("with the ring at %s and the database at %s it is told: %t, want %t", cfg.Keyring, cfg.Database, got, told)
		}
	}
}
