package service

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// fixture is a service on the embedded store, with the organizations, accounts and
// groups that a test puts into it.
type fixture struct {
	work    *backlog.Worker
	t       testing.TB
	service *Service
	store   *store.Store
	now     time.Time
	made    uint64 // how many identifiers: in a run of the same steps they are the same
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return f.now }
	dir := t.TempDir()
	engine, err := sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if f.store, err = store.Open(context.Background(), engine, store.NewEpoch); err != nil {
		t.Fatal(err)
	}
	enginetest.Authenticate(f.store)
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	hub := live.NewHub(0)
	f.work = backlog.NewWorker(backlog.Options{Store: f.store, Now: clock})
	fans := fanout.New(fanout.Options{Store: f.store, Hub: hub, Clock: clock})
	f.work.Register(fans.Kind())
	f.service = newService(Options{
		Fanout: fans, Store: f.store, Vault: &content.Vault{Store: f.store, Ring: sealtest.Open(t, dir, clock)}, Hub: hub,
		Clock:  clock,
		Logger: slog.New(slog.DiscardHandler),
	})
	f.work.Register(f.service.EscalationKind())
	return f
}

// newService is New, with who calls.
func newService(o Options) *Service {
	o.Access = access.New(access.Options{Store: o.Store, Hub: o.Hub, Clock: o.Clock, DefaultRegion: "US"})
	return New(o)
}

// directory returns the directory beside a service.
func directory(s *Service) *people.People {
	return people.New(people.Options{Store: s.store, Access: s.access, Vault: s.vault, Hub: s.hub, Fanout: s.fanout,
		Clock: s.clock, Logger: s.log, Memory: s, Streams: s.streams, EraseSoon: s.eraseSoon})
}

// create makes an account in an organization, with a key.
func create(ctx context.Context, s *Service, actor *model.Actor, organization model.OrganizationID,
	username string) (people.Created, error) {
	return directory(s).Create(ctx, actor,
		people.CreateCommand{Organization: organization, Username: username, IssueKey: true})
}

// enroll puts an account into an organization, as the directory does.
func enroll(tx *store.Tx, account *model.Account, m model.Membership) (err error) {
	if m.Since, err = tx.Position(1, account.ID); err != nil {
		return err
	}
	if _, err := tx.PutMembership(m); err != nil {
		return err
	}
	return search.IndexAccount(tx, account, m)
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

// searchPerson is an account with its place in an organization.
type searchPerson struct {
	model.Account
	title, department string
}

// account makes an account in some organizations.
func (f *fixture) account(p searchPerson, organizations ...model.OrganizationID) model.AccountID {
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
	return f.account(searchPerson{Account: model.Account{DisplayName: name}}, organizations...)
}

func (f *fixture) insertAccount(tx *store.Tx, p searchPerson,
	organizations ...model.OrganizationID) (model.AccountID, error) {
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
		if err := enroll(tx, &p.Account, m); err != nil {
			return p.ID, err
		}
	}
	return p.ID, nil
}

// group makes a group.
func (f *fixture) group(organization model.OrganizationID, name string, public bool,
	members ...model.AccountID) model.Group {
	f.t.Helper()
	g := model.Group{ID: f.id(), Organization: organization, Name: name, Public: public, Created: f.now}
	f.mustUpdate(func(tx *store.Tx) error {
		if err := tx.InsertGroup(&g); err != nil {
			return err
		}
		if err := tx.AddGroupMembers(&g, members, 1, 0, store.Stay{}); err != nil {
			return err
		}
		return search.IndexGroup(tx, &g)
	})
	g.Members = members
	return g
}

// actor is an account with a regular key.
func (f *fixture) actor(id model.AccountID) *model.Actor {
	f.t.Helper()
	actor := &model.Actor{Account: id, Key: model.Key{Key: "key of " + id.String(), Account: id}}
	err := f.store.Update(context.Background(), func(tx *store.Tx) (err error) {
		_, found, err := tx.Key(actor.Key.Key)
		if err == nil && !found {
			err = tx.InsertKey(&actor.Key)
		}
		if err != nil {
			return err
		}
		actor.Memberships, err = tx.Memberships(id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return actor
}
