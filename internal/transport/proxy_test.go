package transport

import (
	"crypto/tls"
	"net/http"
	"testing"
)

// proxied is a request with headers that a proxy sets: names and values in turn.
func proxied(remote string, encrypted bool, headers ...string) *http.Request {
	r := &http.Request{RemoteAddr: remote, Header: http.Header{}}
	if encrypted {
		r.TLS = new(tls.ConnectionState)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestPeer(t *testing.T) {
	const proxy, stranger = "10.0.0.5:4711", "192.0.2.7:4711"
	const nobody = "invalid IP"
	for _, c := range []struct {
		what    string
		request *http.Request
		addr    string
		https   bool
	}{
		{"nobody in between", proxied(stranger, false), "192.0.2.7", false},
		{"encrypted", proxied(stranger, true), "192.0.2.7", true},
		{"IPv4 in IPv6", proxied("[::ffff:192.0.2.7]:1", false), "192.0.2.7", false},
		{"no TCP", proxied("@", false), nobody, false},
		{"a stranger who claims to be another",
			proxied(stranger, false, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "https"), "192.0.2.7", false},
		{"a stranger who claims to be a proxy", proxied(stranger, false, "X-Forwarded-For", "203.0.113.1, 10.0.0.5"),
			"192.0.2.7", false},
		{"a proxy for itself", proxied(proxy, false), "10.0.0.5", false},
		{"a proxy for a client", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "https"),
			"203.0.113.1", true},
		{"a client that claims to be another", proxied(proxy, false, "X-Forwarded-For", "198.51.100.9, 203.0.113.1"),
			"203.0.113.1", false},
		{"a client that claims to be a proxy", proxied(proxy, false, "X-Forwarded-For", "10.0.0.9, 203.0.113.1"),
			"203.0.113.1", false},
		{"two proxies", proxied(proxy, false, "X-Forwarded-For", "198.51.100.9, 203.0.113.1,10.0.0.6"), "203.0.113.1", false},
		{"on several lines", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-For", "10.0.0.6"),
			"203.0.113.1", false},
		{"proxies all the way", proxied(proxy, false, "X-Forwarded-For", "10.0.0.7, 10.0.0.6"), "10.0.0.7", false},
		{"with a port", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1:999"), "203.0.113.1", false},
		{"IPv6", proxied(proxy, false, "X-Forwarded-For", "2001:db8::1"), "2001:db8::1", false},
		{"IPv6 with a port", proxied("[fd00::5]:1", false, "X-Forwarded-For", "[2001:db8::1]:999"), "2001:db8::1", false},
		{"IPv6 with a zone", proxied(proxy, false, "X-Forwarded-For", "fe80::1%eth0"), "fe80::1", false},
		{"what cannot be read hides what is before it", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1, unknown"),
			nobody, false},
		{"nothing readable", proxied(proxy, false, "X-Forwarded-For", ""), nobody, false},
		{"garbage", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1, '; DROP"), nobody, false},
		{"HTTPS to the proxy, in clear from there",
			proxied(proxy, false, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "HTTPS"), "203.0.113.1", true},
		{"HTTP to the proxy, encrypted from there",
			proxied(proxy, true, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "http"), "203.0.113.1", false},
		{"several protocols", proxied(proxy, false, "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "https, http"),
			"203.0.113.1", false},
		{"no protocol", proxied(proxy, true, "X-Forwarded-For", "203.0.113.1"), "203.0.113.1", true},
		{"the other header is not read", proxied(proxy, false, "Forwarded", "for=198.51.100.9;proto=https"), "10.0.0.5",
			false},
	} {
		p, err := NewProxies([]string{"10.0.0.0/8", "fd00::5"}, "X-Forwarded-For")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Peer(c.request); got.Addr.String() != c.addr || got.HTTPS != c.https {
			t.Errorf("%s: got %v, HTTPS %v; want %s, %v", c.what, got.Addr, got.HTTPS, c.addr, c.https)
		}
	}
}

func TestPeerByForwarded(t *testing.T) {
	const proxy = "10.0.0.5:4711"
	const nobody = "invalid IP"
	for _, c := range []struct {
		what  string
		lines []string
		addr  string
		https bool
	}{
		{"nothing said", nil, "10.0.0.5", false},
		{"a client", []string{"for=203.0.113.1;proto=https;by=10.0.0.5"}, "203.0.113.1", true},
		{"in any case and order", []string{"Proto=HTTPS; For=203.0.113.1"}, "203.0.113.1", true},
		{"a client that claims to be another", []string{"for=198.51.100.9;proto=https, for=203.0.113.1;proto=http"},
			"203.0.113.1", false},
		{"two proxies, the outer one by HTTPS", []string{"for=203.0.113.1;proto=https, for=10.0.0.6;proto=http"},
			"203.0.113.1", true},
		{"on several lines", []string{"for=203.0.113.1", "for=10.0.0.6"}, "203.0.113.1", false},
		{"IPv6 in quotes", []string{`for="[2001:db8::1]:4711";proto="https"`}, "2001:db8::1", true},
		{"a comma in quotes", []string{`for=203.0.113.1;by="a,b"`}, "203.0.113.1", false},
		{"a quote in quotes", []string{`for=203.0.113.1;by="a\",for=198.51.100.9"`}, "203.0.113.1", false},
		{"unknown", []string{"for=unknown"}, nobody, false},
		{"hidden", []string{`for="_gazonk"`}, nobody, false},
		{"no address", []string{"proto=https"}, nobody, true},
		{"quotes around what the proxy added", []string{`for=198.51.100.9;by=", for=203.0.113.1`}, nobody, false},
		{"quotes around what the proxy added in quotes", []string{`for=198.51.100.9;by=", for="[2001:db8::1]"`}, nobody,
			false},
		{"quotes that do not end", []string{`for="203.0.113.1, for=10.0.0.6`}, nobody, false},
	} {
		p, err := NewProxies([]string{"10.0.0.0/8"}, "Forwarded")
		if err != nil {
			t.Fatal(err)
		}
		r := proxied(proxy, false, "X-Forwarded-For", "198.51.100.99", "X-Forwarded-Proto", "https")
		r.Header["Forwarded"] = c.lines
		if got := p.Peer(r); got.Addr.String() != c.addr || got.HTTPS != c.https {
			t.Errorf("%s: got %v, HTTPS %v; want %s, %v", c.what, got.Addr, got.HTTPS, c.addr, c.https)
		}
	}
}

func TestProxiesThatAreNoneAreRefused(t *testing.T) {
	if _, err := NewProxies([]string{"10.0.0.0/8", "proxy.example"}, "Forwarded"); err == nil {
		t.Error("a name is taken for a network")
	}
	var nobody Proxies
	if got := nobody.Client(proxied("127.0.0.1:1", false, "X-Forwarded-For", "203.0.113.1")); got.String() != "127.0.0.1" {
		t.Errorf("without proxies the client is %v", got)
	}
}

func FuzzPeer(f *testing.F) {
	for _, line := range []string{"203.0.113.1, 10.0.0.6", `for="[2001:db8::1]:4711";proto=https, for=unknown`, `for="\`,
		",;=\"", "[", "::ffff:1.2.3.4%x"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, header := range []string{"X-Forwarded-For", "Forwarded"} {
			p, err := NewProxies([]string{"10.0.0.0/8"}, header)
			if err != nil {
				t.Fatal(err)
			}
			// Whatever a stranger writes, a proxy adds whom it got it from.
			added := map[string]string{"X-Forwarded-For": "203.0.113.1", "Forwarded": "for=203.0.113.1"}[header]
			if got := p.Client(proxied("10.0.0.5:1", false, header, line, header, added)); got.String() != "203.0.113.1" {
				t.Errorf("%s: %q: the client is %v, want what the proxy added", header, line, got)
			}
			// On the same line its words may become unreadable, but not others.
			if got := p.Client(proxied("10.0.0.5:1", false, header, line+", "+added)); got.IsValid() &&
				got.String() != "203.0.113.1" {
				t.Errorf("%s: %q and what the proxy added: the client is %v", header, line, got)
			}
		}
	})
}
