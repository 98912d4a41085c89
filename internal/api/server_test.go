package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/crypto/argon2"

	"signet/internal/access"
	"signet/internal/alert"
	"signet/internal/api"
	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/blob"
	"signet/internal/brand"
	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/egress"
	"signet/internal/export"
	"signet/internal/fanout"
	"signet/internal/identity"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/overview"
	"signet/internal/passkey"
	"signet/internal/people"
	"signet/internal/push"
	"signet/internal/seal/sealtest"
	"signet/internal/series"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	streaming "signet/internal/stream"
	"signet/internal/sweep"
	"signet/internal/tally"
	"signet/internal/testclock"
	"signet/internal/testlog"
	"signet/internal/webhook"
	"signet/openapi/openapitest"
)

// server is the whole interface, on a store of its own, behind a real listener.
// Every request and answer that passes is held against the OpenAPI document.
type server struct {
	t        *testing.T
	url      string
	clock    *testclock.Clock
	api      *api.API
	access   *access.Control
	exporter *export.Exporter
	webhooks *webhook.Webhooks
	identity *identity.Identities
	service  *service.Service
	time     *custody.Clock
	vault    *content.Vault
	people   *people.People
	work     *backlog.Worker
	pusher   *push.Pusher
	sweeper  *sweep.Sweeper
	recorder *series.Recorder
	streams  *streaming.Streams
	store    *store.Store
	forged   *forgeries
	hub      *live.Hub
	client   *http.Client
	log      *testlog.Log
	checks   *openapitest.Validator
	engine   store.Engine
	metrics  *prometheus.Registry
	counted  *countedEngine // nil: nothing is counted
	blobs    blob.Store
	audit    *audit.Key // signs checkpoints of the audit log
	link     *people.FirstLink
	party    *passkey.Party // nil: there are no passkeys

	operator *person
}

// figures are what a test changes of a server. They start without the limits
// that are counted, so that a test meets only those that it is about.
type figures struct {
	api          api.Limits
	service      service.Limits
	approveJoins bool
	streams      int
	retention    time.Duration
	quiet        time.Duration // of streams; 0: as long as a server's
	linger       time.Duration // of presence
	origins      []string
	blobs        string // where attachments are; empty: a directory in dir
	dir          string // of an earlier server, to go on with; empty: a new one
	queueMax     int    // events besides messages that a queue holds; 0: no limit
	rows         int    // that a transaction writes; 0: as many as a server's
	unsealed     bool   // content lies in the files as it is
	address      func(*http.Request) netip.Addr
	way          func(*http.Request) api.Way
	tls          bool
	narrow       bool           // the system takes hardly anything that a client does not read
	settings     *config.Config // as they are shown
	counted      bool           // the statements are
	brand        brand.Brand
	passkeysAt   string   // the public address; empty: where the server listens
	push         []string // hosts to which is pushed, over plain HTTP too; empty: none
}

