package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"signet/internal/brand"
	"signet/internal/clock"
	"signet/internal/config"
	"signet/internal/handover"
	"signet/internal/health"
	"signet/internal/store/sqlite"
	"signet/internal/trace"
	"signet/internal/transport"
	"signet/web"
)

// App is a server that listens, from Open to the end of Run or Close.
type App struct {
	cfg      *config.Config
	log      *slog.Logger
	dir      string // the data directory, absolute
	operator string // path of operator.json, or "" where there is none
	baseURL  string
	// partyFault is why there are no passkeys; nil where there are.
	partyFault error
	first      string // the link of a first start, or ""

	network  *network
	registry *prometheus.Registry
	warnings *health.Warnings
	outages  *health.Outages
	gate     *gate
	probe    *probe
	system   *system
	handler  http.Handler          // the interface
	cause    atomic.Pointer[error] // why it stops by itself
	stopping atomic.Bool           // /readyz says that it stops
	opened   time.Time

	from    origin
	shared  bool                     // its sockets are the service manager's, and outlast it
	handed  *transport.Handed        // connections of the server before
	next    chan *handover.Successor // gets the program that takes its place
	leaving atomic.Bool              // clients are asked to leave their connections
	left    departure                // what Run leaves to whoever comes next
	serves  chan struct{}            // closed once it answers
	pause   atomic.Int64             // for how long nobody did before, in nanoseconds; 0: it is no successor

	undo  undo // what Close does
	close func() error
}

// Open prepares a server: it makes and locks the data directory, opens the store and
// everything above it, listens, makes the operator account at the first start and
// writes operator.json. Until all data has been looked at, and brought up to date, its
// ports are closed; connections are accepted from then on and answered once Run is
// called. After an error nothing stays open.
func Open(ctx context.Context, cfg *config.Config, logger *slog.Logger) (*App, error) {
	return OpenAt(ctx, cfg, logger, Pace{})
}

// OpenAt is Open at another pace.
func OpenAt(ctx context.Context, cfg *config.Config, logger *slog.Logger, pace Pace) (*App, error) {
	return open(ctx, cfg, logger, pace, assemble)
}

// open is Open with the assembler to use.
func open(ctx context.Context, cfg *config.Config, logger *slog.Logger, pace Pace, assemble assembler) (*App, error) {
	return openFrom(ctx, cfg, logger, pace, assemble, origin{})
}

// origin is what a server begins with that is not the first of its life.
type origin struct {
	sockets []handover.Socket // that are open already; openFrom sees to their end
	conns   []net.Conn        // on which clients wait; Live sees to them
	stopped *time.Time        // since when nobody has been answered; nil: there was no server before

	// release has the server before let go of the data; nil: nobody has it. Clients wait from then on.
	release func(ctx context.Context) error
}

