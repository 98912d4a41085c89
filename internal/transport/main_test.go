package transport

import (
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// times are the limits of the tests, each different from the others.
var times = Timeouts{Header: 10 * time.Second, Body: 60 * time.Second, Write: 20 * time.Second, Idle: 2 * time.Minute}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
