package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority is a certificate that certifies itself, and its key.
type authority struct {
	cert, key []byte // PEM
	roots     *x509.CertPool
}

// mustCertify makes a certificate for names and this machine.
func mustCertify(t *testing.T, names ...string) authority {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 3, 0), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	a := authority{
		cert:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		roots: x509.NewCertPool(),
	}
	a.roots.AppendCertsFromPEM(a.cert)
	return a
}

// mustWrite puts the certificate and its key into a directory, each in one step.
func (a authority) mustWrite(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, content := range map[string][]byte{cert: a.cert, key: a.key} {
		if err := os.WriteFile(path+".new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// trust makes the server's clients come by HTTPS, under a name, and trust roots.
func (s *server) trust(name string, roots *x509.CertPool) {
	s.base = "https://" + name
	transport := s.http.Transport.(*http.Transport)
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: name}
	transport.ForceAttemptHTTP2 = true
}

// presented is the certificate that a new connection gets.
func (s *server) presented(name string, roots *x509.CertPool) (*x509.Certificate, error) {
	c, err := tls.Dial("tcp", s.address(), &tls.Config{RootCAs: roots, ServerName: name})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0], nil
}
