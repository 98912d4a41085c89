package metamorphic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/sweep"
)

const (
	persons = 4 // beside the operator: few, so that much happens between the same ones

	// retention is short, so that sequences reach it. It is no whole number of
	// milliseconds, as all times of the clock are, so that no event is just as old.
	retention = 3*time.Hour + 500*time.Microsecond
)

var start = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// template is a database with people and their keys, of which each sequence gets a
// copy.
type template struct {
	dir          string   // of all files, with the database
	people       []person // the operator first
	organization model.OrganizationID
}

type person struct {
	id          model.AccountID
	key, secret string
}

const nameOfFirst = "first"

func newTemplate(t *testing.T) *template {
	t.Helper()
	dir := t.TempDir()
	tm := &template{dir: dir}
	s, kept, err := openService(t, dir, func() time.Time { return start }, fanout.Rows)
	must(t, err)
	ctx := t.Context()
	must(t, people.MakeFirstOperator(ctx, kept.Store, start, "operator", "secret"))
	operator, err := s.Authenticate(ctx, "operator", "secret", netip.Addr{})
	must(t, err)
	name := nameOfFirst
	tm.organization, err = s.CreateOrganization(ctx, operator, people.OrganizationCommand{Name: &name})
	must(t, err)
	tm.people = append(tm.people, person{operator.Account, "operator", "secret"})
	operator, err = s.Authenticate(ctx, "operator", "secret", netip.Addr{})
	must(t, err)
	for i := range persons {
		user, err := s.Create(ctx, operator,
			people.CreateCommand{Organization: tm.organization, Username: fmt.Sprint("user", i+1), IssueKey: true})
		must(t, err)
		tm.people = append(tm.people, person{user.Entity.Account.ID, user.Key.Key.Key, user.Key.Secret})
	}
	// What these calls told is not part of the play.
	for _, who := range tm.people {
		actor, err := s.Authenticate(ctx, who.key, who.secret, netip.Addr{})
		must(t, err)
		_, err = s.DeleteEvents(ctx, actor, false)
		must(t, err)
	}
	must(t, kept.Close())
	return tm
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cases are what a play calls.
type cases struct {
	*access.Control
	*service.Service
	*people.People
	vault *content.Vault
	hub   *live.Hub
}

// openService opens a service on what a directory holds. What closes the store
// closes all.
func openService(t enginetest.TB, dir string, clock func() time.Time, rows int) (*cases, *keptStore, error) {
	engine := enginetest.Open(t, dir, enginetest.Options{Clock: clock, Readers: 1})
	kept, err := store.Open(context.Background(), engine, store.NewEpoch)
	if err != nil {
		return nil, nil, errors.Join(err, engine.Close())
	}
	enginetest.Authenticate(kept)
	blobs, err := blob.OpenDirectory(filepath.Join(dir, "blobs"))
	if err != nil {
		return nil, nil, errors.Join(err, kept.Close())
	}
	vault := &content.Vault{Store: kept, Ring: sealtest.Open(t, dir, clock), Blobs: blobs}
	log := slog.New(slog.DiscardHandler)
	hub := live.NewHub(0)
	control := access.New(access.Options{Store: kept, Hub: hub, Clock: clock, DefaultRegion: "US"})
	work := backlog.NewWorker(backlog.Options{Store: kept, Now: clock, Log: log})
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: clock, Rows: rows})
	work.Register(fans.Kind())
	s := &cases{Control: control, Service: service.New(service.Options{
		Access: control, Store: kept, Vault: vault, Hub: hub, Clock: clock, Logger: log, EventsRetention: retention,
		Fanout: fans,
	}), vault: vault, hub: hub}
	work.Register(s.HandOvers())
	s.People = people.New(people.Options{Store: kept, Access: control, Vault: vault, Hub: hub, Fanout: fans, Clock: clock,
		Logger: log, Memory: s.Service})
	sweeper := sweep.NewSweeper(sweep.Options{
		Store: kept, Vault: vault, Clock: custody.NewClock(custody.ClockOptions{Store: kept, Now: clock}),
		Cases: s.Service, Access: control,
		Audit: audit.NewLog(audit.Options{Store: kept, Clock: clock}), Log: log, Retention: retention,
	})
	work.Register(sweeper.Eraser().Kinds()...)
	work.Register(s.EscalationKind())
	return s, &keptStore{kept, engine, blobs, sweeper, work}, nil
}

type keptStore struct {
	*store.Store
	engine  store.Engine
	blobs   blob.Store
	sweeper *sweep.Sweeper
	work    *backlog.Worker
}

// settle does what calls have left to be done to groups.
func (k *keptStore) settle(ctx context.Context) error { return k.work.Settle(ctx, store.FanOut) }

// sweep does all that a server does in the background.
func (k *keptStore) sweep(ctx context.Context) error {
	return errors.Join(k.settle(ctx), k.work.Settle(ctx), k.sweeper.Sweep(ctx))
}

func (k *keptStore) Close() error { return errors.Join(k.Store.Close(), k.blobs.Close()) }

