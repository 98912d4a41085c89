package storetest

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/series"
)

// figures are rows of minutes and hours, which are put, found by their times, and forgotten some
// at a time.
func figures(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann)
	if second < first {
		first, second = second, first
	}
	hour := p.now().Truncate(time.Hour)
	at := func(minutes int) time.Time { return hour.Add(time.Duration(minutes) * time.Minute) }
	one, two := model.NodeID{1}, model.NodeID{2}
	row := func(of model.OrganizationID, minutes int, node model.NodeID, counted string) series.Row {
		return series.Row{Organization: of, Step: series.Minute, Begun: at(minutes), Node: node, Counted: counted,
			People: []byte{}}
	}
	put := func(rows ...series.Row) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			for i := range rows {
				if err := series.Put(tx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(row(first, 0, two, "b"), row(first, 0, one, "a"), row(first, 1, one, "old"), row(second, 1, one, "c"),
		row("", 0, one, "all"), row("", 59, two, "all"))
	again := row(first, 1, one, "new")
	again.People = []byte{1, 2}
	put(again)
	of := func(id model.OrganizationID, from, until int) []series.Row {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]series.Row, error) {
			return series.Rows(tx, id, series.Minute, at(from), at(until))
		})
	}
	wantEqual(t, "in order", of(first, 0, 2), []series.Row{row(first, 0, one, "a"), row(first, 0, two, "b"), again})
	wantEqual(t, "until", len(of(first, 0, 1)), 2)
	wantEqual(t, "from", of(first, 1, 9), []series.Row{again})
	wantEqual(t, "another one's", of(second, 0, 60), []series.Row{row(second, 1, one, "c")})

	claim := func() (won bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			won, err = series.Claim(tx, &series.Row{Step: series.Hour, Begun: hour})
			return err
		})
		return won
	}
	wantEqual(t, "the first claims", claim(), true)
	wantEqual(t, "the second claims", claim(), false)
	last := mustRead(t, p, func(tx *store.Tx) ([]series.Row, error) {
		return series.Last(tx, first, series.Minute, at(1), 1)
	})
	wantEqual(t, "last", last, []series.Row{row(first, 0, two, "b")})
	covered := mustRead(t, p, func(tx *store.Tx) ([]time.Time, error) {
		return series.Covered(tx, series.Minute, at(0), at(60))
	})
	wantEqual(t, "covered", covered, []time.Time{at(0), at(59)})

	organizations := func(after model.OrganizationID, limit int) []model.OrganizationID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) {
			return series.OrganizationsAfter(tx, after, limit)
		})
	}
	wantEqual(t, "organizations", organizations("", 10), []model.OrganizationID{first, second})
	wantEqual(t, "one", organizations("", 1), []model.OrganizationID{first})
	wantEqual(t, "the next", organizations(first, 1), []model.OrganizationID{second})
	active := func(from int, without model.NodeID) []model.OrganizationID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) {
			return series.ActiveAmong(tx, []model.OrganizationID{first, second}, at(from), at(60), without)
		})
	}
	wantEqual(t, "active", active(0, model.NodeID{}), []model.OrganizationID{first, second})
	wantEqual(t, "active later", len(active(2, model.NodeID{})), 0)
	wantEqual(t, "without a node", active(0, one), []model.OrganizationID{first})
	shared := func() (standing []model.OrganizationID) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			standing, err = tx.ShareOrganizations([]model.OrganizationID{second, p.organizationID(), first})
			return err
		})
		return standing
	}
	wantEqual(t, "that stand", shared(), []model.OrganizationID{first, second})

	forget := func(step series.Step, limit int, of ...model.OrganizationID) (n int) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			n, err = series.Forget(tx, of, step, at(0), at(59), limit)
			return err
		})
		return n
	}
	wantEqual(t, "some", forget(series.Minute, 2, first, second), 2)
	wantEqual(t, "the rest", forget(series.Minute, 10, first, second), 2)
	wantEqual(t, "none", forget(series.Minute, 10, first, second), 0)
	wantEqual(t, "the installation's", forget(series.Minute, 10, ""), 1)
	wantEqual(t, "what is later stays", len(of("", 0, 60)), 1)
	wantEqual(t, "hours", forget(series.Hour, 10, ""), 1)

	p.mustUpdate(t, func(tx *store.Tx) error { return tx.ReferToBlob(model.BlobID{7}, 70) })
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.ReferToBlob(model.BlobID{5}, 50) })
	files := mustRead(t, p, func(tx *store.Tx) ([]series.Sized, error) {
		return series.FilesAfter(tx, model.BlobID{5}, 10)
	})
	wantEqual(t, "files", files, []series.Sized{{Blob: model.BlobID{7}, Bytes: 70}})
}
