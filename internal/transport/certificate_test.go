package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/testlog"
)

// pair is a certificate for these names and its key, both PEM.
func pair(t *testing.T, names ...string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: names,
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// files are those of a certificate.
type files struct {
	t         *testing.T
	cert, key string
	log       testlog.Log
}

func newFiles(t *testing.T) *files {
	dir := t.TempDir()
	return &files{t: t, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
}

func (f *files) write(path string, content []byte) {
	f.t.Helper()
	// In one step, as tools that renew do, and with the time of before.
	temp := path + ".new"
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Chtimes(temp, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		f.t.Fatal(err)
	}
}

func (f *files) open() (*Certificate, error) {
	return OpenCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(&f.log, nil)))
}

// wantName checks which certificate connections get.
func wantName(t *testing.T, c *Certificate, want string) {
	t.Helper()
	got, err := c.TLS().GetCertificate(new(tls.ClientHelloInfo))
	if err != nil || got.Leaf.DNSNames[0] != want {
		t.Errorf("connections get the certificate of %v (%v), want %s", got.Leaf.DNSNames, err, want)
	}
}

func TestCertificateIsReplacedWhileItIsInUse(t *testing.T) {
	f := newFiles(t)
	cert, key := pair(t, "*.example.com", "one.example.com")
	f.write(f.cert, cert)
	f.write(f.key, key)
	c, err := f.open()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Name(); got != "one.example.com" {
		t.Errorf("its name is %q", got)
	}
	if c.TLS().MinVersion != tls.VersionTLS12 {
		t.Error("older versions of TLS than 1.2 are spoken")
	}
	c.Refresh()

	cert, key = pair(t, "two.example.com")
	f.write(f.cert, cert) // the key is still the old one
	c.Refresh()
	c.Refresh()
	wantName(t, c, "*.example.com")
	f.write(f.key, key)
	c.Refresh()
	c.Refresh()
	wantName(t, c, "two.example.com")

	f.write(f.cert, []byte("no certificate"))
	c.Refresh()
	c.Refresh()
	wantName(t, c, "two.example.com")
	if err := os.Remove(f.key); err != nil {
		t.Fatal(err)
	}
	c.Refresh()
	wantName(t, c, "two.example.com")
	for part, want := range map[string]int{"the old one stays": 3, "a new certificate is in use": 1, "PRIVATE": 0} {
		if got := f.log.Count(part); got != want {
			t.Errorf("%q was logged %d times, want %d:\n%s", part, got, want, &f.log)
		}
	}
}

func TestCertificateIsLookedAtNowAndThen(t *testing.T) {
	f := newFiles(t)
	cert, key := pair(t, "one.example.com")
	f.write(f.cert, cert)
	f.write(f.key, key)
	synctest.Test(t, func(t *testing.T) {
		c, err := f.open()
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { c.Watch(ctx); close(ended) }()
		cert, key := pair(t, "two.example.com")
		f.write(f.cert, cert)
		f.write(f.key, key)
		time.Sleep(lookEvery + time.Second)
		wantName(t, c, "two.example.com")
		stop()
		<-ended
	})
}

func TestCertificateThatCannotBeUsedIsRefusedAtTheStart(t *testing.T) {
	f := newFiles(t)
	cert, key := pair(t, "one.example.com")
	for what, write := range map[string]func(){
		"no file":       func() {},
		"no key":        func() { f.write(f.cert, cert) },
		"garbage":       func() { f.write(f.key, []byte("garbage")) },
		"another key":   func() { _, other := pair(t, "x.example"); f.write(f.key, other) },
		"the other way": func() { f.write(f.cert, key); f.write(f.key, cert) },
	} {
		write()
		if _, err := f.open(); err == nil {
			t.Errorf("%s: it was taken", what)
		}
	}
}
