package postgres

import (
	"testing"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// A database whose disk is full says so, and that it is a matter of time.
func TestFullDiskOfTheDatabase(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE FUNCTION fail() RETURNS INTEGER LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`)
	err := e.Update(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`SELECT fail()`)
		return err
	})
	wantError(t, err, store.ErrFull)
	wantError(t, err, store.ErrUnavailable)
}
