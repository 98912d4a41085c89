package transport

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lookEvery is how often the files of a certificate are looked at.
const lookEvery = 10 * time.Second

// Certificate is the server's own, from two files that may be replaced while it
// runs. It is safe for concurrent use.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	mu      sync.Mutex        // guards all below
	read    [sha256.Size]byte // of the files in use
	problem string            // what was wrong the last time, and has been logged
}

// OpenCertificate reads a certificate with its chain, and its key, both PEM.
func OpenCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	if _, err := c.load(); err != nil {
		return nil, fmt.Errorf("read the certificate of TLS: %w", err)
	}
	return c, nil
}

// TLS is how connections are encrypted with it.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// Name is a name that the certificate is for, "" where it has none that names one
// machine.
func (c *Certificate) Name() string {
	for _, name := range c.current.Load().Leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			return name
		}
	}
	return ""
}

// Ends is when the certificate is no longer valid.
func (c *Certificate) Ends() time.Time { return c.current.Load().Leaf.NotAfter }

// Validity is from when until when the certificate is valid.
func (c *Certificate) Validity(context.Context) (from, until time.Time, ok bool) {
	leaf := c.current.Load().Leaf
	return leaf.NotBefore, leaf.NotAfter, true
}

// Refresh looks at the files. New ones hold for new connections; those that cannot
// be used are logged once, and the old certificate stays. Contents are compared and
// not times: two files are cheap to read, and what replaces them may keep its times.
func (c *Certificate) Refresh() {
	changed, err := c.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && err.Error() != c.problem:
		c.problem = err.Error()
		c.log.Warn("the new certificate cannot be used; the old one stays", "error", err, "ends", c.Ends())
	case changed:
		c.problem = ""
		c.log.Info("a new certificate is in use", "ends", c.Ends())
	}
}

// Watch refreshes now and then, until ctx ends.
func (c *Certificate) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.Refresh()
		case <-ctx.Done():
			return
		}
	}
}

// load reads the files and takes them into use, if they are other ones than those in
// use.
func (c *Certificate) load() (changed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return false, err
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(append(append(cert[:len(cert):len(cert)], 0), key...))
	if sum == c.read {
		return false, nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		// It may be that the two are just being replaced, one after the other: the
		// next look finds them fit.
		return false, fmt.Errorf("%s and %s: %w", c.certFile, c.keyFile, err)
	}
	c.read = sum
	c.current.Store(&pair)
	return true, nil
}
