package e2e

import (
	"crypto/x509"
	"encoding/binary"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"golang.org/x/net/dns/dnsmessage"

	"signet/internal/testenv"
)

// certifier is an authority that speaks ACME: Pebble, the test server of Let's
// Encrypt. It is reached before it is made, because it has to know at which ports
// the server is, and the server where it is.
type certifier struct {
	directory *httptest.Server
	handler   atomic.Value
	orders    atomic.Int64
	roots     *x509.CertPool
}

func newCertifier(t *testing.T) *certifier {
	t.Helper()
	c := new(certifier)
	c.directory = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "order-plz") {
			c.orders.Add(1)
		}
		c.handler.Load().(http.Handler).ServeHTTP(w, r)
	}))
	t.Cleanup(c.directory.Close)
	return c
}

// mustBegin makes the authority, which looks for names at these ports of this
// machine.
func (c *certifier) mustBegin(t *testing.T, httpPort, tlsPort int) {
	t.Helper()
	// Pebble's own way to be told not to wait before it looks, as real ones may.
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	quiet := stdlog.New(io.Discard, "", 0)
	memory := db.NewMemoryStore()
	authority := ca.New(quiet, memory, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "for tests"}})
	checks := va.New(quiet, httpPort, tlsPort, false, mustResolve(t), memory)
	front := wfe.New(quiet, memory, checks, authority, []string{"pebble.test"}, false, false, 1, 1)
	c.handler.Store(front.Handler())
	c.roots = x509.NewCertPool()
	c.roots.AddCert(authority.GetRootCert(0).Cert)
}

// mustResolve starts a name server that knows every name, and all of them here. It
// returns its address, for questions over TCP.
func mustResolve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = answerQuestions(c)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// answerQuestions speaks DNS on a connection (RFC 1035, section 4.2.2).
func answerQuestions(c net.Conn) error {
	for {
		var length [2]byte
		if _, err := io.ReadFull(c, length[:]); err != nil {
			return err
		}
		text := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(c, text); err != nil {
			return err
		}
		var m dnsmessage.Message
		if err := m.Unpack(text); err != nil {
			return err
		}
		m.Response, m.Additionals = true, nil
		for _, q := range m.Questions {
			if q.Type == dnsmessage.TypeA {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
				})
			}
		}
		packed, err := m.Pack()
		if err != nil {
			return err
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)); err != nil {
			return err
		}
	}
}

func mustPort(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestServerGetsItsCertificateByItself starts servers that have no certificate, and
// an authority that gives them one once they have proved their name: on the port of
// HTTPS, or on that of the redirects. It is not parallel because Pebble is told some
// things by the environment.
func TestServerGetsItsCertificateByItself(t *testing.T) {
	testenv.Long(t)
	const name = "chat.signet.test"
	for _, where := range []string{"HTTPS", "redirects"} {
		t.Run("proved on the port of "+where, func(t *testing.T) {
			authority := newCertifier(t)
			trusted := filepath.Join(t.TempDir(), "authorities.pem")
			if err := os.WriteFile(trusted, pemOf(authority.directory.Certificate()), 0o600); err != nil {
				t.Fatal(err)
			}
			s := newServer(t, freshDirectory(t), "--acme.hosts", name, "--acme.email", "root@signet.test",
				"--acme.directory", authority.directory.URL+"/dir", "--redirect-listen", "127.0.0.1:0")
			s.env = []string{"SSL_CERT_FILE=" + trusted}
			s.mustStart()
			// Nothing listens on port 1.
			httpPort, tlsPort := 1, mustPort(t, s.address())
			if where == "redirects" {
				httpPort, tlsPort = mustPort(t, s.plain), 1
			}
			authority.mustBegin(t, httpPort, tlsPort)

			if _, err := s.presented("other.signet.test", authority.roots); err == nil {
				t.Error("there is a certificate for a name that is not the server's")
			}
			if n := authority.orders.Load(); n != 0 {
				t.Errorf("%d certificates were asked for a name that is not the server's", n)
			}
			s.trust(name, authority.roots)
			if people := s.mustPeople("alice"); people[0].token == "" {
				t.Error("nobody is there")
			}
			certificate, err := s.presented(name, authority.roots)
			if err != nil || len(certificate.DNSNames) != 1 || certificate.DNSNames[0] != name {
				t.Fatalf("the server presents %+v, %v", certificate, err)
			}
			cache := filepath.Join(s.dir, "acme")
			if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the directory of certificates: %v, %v, want mode 0700", info, err)
			}

			// A restart finds it there.
			s.stop()
			ordered := authority.orders.Load()
			s.mustStart()
			again, err := s.presented(name, authority.roots)
			if err != nil || again.SerialNumber.Cmp(certificate.SerialNumber) != 0 {
				t.Errorf("after a restart the server presents %v, %v, want that of before", again, err)
			}
			if n := authority.orders.Load(); n != ordered {
				t.Errorf("after a restart %d more certificates were asked for", n-ordered)
			}
			s.stop()
			s.wantQuietLog()
		})
	}
}

func TestServerSaysThatNoCertificateCanBeHad(t *testing.T) {
	t.Parallel()
	s := newServer(t, freshDirectory(t), "--acme.hosts", "chat.signet.test", "--acme.directory", "https://127.0.0.1:1/dir")
	s.mustStart()
	for range 2 {
		if _, err := s.presented("chat.signet.test", x509.NewCertPool()); err == nil {
			t.Error("there is a certificate")
		}
	}
	eventually(t, "the log says why", func() bool { return strings.Contains(s.log.String(), "no certificate can be had") })
	s.stop()
}
