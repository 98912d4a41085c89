package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"signet/internal/api"
	"signet/internal/api/output"
	"signet/internal/custody"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
	"signet/web"
)

// front answers what is about the server itself, and hands all else to the interface.
// It looks at the path directly: http.ServeMux would redirect paths that it finds
// untidy, and those of the interface must be taken as they are.
func (a *App) front() http.Handler {
	inner := a.admit(a.handler)
	if a.cfg.Web.Pages {
		inner = web.Pages(inner)
	}
	metrics := metricsHandler(a.registry)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimSuffix(r.URL.Path, "/") {
		case "/healthz":
			answerProbe(w, r, nil, nil)
		case "/readyz":
			answerProbe(w, r, a.readiness(r.Context()), a.warnings.All())
		case "/metrics":
			if a.network.metrics != nil || !a.network.fromThisMachine(r) {
				inner.ServeHTTP(w, r)
				return
			}
			metrics.ServeHTTP(w, r)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// metricsOnly is what metrics.listen serves.
func metricsOnly(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metricsHandler(registry))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if local != nil && local.IP.IsLoopback() && !asksThisMachine(r) {
			http.NotFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// asksThisMachine reports whether a request on loopback was meant for it: a page can have
// a name of its own resolve to this machine, and a browser here then asks for that name.
func asksThisMachine(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

func metricsHandler(registry *prometheus.Registry) http.Handler {
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		output.SetHeaders(w.Header(), r)
		metrics.ServeHTTP(w, r)
	})
}

// fromThisMachine reports whether a client is on this machine and speaks for
// itself. A proxy is a client on this machine too, which speaks for others.
func (n *network) fromThisMachine(r *http.Request) bool {
	for _, header := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
		"X-Real-Ip"} {
		if len(r.Header[header]) > 0 {
			return false
		}
	}
	return n.proxies.Client(r).IsLoopback() && asksThisMachine(r)
}

// way is how a client reached the server. Where base_url is HTTPS, so is what a proxy passes
// on that does not say so; a browser takes no secure cookie by plain HTTP, whatever is believed.
func (a *App) way(r *http.Request) api.Way {
	peer := a.network.proxies.Peer(r)
	switch {
	case peer.HTTPS, peer.Proxied && strings.HasPrefix(a.network.cfg.BaseURL, "https://"):
		return api.HTTPS
	case a.network.fromThisMachine(r):
		return api.Loopback
	}
	return api.Plain
}

var errDraining = errors.New("stopping")

// readiness is nil when a new request would be served.
func (a *App) readiness(ctx context.Context) error {
	if a.stopping.Load() || a.gate.isShut() {
		if cause := a.cause.Load(); cause != nil {
			return fmt.Errorf("%w: %w", errDraining, *cause)
		}
		return errDraining
	}
	err := a.probe.look(ctx)
	if old := new(store.OutdatedError); errors.As(err, &old) {
		return old
	}
	if custody.IsClockFault(err) {
		return err
	}
	if err != nil {
		a.outages.Failed(health.MissingPart(err), err)
		return errors.New("the store does not answer")
	}
	return nil
}

// answerProbe answers a load balancer or a service manager: 200, or 503 with
// the reason in a word. A line for each warning follows: for people, since a
// server with warnings serves.
func answerProbe(w http.ResponseWriter, r *http.Request, problem error, warnings []health.Warning) {
	h := w.Header()
	output.SetHeaders(h, r)
	h.Set("Content-Type", "text/plain; charset=utf-8")
	text := "ok\n"
	if problem != nil {
		text = problem.Error() + "\n"
	}
	for _, warning := range warnings {
		text += "warning: " + warning.Topic + ": " + warning.Text + "\n"
	}
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	case problem != nil:
		h.Set("Retry-After", retryAfterSeconds())
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(text))
	default:
		_, _ = w.Write([]byte(text))
	}
}

const (
	probeTimeout = 2 * time.Second
	probeAge     = time.Second
)

// probe asks the store whether it is there, at most once a second in all: the
// question needs no credentials and must cost nothing.
type probe struct {
	check func(ctx context.Context) error
	clock func() time.Time

	mu    sync.Mutex // guards all below, and makes others wait for the answer
	asked time.Time
	last  error
}

func (p *probe) look(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.clock(); p.asked.IsZero() || now.Sub(p.asked) >= probeAge {
		// The answer is for others too, so it does not depend on whether
		// this client stays.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		p.last = p.check(ctx)
		p.asked = now
	}
	return p.last
}

// refuseStopping is the interface's answer while the server stops (contract, section
// 1). It comes before routing, so a path that does not exist gets it as well.
func refuseStopping(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // the next attempt finds another server
	output.Refuse(w, r, &model.Error{Kind: model.Unavailable, Code: "unavailable", RetryAfter: retryAfter,
		Message: "The server is stopping, please try again."})
}
