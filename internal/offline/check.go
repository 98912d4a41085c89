package offline

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/brand"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/succession"
	"signet/internal/trace/otlp"
)

// CheckSettings looks at what settings name: whether the files are there, can be read
// by the user who runs this, and hold what they should. It starts nothing and goes to
// no other machine. warnings are about what keeps no server from starting; getenv is
// the environment of the server.
func CheckSettings(ctx context.Context, cfg *config.Config, getenv func(string) string) (problems []error,
	warnings []string) {
	c := &checker{warnings: append(cfg.WithoutEffect(), cfg.Risks()...)}
	c.files(cfg)
	c.master(cfg, getenv)
	c.keyring(ctx, cfg)
	if err := succession.CheckPair(cfg, getenv); err != nil {
		c.problems = append(c.problems, err)
	}
	return c.problems, c.warnings
}

// CheckFiles is the part of CheckSettings that has nothing to do with keys: it looks at the
// files that settings name, and writes nothing.
func CheckFiles(cfg *config.Config) (problems []error, warnings []string) {
	c := new(checker)
	c.files(cfg)
	return c.problems, c.warnings
}

func (c *checker) files(cfg *config.Config) {
	c.certificate("tls.cert", cfg.TLS.Cert, cfg.TLS.Key)
	c.certificate("nats_cert", cfg.NATSCert, cfg.NATSKey)
	if cfg.NATSCA != "" {
		_, err := otlp.ReadAuthorities(cfg.NATSCA)
		c.wrong("nats_ca", err)
	}
	if _, path, _ := strings.Cut(cfg.NATSLogin, ":"); path != "" {
		text, err := os.ReadFile(path)
		if err == nil && len(strings.TrimSpace(string(text))) == 0 {
			err = fmt.Errorf("%s is empty", path)
		}
		c.wrong("nats_login", err)
	}
	if cfg.Tracing.CA != "" {
		_, err := otlp.ReadAuthorities(cfg.Tracing.CA)
		c.wrong("tracing.ca", err)
	}
	_, err := otlp.ReadHeaders(cfg.Tracing.Headers)
	c.wrong("tracing.headers", err)
	_, err = brand.ReadLogo(cfg.Brand.Logo)
	c.wrong("brand.logo", err)
}

type checker struct {
	problems []error
	warnings []string
}

// wrong notes a problem, if there is one.
func (c *checker) wrong(key string, err error) {
	if err != nil {
		c.problems = append(c.problems, fmt.Errorf("%s: %w", key, err))
	}
}

func (c *checker) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// certificate looks at a certificate and its key.
func (c *checker) certificate(key, certFile, keyFile string) {
	if certFile == "" || keyFile == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	c.wrong(key, err)
	if err == nil && !time.Now().Before(pair.Leaf.NotAfter) {
		c.warn("%s: the certificate in %s ended on %s", key, certFile, pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
	}
}

func (c *checker) master(cfg *config.Config, getenv func(string) string) {
	from := seal.MasterFile(filepath.Join(cfg.Data, home.MasterFile))
	if cfg.MasterKey != "" {
		var err error
		if from, err = seal.ParseMaster(cfg.MasterKey, getenv); err != nil {
			c.wrong("master_key", err)
			return
		}
	}
	switch err := from.Check(); {
	case err != nil && errors.Is(err, seal.ErrNoMaster) && strings.HasPrefix(from.String(), "file:"):
		if cfg.MasterKey != "" { // in the data directory that is how it begins
			c.warn("master_key: there is none at %s; a first start makes one, and any other start is refused", from)
		}
	default:
		c.wrong("master_key", err)
	}
}

func (c *checker) keyring(ctx context.Context, cfg *config.Config) {
	path, isFile := strings.CutPrefix(cfg.Keyring, "file:")
	switch {
	case cfg.Keyring == "":
		path = filepath.Join(cfg.Data, home.KeyringFile)
	case !isFile:
		return // a database, on another machine
	}
	if !home.Exists(path) {
		if cfg.Keyring != "" {
			c.warn("keyring: there is none at %s; a first start makes one, and any other start is refused", path)
		}
		return
	}
	_, _, err := seal.OpenFileBeside(path).Load(ctx, true)
	c.wrong("keyring", err)
}
