package stream

import (
	"context"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal"
	"signet/internal/seal/sealtest"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/store/sqlite"
	"signet/internal/testclock"
)

// house is one server on an embedded store, or two on one PostgreSQL.
type house struct {
	t       *testing.T
	servers []*server
	store   *store.Store // of the first server
	admin   *model.Actor // an operator with an administrative key
	clock   *testclock.Clock

	directory string     // of the embedded store
	ring      *seal.Ring // of its server
}

// server is what one server has of streams.
type server struct {
	*access.Control
	*service.Service
	*people.People
	hub      *live.Hub
	registry *Registry
	streams  *Streams
	time     *custody.Clock
	node     *Node         // nil: it is alone
	engine   *brittle      // of one that is not alone
	read     *readings     // likewise
	ahead    time.Duration // by how much the registry's clock is, of those of all others
}

// readings counts how often a store is read, and can have one reading wait.
type readings struct {
	store.Engine
	n    atomic.Int64
	next atomic.Pointer[held]
}

// held is a reading that waits before it begins.
type held struct{ reached, release chan struct{} }

// hold has the next reading wait.
func (r *readings) hold() *held {
	h := &held{make(chan struct{}), make(chan struct{})}
	r.next.Store(h)
	return h
}

func (r *readings) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	r.n.Add(1)
	if h := r.next.Swap(nil); h != nil {
		close(h.reached)
		<-h.release
	}
	return r.Engine.View(ctx, fn, traits...)
}

// newHouse is one server on an embedded store, whose readings are counted.
func newHouse(t *testing.T) (*house, *readings) {
	t.Helper()
	h := &house{t: t, clock: testclock.New(), directory: t.TempDir()}
	h.ring = sealtest.Open(t, h.directory, h.clock.Now)
	counted := &readings{Engine: h.embedded(sqlite.Options{})}
	h.serve(counted, h.ring, 0, filepath.Join(h.directory, "blobs"))
	return h.open(), counted
}

// embedded opens the embedded store.
func (h *house) embedded(opts sqlite.Options) store.Engine {
	h.t.Helper()
	opts.Clock = h.clock.Now
	engine, err := sqlite.Open(filepath.Join(h.directory, "signet.db"), opts)
	h.must(err)
	h.t.Cleanup(func() { h.must(engine.Close()) })
	return engine
}

// command is what works beside the server on the embedded store, in another process: nobody here hears
// of what it does.
func (h *house) command() *server {
	h.t.Helper()
	return h.serve(h.embedded(sqlite.Options{Beside: true}), h.ring, 0, filepath.Join(h.directory, "blobs"))
}

// brittle is an engine of which an update can be made to fail, all of them to take long, and those
// that are not short to wait.
type brittle struct {
	store.Engine
	clock *testclock.Clock
	fails atomic.Int64 // which of the next updates fails, 1 for the very next; 0: none
	lasts atomic.Int64 // how many seconds each takes
	gate  sync.RWMutex // whoever locks it has those wait that are not short
}

func (b *brittle) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if b.fails.Load() > 0 && b.fails.Add(-1) == 0 {
		return store.ErrUnavailable
	}
	if _, ofOne := store.ShortOfWhom(traits); !ofOne && !slices.Contains(traits, store.Short) {
		b.gate.RLock()
		defer b.gate.RUnlock()
	}
	b.clock.Advance(time.Duration(b.lasts.Load()) * time.Second)
	return b.Engine.Update(ctx, fn, traits...)
}

// newNodes is two servers on one PostgreSQL, which know of each other by the store
// alone: nothing is said between them. Their rounds are called by the test.
func newNodes(t *testing.T, limit int) *house {
	t.Helper()
	h := &house{t: t, clock: testclock.New()}
	url, ring, dir := postgrestest.URL(t), postgrestest.URL(t), t.TempDir()
	for range 2 {
		engine, err := postgres.Open(t.Context(), url, postgres.Options{Clock: h.clock.Now, Connections: 8})
		h.must(err)
		t.Cleanup(func() { engine.Close() })
		read := &readings{Engine: engine}
		below := &brittle{Engine: read, clock: h.clock}
		s := h.serve(below, sealtest.OpenShared(t, ring, dir, h.clock.Now), limit, filepath.Join(dir, "blobs"))
		s.engine, s.read = below, read
		s.node, err = s.registry.Register(t.Context(), s.time)
		h.must(err)
	}
	return h.open()
}

