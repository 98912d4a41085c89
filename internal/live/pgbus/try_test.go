package pgbus

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestTryFindsOutWhetherNotificationsCome: they do not through a pooler, nor where there is no database.
func TestTryFindsOutWhetherNotificationsCome(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	for range 2 { // nothing of the first stays
		if err := Try(t.Context(), url); err != nil {
			t.Errorf("notifications do not come: %v", err)
		}
	}
	if err := try(t.Context(), postgrestest.Pooled(t, url), 50*time.Millisecond); !errors.Is(err, errUnheard) {
		t.Errorf("through a pooler: %v", err)
	}
	if err := Try(t.Context(), "postgres://signet@127.0.0.1:1/none?sslmode=disable"); err == nil {
		t.Error("they come where nobody listens")
	}
	over, end := context.WithCancel(t.Context())
	end()
	if err := Try(over, url); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// TestTryPassesAStandbyOver, as the bus does.
func TestTryPassesAStandbyOver(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	both := "postgres://signet@" + standby.Addr() + "," + primary.Addr() + "/postgres?sslmode=disable"
	if err := Try(t.Context(), both); err != nil {
		t.Error(err)
	}
	if err := Try(t.Context(), "postgres://signet@"+standby.Addr()+"/postgres?sslmode=disable"); err == nil {
		t.Error("a standby notifies")
	}
}
