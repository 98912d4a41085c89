package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/api/output"
	"signet/internal/config"
	"signet/internal/handover"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/passkey"
	"signet/internal/standby"
	"signet/internal/transport"
)

// acmeDirectory is where, within the data directory, certificates are kept that the
// server got by itself.
const acmeDirectory = "acme"

// network is the server's side of the wire: its sockets, and what encrypts them.
type network struct {
	cfg     *config.Config
	log     *slog.Logger
	proxies *transport.Proxies

	given    []handover.Socket // that another program has opened
	listener net.Listener      // nil, as those below, before listen
	redirect net.Listener      // nil: redirect_listen is not set
	metrics  net.Listener      // nil: metrics.listen is not set
	standby  net.Listener      // nil: standby.listen is not set
	kept     bool              // they stay open for whoever comes next

	certificate *transport.Certificate // nil: not from files
	acme        *transport.ACME        // nil: not by ACME
	refused     prometheus.Counter     // connections past the limit of their address
}

// prepare reads what the network needs, and opens nothing yet.
func (n *network) prepare(dir string, log *slog.Logger) (err error) {
	cfg := n.cfg
	n.log = log
	n.refused = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "signet_connections_refused_total",
		Help: "Connections closed at once because their address had too many open.",
	})
	if n.proxies, err = transport.NewProxies(cfg.Proxies, cfg.ProxyHeader); err != nil {
		return err
	}
	switch {
	case cfg.TLS.Cert != "":
		if n.certificate, err = transport.OpenCertificate(cfg.TLS.Cert, cfg.TLS.Key, log); err != nil {
			return err
		}
	case len(cfg.ACME.Hosts) > 0:
		n.acme = transport.NewACME(transport.ACMEOptions{
			Hosts: cfg.ACME.Hosts, Email: cfg.ACME.Email, Directory: cfg.ACME.Directory,
			Cache: filepath.Join(dir, acmeDirectory), Log: log,
		})
	}
	return nil
}

// places are the sockets that the settings ask for, and what they are called there.
func (n *network) places() []place {
	return []place{
		{&n.listener, n.cfg.Listen, "listen"},
		{&n.redirect, n.cfg.Redirect, "redirect_listen"},
		{&n.metrics, n.cfg.Metrics.Listen, "metrics.listen"},
		{&n.standby, n.cfg.Standby.Listen, "standby.listen"},
	}
}

type place struct {
	listener *net.Listener
	address  string
	setting  string
}

// listen opens the sockets, and takes those that were given for the same settings. One that is given
// for another address is closed. A second call does nothing; close closes them also after an error.
func (n *network) listen() (err error) {
	for _, socket := range n.places() {
		if socket.address == "" || *socket.listener != nil {
			continue
		}
		if *socket.listener = n.take(socket); *socket.listener != nil {
			continue
		}
		if *socket.listener, err = net.Listen("tcp", socket.address); err != nil {
			*socket.listener = nil // and not one that holds nil
			return cannotListen(socket.setting, socket.address, err)
		}
	}
	return n.closeGiven()
}

// take returns the listener that was given for a place, nil where none was.
func (n *network) take(p place) net.Listener {
	at := slices.IndexFunc(n.given, func(s handover.Socket) bool { return s.Name == p.setting && s.Address == p.address })
	if at < 0 {
		return nil
	}
	l := n.given[at].Listener
	n.given = slices.Delete(n.given, at, at+1)
	return l
}

// sockets are those that are open.
func (n *network) sockets() (all []handover.Socket) {
	for _, p := range n.places() {
		if *p.listener != nil {
			all = append(all, handover.Socket{Name: p.setting, Address: p.address, Listener: *p.listener})
		}
	}
	return all
}

// probe finds out whether the sockets can be opened, and leaves none open.
func (n *network) probe() error {
	err := errors.Join(n.listen(), n.close())
	n.listener, n.redirect, n.metrics, n.standby = nil, nil, nil, nil
	return err
}

