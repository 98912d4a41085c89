package postgres

import (
	"errors"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

func TestOldWriteIDsAreForgotten(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	old := firstWriteID(time.Now().Add(-writeLife - time.Minute))
	for i := range 3 {
		old[15] = byte(i)
		mustExec(t, e, insertWrite, old)
	}
	before := mustCount(t, e, `SELECT COUNT(*) FROM engine_writes`)
	if err := e.forgetWrites(t.Context(), time.Now().Add(-writeLife)); err != nil {
		t.Fatal(err)
	}
	if n := mustCount(t, e, `SELECT COUNT(*) FROM engine_writes`); n != before-3 || n == 0 {
		t.Errorf("%d of %d write ids are left", n, before)
	}
}

// What a machine left in doubt before it stood still for minutes, others may have forgotten.
func TestWhatIsInDoubtForMinutesStaysInDoubt(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	for _, test := range []struct {
		age   time.Duration
		calls int
	}{{writeLife/2 - time.Minute, 1}, {writeLife/2 + time.Second, 0}} {
		calls := 0
		u := newUpdate(e, func(store.Session) error { calls++; return nil })
		u.id, u.doubtful, u.void = firstWriteID(time.Now().Add(-test.age)), true, newWriteID()
		err := e.carry(t.Context(), u)
		if decided := err == nil; calls != test.calls || decided != (calls == 1) ||
			!decided && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("after %v: %d calls, error %v", test.age, calls, err)
		}
	}
}

func TestServerWhoseClockIsAheadForgetsNobodysWriteIDs(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{Clock: func() time.Time { return time.Now().Add(31 * 24 * time.Hour) }})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	before := mustCount(t, e, `SELECT COUNT(*) FROM engine_writes`)
	mustExec(t, e, insertWrite, firstWriteID(time.Now().Add(-writeLife-time.Minute)))
	mustExec(t, e, insertWrite, firstWriteID(time.Now().Add(-writeLife/2)))
	if err := e.forgetOldWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	// two that were written, and one of them by hand
	if n := mustCount(t, e, `SELECT COUNT(*) FROM engine_writes`); n != before+3 {
		t.Errorf("%d write ids are left of %d", n, before+4)
	}
}
