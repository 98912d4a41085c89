package doctor

import (
	"crypto/tls"
	"net/url"
	"strings"
	"time"

	"signet/internal/offline"
)

// CertificateLate is how long before its end a certificate is to be renewed.
const CertificateLate = 14 * 24 * time.Hour

// settings looks at what settings say and name, but for keys and the server's certificate.
func (e *examination) settings() {
	for _, text := range e.Config.Risks() {
		e.find("settings.risk", "%s", text)
	}
	for _, text := range e.Config.WithoutEffect() {
		e.find("settings.unused", "%s", text)
	}
	problems, warnings := offline.CheckFiles(e.Config)
	for _, problem := range problems {
		if !strings.HasPrefix(problem.Error(), "tls.cert: ") { // which certificate looks at
			e.find("settings.file", "%v", problem)
		}
	}
	for _, text := range warnings {
		if !strings.HasPrefix(text, "tls.cert: ") {
			e.find("settings.risk", "%s", text)
		}
	}
	if e.Getenv != nil && e.Config.Tracing.Endpoint == "" {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
			if e.Getenv(name) != "" {
				e.find("settings.otel", "%s is set, and tracing.endpoint is not", name)
				return
			}
		}
	}
}

// certificate looks at the server's own, where it is in files.
func (e *examination) certificate() {
	cfg := e.Config
	if cfg.TLS.Cert == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(cfg.TLS.Cert, cfg.TLS.Key)
	if err != nil {
		if !e.denied("the certificate", err) {
			e.find("certificate.file", "the certificate in tls.cert and tls.key cannot be used: %v", err)
		}
		return
	}
	e.certificateUntil("the certificate in "+cfg.TLS.Cert, pair.Leaf.NotAfter)
	if u, err := url.Parse(cfg.BaseURL); err == nil && u.Scheme == "https" {
		if err := pair.Leaf.VerifyHostname(u.Hostname()); err != nil {
			e.find("certificate.name", "base_url is %s, and %v", cfg.BaseURL, err)
		}
	}
}

// certificateUntil looks at the end of a certificate.
func (e *examination) certificateUntil(what string, end time.Time) {
	left := end.Sub(e.Now)
	switch day := end.UTC().Format(time.DateOnly); {
	case end.IsZero():
	case left <= 0:
		e.find("certificate.ended", "%s ended on %s", what, day)
	case left < CertificateLate:
		e.find("certificate.ends", "%s ends on %s, in %d days", what, day, left/(24*time.Hour))
	}
}
