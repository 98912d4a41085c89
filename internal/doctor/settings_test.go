package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/config"
)

// looked looks at settings alone.
func looked(cfg *config.Config, getenv func(string) string) []Finding {
	e := &examination{Options: Options{Config: cfg, Getenv: getenv, Now: time.Now()}}
	e.settings()
	e.certificate()
	return e.found
}

func TestFaultsOfSettings(t *testing.T) {
	wantCodes(t, "none", looked(config.Default(), nil))
	wantCodes(t, "wrong ones", Settings([]string{"listn: no such setting", "log.level: want debug"}), "settings.invalid",
		"settings.invalid")
	cfg := config.Default()
	cfg.Tracing.Endpoint, cfg.Tracing.Headers = "https://otel.example.com", "/nowhere/headers"
	wantCodes(t, "a file that is missing", looked(cfg, nil), "settings.file")
	cfg = config.Default()
	cfg.Proxies, cfg.BaseURL = []string{"10.0.0.0/8"}, "https://messages.test"
	wantCodes(t, "a wide network", looked(cfg, nil), "settings.risk")
	cfg = config.Default()
	cfg.Proxies = []string{"192.0.2.7"}
	wantCodes(t, "no way to whoever runs the server", looked(cfg, nil), "settings.risk")
	cfg.BaseURL = "https://messages.test"
	wantCodes(t, "a way", looked(cfg, nil))
	cfg = config.Default()
	cfg.Tracing.Sample = 0.5
	wantCodes(t, "without effect", looked(cfg, nil), "settings.unused")
	otel := func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}[name]
	}
	wantCodes(t, "a collector that gets nothing", looked(config.Default(), otel), "settings.otel")
	cfg = config.Default()
	cfg.Tracing.Endpoint = "http://127.0.0.1:4318"
	wantCodes(t, "a collector that gets traces", looked(cfg, otel))
}

func TestFaultsOfTheCertificate(t *testing.T) {
	for _, c := range []struct {
		what string
		ends time.Duration
		base string
		want []string
	}{
		{"good", 90 * 24 * time.Hour, "https://messages.test", nil},
		{"ending", 10 * 24 * time.Hour, "", []string{"certificate.ends"}},
		{"ended", -time.Hour, "", []string{"certificate.ended"}},
		{"of another name", 90 * 24 * time.Hour, "https://other.test", []string{"certificate.name"}},
	} {
		cfg := config.Default()
		cfg.BaseURL, cfg.Egress.Push = c.base, nil
		mustCertify(t, cfg, time.Now().Add(c.ends))
		wantCodes(t, c.what, looked(cfg, nil), c.want...)
	}
	cfg := config.Default()
	cfg.TLS.Cert, cfg.TLS.Key, cfg.Egress.Push = "/nowhere/cert.pem", "/nowhere/key.pem", nil
	wantCodes(t, "none", looked(cfg, nil), "certificate.file")
}

// mustCertify makes a certificate for messages.test.
func mustCertify(t *testing.T, cfg *config.Config, ends time.Time) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"messages.test"},
		NotBefore: time.Unix(0, 0), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	key, fault := x509.MarshalPKCS8PrivateKey(private)
	if err := errors.Join(err, fault); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cfg.TLS.Cert, cfg.TLS.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	mustWrite(t, cfg.TLS.Cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	mustWrite(t, cfg.TLS.Key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}
