package api

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/access"
	"signet/internal/alert"
	"signet/internal/api/guard"
	"signet/internal/api/input"
	"signet/internal/brand"
	"signet/internal/content"
	"signet/internal/export"
	"signet/internal/health"
	"signet/internal/identity"
	"signet/internal/large"
	"signet/internal/model"
	"signet/internal/overview"
	"signet/internal/passkey"
	"signet/internal/people"
	"signet/internal/push"
	"signet/internal/service"
	"signet/internal/stream"
	"signet/internal/tally"
	"signet/internal/trace"
	"signet/internal/webhook"
)

// Limits are those of contract section 1 that hold for every call; 0 is no limit.
type Limits struct {
	RequestsPerSecond            int   // of a key
	Burst                        int   // requests of a key at once
	FailedLoginsPerMinute        int   // of an address with one key
	FailedLoginsPerMinuteAddress int   // of an address with any keys
	FailedLoginsPerMinuteName    int   // of a key or user name from any addresses
	BodyBytes                    int64 // of a JSON or form body
	BodyMemoryBytes              int64 // of all bodies that are held in memory at a time
	AttachmentBytes              int64
	Fields                       int // names and values of a body or a query
	Parts                        int // of a multipart body; 0 is 100
}

// defaultParts is how many parts a multipart body may have unless it is configured.
const defaultParts = 100

// Options is what an API is made of. The zero value of everything but the
// authenticator is usable, but vendor names are what clients look for.
type Options struct {
	Access          *access.Control
	Service         *service.Service   // the use cases behind the endpoints
	People          *people.People     // makes accounts
	Overview        *overview.Overview // what administrators and operators ask
	Exporter        *export.Exporter
	Pusher          *push.Pusher // tells browsers of messages
	Webhooks        *webhook.Webhooks
	Identities      *identity.Identities // signs people in with providers
	Alerts          *alert.Desk
	Version         string // of the server, which archives name
	Brand           brand.Brand
	Streams         *stream.Streams
	Authenticator   Authenticator
	Clock           func() time.Time // nil: the system's
	Logger          *slog.Logger     // nil: nothing is logged
	AccessLog       bool             // a line of each call is logged
	Tracer          *trace.Tracer    // nil: there are no traces
	Outages         *health.Outages  // tell of calls that are refused while something is away; nil: each has a line
	Tally           *tally.Tally     // of calls that are refused for now; nil: they are not counted
	Limits          Limits
	VendorPrefix    string                           // starts the vendor's headers: TT makes TT-X-...
	VendorNamespace string                           // starts every xmlns and event type
	BaseURL         string                           // of the server, without a slash at the end
	Links           func(r *http.Request) string     // in place of BaseURL, where a request says it
	OwnURL          string                           // of its own pages; empty: each is where its calls go
	CORSOrigins     []string                         // as browsers send them; empty: CORS is off
	Registerer      prometheus.Registerer            // nil: no metrics are shown
	Address         func(r *http.Request) netip.Addr // of the client; nil: that of the connection
	Way             func(r *http.Request) Way        // how a client reached the server; nil: without a proxy
	BodyPatience    time.Duration                    // that a client has for a small body; 0: 30 s

	// FirstStart uses up the link of a first start, and tells whose it is; nil: there is none.
	FirstStart func(secret string) (account model.AccountID, good bool)

	// Party is where passkeys are made and used; nil: nowhere, and PartyFault says why.
	Party      *passkey.Party
	PartyFault error
}

// API serves the interface. It is an http.Handler, safe for concurrent use.
type API struct {
	access        *access.Control
	service       *service.Service
	people        *people.People
	overview      *overview.Overview
	exporter      *export.Exporter
	pusher        *push.Pusher
	webhooks      *webhook.Webhooks
	identities    *identity.Identities
	alerts        *alert.Desk
	version       string
	brand         brand.Brand
	streams       *stream.Streams
	authenticator Authenticator
	clock         func() time.Time
	logger        *slog.Logger
	accessLog     bool
	tracer        *trace.Tracer
	outages       *health.Outages
	tally         *tally.Tally
	limits        Limits
	vendor        vendor
	links         func(r *http.Request) string // what the links in an answer begin with
	ownHost       string                       // at which clients ask; empty: the one that each request names
	clientAddress func(r *http.Request) netip.Addr
	router        router
	unmatched     *endpoint // what stands for the route where there is none
	preflight     *endpoint // answers OPTIONS of allowed origins
	origins       guard.Origins
	attempts      *guard.Attempts
	rates         *guard.Rates
	scimRates     *guard.Rates // of directories, which make a call for each person
	memory        *guard.Memory
	answers       *guard.Memory
	uploads       guard.Uploads
	large         *large.Gate // of answers that are made
	pending       guard.Pending
	way           func(r *http.Request) Way
	metrics       *metrics
	bodyPatience  time.Duration
	firstStart    func(secret string) (account model.AccountID, good bool)
	party         *passkey.Party // nil: there are no passkeys
	partyFault    error          // why; nil where there are
}