// closeGiven closes what was given and not taken.
func (n *network) closeGiven() error {
	var problems []error
	for _, s := range n.given {
		problems = append(problems, s.Listener.Close())
	}
	n.given = nil
	return errors.Join(problems...)
}

// cannotListen says what to do where an address is taken.
func cannotListen(setting, address string, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s: %w", setting, err)
	}
	another := "--" + strings.ReplaceAll(setting, "_", "-")
	if setting == "listen" {
		another += ", as in --listen 127.0.0.1:8081 (make run LISTEN=127.0.0.1:8081)"
	}
	return fmt.Errorf("%s: another program uses the address %s: end it, or choose another address with %s: %w", setting,
		address, another, err)
}

// close closes the sockets that their servers have not closed already.
func (n *network) close() error {
	if n.kept {
		return n.closeGiven()
	}
	return errors.Join(n.closeGiven(), n.closeFront(), closeSocket(n.standby))
}

// closeFront closes the sockets of clients, and leaves that of the other server of a pair.
func (n *network) closeFront() error {
	return errors.Join(closeSocket(n.listener), closeSocket(n.redirect), closeSocket(n.metrics))
}

// closeSocket closes a socket that is open, if it is.
func closeSocket(l net.Listener) error {
	if l == nil {
		return nil
	}
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// encryption is how connections are encrypted, nil for plain HTTP.
func (n *network) encryption() *tls.Config {
	switch {
	case n.certificate != nil:
		return n.certificate.TLS()
	case n.acme != nil:
		return n.acme.TLS()
	}
	return nil
}

// watch keeps what encrypts up to date until ctx ends.
func (n *network) watch(ctx context.Context) {
	if n.certificate != nil {
		n.certificate.Watch(ctx)
	}
}

// certified is from when until when the server's certificate is valid; ok is false where it
// has none.
func (n *network) certified(ctx context.Context) (from, until time.Time, ok bool) {
	switch {
	case n.certificate != nil:
		return n.certificate.Validity(ctx)
	case n.acme != nil:
		return n.acme.Validity(ctx)
	}
	return from, until, false
}

// validity is what tells of the certificate's end, nil for plain HTTP.
func (n *network) validity(warnings *health.Warnings) *validity {
	v := &validity{times: n.certified, warnings: warnings, log: n.log}
	switch {
	case n.certificate != nil:
		v.remedy = "put another one in the place of tls.cert and tls.key, which a running server takes over by itself"
	case n.acme != nil:
		v.remedy = `the authority does not renew it; the log says why ("no certificate can be had")`
	default:
		return nil
	}
	return v
}

// refresh reads the certificate's files again at once.
func (n *network) refresh() {
	if n.certificate != nil {
		n.certificate.Refresh()
	}
}

// register makes the network's figures known to monitoring.
func (n *network) register(metrics prometheus.Registerer) error {
	if n.encryption() == nil {
		return metrics.Register(n.refused)
	}
	return register(metrics, n.refused, certificateEnds{n.certified})
}

// server is what serves a socket with these limits.
func (n *network) server(lifetime context.Context, handler http.Handler) *http.Server {
	t := n.cfg.Timeouts
	return transport.NewServer(lifetime, handler,
		transport.Timeouts{Header: t.Header, Body: t.Body, Write: t.Write, Idle: t.Idle},
		n.cfg.Limits.HeaderBytes, n.log)
}

// between is what serves standby.listen.
func (n *network) between(lifetime context.Context, handler http.Handler) *http.Server {
	server := standby.NewServer(lifetime, handler)
	server.TLSConfig = n.encryption()
	return server
}

// limited is a listener whose connections are counted.
func (n *network) limited(l net.Listener) net.Listener {
	return n.proxies.LimitConnections(l, n.cfg.Limits.ConnectionsPerAddress, n.refused.Inc)
}

// baseURL is how clients on this machine reach the server, or everybody where
// base_url or the certificate says how.
func (n *network) baseURL() string {
	name := ""
	switch {
	case n.cfg.BaseURL != "":
		return strings.TrimRight(n.cfg.BaseURL, "/")
	case n.certificate != nil:
		name = n.certificate.Name()
	case n.acme != nil:
		name = n.cfg.ACME.Hosts[0]
	}
	return baseURL(n.cfg.Listen, n.listener.Addr(), n.encryption() != nil, name)
}

// party is where passkeys are made and used: at the public address, as far as the server knows it. Behind a proxy only
// base_url says which it is: what a client claims to have asked for may be anything.
func (n *network) party(baseURL, shown string) (*passkey.Party, error) {
	if n.cfg.BaseURL == "" && len(n.cfg.Proxies) > 0 {
		baseURL = ""
	}
	return passkey.NewParty(baseURL, shown)
}

// links is what the links in the answer to a request begin with. Where base_url does
// not say, a proxy knows better than the address listened on: it passes the host on
// that its client asked for, and says whether that was by HTTPS.
func (n *network) links(usual string) func(*http.Request) string {
	if n.cfg.BaseURL != "" || len(n.cfg.Proxies) == 0 {
		return func(*http.Request) string { return usual }
	}
	return func(r *http.Request) string {
		peer := n.proxies.Peer(r)
		switch {
		case !peer.Proxied || r.Host == "":
			return usual
		case peer.HTTPS:
			return "https://" + r.Host
		}
		return "http://" + r.Host
	}
}

// baseURL is the URL of an address that is listened on, with the name of the
// certificate in place of the address, where it has one.
func baseURL(listen string, addr net.Addr, encrypted bool, name string) string {
	scheme, usual := "http", "80"
	if encrypted {
		scheme, usual = "https", "443"
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return scheme + "://" + addr.String()
	}
	// A name that was asked for stays a name; "all addresses" is none to
	// connect to.
	if asked, _, err := net.SplitHostPort(listen); err == nil && asked != "" {
		host = asked
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if host = "127.0.0.1"; ip.To4() == nil {
			host = "::1"
		}
	}
	if name != "" {
		host = name
	}
	if encrypted && port == usual {
		return scheme + "://" + strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// redirects is what redirect_listen serves.
func (n *network) redirects() http.Handler {
	handler := http.HandlerFunc(n.redirectToHTTPS)
	if n.acme != nil {
		return n.acme.Challenges(handler)
	}
	return handler
}

// redirectToHTTPS leads to the same place by HTTPS. A request with credentials is
// refused instead: they have just crossed the network in clear, and would each time,
// if its client were led on and noticed nothing.
func (n *network) redirectToHTTPS(w http.ResponseWriter, r *http.Request) {
	host := n.secureHost(r.Host)
	switch {
	case len(r.Header["Authorization"]) > 0 || r.URL.Query().Has("auth_basic"):
		output.Refuse(w, r, model.Forbiddenf("https_required",
			"The interface is called by HTTPS: these credentials have been sent in clear, and should be replaced."))
	case host == "":
		output.Refuse(w, r, model.Invalidf("field_invalid", "", "The host of the request cannot be read."))
	default:
		h := w.Header()
		output.SetHeaders(h, r)
		h.Set("Location", "https://"+host+r.URL.RequestURI())
		w.WriteHeader(http.StatusPermanentRedirect)
	}
}

// secureHost is where HTTPS is served for those who came for this host: at base_url,
// else at the same host and the port of the interface.
func (n *network) secureHost(host string) string {
	if own, ok := strings.CutPrefix(n.cfg.BaseURL, "https://"); ok {
		own, _, _ = strings.Cut(own, "/")
		return own
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" {
		return ""
	}
	port := 0
	if addr, ok := n.listener.Addr().(*net.TCPAddr); ok {
		port = addr.Port
	}
	if port == 443 {
		return strings.TrimSuffix(net.JoinHostPort(name, ""), ":")
	}
	return net.JoinHostPort(name, strconv.Itoa(port))
}