// play is one sequence: the service and the world side by side.
type play struct {
	template *template
	service  *cases
	kept     *keptStore
	world    *world
	keys     map[*account]person
	scopes   map[scoped]person
	start    func(*rapid.T) error // starts a server on what is stored
	made     int                  // how many things were named
	compared int                  // how often both sides were compared
	finished bool
}

func newPlay(t *rapid.T, tm *template) *play {
	dir, err := os.MkdirTemp(tm.dir, "play")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	enginetest.Copy(t, tm.dir, dir)
	p := &play{template: tm, keys: map[*account]person{}, scopes: map[scoped]person{},
		world: &world{now: start, retention: retention}}
	// What a transaction writes, from one row to more than any call here writes.
	// On PostgreSQL those who enter one piece after the other have no common order, as their
	// queues count each for itself; the model has one, so that all enter at once there.
	sizes := []int{fanout.Rows, 8, 1}
	if enginetest.OnPostgres() {
		sizes = sizes[:1]
	}
	rows := rapid.SampledFrom(sizes).Draw(t, "rows")
	p.start = func(t *rapid.T) (err error) {
		p.service, p.kept, err = openService(t, dir, func() time.Time { return p.world.now }, rows)
		return err
	}
	if err := p.start(t); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// open tells the world what the template holds.
func (p *play) open(t *rapid.T) {
	first := &organization{id: p.template.organization, name: nameOfFirst, forward: true}
	p.world.organizations = append(p.world.organizations, first)
	for i, who := range p.template.people {
		a := &account{
			name: fmt.Sprint("user", i), id: who.id, operator: i == 0,
			joined: map[*organization]tick{first: p.world.next()}, roster: map[subject]*conversation{},
			requests: map[string]*request{},
		}
		if i > 0 {
			a.home = first
		}
		p.world.accounts = append(p.world.accounts, a)
		p.keys[a] = who
	}
	p.tick()
	p.compare(t)
}

// tick lets a millisecond pass before each call, so that the events of one call
// have a time of their own.
func (p *play) tick() { p.world.now = p.world.now.Add(time.Millisecond) }

// actor is an account as it calls now.
func (p *play) actor(t *rapid.T, a *account) *model.Actor {
	t.Helper()
	who := p.keys[a]
	actor, err := p.service.Authenticate(t.Context(), who.key, who.secret, netip.Addr{})
	if err != nil {
		t.Fatalf("authenticate %s: %v", a.name, err)
	}
	return actor
}

// agree compares the outcome of a call with what the world says.
func agree(t *rapid.T, what string, err error, want string) {
	t.Helper()
	if got := codeOf(t, err); got != want {
		t.Fatalf("%s: the service answers %q (%v), the contract %q", what, got, err, want)
	}
}

// codeOf is the code of a refusal. Any other error is a failure.
func codeOf(t *rapid.T, err error) string {
	t.Helper()
	if err == nil {
		return fine
	}
	var refusal *model.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("internal error: %v", err)
	}
	return refusal.Code
}

// The draws. What there is none of skips the call.

func pick[T any](t *rapid.T, from []T, label string) T {
	if len(from) == 0 {
		t.Skip("there is no ", label)
	}
	return rapid.SampledFrom(from).Draw(t, label)
}

// recent picks one of the last few, which are the ones that anything can still
// happen to, or now and then any.
func recent[T any](t *rapid.T, from []T, label string) T {
	if n := len(from); n > 12 && rapid.IntRange(0, 7).Draw(t, "how old") > 0 {
		from = from[n-12:]
	}
	return pick(t, from, label)
}

// mostly picks one of the likely, with which more happens, or now and then any.
func mostly[T any](t *rapid.T, likely, all []T, label string) T {
	if len(likely) > 0 && rapid.IntRange(0, 5).Draw(t, "how likely") > 0 {
		return pick(t, likely, label)
	}
	return pick(t, all, label)
}

func some[T any](t *rapid.T, from []T, atMost int, label string) []T {
	if len(from) == 0 {
		return nil
	}
	indexes := rapid.SliceOfNDistinct(rapid.IntRange(0, len(from)-1), 0, min(atMost, len(from)), rapid.ID)
	return rapid.Map(indexes, func(indexes []int) []T {
		out := make([]T, len(indexes))
		for i, index := range indexes {
			out[i] = from[index]
		}
		return out
	}).Draw(t, label)
}

func (p *play) anybody(t *rapid.T, label string) *account {
	return pick(t, p.world.accounts, label)
}

// anOrganization picks one, mostly one of the likely, or nil for none.
func (p *play) anOrganization(t *rapid.T, likely []*organization) *organization {
	return mostly(t, likely, append([]*organization{nil}, p.world.organizations...), "named")
}

// aGroup picks one, mostly one that is still there.
func (p *play) aGroup(t *rapid.T) *group {
	var alive []*group
	for _, g := range p.world.groups {
		if !g.deleted {
			alive = append(alive, g)
		}
	}
	return mostly(t, alive, p.world.groups, "group")
}

func (o *organization) token() model.OrganizationID {
	if o == nil {
		return ""
	}
	return o.id
}

func (p *play) name(what string) string {
	p.made++
	return fmt.Sprint(what, " ", p.made)
}

func addresses(accounts []*account) []string {
	out := []string{}
	for _, a := range accounts {
		out = append(out, a.id.String())
	}
	return out
}