// New makes the API with its table of routes. It fails if the table contradicts
// itself or a metric is registered already.
func New(o Options) (*API, error) {
	a, err := newAPI(o)
	if err != nil {
		return nil, err
	}
	for _, table := range [][]route{a.routes(), a.scimRoutes()} {
		if err := a.mount(table); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// newAPI makes an API without routes.
func newAPI(o Options) (*API, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Address == nil {
		o.Address = remoteAddress
	}
	if o.Way == nil {
		o.Way = directWay
	}
	o.Limits.Parts = cmp.Or(o.Limits.Parts, defaultParts)
	if o.Links == nil {
		o.Links = func(*http.Request) string { return o.BaseURL }
	}
	a := &API{
		access:        o.Access,
		service:       o.Service,
		people:        o.People,
		overview:      o.Overview,
		exporter:      o.Exporter,
		pusher:        o.Pusher,
		webhooks:      o.Webhooks,
		identities:    o.Identities,
		alerts:        o.Alerts,
		version:       o.Version,
		brand:         o.Brand,
		streams:       o.Streams,
		authenticator: o.Authenticator,
		clock:         o.Clock,
		logger:        o.Logger,
		accessLog:     o.AccessLog,
		tracer:        o.Tracer,
		outages:       o.Outages,
		tally:         o.Tally,
		limits:        o.Limits,
		vendor:        newVendor(o.VendorPrefix, o.VendorNamespace),
		links:         o.Links,
		clientAddress: o.Address,
		way:           o.Way,
		attempts: guard.NewAttempts(o.Clock, o.Limits.FailedLoginsPerMinute, o.Limits.FailedLoginsPerMinuteAddress,
			o.Limits.FailedLoginsPerMinuteName),
		rates: guard.NewRates(o.Clock, o.Limits.RequestsPerSecond, o.Limits.Burst),
		scimRates: guard.NewRates(o.Clock, scimRate*o.Limits.RequestsPerSecond,
			scimRate*o.Limits.Burst),
		bodyPatience: cmp.Or(o.BodyPatience, input.Patience),
		firstStart:   o.FirstStart,
		party:        o.Party,
		partyFault:   o.PartyFault,
	}
	a.origins = newOrigins(&o, &a.vendor)
	if own, err := url.Parse(o.OwnURL); err == nil {
		a.ownHost = own.Host
	}
	a.memory = guard.NewMemory(o.Limits.BodyMemoryBytes, bodyParts)
	a.answers = guard.NewMemory(answerMemory, answerParts)
	a.large = large.NewGate(largeAnswers, guard.Busy())
	var err error
	if a.metrics, err = newMetrics(o.Registerer, a); err != nil {
		return nil, fmt.Errorf("register the metrics of the interface: %w", err)
	}
	a.unmatched = a.newEndpoint(route{method: "", pattern: "unmatched"})
	a.preflight = a.newEndpoint(route{method: http.MethodOptions, pattern: "preflight", public: true,
		handler: a.answerPreflight})
	return a, nil
}

// mount adds routes.
func (a *API) mount(table []route) error {
	for _, r := range table {
		if r.handler == nil {
			return fmt.Errorf("route %s %s has no handler", r.method, r.pattern)
		}
		if (r.public || r.signIn != nil) && r.admin {
			return fmt.Errorf("route %s %s cannot be both public and administrative", r.method, r.pattern)
		}
		if err := a.router.add(a.newEndpoint(r)); err != nil {
			return err
		}
	}
	return nil
}

// endpoint is a route in its place, with what is known of it beforehand.
type endpoint struct {
	route
	params  []string // names of the parameters, in order
	reader  input.Reader[*content.Upload]
	label   string // what logs and metrics call it: never the path itself
	metrics endpointMetrics
}

func (a *API) newEndpoint(r route) *endpoint {
	e := &endpoint{route: r, label: r.pattern}
	if r.method != "" && r.pattern != "preflight" {
		e.label = r.method + " " + r.pattern
	}
	e.reader = input.Reader[*content.Upload]{
		Limits: input.Limits{
			BodyBytes: a.limits.BodyBytes, FileBytes: a.limits.AttachmentBytes, Fields: a.limits.Fields, Parts: a.limits.Parts,
		},
		Patience: a.bodyPatience,
		Always:   r.fields,
		Document: r.scim,
		Files:    r.files,
	}
	switch most := &e.reader.Limits.BodyBytes; {
	case r.signIn != nil && (*most == 0 || *most > signInBytes):
		*most = signInBytes
	case *most > 0:
		*most = max(*most, r.bytes)
	}
	e.metrics.all, e.metrics.route = a.metrics, e.label
	if r.sends {
		e.metrics.begin()
	}
	return e
}
