package postgres

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/postgrestest"
	"signet/internal/store/storetest"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// harness opens engines on a schema of each case's own.
func harness(opts Options) conformance.Harness {
	return conformance.Harness{Nodes: 3, Open: func(t testing.TB) conformance.Opener {
		url := postgrestest.URL(t)
		return func(clock func() time.Time) (store.Engine, error) {
			opts := opts
			opts.Clock, opts.Connections = clock, 4
			return Open(t.Context(), url, opts)
		}
	}}
}

func TestConformance(t *testing.T) {
	testenv.Long(t)
	storetest.Run(t, harness(Options{}))
}

// Through a pooler, statements have no names and transactions their own settings.
func TestConformanceAsThroughAPooler(t *testing.T) {
	testenv.Long(t)
	storetest.Run(t, harness(Options{Pooled: true}))
}

// In a transaction with others, everything is as it is alone.
func TestConformanceTogether(t *testing.T) {
	testenv.Long(t)
	alone := harness(Options{})
	storetest.Run(t, conformance.Harness{Nodes: alone.Nodes, Open: func(t testing.TB) conformance.Opener {
		open := alone.Open(t)
		return func(clock func() time.Time) (store.Engine, error) {
			e, err := open(clock)
			if err != nil {
				return nil, err
			}
			return accompanied{e.(*Engine)}, nil
		}
	}})
}
