package transport

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What tells of a certificate's end finds the ones that were got at earlier starts too.
func TestValidityOfCertificatesThatWereGot(t *testing.T) {
	cache := t.TempDir()
	a := NewACME(ACMEOptions{Hosts: []string{"a.test", "b.test"}, Cache: cache, Log: slog.New(slog.DiscardHandler)})
	if _, _, ok := a.Validity(t.Context()); ok {
		t.Error("there is a certificate before any was got")
	}
	cert, key := pair(t, "b.test")
	for name, content := range map[string][]byte{"b.test": append(key, cert...), "a.test": []byte("nonsense")} {
		if err := os.WriteFile(filepath.Join(cache, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// One for old clients is not renewed until such a client comes, who then gets a new one: its end is nobody's concern.
	ended := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: mustEnd(t)})
	if err := os.WriteFile(filepath.Join(cache, "b.test+rsa"), ended, 0o600); err != nil {
		t.Fatal(err)
	}
	from, until, ok := a.Validity(t.Context())
	if want := time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC); !ok || !until.Equal(want) || !from.Equal(time.Unix(0, 0)) {
		t.Errorf("they are valid from %v until %v, %v; want until %v", from, until, ok, want)
	}
}

// mustEnd makes a certificate that has ended.
func mustEnd(t *testing.T) []byte {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"b.test"}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Unix(1, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	return der
}
