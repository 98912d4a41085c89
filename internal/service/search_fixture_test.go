package service

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// searchFixture is a service on the embedded store, with the organizations,
// accounts and groups that a test puts into it.
type searchFixture struct {
	t       testing.TB
	service *Service
	store   *store.Store
	path    string
	now     time.Time
	made    uint64 // how many identifiers: in a run of the same steps they are the same
}

func newSearchFixture(t testing.TB) *searchFixture {
	t.Helper()
	f := &searchFixture{t: t, path: filepath.Join(t.TempDir(), "search.db"), now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	f.open()
	t.Cleanup(f.close)
	return f
}

// open opens the store; what it held before is still there.
func (f *searchFixture) open() {
	f.t.Helper()
	clock := func() time.Time { return f.now }
	engine, err := sqlite.Open(f.path, sqlite.Options{Clock: clock})
	if err != nil {
		f.t.Fatal(err)
	}
	if f.store, err = store.Open(context.Background(), engine, NewEpoch); err != nil {
		f.t.Fatal(err)
	}
	f.service = New(Options{Store: f.store, Ring: sealtest.Open(f.t, filepath.Dir(f.path), clock), Hub: live.NewHub(0), Clock: clock, Logger: slog.New(slog.DiscardHandler)})
}

func (f *searchFixture) close() {
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
}

// mustUpdate runs fn in a transaction.
func (f *searchFixture) mustUpdate(fn func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.store.Update(context.Background(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// id makes an identifier that follows on all that were made before.
func (f *searchFixture) id() (id [16]byte) {
	f.made++
	binary.BigEndian.PutUint64(id[8:], f.made)
	return id
}

// organization makes an organization.
func (f *searchFixture) organization() model.OrganizationID {
	f.t.Helper()
	f.made++
	o := model.Organization{ID: model.OrganizationID(fmt.Sprintf("%024d", f.made)), Name: "Organization", Created: f.now}
	f.mustUpdate(func(tx *store.Tx) error { return tx.InsertOrganization(&o) })
	return o.ID
}

// searchPerson is an account with its place in an organization.
type searchPerson struct {
	model.Account
	title, department string
}

// account makes an account in some organizations.
func (f *searchFixture) account(p searchPerson, organizations ...model.OrganizationID) model.AccountID {
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
func (f *searchFixture) named(name string, organizations ...model.OrganizationID) model.AccountID {
	f.t.Helper()
	return f.account(searchPerson{Account: model.Account{DisplayName: name}}, organizations...)
}

func (f *searchFixture) insertAccount(tx *store.Tx, p searchPerson, organizations ...model.OrganizationID) (model.AccountID, error) {
	if p.ID.IsZero() {
		p.ID = f.id()
	}
	p.Created = f.now
	p.DisplayName = p.ComposeDisplayName()
	if err := tx.InsertAccount(&p.Account, ""); err != nil {
		return p.ID, err
	}
	for _, o := range organizations {
		m := model.Membership{Organization: o, Account: p.ID, Title: p.title, Department: p.department, Joined: f.now}
		if err := join(tx, &p.Account, m); err != nil {
			return p.ID, err
		}
	}
	return p.ID, nil
}

// group makes a group.
func (f *searchFixture) group(organization model.OrganizationID, name string, public bool, members ...model.AccountID) model.Group {
	f.t.Helper()
	g := model.Group{ID: f.id(), Organization: organization, Name: name, Public: public, Created: f.now}
	f.mustUpdate(func(tx *store.Tx) error {
		if err := tx.InsertGroup(&g); err != nil {
			return err
		}
		if err := tx.AddGroupMembers(&g, members, 1); err != nil {
			return err
		}
		return indexGroup(tx, &g)
	})
	g.Members = members
	return g
}

// actor is an account with a regular key.
func (f *searchFixture) actor(id model.AccountID) *model.Actor {
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

// mustSearch searches with a page of 50 where the command names none.
func (f *searchFixture) mustSearch(actor *model.Actor, c SearchCommand) SearchResult {
	f.t.Helper()
	if c.PageSize == 0 {
		c.PageSize = 50
	}
	result, err := f.service.Search(context.Background(), actor, c)
	if err != nil {
		f.t.Fatalf("search %+v: %v", c, err)
	}
	return result
}

// must is one criterion that holds.
func must(field, text string) []SearchCriterion {
	return []SearchCriterion{{Fields: []string{field}, Text: text}}
}
