package transport

import (
	"context"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACMEOptions say what certificates an authority is asked for.
type ACMEOptions struct {
	Hosts     []string // names of the server
	Email     string   // may be empty
	Directory string   // URL of the authority
	Cache     string   // directory of certificates and keys, made with mode 0700
	Log       *slog.Logger
}

// ACME gets certificates from an authority (RFC 8555) when a name is first asked
// for, and renews them a month before they end.
type ACME struct {
	manager *autocert.Manager
	hosts   []string
	log     *slog.Logger

	mu      sync.Mutex      // guards what follows
	problem string          // what went wrong the last time, and has been logged
	rsa     map[string]bool // the hosts whose certificate for old clients was asked for since the start
}

// NewACME prepares it; nothing is asked for before the first connection.
func NewACME(o ACMEOptions) *ACME {
	return &ACME{hosts: o.Hosts, log: o.Log, rsa: map[string]bool{}, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(o.Cache), HostPolicy: autocert.HostWhitelist(o.Hosts...),
		Email:  o.Email,
		Client: &acme.Client{DirectoryURL: o.Directory, UserAgent: "signet"},
	}}
}

// TLS is how connections are encrypted, and how a name is proved on port 443.
func (a *ACME) TLS() *tls.Config {
	config := a.manager.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	config.GetCertificate = a.certificate
	return config
}

// Validity is from when until when the certificates are valid that were got so far: of
// several, the one that ends first. ok is false where there is none. One for old clients counts if any came since the
// start: nothing renews it before, and whoever comes gets a new one.
func (a *ACME) Validity(ctx context.Context) (from, until time.Time, ok bool) {
	for _, host := range a.hosts {
		names := []string{host}
		if a.askedForRSA(host) {
			names = append(names, host+"+rsa")
		}
		for _, name := range names { // as autocert calls them
			leaf := a.cached(ctx, name)
			if leaf != nil && (!ok || leaf.NotAfter.Before(until)) {
				from, until, ok = leaf.NotBefore, leaf.NotAfter, true
			}
		}
	}
	return from, until, ok
}

func (a *ACME) askedForRSA(host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rsa[host]
}

// cached returns a certificate that was kept, or nil.
func (a *ACME) cached(ctx context.Context, name string) *x509.Certificate {
	text, err := a.manager.Cache.Get(ctx, name)
	if err != nil {
		return nil // there is none yet
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" { // the first is the server's own
			leaf, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil // which autocert replaces
			}
			return leaf
		}
	}
	return nil
}

// Challenges answers what an authority asks on port 80 to see a name proved; all
// else goes to next.
func (a *ACME) Challenges(next http.Handler) http.Handler {
	answer := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			next.ServeHTTP(w, r)
			return
		}
		// An authority of one's own may ask on another port, and then names it.
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			r = r.WithContext(r.Context()) // this copy may have another host
			r.Host = host
		}
		answer.ServeHTTP(w, r)
	})
}

// certificate returns the one for a connection. That none can be had for one of the
// server's names is something to be looked at; each new reason is logged once.
func (a *ACME) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	certificate, err := a.manager.GetCertificate(hello)
	if !slices.Contains(a.hosts, hello.ServerName) {
		return certificate, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.problem = ""
		if _, old := certificate.PrivateKey.(*rsa.PrivateKey); old {
			a.rsa[hello.ServerName] = true
		}
	case err.Error() != a.problem:
		a.problem = err.Error()
		a.log.Warn("no certificate can be had", "host", hello.ServerName, "error", err)
	}
	return certificate, err
}
