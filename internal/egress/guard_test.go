package egress

import (
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// receiver is a server on a loopback address that nobody should reach, or somebody.
type receiver struct {
	*httptest.Server
	port  string
	conns atomic.Int64
}

// newReceiver listens on an address of this machine, with TLS or without.
func newReceiver(t *testing.T, host string, secure bool, handler http.HandlerFunc) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{Server: httptest.NewUnstartedServer(handler)}
	r.Listener.Close()
	r.Listener = listener
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.conns.Add(1)
		}
	}
	if secure {
		r.StartTLS()
	} else {
		r.Start()
	}
	t.Cleanup(r.Close)
	_, r.port, _ = net.SplitHostPort(listener.Addr().String())
	return r
}

func (r *receiver) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.Certificate())
	return pool
}

func newGuard(t *testing.T, o Options) *Guard {
	t.Helper()
	g := New(o)
	t.Cleanup(g.Close)
	return g
}

func mustHosts(t *testing.T, list ...string) Hosts {
	t.Helper()
	h, err := ParseHosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func fine(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// get calls, and closes the answer.
func get(g *Guard, address string) (*http.Response, error) {
	answer, err := g.Client().Get(address)
	if err == nil {
		answer.Body.Close()
	}
	return answer, err
}

// Forms of addresses that no public host has, as hosts of URLs, and as what a name leads to. All hosts are
// allowed: what refuses them is the guard's look at the address. A server listens on the port of each, on the
// addresses of this machine, and gets no connection.
func TestForbiddenAddressesAreNotCalled(t *testing.T) {
	literals := []string{
		// this machine, in each way to write it
		"127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1",
		"0x7f.1", "017700000001", "0177.0.0.1", "0177.0.0.01", "127.0.0.1.", "127.000.000.001", "00000177.1", "[::1]",
		"[0:0:0:0:0:0:0:1]", "[0000::0001]", "localhost", "LOCALHOST", "localhost.", "0", "0.0.0.0", "0.1.2.3", "[::]",
		// IPv4 within IPv6
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.1.2.3]", "[::ffff:8.8.8.8]", "[::ffff:0:127.0.0.1]",
		"[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::10.0.0.1]",
		"[2002:7f00:1::]", "[2002:a00:1::1]", "192.88.99.1", "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
		"[2a00:1450::5efe:7f00:1]", "[2a00:1450::200:5efe:a00:1]",
		// others' networks
		"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "100.127.255.254",
		"169.254.0.1", "[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "192.0.0.8",
		"198.18.0.1", "198.19.255.254", "[2001:2::1]", "192.0.2.1", "198.51.100.1", "203.0.113.1", "[2001:db8::1]",
		"[3fff::1]", "224.0.0.1", "239.255.255.255", "[ff02::1]", "240.0.0.1", "255.255.255.255", "[100::1]", "[5f00::1]",
		"[4000::1]",
		// what tells a machine in a cloud its credentials
		"169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.170.2", "100.100.100.200", "168.63.129.16",
		"192.0.0.192", "[fd00:ec2::254]", "[::ffff:a9fe:a9fe]",
	}
	if len(literals) < 60 {
		t.Fatalf("there are %d forms", len(literals))
	}
	near := newReceiver(t, "127.0.0.1", true, fine)
	probe, err := net.Listen("tcp6", "[::1]:0")
	six := err == nil // else nothing of IPv6 comes as far as the guard
	if six {
		probe.Close()
	}
	resolved := map[string]netip.Addr{} // by the name that leads there
	for i, literal := range literals {
		address, err := netip.ParseAddr(strings.Trim(strings.TrimSuffix(literal, "."), "[]"))
		if err == nil && address.Zone() == "" {
			resolved["n"+string(rune('a'+i/26))+string(rune('a'+i%26))+".example.com."] = address
		}
	}
	names := newNames(t, func(name string, _ int) []netip.Addr {
		if name == "localhost." {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{resolved[name]}
	})
	g := newGuard(t, Options{Hosts: mustHosts(t, "*"), Resolver: names.resolver(), Roots: near.roots()})
	for _, scheme := range []string{"https", "http"} {
		for _, literal := range literals {
			if _, err := get(g, scheme+"://"+literal+":"+near.port+"/"); !errors.Is(err, ErrRefused) {
				t.Errorf("%s to %s: got %v, want a refusal", scheme, literal, err)
			}
		}
		for name, address := range resolved {
			if address == netip.MustParseAddr("::ffff:8.8.8.8") {
				continue // Go connects to a name's address of this form as to 8.8.8.8, which is public
			}
			_, err := get(g, scheme+"://"+strings.TrimSuffix(name, ".")+":"+near.port+"/")
			if err == nil || (address.Is4() || six) && !errors.Is(err, ErrRefused) {
				t.Errorf("%s to a name that leads to %s: got %v, want a refusal", scheme, address, err)
			}
		}
	}
	if got := near.conns.Load(); got != 0 {
		t.Errorf("the server on this machine got %d connections", got)
	}
	if g.Refused() == 0 {
		t.Error("no refusal was counted")
	}
}

// A name that leads to an allowed address when it is looked up first, and to another one when it is looked
// up for the connection, is refused then.
func TestNameThatChangesIsRefusedWhereItLeads(t *testing.T) {
	near := newReceiver(t, "127.0.0.1", true, fine)
	names := newNames(t, func(_ string, asked int) []netip.Addr {
		return []netip.Addr{netip.MustParseAddr([]string{"127.0.0.2", "127.0.0.1"}[min(asked, 2)-1])}
	})
	named := newReceiver(t, "127.0.0.2", false, fine)
	g := newGuard(t, Options{Hosts: mustHosts(t, "rebinding.example.com"), Resolver: names.resolver(),
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}, Roots: near.roots()})
	if _, err := get(g, "http://rebinding.example.com:"+named.port+"/"); err != nil {
		t.Errorf("the first address is named, and was not called: %v", err)
	}
	for _, scheme := range []string{"http", "https"} {
		if _, err := get(g, scheme+"://rebinding.example.com:"+near.port+"/"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s to the second address: got %v, want a refusal", scheme, err)
		}
	}
	if got := near.conns.Load(); got != 0 {
		t.Errorf("the second address got %d connections", got)
	}
}

func TestNamedNetworksAreCalled(t *testing.T) {
	secure, plain := newReceiver(t, "127.0.0.1", true, fine), newReceiver(t, "127.0.0.1", false, fine)
	g := newGuard(t, Options{Hosts: mustHosts(t, "127.0.0.1"), Roots: secure.roots(),
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	for _, address := range []string{secure.URL, plain.URL} {
		if answer, err := get(g, address); err != nil || answer.StatusCode != http.StatusNoContent {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if _, err := get(g, "https://127.0.0.2:"+secure.port); !errors.Is(err, ErrRefused) {
		t.Errorf("the address beside: got %v, want a refusal", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	there := newReceiver(t, "127.0.0.1", false, fine)
	here := newReceiver(t, "127.0.0.1", true, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there.URL, http.StatusTemporaryRedirect)
	})
	g := newGuard(t, Options{Hosts: mustHosts(t, "*"), Roots: here.roots(),
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	answer, err := get(g, here.URL)
	if err != nil || answer.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("got %v, want the redirect itself", err)
	}
	if there.conns.Load() != 0 {
		t.Error("it was followed")
	}
}

func TestAnswersAreReadUpToTheLimit(t *testing.T) {
	var size atomic.Int64
	here := newReceiver(t, "127.0.0.1", true, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), int(size.Load()))) // whoever reads may leave
	})
	g := newGuard(t, Options{Hosts: mustHosts(t, "*"), Roots: here.roots(),
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	for _, test := range []struct {
		size int
		want error
	}{{AnswerLimit, nil}, {AnswerLimit + 1, ErrAnswerTooLong}, {10 * AnswerLimit, ErrAnswerTooLong}} {
		size.Store(int64(test.size))
		answer, err := g.Client().Get(here.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if len(body) != AnswerLimit || !errors.Is(err, test.want) {
			t.Errorf("of %d bytes %d were read, and then: %v", test.size, len(body), err)
		}
	}
}

func TestHostsThatMayBeCalled(t *testing.T) {
	g := newGuard(t, Options{Hosts: mustHosts(t, "push.example.com", "*.example.org", "8.8.8.8", "2a00:1450::1")})
	refused := int64(0)
	for address, want := range map[string]string{
		"https://push.example.com/x":             "",
		"https://PUSH.example.com./x":            "",
		"https://push.example.com:8443/x?y=z":    "",
		"https://a.b.example.org/":               "",
		"https://8.8.8.8/":                       "",
		"https://[2a00:1450:0::1]/":              "",
		"http://push.example.com/x":              "scheme",
		"http://8.8.8.8/":                        "scheme",
		"https://example.org/":                   "host",
		"https://notexample.org/":                "host",
		"https://push.example.com.evil.test/":    "host",
		"https://evil.test/push.example.com":     "host",
		"https://push.example.com@evil.test/":    "url",
		"https://user:hunter2@push.example.com/": "url",
		"ftp://push.example.com/":                "url",
		"https:push.example.com":                 "url",
		"https:///x":                             "url",
		"//push.example.com/":                    "url",
		"https://bücher.example.org/":            "host",
		"https://8.8.8.9/":                       "host",
		"https://0x08080808/":                    "host",
		"https://push.example.com\x00/":          "url",
	} {
		err := g.Check(address)
		var refusal *Refusal
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", address, err)
		case want != "" && (!errors.As(err, &refusal) || refusal.What != want):
			t.Errorf("%q: got %v, want a refusal of the %s", address, err, want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("the refusal tells a password: %v", err)
		}
		if err != nil {
			refused++
		}
	}
	if got := g.Refused(); got != refused {
		t.Errorf("%d refusals are counted, want %d", got, refused)
	}
}

func TestHostsAreReadOrRefused(t *testing.T) {
	for _, list := range [][]string{{"https://a.example"}, {"a.example:443"}, {"*"}, {"*example.com"}, {"a.*.example"},
		{"A.example"}, {""}, {"127.1"}, {"::ffff:1.2.3.4"}, {"a..example"}, {"*.10.0.0.1"}} {
		h, err := ParseHosts(list)
		if wanted := list[0] == "*"; wanted != (err == nil) || wanted == h.None() {
			t.Errorf("%q: %v", list, err)
		}
	}
	if h, err := ParseHosts(nil); err != nil || !h.None() {
		t.Errorf("of no host: %v", err)
	}
}

// FuzzCheck looks for a URL that is let out and that names an address which is not.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"https://push.example.com/x", "https://[::1]/", "https://127.1/", "https://0x7f.1/",
		"https://a@b/", "https://[fe80::1%25lo]/", "https://[::ffff:10.0.0.1]/"} {
		f.Add(seed)
	}
	all, err := ParseHosts([]string{"*"})
	if err != nil {
		f.Fatal(err)
	}
	g := New(Options{Hosts: all})
	f.Fuzz(func(t *testing.T, address string) {
		if g.Check(address) != nil {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.User != nil {
			t.Fatalf("%q was let out", address)
		}
		if ip := net.ParseIP(strings.TrimSuffix(u.Hostname(), ".")); ip != nil &&
			(ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast()) {
			t.Fatalf("%q was let out to %s", address, ip)
		}
	})
}