// serve adds a server on an engine.
func (h *house) serve(engine store.Engine, ring *seal.Ring, limit int, blobs string) *server {
	h.t.Helper()
	kept, err := store.Open(h.t.Context(), engine, store.NewEpoch)
	h.must(err)
	enginetest.Authenticate(kept)
	files, err := blob.OpenDirectory(blobs)
	h.must(err)
	h.t.Cleanup(func() { h.must(files.Close()) })
	hub, log := live.NewHub(0), slog.New(slog.DiscardHandler)
	s := &server{hub: hub}
	clock := func() time.Time { return h.clock.Now().Add(s.ahead) }
	s.registry = NewRegistry(Options{Store: kept, Hub: hub, Clock: clock, Log: log, Limit: limit})
	s.time = custody.NewClock(custody.ClockOptions{
		Store: kept, Ring: ring, Now: h.clock.Now,
		Offset: func(context.Context) (time.Duration, error) { return -s.ahead, nil },
	})
	s.Control = access.New(access.Options{
		Store: kept, Hub: hub, Clock: h.clock.Now, Streams: s.registry, DefaultRegion: "US",
	})
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: h.clock.Now})
	vault := &content.Vault{Store: kept, Ring: ring, Blobs: files}
	s.Service = service.New(service.Options{
		Access: s.Control, Store: kept, Vault: vault,
		Hub: hub, Fanout: fans, Clock: h.clock.Now,
		Time:   s.time,
		Logger: log, Streams: s.registry, EventsRetention: 30 * 24 * time.Hour,
	})
	s.People = people.New(people.Options{Store: kept, Access: s.Control, Vault: vault, Hub: hub, Fanout: fans,
		Clock: h.clock.Now, Logger: log, Memory: s.Service, Streams: s.registry})
	s.streams = New(s.registry, s.Control, s.Service)
	h.servers = append(h.servers, s)
	if h.store == nil {
		h.store = kept
	}
	return s
}

// open makes the operator.
func (h *house) open() *house {
	h.t.Helper()
	h.must(people.MakeFirstOperator(h.t.Context(), h.store, h.clock.Now(), "operator", "secret"))
	h.admin = h.signIn(h.servers[0], "operator", "secret")
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// signIn returns who comes with a key and its secret, as it is now.
func (h *house) signIn(s *server, key, secret string) *model.Actor {
	h.t.Helper()
	h.clock.Advance(time.Second) // past what is remembered of it
	actor, err := s.Authenticate(h.t.Context(), key, secret, netip.Addr{})
	h.must(err)
	return actor
}

func (h *house) organization() model.OrganizationID {
	h.t.Helper()
	name := "Hospital"
	id, err := h.servers[0].CreateOrganization(h.t.Context(), h.admin, people.OrganizationCommand{Name: &name})
	h.must(err)
	return id
}

// member makes an account in an organization and returns it as it calls.
func (h *house) member(organization model.OrganizationID, name string) *model.Actor {
	h.t.Helper()
	made, err := h.servers[0].Create(h.t.Context(), h.admin,
		people.CreateCommand{Organization: organization, Username: name, IssueKey: true})
	h.must(err)
	return h.signIn(h.servers[0], made.Key.Key.Key, made.Key.Secret)
}

func (h *house) pair() (alice, bob *model.Actor) {
	h.t.Helper()
	o := h.organization()
	return h.member(o, "alice"), h.member(o, "bob")
}

func (h *house) group(of *model.Actor, members ...*model.Actor) string {
	h.t.Helper()
	name := "Ward"
	command := service.GroupCommand{Name: &name}
	for _, m := range members {
		command.Members = append(command.Members, m.Account.String())
	}
	g, err := h.servers[0].CreateGroup(h.t.Context(), of, command)
	h.must(err)
	return g.ID.String()
}

// say sends a message through the first server.
func (h *house) say(from *model.Actor, to, body string) model.MessageID {
	h.t.Helper()
	sent, err := h.servers[0].Send(h.t.Context(), from, service.SendCommand{Recipient: to, Body: body})
	h.must(err)
	return sent.Message
}

// issue issues a key to its account, and rotate another secret of it.
func (h *house) issue(to *model.Actor) *access.IssuedKey {
	h.t.Helper()
	key, err := h.servers[0].IssueKey(h.t.Context(), to, access.IssueKeyCommand{Account: "me"})
	h.must(err)
	return key
}

func (h *house) rotate(of *model.Actor, key *access.IssuedKey, grace time.Duration) *access.IssuedKey {
	h.t.Helper()
	rotated, err := h.servers[0].RotateKey(h.t.Context(), of, "me", key.Key.Key, grace, "")
	h.must(err)
	return rotated
}

// atOnce does n things at the same time on the first server.
func (h *house) atOnce(n int, do func(i int) error) {
	h.t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := do(i); err != nil {
				h.t.Errorf("%d: %v", i, err)
			}
		})
	}
	group.Wait()
}
