package storetest

import (
	"errors"
	"testing"

	"signet/internal/store"
	"signet/internal/store/conformance"
)

// statementCount: a store counts the statements that transactions ran, those of one that
// failed too, and none that the engine adds.
func statementCount(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	errRefused := errors.New("refused")
	asking := func(times int, outcome error) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			for range times {
				var one int64
				if _, err := tx.One(`SELECT CAST(1 AS BIGINT)`, nil, &one); err != nil {
					return err
				}
			}
			return outcome
		}
	}
	before := p.Meters().Statements.Load()
	p.mustView(t, asking(2, nil))
	p.mustUpdate(t, asking(3, nil))
	p.mustView(t, asking(0, nil))
	if err := p.Update(t.Context(), asking(4, errRefused)); !errors.Is(err, errRefused) {
		t.Fatalf("got %v, want what the function returned", err)
	}
	wantEqual(t, "statements", p.Meters().Statements.Load()-before, int64(2+3+4))
}
