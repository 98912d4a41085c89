package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// Timeout is how long a call may take, from the look-up of the name to the last byte of the answer.
	Timeout = 10 * time.Second
	// AnswerLimit is how many bytes of an answer are read, and as many of its head. Past them reading the
	// body fails with ErrAnswerTooLong.
	AnswerLimit = 64 << 10
	// silence is for how long nothing comes over a connection of HTTP/2 until it is asked whether it lives, and
	// answerTime how long it has to answer. Calls share it: a dead one would fail all of them, each after Timeout.
	silence, answerTime = 5 * time.Second, 3 * time.Second
)

var (
	// ErrRefused is that a call did not go out, because the settings do not allow it.
	ErrRefused = errors.New("the call is not allowed to go out")
	// ErrAnswerTooLong is that an answer has more than AnswerLimit bytes.
	ErrAnswerTooLong = errors.New("the answer is too long")
)

// Refusal says why a call does not go out. It is an ErrRefused. Its text repeats nothing of the URL, and
// may be shown to whoever named that.
type Refusal struct {
	What    string // url, scheme, host or address
	Problem string
}

func (r *Refusal) Error() string { return r.Problem }

// Is makes it an ErrRefused.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

func refuse(what, problem string) error { return &Refusal{What: what, Problem: problem} }

// Options say whom a guard lets out to.
type Options struct {
	Hosts    Hosts
	Networks []netip.Prefix // addresses that may be called though no public host has them; plain HTTP too

	Resolver *net.Resolver  // nil: the machine's
	Roots    *x509.CertPool // nil: the authorities that the machine trusts
}

// Guard lets calls out, or not. It is safe for concurrent use.
type Guard struct {
	hosts    Hosts
	networks []netip.Prefix
	secure   *http.Transport
	plain    *http.Transport
	client   *http.Client
	refused  atomic.Int64
}

// New returns a guard. Close ends the connections that it keeps.
func New(o Options) *Guard {
	g := &Guard{hosts: o.Hosts, networks: o.Networks}
	g.secure, g.plain = g.transport(&o, false), g.transport(&o, true)
	g.client = &http.Client{
		Transport:     g,
		Timeout:       Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return g
}

// transport connects to whom the settings allow. No proxy stands in between: it would look up the name,
// and connect to whatever that is.
func (g *Guard) transport(o *Options, plain bool) *http.Transport {
	dialer := &net.Dialer{Timeout: Timeout, Resolver: o.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return g.checkDialed(address, plain)
		}}
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12,
			RootCAs: o.Roots},
		TLSHandshakeTimeout: Timeout, ResponseHeaderTimeout: Timeout, MaxResponseHeaderBytes: AnswerLimit,
		IdleConnTimeout: 90 * time.Second, MaxIdleConns: 100, MaxIdleConnsPerHost: 8, MaxConnsPerHost: 64,
		ForceAttemptHTTP2: true, DisableCompression: true, // a short answer may unpack to a long one
		HTTP2: &http.HTTP2Config{SendPingTimeout: silence, PingTimeout: answerTime},
	}
}

// checkDialed is asked for each address right before the connection to it is made.
func (g *Guard) checkDialed(address string, plain bool) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("address", "the host has no address of IPv4 or IPv6")
	}
	return g.checkAddress(to.Addr(), plain)
}

// Client is for calls to whom the guard lets out. Nobody changes it.
func (g *Guard) Client() *http.Client { return g.client }

// Refused returns how often a call, or a URL for later ones, was refused.
func (g *Guard) Refused() int64 { return g.refused.Load() }

// Close ends the connections that no call uses.
func (g *Guard) Close() {
	g.secure.CloseIdleConnections()
	g.plain.CloseIdleConnections()
}

// Check refuses a URL, with a *Refusal, that certainly will not be called. A name is not looked up: its
// addresses are checked when it is called.
func (g *Guard) Check(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		g.refused.Add(1)
		return refuse("url", "it is no URL")
	}
	return g.CheckURL(u)
}

// CheckURL is Check of a URL that was parsed.
func (g *Guard) CheckURL(u *url.URL) error {
	err := g.checkURL(u)
	if err != nil {
		g.refused.Add(1)
	}
	return err
}

func (g *Guard) checkURL(u *url.URL) error {
	if u.Opaque != "" || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return refuse("url", "want a URL such as https://example.com/path, without a user")
	}
	name, address, err := canonical(u.Hostname())
	if err != nil {
		return refuse("host", err.Error())
	}
	plain := u.Scheme == "http"
	switch {
	case !g.hosts.allow(name):
		return refuse("host", "the settings of this server do not allow this host")
	case address.IsValid():
		return g.checkAddress(address, plain)
	case plain && len(g.networks) == 0:
		return refuse("scheme", "want https")
	}
	return nil
}

// RoundTrip checks a request and makes it. It follows no redirect.
func (g *Guard) RoundTrip(r *http.Request) (*http.Response, error) {
	err := g.CheckURL(r.URL)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper must
		}
		return nil, fmt.Errorf("call %s: %w", r.URL.Hostname(), err)
	}
	transport := g.secure
	if r.URL.Scheme == "http" {
		transport = g.plain
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		if errors.Is(err, ErrRefused) {
			g.refused.Add(1)
		}
		return nil, err
	}
	answer.Body = &limited{body: answer.Body, left: AnswerLimit}
	return answer, nil
}
