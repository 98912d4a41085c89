package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/storetest"
)

func TestConformance(t *testing.T) { storetest.Run(t, conformance.Harness{Open: openTemp}) }

// openTemp makes a database in a directory that goes with the test.
func openTemp(t testing.TB) conformance.Opener {
	path := filepath.Join(t.TempDir(), "signet.db")
	return func(clock func() time.Time) (store.Engine, error) { return Open(path, Options{Clock: clock}) }
}
