package config

import (
	"cmp"
	"fmt"
	"strings"
)

// Source is the kind of place that a setting was said in.
type Source string

// The sources of settings.
const (
	FromDefault     Source = "default"
	FromFile        Source = "file"
	FromEnvironment Source = "environment"
	FromFlag        Source = "flag"
)

// Effective is a setting as it is in force, and where that was said.
type Effective struct {
	Key    string `json:"key"`
	Value  string `json:"value"`            // as a flag would give it; what signs in is left out
	Secret bool   `json:"secret"`           // something that signs in is set, and *** stands for it
	Source Source `json:"source"`           // the kind of place
	Origin string `json:"origin,omitempty"` // the place: a flag, a variable, FILE:LINE; empty: the default
}

// Effective returns all settings in the order of the documentation, for people to see.
func (c *Config) Effective() []Effective {
	all := c.settings()
	shown := make([]Effective, len(all))
	for i, s := range all {
		from := c.origins[s.key]
		value := HideSecrets(s.value.text())
		shown[i] = Effective{Key: s.key, Value: value, Source: cmp.Or(from.source, FromDefault), Origin: from.text,
			Secret: strings.Contains(value, hidden)}
	}
	return shown
}

// WithoutEffect names settings that are right and do nothing, because of other
// settings.
func (c *Config) WithoutEffect() (told []string) {
	usual := Default()
	for _, w := range []struct {
		set   bool
		key   string
		needs string
	}{
		{c.Database == "" && c.NATS != "", "nats", "connects servers that share a database: set database, or leave it out"},
		{c.Database == "" && isDatabase(c.Keyring), "keyring", "is a database, as servers that share one need it, and " +
			"database is not set: the store is embedded, and the file keyring in the data directory would do"},
		{c.Database != "" && c.CacheBytes != usual.CacheBytes, "cache_bytes",
			"is about the embedded store, and database is set"},
		{len(c.ACME.Hosts) == 0 && (c.ACME.Email != "" || c.ACME.Directory != usual.ACME.Directory), "acme",
			"has an email or directory, and gets no certificate without acme.hosts"},
		{len(c.Proxies) == 0 && c.ProxyHeader != usual.ProxyHeader, "proxy_header",
			"is believed of trusted_proxies only, and there are none"},
		{c.Limits.Burst == 0 && c.Limits.RequestsPerSecond > 0, "limits.requests_per_second",
			"holds nobody back where limits.burst is 0"},
		{c.Tracing.Endpoint == "" && c.Tracing != usual.Tracing, "tracing",
			"has settings, and there are no traces without tracing.endpoint"},
		{c.Log.Access && (c.Log.Level == "warn" || c.Log.Level == "error"), "log.access",
			fmt.Sprintf("writes lines of level info, and log.level is %s", c.Log.Level)},
	} {
		if w.set {
			told = append(told, w.key+" "+w.needs)
		}
	}
	return told
}