// openFrom is open of a server with an origin.
func openFrom(ctx context.Context, cfg *config.Config, logger *slog.Logger, pace Pace,
	assemble assembler, from origin) (_ *App, err error) {
	logger = trace.Logger(logger)
	a := &App{cfg: cfg, log: logger, gate: newGate(), warnings: health.New(logger), opened: time.Now(),
		from: from, network: &network{cfg: cfg, given: from.sockets}, next: make(chan *handover.Successor),
		handed: transport.NewHanded(), serves: make(chan struct{})}
	a.close = sync.OnceValue(func() error { return errors.Join(a.network.close(), a.undo.all()) })
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if a.dir, err = filepath.Abs(cfg.Data); err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	logo, err := brand.ReadLogo(cfg.Brand.Logo)
	if err != nil {
		return nil, fmt.Errorf("brand.logo: %w", err)
	}
	a.outages = health.NewOutages(a.warnings, health.Pace{Look: pace.Outage, Quiet: pace.Quiet})
	a.tellStart()
	if err := a.network.prepare(a.dir, logger); err != nil {
		return nil, err
	}
	if err := a.succeed(ctx); err != nil {
		return nil, err
	}
	if err := a.takeDirectory(); err != nil {
		return nil, err
	}
	a.registry = newRegistry(a.warnings)
	if err := a.network.register(a.registry); err != nil {
		return nil, fmt.Errorf("register the metrics of the network: %w", err)
	}
	tracer, err := a.openTraces()
	if err != nil {
		return nil, err
	}
	a.system, err = assemble(ctx, surroundings{
		cfg: cfg, log: logger, pace: pace, clock: time.Now, elapsed: clock.Elapsed, metrics: a.registry, warnings: a.warnings,
		outages: a.outages, tracer: tracer, brand: brand.Brand{Name: cfg.Brand.Name, Logo: logo}, dir: a.dir,
		client: a.network.proxies.Client,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", a.dir, err)
	}
	a.undo = append(a.undo, a.system.close)
	a.probe = &probe{check: a.system.ready, clock: time.Now}
	if err := a.registerServer(); err != nil {
		return nil, fmt.Errorf("register the metrics of the server: %w", err)
	}
	if err := a.network.listen(); err != nil {
		return nil, err
	}
	a.baseURL = a.network.baseURL()
	at := location{baseURL: a.baseURL, links: a.network.links(a.baseURL), way: a.way, ready: a.readiness,
		certificate: a.network.certified}
	at.party, at.partyFault = a.network.party(a.baseURL, cmp.Or(cfg.Brand.Name, "Signet"))
	a.partyFault = at.partyFault
	if a.handler, err = a.system.handler(at); err != nil {
		return nil, err
	}
	a.operator, err = introduceOperator(ctx, a.dir, a.baseURL, a.system, logger)
	if err == nil && a.offersLink() {
		a.first, err = a.firstLink(ctx)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// succeed looks whether the server can have its sockets, before it takes its data.
func (a *App) succeed(ctx context.Context) error {
	if a.from.release != nil {
		// All that is to be found wrong is found while the server before serves.
		if err := a.network.listen(); err != nil {
			return err
		}
		return a.from.release(ctx)
	}
	if len(a.network.given) == 0 && isFresh(a.dir) {
		// There is no data to look at, and none is made for a server whose
		// address is taken.
		return a.network.probe()
	}
	return nil
}

// newRegistry holds the metrics that every process has.
func newRegistry(warnings *health.Warnings) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
		warnings,
	)
	return registry
}

// isFresh reports whether nothing was ever stored in a data directory.
func isFresh(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

// takeDirectory makes the data directory where it is missing and keeps other
// servers out of it.
func (a *App) takeDirectory() error {
	unlock, err := takeDirectory(a.dir, a.exposure())
	if err != nil {
		return err
	}
	a.undo = append(a.undo, unlock)
	return nil
}

// takeDirectory makes a data directory where it is missing, and locks it for this process.
func takeDirectory(dir string, e *exposure) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	if err := e.tell(); err != nil {
		return nil, err
	}
	return sqlite.LockDirectory(dir) // its error says all that there is to say
}

// Addr is the address of the interface, with the port that was found for port 0.
func (a *App) Addr() net.Addr { return a.network.listener.Addr() }

// MetricsAddr is where /metrics is served without credentials, or nil where it is not.
func (a *App) MetricsAddr() net.Addr {
	if a.network.metrics == nil {
		return nil
	}
	return a.network.metrics.Addr()
}

// RedirectAddr is where plain HTTP is redirected to HTTPS, or nil where it is not.
func (a *App) RedirectAddr() net.Addr {
	if a.network.redirect == nil {
		return nil
	}
	return a.network.redirect.Addr()
}

// StandbyAddr is where a standby connects, or nil where none can.
func (a *App) StandbyAddr() net.Addr {
	if a.network.standby == nil {
		return nil
	}
	return a.network.standby.Addr()
}

// Reload reads anew what may be replaced while the server runs: the files of its
// certificate. What cannot be used is logged, and the old stays.
func (a *App) Reload() { a.network.refresh() }

// BaseURL is the URL that clients are given, without the final /v2.
func (a *App) BaseURL() string { return a.baseURL }

// Pages is where the pages are, or "" where there are none.
func (a *App) Pages() string {
	if !a.cfg.Web.Pages || !web.Built() {
		return ""
	}
	return a.baseURL + "/"
}

// FirstLink is where the operator signs in for the first time, once and on this machine; ""
// where the server is set up, or its pages are not for a browser here.
func (a *App) FirstLink() string { return a.first }

// OperatorFile is the path of operator.json, or "" where it was removed.
func (a *App) OperatorFile() string { return a.operator }

// Close releases everything that Open took; Run does it itself. Only a server
// that never ran needs it. It may be called twice.
func (a *App) Close() error { return a.close() }

// undo releases what a start has taken, listed in the order of taking.
type undo []func() error

// all releases everything, the last first.
func (u *undo) all() error {
	var problems []error
	for _, release := range slices.Backward(*u) {
		problems = append(problems, release())
	}
	return errors.Join(problems...)
}
