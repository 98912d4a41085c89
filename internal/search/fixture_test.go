package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// fixture is an embedded store, with the organizations, accounts and groups that a
// test puts into it.
type fixture struct {
	t     testing.TB
	store *store.Store
	path  string
	now   time.Time
	made  uint64                    // how many identifiers: in a run of the same steps they are the same
	names map[model.EntityID]string // display names of what was made
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{
		t: t, path: filepath.Join(t.TempDir(), "search.db"),
		now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), names: map[model.EntityID]string{},
	}
	f.open()
	t.Cleanup(f.close)
	return f
}

// open opens the store; what it held before is still there.
func (f *fixture) open() {
	f.t.Helper()
	clock := func() time.Time { return f.now }
	engine, err := sqlite.Open(f.path, sqlite.Options{Clock: clock})
	if err != nil {
		f.t.Fatal(err)
	}
	if f.store, err = store.Open(context.Background(), engine, func() string { return "epoch" }); err != nil {
		f.t.Fatal(err)
	}
	enginetest.Authenticate(f.store)
}

func (f *fixture) close() {
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
}

// mustUpdate runs fn in a transaction.
func (f *fixture) mustUpdate(fn func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.store.Update(context.Background(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// id makes an identifier that follows on all that were made before.
func (f *fixture) id() (id [16]byte) {
	f.made++
	binary.BigEndian.PutUint64(id[8:], f.made)
	return id
}

// organization makes an organization.
func (f *fixture) organization() model.OrganizationID {
	f.t.Helper()
	f.made++
	o := model.Organization{ID: model.OrganizationID(fmt.Sprintf("%024d", f.made)), Name: "Organization", Created: f.now}
	f.mustUpdate(func(tx *store.Tx) error { return tx.InsertOrganization(&o) })
	return o.ID
}

// person is an account with its place in an organization.
type person struct {
	model.Account
	title, department string
}

// account makes an account in some organizations.
func (f *fixture) account(p person, organizations ...model.OrganizationID) model.AccountID {
	f.t.Helper()
	var id model.AccountID
	f.mustUpdate(func(tx *store.Tx) error {
		var err error
		id, err = f.insertAccount(tx, p, organizations...)
		return err
	})
	return id
}

// named makes an account with a display name.
func (f *fixture) named(name string, organizations ...model.OrganizationID) model.AccountID {
	f.t.Helper()
	return f.account(person{Account: model.Account{DisplayName: name}}, organizations...)
}

func (f *fixture) insertAccount(
	tx *store.Tx, p person, organizations ...model.OrganizationID,
) (model.AccountID, error) {
	if p.ID.IsZero() {
		p.ID = f.id()
	}
	p.Created = f.now
	p.DisplayName = p.ComposeDisplayName()
	f.names[model.EntityID(p.ID)] = p.DisplayName
	if err := tx.InsertAccount(&p.Account, ""); err != nil {
		return p.ID, err
	}
	for _, o := range organizations {
		m := model.Membership{Organization: o, Account: p.ID, Title: p.title, Department: p.department, Joined: f.now}
		if err := enter(tx, &p.Account, m); err != nil {
			return p.ID, err
		}
	}
	return p.ID, nil
}

// enter puts an account into an organization, and into its index.
func enter(tx *store.Tx, account *model.Account, m model.Membership) error {
	if _, err := tx.PutMembership(m); err != nil {
		return err
	}
	return IndexAccount(tx, account, m)
}

// group makes a group.
func (f *fixture) group(
	organization model.OrganizationID, name string, public bool, members ...model.AccountID,
) model.Group {
	f.t.Helper()
	g := model.Group{ID: f.id(), Organization: organization, Name: name, Public: public, Created: f.now}
	f.mustUpdate(func(tx *store.Tx) error {
		if err := tx.InsertGroup(&g); err != nil {
			return err
		}
		if err := tx.AddGroupMembers(&g, members, 1, 0, store.Stay{}); err != nil {
			return err
		}
		return IndexGroup(tx, &g)
	})
	f.names[g.Entity()] = name
	return g
}

// actor is an account with a regular key.
func (f *fixture) actor(id model.AccountID) *model.Actor {
	f.t.Helper()
	actor := &model.Actor{Account: id, Key: model.Key{Account: id}}
	err := f.store.View(context.Background(), func(tx *store.Tx) (err error) {
		actor.Memberships, err = tx.Memberships(id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return actor
}

// newSearch reads a query, with a page of 50 where it names none.
func (f *fixture) newSearch(actor *model.Actor, q Query) (*Search, error) {
	if q.PageSize == 0 {
		q.PageSize = 50
	}
	organizations := q.Directory
	if len(organizations) == 0 {
		organizations = actor.Organizations()
	}
	return New(f.store.Secret(), actor.Account, organizations, q)
}

// search returns a page.
func (f *fixture) search(actor *model.Actor, q Query) (page Page, err error) {
	s, err := f.newSearch(actor, q)
	if err != nil {
		return page, err
	}
	err = f.store.View(context.Background(), func(tx *store.Tx) error {
		page, err = s.Page(tx)
		return err
	})
	return page, err
}

func (f *fixture) mustSearch(actor *model.Actor, q Query) Page {
	f.t.Helper()
	page, err := f.search(actor, q)
	if err != nil {
		f.t.Fatalf("search %+v: %v", q, err)
	}
	return page
}

// mustPage returns a page that a search with other limits gives.
func (f *fixture) mustPage(actor *model.Actor, q Query, sizes limits) (page Page) {
	f.t.Helper()
	s, err := f.newSearch(actor, q)
	if err == nil {
		s.limits = sizes
		err = f.store.View(context.Background(), func(tx *store.Tx) error {
			page, err = s.Page(tx)
			return err
		})
	}
	if err != nil {
		f.t.Fatalf("search %+v: %v", q, err)
	}
	return page
}

// shownNames are the display names of hits, in their order.
func (f *fixture) shownNames(hits []Hit) []string {
	names := []string{}
	for _, hit := range hits {
		names = append(names, f.names[hit.Entity])
	}
	return names
}

func (f *fixture) wantNames(actor *model.Actor, q Query, want ...string) {
	f.t.Helper()
	page := f.mustSearch(actor, q)
	if got := f.shownNames(page.Hits); !slices.Equal(got, want) {
		f.t.Errorf("search %+v\n got %q\nwant %q", q, got, want)
	}
	if page.Total != len(want) {
		f.t.Errorf("search %+v\n counts %d hits, want %d", q, page.Total, len(want))
	}
}

func (f *fixture) wantRefused(actor *model.Actor, q Query, code, field string) {
	f.t.Helper()
	_, err := f.newSearch(actor, q)
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.Kind != model.Invalid || refusal.Code != code || refusal.Field != field {
		f.t.Errorf("search %+v: got %v, want %s (%s)", q, err, code, field)
	}
}

// must is one criterion that holds.
func must(field, text string) []Criterion {
	return []Criterion{{Fields: []string{field}, Text: text}}
}