// start runs a server with an operator.
func start(t *testing.T, changes ...func(*figures)) *server {
	t.Helper()
	f := figures{
		api:       api.Limits{BodyBytes: 256 << 10, AttachmentBytes: 25 << 20},
		service:   service.Limits{MessageBytes: 64 << 10, GroupMembers: 2000, MetadataKeys: 11},
		streams:   20,
		retention: 30 * 24 * time.Hour,
		settings:  config.Default(),
		push:      []string{"127.0.0.1"},
	}
	for _, change := range changes {
		change(&f)
	}
	if f.dir == "" {
		f.dir = t.TempDir()
	}
	s := &server{t: t, clock: testclock.At(testclock.Start.Truncate(time.Millisecond)), log: new(testlog.Log),
		forged: new(forgeries), checks: openapitest.New(t), metrics: prometheus.NewRegistry()}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	engine := enginetest.Open(t, f.dir, enginetest.Options{Clock: s.clock.Now, Log: logger})
	t.Cleanup(func() { s.closed("the store", engine.Close()) })
	if f.counted {
		s.counted = &countedEngine{Engine: engine}
		engine = s.counted
	}
	s.engine, s.audit = engine, mustAuditKey(t)
	var err error
	if s.store, err = store.Open(t.Context(), engine, store.NewEpoch); err != nil {
		t.Fatal(err)
	}
	s.store.LimitQueues(f.queueMax)
	s.store.Authenticate([]byte("of tests"), s.forged.note)
	blobs, err := blob.Open(cmp.Or(f.blobs, filepath.Join(f.dir, "blobs")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.closed("the blobs", blobs.Close()) })
	s.blobs, s.hub = blobs, live.NewHub(f.streams)
	registry := streaming.NewRegistry(streaming.Options{
		Store: s.store, Hub: s.hub, Limit: f.streams, Clock: s.clock.Now, Log: logger,
		QuietComment: f.quiet, PresenceLinger: f.linger,
	})
	ring := sealtest.Open(t, f.dir, s.clock.Now)
	s.time = custody.NewClock(custody.ClockOptions{Store: s.store, Ring: ring, Now: s.clock.Now, Elapsed: s.clock.Elapsed})
	s.vault = &content.Vault{Store: s.store, Ring: ring, Blobs: blobs, Unsealed: f.unsealed}
	auditLog := audit.NewLog(audit.Options{Store: s.store, Key: s.audit, Retention: auditRetention, Clock: s.clock.Now})
	counts := new(tally.Tally)
	s.access = access.New(access.Options{
		Store: s.store, Hub: s.hub, Clock: s.clock.Now, Streams: registry, DefaultRegion: "US", Derive: quickArgon,
		Audit: auditLog, Tally: counts,
	})
	s.work = backlog.NewWorker(backlog.Options{Store: s.store, Now: s.clock.Now, Log: logger})
	s.pusher = newPusher(s, registry, f.push)
	fans := fanout.New(fanout.Options{Store: s.store, Hub: s.hub, Clock: s.clock.Now, Rows: f.rows, Told: s.pusher.Note})
	s.work.Register(fans.Kind(), s.pusher.Kind())
	s.service = service.New(service.Options{
		Access: s.access, Store: s.store, Vault: s.vault, Fanout: fans, Told: s.pusher.Note,
		Hub: s.hub, Clock: s.clock.Now, Time: s.time, Logger: logger, Limits: f.service,
		EventsRetention: f.retention,
		Streams:         registry, EraseSoon: func() { s.sweeper.EraseSoon() }, Tally: counts,
	})
	s.work.Register(s.service.HandOvers())
	s.people = people.New(people.Options{Store: s.store, Access: s.access, Vault: s.vault, Hub: s.hub, Fanout: fans,
		Clock: s.clock.Now, Logger: logger, ApproveJoins: f.approveJoins, Memory: s.service, Streams: registry,
		EraseSoon: func() { s.sweeper.EraseSoon() }})
	s.sweeper = sweep.NewSweeper(sweep.Options{
		Store: s.store, Vault: s.vault, Clock: s.time, Cases: s.service, Access: s.access,
		Audit: auditLog, Log: logger, Retention: f.retention, QueueMax: f.queueMax, EndAccount: s.people.EndAccount,
	})
	s.recorder = series.NewRecorder(series.Options{Store: s.store, Tally: counts, Now: s.clock.Now, Log: logger,
		Here:   func() series.Here { return series.Here{Streams: int64(s.hub.AllStreams())} },
		Shared: func(context.Context) series.Shared { return series.Shared{Database: new(int64(4096))} }})
	s.work.Register(append(s.sweeper.Eraser().Kinds(), s.recorder.Kind(), s.service.EscalationKind())...)
	s.streams = streaming.New(registry, s.access, s.service)
	var front http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.api.ServeHTTP(w, r) })
	listener := httptest.NewUnstartedServer(front)
	if f.narrow {
		listener.Config.ConnState = func(conn net.Conn, state http.ConnState) {
			if state == http.StateNew {
				_ = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
			}
		}
	}
	if f.tls {
		listener.StartTLS()
	} else {
		listener.Start()
	}
	s.url, s.client = listener.URL, listener.Client()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := s.client.Transport.(*http.Transport)
	transport.DisableCompression, transport.MaxIdleConnsPerHost = true, 8
	transport.ExpectContinueTimeout = patience
	s.client.Transport = s.checks.RoundTripper(transport)
	t.Cleanup(func() {
		s.hub.Close()
		listener.Close()
		if found := s.forged.take(); len(found) > 0 {
			t.Errorf("there are rows with wrong codes: %v", found)
		}
		if faults := s.log.String(); faults != "" {
			t.Errorf("the server logged what is nobody's doing:\n%s", faults)
		}
	})
	s.startWebhooks(logger)
	s.identity = s.newIdentities()
	party, fault := passkey.NewParty(cmp.Or(f.passkeysAt, s.url), "Clinics")
	s.party = party
	s.link = people.NewFirstLink(s.store, s.clock.Now)
	s.exporter = export.New(s.store, s.access, s.service, s.clock.Now)
	s.api, err = api.New(api.Options{
		Service: s.service, Streams: s.streams, Access: s.access, Authenticator: s.access,
		People: s.people,
		Overview: overview.New(overview.Options{Store: s.store, Access: s.access, Streams: registry, Clock: s.clock.Now,
			Installation: installation{s.clock.Now}, Settings: f.settings.Effective()}),
		Alerts:   alert.New(alert.Options{Store: s.store, Cases: s.service, Clock: s.clock.Now}),
		Exporter: s.exporter, Pusher: s.pusher, Webhooks: s.webhooks, Identities: s.identity,
		Version: "v1.2.3", Brand: f.brand,
		Clock: s.clock.Now, Logger: logger, Limits: f.api,
		VendorPrefix: "TT", VendorNamespace: "tigertext", BaseURL: s.url, CORSOrigins: f.origins,
		Address: f.address, Way: f.way, FirstStart: s.link.Take, Registerer: s.metrics, Tally: counts,
		Party: party, PartyFault: fault,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.operator = &person{s: s, t: t, name: "operator", key: "operator-key", secret: "operator-secret"}
	err = people.MakeFirstOperator(t.Context(), s.store, s.clock.Now(), s.operator.key, s.operator.secret)
	if err != nil {
		t.Fatal(err)
	}
	s.operator.token = s.operator.get("/v2/user").reply().text("token")
	return s
}

// newPusher makes what tells browsers of messages. Their push services are on this machine.
func newPusher(s *server, streams push.Streams, list []string) *push.Pusher {
	s.t.Helper()
	hosts, err := egress.ParseHosts(list)
	if err != nil {
		s.t.Fatal(err)
	}
	identity, err := push.NewIdentity([]byte("the secret of tests, of 32 bytes and more"))
	if err != nil {
		s.t.Fatal(err)
	}
	guard := egress.New(egress.Options{Hosts: hosts, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	s.t.Cleanup(guard.Close)
	p := push.New(push.Options{Store: s.store, Access: s.access, Streams: streams, Guard: guard, Identity: identity,
		Off: hosts.None(), Contact: "https://signet.example.com", Clock: s.clock.Now,
		Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err := p.Load(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// quickArgon takes 64 KiB of memory once, where the server's passwords take 32 MiB twice,
// and the race detector four times that. Those of docs/api take the real one.
func quickArgon(password, salt []byte, _, _ uint32, threads uint8, keyLen uint32) []byte {
	return argon2.IDKey(password, salt, 1, 64, threads, keyLen)
}

// settle does what calls have left to be done in pieces.
func (s *server) settle() {
	s.t.Helper()
	if err := s.work.Settle(s.t.Context(), store.FanOut); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) closed(what string, err error) {
	if err != nil {
		s.t.Errorf("close %s: %v", what, err)
	}
}

// mustSweep erases what has ended, as the server does in the background.
func (s *server) mustSweep() {
	s.t.Helper()
	s.settle()
	if err := errors.Join(s.work.Settle(s.t.Context()), s.sweeper.Sweep(s.t.Context())); err != nil {
		s.t.Fatal(err)
	}
}

// eraseAccount erases an account as the command line does.
func (s *server) eraseAccount(account string, lastAdministrator bool) error {
	s.t.Helper()
	err := s.people.EraseUser(s.t.Context(), model.CommandLine(),
		people.EraseCommand{Address: account, LastAdministrator: lastAdministrator})
	s.mustSweep()
	return err
}

// eraseOrganization erases an organization as the command line does.
func (s *server) eraseOrganization(organization string, keepAccounts bool) error {
	s.t.Helper()
	err := s.people.DeleteOrganization(s.t.Context(), model.CommandLine(), people.DeleteCommand{
		Organization: model.OrganizationID(organization), Traces: true, KeepAccounts: keepAccounts})
	s.mustSweep()
	return err
}

// mustKeepHouse removes what is merely old, as the background task does.
func (s *server) mustKeepHouse() {
	s.t.Helper()
	if err := s.sweeper.KeepHouse(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// mustCreateOrganization makes an organization whose administrator is the
// operator, and returns its token.
func (s *server) mustCreateOrganization(name string, settings ...any) string {
	s.t.Helper()
	return s.operator.mustCreateOrganization(name, settings...)
}

// mustCreate makes an account with this username in an organization, with a
// regular key.
func (s *server) mustCreate(organization, username string) *person {
	s.t.Helper()
	return s.operator.mustCreate(organization, username)
}

// mustCreateAll makes several accounts in an organization.
func (s *server) mustCreateAll(organization string, usernames ...string) []*person {
	s.t.Helper()
	out := make([]*person, len(usernames))
	for i, name := range usernames {
		out[i] = s.mustCreate(organization, name)
	}
	return out
}

// mustCreateAdmin makes an account that administers an organization, with an
// administrative key.
func (s *server) mustCreateAdmin(organization, username string) *person {
	s.t.Helper()
	p := s.mustCreate(organization, username)
	s.operator.post("/v2/user/"+p.token+"/organization/"+organization+"/roles/admin", nil).want(204)
	p.useKey(s.operator.post("/v2/user/"+p.token+"/key", fields{"kind": "administrative"}).reply())
	p.forgetEvents()
	return p
}

// mustFillOrganization puts n further accounts into an organization, without the
// cost of as many calls, and returns their tokens.
func (s *server) mustFillOrganization(organization string, n int) []string {
	s.t.Helper()
	tokens := make([]string, n)
	accounts := make([]model.Account, n)
	for i := range accounts {
		name := "extra" + number(i)
		accounts[i] = model.Account{ID: model.AccountID(randomID()), Username: name, DisplayName: name,
			CreatedBy: model.OrganizationID(organization), Created: s.clock.Now()}
		tokens[i] = accounts[i].ID.String()
	}
	err := s.store.Update(s.t.Context(), func(tx *store.Tx) error {
		for i := range accounts {
			if err := tx.InsertAccount(&accounts[i], ""); err != nil {
				return err
			}
			m := model.Membership{Organization: model.OrganizationID(organization), Account: accounts[i].ID,
				Joined: s.clock.Now()}
			if _, err := tx.PutMembership(m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return tokens
}

// anyone is somebody without credentials.
func (s *server) anyone() *person { return &person{s: s, t: s.t, name: "anyone"} }

// signIn signs in with a password, as clients of the third generation do.
func (s *server) signIn(user, password, device string) *answer {
	s.t.Helper()
	encoded := base64.StdEncoding.EncodeToString([]byte("product:" + user + ":" + password))
	return s.anyone().post("/v2/login", fields{"device_id": device}, header("Authorization", "XMPP-Simple "+encoded))
}

// picture is the smallest thing that is a PNG to the server.
var picture = append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{7}, 64)...)

// patience is how long a test waits for what has to come.
const patience = time.Minute

// until tries again and again what something that is under way brings about.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); {
		if time.Now().After(end) {
			t.Fatal("it does not come about that ", what)
		}
	}
}

// mustGauge returns the value of a metric without labels.
func (s *server) mustGauge(name string) float64 {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	s.t.Fatal("there is no metric ", name)
	return 0
}

// within is a context that ends after the patience.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
