package app

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/config"
	"signet/internal/testenv"
)

// mustCertify writes a certificate for this machine and messages.test, sets it, and
// returns a client that trusts it.
func mustCertify(t *testing.T, cfg *config.Config) *http.Client {
	t.Helper()
	return mustCertifyUntil(t, cfg, time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC))
}

// insecure takes any certificate.
func insecure(t *testing.T) *http.Transport {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// mustCertifyUntil is mustCertify with a certificate that is valid until ends.
func mustCertifyUntil(t *testing.T, cfg *config.Config, ends time.Time) *http.Client {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"messages.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: ends, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cfg.TLS.Cert, cfg.TLS.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	mustWrite(t, cfg.TLS.Cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), 0o600)
	mustWrite(t, cfg.TLS.Key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})), 0o600)
	roots := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(parsed)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestServerSpeaksHTTPS(t *testing.T) {
	cfg := settings(t)
	client := mustCertify(t, cfg)
	cfg.Metrics.Listen = "127.0.0.1:0"
	h := newHarness(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	a := mustOpen(t, cfg, h)
	mustRun(t, a)
	_, port, _ := net.SplitHostPort(a.Addr().String())
	if want := "https://messages.test:" + port; a.BaseURL() != want {
		t.Errorf("the base URL is %s, want %s", a.BaseURL(), want)
	}
	url := "https://" + a.Addr().String() + "/v2/user"
	answer, body := mustFetch(t, client, "GET", url)
	if body != "HTTP/2.0" {
		t.Errorf("spoke %s, want HTTP/2.0", body)
	}
	if got := answer.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security is %q", got)
	}
	roots := client.Transport.(*http.Transport).TLSClientConfig.RootCAs
	one := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots},
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	defer one.CloseIdleConnections()
	if _, body := mustFetch(t, &http.Client{Transport: one}, "GET", url); body != "HTTP/1.1" {
		t.Errorf("spoke %s, want HTTP/1.1", body)
	}
	if c, err := tls.Dial("tcp", a.Addr().String(),
		&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		c.Close()
		t.Error("TLS 1.1 is spoken")
	}
	// In clear it answers nothing but that.
	if answer, _ := mustDo(t, "GET", "http://"+a.Addr().String()+"/v2/user"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP is answered with %d, want 400", answer.StatusCode)
	}
	if _, body := mustDo(t, "GET", "http://"+a.MetricsAddr().String()+"/metrics"); !strings.Contains(body,
		"signet_tls_certificate_not_after_timestamp_seconds 4.9") {
		t.Error("the end of the certificate is not in the metrics")
	}
}

func TestCertificateThatIsNoneKeepsTheServerFromStarting(t *testing.T) {
	cfg := settings(t)
	mustCertify(t, cfg)
	mustWrite(t, cfg.TLS.Key, "garbage", 0o600)
	_, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble)
	if err == nil || !strings.Contains(err.Error(), cfg.TLS.Key) {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

func TestPlainHTTPLeadsToHTTPS(t *testing.T) {
	cfg := settings(t)
	client := mustCertify(t, cfg)
	cfg.Redirect = "127.0.0.1:0"
	h := newHarness(answerOK)
	a := mustOpen(t, cfg, h)
	mustRun(t, a)
	plain := "http://" + a.RedirectAddr().String()
	_, port, _ := net.SplitHostPort(a.Addr().String())
	for _, c := range []struct {
		method, path, host string
		want               string // place; empty: 400
	}{
		{"GET", "/v2/user?x=1%20", "messages.test", "https://messages.test:" + port + "/v2/user?x=1%20"},
		{"HEAD", "/", "messages.test:80", "https://messages.test:" + port + "/"},
		{"POST", "/v2/message", "127.0.0.1:8080", "https://127.0.0.1:" + port + "/v2/message"},
		{"GET", "//evil.test/x", "[::1]:80", "https://[::1]:" + port + "//evil.test/x"},
		{"GET", "/v2/user", "[::1]", "https://[::1]:" + port + "/v2/user"},
		{"GET", "/v2/user", "user@evil", ""},
		{"GET", "/v2/user", "a_b", ""},
	} {
		answer := mustAsk(t, a.RedirectAddr(), c.method+" "+c.path+" HTTP/1.1\r\nHost: "+c.host+"\r\n\r\n")
		status := http.StatusPermanentRedirect
		if c.want == "" {
			status = http.StatusBadRequest
		}
		if got := answer.Header.Get("Location"); answer.StatusCode != status || got != c.want {
			t.Errorf("%s %s at %s: got %d to %q, want %d to %q", c.method, c.path, c.host, answer.StatusCode, got, status,
				c.want)
		}
		if answer.Header.Get("Strict-Transport-Security") != "" {
			t.Error("HSTS is told in clear, where it counts for nothing (RFC 6797, section 7.2)")
		}
	}
	// Whoever sends credentials in clear is to notice.
	for _, with := range [][]string{{plain + "/v2/user", "Authorization", "Basic a2V5OnNlY3JldA=="},
		{plain + "/v2/events?auth_basic=a2V5OnNlY3JldA"}} {
		answer, body := mustFetch(t, client, "GET", with[0], with[1:]...)
		var envelope struct{ Error struct{ Code string } }
		if err := json.Unmarshal([]byte(body), &envelope); err != nil || answer.StatusCode != 403 ||
			envelope.Error.Code != "https_required" || answer.Header.Get("Location") != "" {
			t.Errorf("%v: got %d %s (%v)", with, answer.StatusCode, body, err)
		}
	}
	// Where the URL is configured, it is that.
	a.network.cfg.BaseURL = "https://messages.example.com/chat"
	answer, _ := mustFetch(t, client, "GET", plain+"/v2/user")
	if got := answer.Header.Get("Location"); got != "https://messages.example.com/v2/user" {
		t.Errorf("leads to %s", got)
	}
}

// mustAsk sends a request as it is written.
func mustAsk(t *testing.T, addr net.Addr, request string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

func TestOnlyATrustedProxyIsBelieved(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		cfg := settings(t)
		if trusted {
			cfg.Proxies = []string{"127.0.0.0/8"}
		}
		a, err := Open(t.Context(), cfg, quiet())
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, a)
		operator := mustReadCredentials(t, a.OperatorFile())
		call := func(from, secret string) *http.Response {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), "GET", a.BaseURL()+"/v2/user", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth(operator.Key, secret)
			r.Header.Set("X-Forwarded-For", from)
			r.Header.Set("X-Forwarded-Proto", "https")
			answer, err := caller.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			return answer
		}
		for range 10 {
			wantStatus(t, call("203.0.113.7", "wrong"), 401)
		}
		// Behind a proxy that is known, another client is not held up by these.
		want := map[bool]int{true: 401, false: 429}[trusted]
		answer := call("203.0.113.8", "wrong")
		wantStatus(t, answer, want)
		wantStatus(t, call("203.0.113.7", "wrong"), 429)
		wantStatus(t, call("203.0.113.7", operator.Secret), 200)
		if got := answer.Header.Get("Strict-Transport-Security"); (got != "") != trusted {
			t.Errorf("trusted %v: Strict-Transport-Security is %q", trusted, got)
		}
		answer, _ = mustDo(t, "GET", a.BaseURL()+"/metrics")
		wantStatus(t, answer, 200)
		answer, _ = mustDo(t, "GET", a.BaseURL()+"/metrics", "X-Forwarded-For", "127.0.0.1")
		wantStatus(t, answer, 404)
	}
}

