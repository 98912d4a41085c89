package app

import (
	"cmp"
	"path/filepath"
	"time"

	"signet/internal/build"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/store"
)

// tellStart writes the first line of each start: what runs, with what. Passwords are
// left out of it.
func (a *App) tellStart() {
	cfg := a.cfg
	version, commit := build.Info()
	inDirectory := func(name string) string { return "file:" + filepath.Join(a.dir, name) }
	attrs := []any{
		"version", version, "commit", commit, "schema", store.SchemaVersion(), "data", a.dir,
		"store", cmp.Or(config.HideSecrets(cfg.Database), home.Database(a.dir)),
		"keyring", cmp.Or(config.HideSecrets(cfg.Keyring), inDirectory(home.KeyringFile)),
		"master_key", cmp.Or(cfg.MasterKey, inDirectory(home.MasterFile)),
		"blobs", config.HideSecrets(home.Blobs(a.dir, cfg.Blobs)),
	}
	if cfg.NATS != "" {
		attrs = append(attrs, "nats", config.HideSecrets(cfg.NATS))
	}
	a.log.Info("starting", append(attrs, "listen", cfg.Listen)...)
	for _, risk := range cfg.Risks() {
		a.log.Warn(risk)
	}
}

// tellReady writes the line that says that requests are answered from now on.
func (a *App) tellReady() {
	attrs := []any{"address", a.Addr().String(), "base_url", a.baseURL}
	if addr := a.RedirectAddr(); addr != nil {
		attrs = append(attrs, "redirects", addr.String())
	}
	if addr := a.MetricsAddr(); addr != nil {
		attrs = append(attrs, "metrics", addr.String())
	}
	if a.operator != "" {
		attrs = append(attrs, "operator", a.operator)
	}
	if a.partyFault != nil {
		a.log.Info("there are no passkeys", "reason", a.partyFault)
	}
	a.log.Info("ready", append(attrs, "took", time.Since(a.opened).Round(time.Millisecond))...)
}
