package natsbus

import (
	"os"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/live/bustest"
	"signet/internal/live/natstest"
	"signet/internal/load"
)

// The NATS server runs in the process of the benchmark: what it uses is counted too.
func BenchmarkNotices(b *testing.B) {
	bustest.Bench(b, func(b *testing.B) (func(*live.Hub, bustest.Options) (bustest.Bus, error), func() time.Duration) {
		return (&network{natstest.Start(b)}).Open, func() time.Duration { return load.ConsumptionOf(os.Getpid()).CPU }
	})
}
