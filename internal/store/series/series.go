// Package series keeps figures over time: rows of what servers counted within a minute, and
// of what that was in an hour.
//
// It owns the table figures. It does not know what is counted (internal/series).
package series

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Step is how long the time is that a row is about, in seconds.
type Step int64

// The steps of rows.
const (
	Minute Step = 60
	Hour   Step = 3600
)

// Row is what was counted in some time.
type Row struct {
	Organization model.OrganizationID // empty: of the installation
	Step         Step
	Begun        time.Time    // when that time began
	Node         model.NodeID // the server that counted; zero: one for all of them
	Counted      string       // in the form of internal/series; empty: nothing yet
	People       []byte       // marks of who called, likewise
}

const rowColumns = `organization, step, begun, node, counted, people`

func scanRow(r *Row, row store.Row) error {
	var step, begun int64
	err := row.Scan(&r.Organization, &step, &begun, &r.Node, &r.Counted, &r.People)
	r.Step, r.Begun = Step(step), time.UnixMilli(begun).UTC()
	return err
}

// Put writes a row, in place of one that there is.
func Put(tx *store.Tx, r *Row) error {
	return tx.Post(`INSERT INTO figures (`+rowColumns+`) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, step, begun, node) DO UPDATE SET counted = excluded.counted, people = excluded.people`,
		arguments(r)...)
}

// Claim writes a row where there is none, and reports whether there was none.
func Claim(tx *store.Tx, r *Row) (bool, error) {
	n, err := tx.Exec(`INSERT INTO figures (`+rowColumns+`) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, step, begun, node) DO NOTHING`, arguments(r)...)
	return n > 0, err
}

func arguments(r *Row) []any {
	people := r.People
	if people == nil {
		people = []byte{}
	}
	return []any{r.Organization, int64(r.Step), r.Begun.UnixMilli(), r.Node, r.Counted, people}
}

// Rows returns the rows of an organization, or of the installation, that are about times from
// one to before another, in their order.
func Rows(tx *store.Tx, of model.OrganizationID, step Step, from, until time.Time) ([]Row, error) {
	return store.List(tx, `SELECT `+rowColumns+` FROM figures WHERE organization = ? AND step = ? AND begun >= ?
		AND begun < ? ORDER BY begun, node`, []any{of, int64(step), from.UnixMilli(), until.UnixMilli()}, scanRow)
}

// Last returns up to limit rows of an organization, or of the installation, that are about times
// before one, the last first.
func Last(tx *store.Tx, of model.OrganizationID, step Step, before time.Time, limit int) ([]Row, error) {
	return store.List(tx, `SELECT `+rowColumns+` FROM figures WHERE organization = ? AND step = ? AND begun < ?
		ORDER BY begun DESC, node DESC LIMIT ? + 0`, []any{of, int64(step), before.UnixMilli(), limit}, scanRow)
}

// Covered returns the times from one to before another of which any server has counted
// something, in their order.
func Covered(tx *store.Tx, step Step, from, until time.Time) ([]time.Time, error) {
	return store.List(tx, `SELECT DISTINCT begun FROM figures WHERE organization = ? AND step = ? AND begun >= ?
		AND begun < ? ORDER BY begun`, []any{"", int64(step), from.UnixMilli(), until.UnixMilli()},
		func(at *time.Time, row store.Row) error {
			var begun int64
			err := row.Scan(&begun)
			*at = time.UnixMilli(begun).UTC()
			return err
		})
}

// OrganizationsAfter returns up to limit organizations after one, in their order.
func OrganizationsAfter(tx *store.Tx, after model.OrganizationID, limit int) ([]model.OrganizationID, error) {
	return store.Column[model.OrganizationID](tx, `SELECT organization FROM organizations WHERE organization > ?
		ORDER BY organization LIMIT ? + 0`, after, limit)
}

// ActiveAmong returns those of the organizations of which something was counted by minute from
// one time to before another, in their order. What one of the nodes has counted is left out.
func ActiveAmong(tx *store.Tx, ids []model.OrganizationID, from, until time.Time,
	without model.NodeID) ([]model.OrganizationID, error) {
	return store.Column[model.OrganizationID](tx, `SELECT DISTINCT organization FROM figures WHERE organization IN (?*)
		AND step = ? AND begun >= ? AND begun < ? AND node <> ? ORDER BY organization`, ids, int64(Minute),
		from.UnixMilli(), until.UnixMilli(), without)
}

// Forget removes up to limit rows of these organizations, the empty one being the installation,
// that are about times from one to before another, and returns how many those were.
func Forget(tx *store.Tx, of []model.OrganizationID, step Step, from, until time.Time, limit int) (int, error) {
	n, err := tx.Exec(`DELETE FROM figures WHERE (organization, step, begun, node) IN (SELECT organization, step, begun,
		node FROM figures WHERE organization IN (?*) AND step = ? AND begun >= ? AND begun < ? LIMIT ? + 0)`, of,
		int64(step), from.UnixMilli(), until.UnixMilli(), limit)
	return int(n), err
}

// Sized is a file and how many bytes it has.
type Sized struct {
	Blob  model.BlobID
	Bytes int64
}

// FilesAfter returns up to limit files after one, in their order.
func FilesAfter(tx *store.Tx, after model.BlobID, limit int) ([]Sized, error) {
	return store.List(tx, `SELECT blob, bytes FROM blobs WHERE blob > ? ORDER BY blob LIMIT ? + 0`, []any{after, limit},
		func(f *Sized, row store.Row) error { return row.Scan(&f.Blob, &f.Bytes) })
}