func TestLinksFollowTheProxy(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for _, c := range []struct {
		base    string
		trusted []string
		header  []string
		want    string // before the path; empty: the address listened on
	}{
		{"", nil, []string{"X-Forwarded-Proto", "https"}, ""},
		{"", []string{"127.0.0.1"}, []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "203.0.113.7"},
			"https://messages.example.com"},
		{"", []string{"127.0.0.1"}, []string{"X-Forwarded-For", "203.0.113.7"}, "http://messages.example.com"},
		{"https://chat.example.com", []string{"127.0.0.1"}, []string{"X-Forwarded-Proto", "http"},
			"https://chat.example.com"},
	} {
		cfg := settings(t)
		cfg.BaseURL, cfg.Proxies = c.base, c.trusted
		a, err := Open(t.Context(), cfg, quiet())
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, a)
		url := "http://" + a.Addr().String()
		operator := mustReadCredentials(t, a.OperatorFile())
		do := func(method, path, contentType, body string) string {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth(operator.Key, operator.Secret)
			r.Host = "messages.example.com"
			r.Header.Set("Content-Type", contentType)
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}
			answer, err := caller.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode >= 300 {
				t.Fatalf("%s %s: %d %s, %v", method, path, answer.StatusCode, text, err)
			}
			return string(text)
		}
		do("POST", "/v2/user/me/settings", "multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"avatar\"; "+
				"filename=\"a.png\"\r\n\r\n\x89PNG\r\n\x1a\n0123456789\r\n--b--\r\n")
		want := c.want
		if want == "" {
			want = url
		}
		if got := do("GET", "/v2/user", "", ""); !strings.Contains(got, `"avatar":"`+want+"/v2/avatar/") {
			t.Errorf("base_url %q, proxies %v, %v: got %s, want links to %s", c.base, c.trusted, c.header, got, want)
		}
	}
}

// elsewhere is a listener whose connections seem to come from another machine.
type elsewhere struct {
	net.Listener
	from netip.AddrPort
}

func (e elsewhere) Accept() (net.Conn, error) {
	c, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return remoteConn{c, net.TCPAddrFromAddrPort(e.from)}, nil
}

type remoteConn struct {
	net.Conn
	from net.Addr
}

func (r remoteConn) RemoteAddr() net.Addr { return r.from }

func TestConnectionsOfAnAddressAreLimited(t *testing.T) {
	cfg := settings(t)
	cfg.Limits.ConnectionsPerAddress = 2
	cfg.Metrics.Listen = "127.0.0.1:0"
	a := mustOpen(t, cfg, newHarness(answerOK))
	a.network.listener = elsewhere{a.network.listener, netip.MustParseAddrPort("192.0.2.7:4711")}
	mustRun(t, a)
	var open []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", a.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		open = append(open, c)
		mustAnswerOK(t, c)
	}
	third, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if n, err := third.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a third connection reads %d bytes, want its end", n)
	}
	for _, c := range open {
		mustAnswerOK(t, c)
	}
	if _, body := mustDo(t, "GET", "http://"+a.MetricsAddr().String()+"/metrics"); !strings.Contains(body,
		"signet_connections_refused_total 1") {
		t.Error("the refused connection is not in the metrics")
	}
}

// mustAnswerOK makes a call on a connection.
func mustAnswerOK(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	wantStatus(t, &http.Response{StatusCode: answer.StatusCode, Request: &http.Request{Method: "GET"}}, 200)
}
