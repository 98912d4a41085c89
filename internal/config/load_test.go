package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// shift gives a setting a valid value other than its default, and returns it as
// a flag would give it.
func shift(t *testing.T, s *setting) string {
	t.Helper()
	other := map[string]string{
		"listen": "[::1]:9090", "base_url": "https://messages.example.com", "data": "/srv/signet",
		"database":   "postgres://signet@db.example.com:5432/signet?sslmode=verify-full",
		"master_key": "file:/run/secrets/master.json",
		"keyring":    "postgres://signet@keys.example.com:5432/keyring?sslmode=verify-full",

		"keyring.copy": "file:/mnt/keys/keyring",
		"nats":         "tls://a.example:4222, tls://b.example",
		"nats_login":   "creds:/run/secrets/nats.creds", "nats_ca": "/etc/signet/nats-ca.pem",
		"nats_cert": "/etc/signet/nats.pem", "nats_key": "/etc/signet/nats.key",
		"blobs":          "s3://signet?endpoint=s3.example.com",
		"standby_of":     "https://one.example.com:8443",
		"standby.key":    "file:/etc/signet/standby.key",
		"standby.listen": "127.0.0.1:8443",
		"standby.bucket": "s3://standby?endpoint=s3.example.com",
		"standby.peer":   "https://two.example.com:8443",
		"standby.ca":     "/etc/signet/ca.pem",
		"default_region": "DE", "log.level": "debug", "log.format": "json", "log.access": "true", "web.pages": "false",
		"organizations.join": "approve", "brand.name": "St. Elsewhere", "brand.logo": "/etc/signet/logo.png",
		"vendor.prefix": "Acme", "vendor.namespace": "acme", "metrics.listen": "127.0.0.1:9100",
		"cors.origins":    "https://a.example,https://b.example:8443",
		"egress.networks": "10.1.2.0/24,127.0.0.1", "egress.push": "push.example.com",
		"egress.webhooks": "hooks.example.com,*.example.org", "egress.issuers": "login.example.com",
		"tls.cert": "/etc/signet/cert.pem", "tls.key": "/etc/signet/key.pem", "insecure_http": "true",
		"insecure_links": "true", "acme.hosts": "a.example,b.example", "acme.email": "root@a.example",
		"acme.directory":  "https://ca.example/directory",
		"redirect_listen": "127.0.0.1:80", "trusted_proxies": "10.0.0.0/8,192.0.2.1", "proxy_header": "Forwarded",
		"tracing.endpoint": "https://otel.example:4318", "tracing.headers": "/srv/headers", "tracing.ca": "/srv/ca.pem",
		"tracing.sample": "0.25", "tracing.follow": "false", "tracing.service": "ward",
	}[s.key]
	if other == "" {
		switch s.value.(type) {
		case *field[int], *field[int64]:
			if other = "7"; s.key == "limits.header_bytes" {
				other = "7000"
			}
		case *field[time.Duration]:
			other = "7m"
		default:
			t.Fatalf("no second value for %s: add one to this test", s.key)
		}
	}
	if err := s.value.parse(other); err != nil {
		t.Fatalf("%s: %v", s.key, err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	return other
}

// shifted returns the settings after one of them was shifted, and its value.
func shifted(t *testing.T, key string) (*Config, string) {
	t.Helper()
	c := Default()
	for _, s := range c.settings() {
		if s.key == key {
			return c, shift(t, s)
		}
	}
	t.Fatalf("no setting %s", key)
	return nil, ""
}

func TestDefaultsAreValid(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	loaded, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	wantConfig(t, loaded, Default())
}

func TestEveryFieldHasASetting(t *testing.T) {
	c := Default()
	for _, s := range c.settings() {
		shift(t, s)
	}
	var walk func(path string, got, initial reflect.Value)
	walk = func(path string, got, initial reflect.Value) {
		for i := range got.NumField() {
			name := path + "." + got.Type().Field(i).Name
			if !got.Type().Field(i).IsExported() {
				continue // where the settings come from
			}
			if got.Field(i).Kind() == reflect.Struct {
				walk(name, got.Field(i), initial.Field(i))
			} else if reflect.DeepEqual(got.Field(i).Interface(), initial.Field(i).Interface()) {
				t.Errorf("no setting sets %s", name)
			}
		}
	}
	walk("Config", reflect.ValueOf(c).Elem(), reflect.ValueOf(Default()).Elem())
}

func TestEveryKeyHasAVariableAFlagAndALineInTheFile(t *testing.T) {
	seen := make(map[string]string)
	for _, s := range Settings() {
		t.Run(s.Key, func(t *testing.T) {
			want, text := shifted(t, s.Key)
			for _, name := range []string{s.Variable, s.Flag} {
				if other := seen[name]; other != "" {
					t.Errorf("%s stands for %s and for %s", name, other, s.Key)
				}
				seen[name] = s.Key
			}
			file := filepath.Join(t.TempDir(), "signet.yaml")
			line := text
			if !s.List && strings.ContainsAny(text, "[") {
				line = "'" + text + "'"
			}
			mustWrite(t, file, s.Key+": "+line+"\n")
			// What does not stand alone.
			alone := []string{}
			for _, other := range together[s.Key] {
				c, text := shifted(t, other)
				alone = append(alone, variableName(other)+"="+text)
				want.TLS.Cert, want.TLS.Key, want.ACME.Hosts = want.TLS.Cert+c.TLS.Cert, want.TLS.Key+c.TLS.Key,
					append(want.ACME.Hosts, c.ACME.Hosts...)
				want.Standby.Key, want.Blobs = want.Standby.Key+c.Standby.Key, want.Blobs+c.Blobs
				want.NATS, want.NATSCert, want.NATSKey = want.NATS+c.NATS, want.NATSCert+c.NATSCert, want.NATSKey+c.NATSKey
			}
			for name, from := range map[string]Sources{
				"variable": {Environ: append(alone, s.Variable+"="+text)},
				"flag":     {Environ: alone, Flags: map[string]string{s.Key: text}},
				"file":     {Environ: alone, File: file},
			} {
				got, err := Load(from)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				wantConfig(t, got, want)
			}
		})
	}
}

// together are settings that others have to go with.
var together = map[string][]string{
	"tls.cert": {"tls.key"}, "tls.key": {"tls.cert"}, "redirect_listen": {"acme.hosts"},
	"standby_of": {"standby.key"}, "standby.listen": {"standby.key"}, "standby.peer": {"standby.key"},
	"standby.bucket": {"standby.key", "blobs"},
	"nats_login":     {"nats"}, "nats_ca": {"nats"}, "nats_cert": {"nats", "nats_key"}, "nats_key": {"nats", "nats_cert"},
}

func TestNamesFollowTheKey(t *testing.T) {
	for _, s := range Settings() {
		if s.Key == "limits.messages_per_day" {
			if s.Variable != "SIGNET_LIMITS_MESSAGES_PER_DAY" || s.Flag != "--limits.messages-per-day" || s.Default != "100" {
				t.Errorf("got %+v", s)
			}
			return
		}
	}
	t.Error("no setting limits.messages_per_day")
}

func TestPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, file, "limits: {burst: 1}\n")
	variable := []string{"SIGNET_LIMITS_BURST=2"}
	flag := map[string]string{"limits.burst": "3"}
	for name, test := range map[string]struct {
		from Sources
		want int
	}{
		"default":                         {Sources{}, 100},
		"file before default":             {Sources{File: file}, 1},
		"environment before file":         {Sources{File: file, Environ: variable}, 2},
		"flag before all":                 {Sources{File: file, Environ: variable, Flags: flag}, 3},
		"flag before file":                {Sources{File: file, Flags: flag}, 3},
		"file named by the environment":   {Sources{Environ: []string{"SIGNET_CONFIG=" + file}}, 1},
		"named file before SIGNET_CONFIG": {Sources{File: file, Environ: []string{"SIGNET_CONFIG=/nowhere"}}, 1},
		"later of two variables":          {Sources{Environ: []string{"SIGNET_LIMITS_BURST=8", "SIGNET_LIMITS_BURST=9"}}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Load(test.from)
			if err != nil {
				t.Fatal(err)
			}
			if c.Limits.Burst != test.want {
				t.Errorf("limits.burst is %d, want %d", c.Limits.Burst, test.want)
			}
		})
	}
}

func TestAnEmptyListReplacesALongerOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, file, "cors: {origins: [https://a.example]}\n")
	c, err := Load(Sources{File: file, Environ: []string{"SIGNET_CORS_ORIGINS="}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.CORS.Origins) != 0 {
		t.Errorf("cors.origins is %q, want none", c.CORS.Origins)
	}
}

func TestEnvironmentRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		environ []string
		want    string // part of the error; empty: none
	}{
		"misspelt": {[]string{"SIGNET_LISTN=127.0.0.1:1"},
			"unknown variable SIGNET_LISTN; did you mean SIGNET_LISTEN?"},
		"dot kept": {[]string{"SIGNET_LIMITS.BURST=1"}, "did you mean SIGNET_LIMITS_BURST?"},
		"wrong type": {[]string{"SIGNET_LIMITS_BURST=many"},
			`variable SIGNET_LIMITS_BURST: limits.burst: want a whole number, not "many"`},
		"number left empty": {[]string{"SIGNET_LIMITS_BURST="}, `want a whole number, not ""`},
		"negative": {[]string{"SIGNET_LIMITS_BURST=-1"},
			"variable SIGNET_LIMITS_BURST: limits.burst: want a number from 0"},
		"beyond 64 bits":         {[]string{"SIGNET_LIMITS_BURST=99999999999999999999"}, "want a whole number"},
		"duration without unit":  {[]string{"SIGNET_EXPIRY_SWEEP=10"}, "want a duration such as"},
		"of the client commands": {[]string{"SIGNET_URL=http://x", "SIGNET_API_KEY=k", "SIGNET_API_SECRET=s"}, ""},
		"of the tests":           {[]string{"SIGNET_TEST_POSTGRES=postgres://x"}, ""},
		"another program's":      {[]string{"SIGNETS=1", "signet_listn=1", "PATH=/bin"}, ""},
		"kubernetes service": {[]string{"SIGNET_SERVICE_HOST=10.0.0.1", "SIGNET_SERVICE_PORT=80",
			"SIGNET_SERVICE_PORT_HTTP=80", "SIGNET_PORT=tcp://10.0.0.1:80", "SIGNET_PORT_80_TCP_ADDR=10.0.0.1"}, ""},
		"second service":         {[]string{"SIGNET_WEB_SERVICE_HOST=10.0.0.1", "SIGNET_WEB_PORT=tcp://10.0.0.1:80"}, ""},
		"port without a service": {[]string{"SIGNET_PORT=8080"}, "unknown variable SIGNET_PORT"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Sources{Environ: test.environ})
			wantError(t, err, test.want)
		})
	}
}

func TestFlagRefusals(t *testing.T) {
	_, err := Load(Sources{Flags: map[string]string{"shutdown.grace": "soon"}})
	wantError(t, err, `flag --shutdown.grace: shutdown.grace: want a duration such as 500ms, 90s, 8h or 30d, not "soon"`)
	_, err = Load(Sources{Flags: map[string]string{"shutdwn.grace": "1s"}})
	wantError(t, err, "unknown setting shutdwn.grace; did you mean shutdown.grace?")
}

func TestNameOfTheHouseIsOneShortLine(t *testing.T) {
	for _, name := range []string{"", "St. Elsewhere", strings.Repeat("ü", 60)} {
		if err := brandName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{strings.Repeat("ü", 61), "two\nlines", " blank", "blank ", "\xff"} {
		_, err := Load(Sources{Flags: map[string]string{"brand.name": name}})
		wantError(t, err, "brand.name: want ")
	}
}

func TestPlacesOfKeysAreChecked(t *testing.T) {
	for _, test := range []struct{ key, text, want string }{
		{"master_key", "env:MASTER", ""},
		{"master_key", "master.json", "want file:PATH or env:NAME"},
		{"master_key", "file:", "want file:PATH or env:NAME"},
		{"master_key", "env:", "want file:PATH or env:NAME"},
		{"master_key", "env:SIGNET_MASTER", "does not begin with SIGNET_"},
		{"keyring", "file:/keys/keyring", ""},
		{"keyring", "postgresql://127.0.0.1/keyring", ""},
		{"keyring", "file:", "want file:PATH or the URL"},
		{"keyring.copy", "keys", "want file:PATH or the URL"},
		{"keyring", "mysql://signet:hunter2@keys", "want file:PATH or the URL"},
	} {
		_, err := Load(Sources{Flags: map[string]string{test.key: test.text}})
		wantError(t, err, test.want)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells a password: %v", err)
		}
	}
	same := "postgres://signet@db.example.com/signet?sslmode=verify-full"
	_, err := Load(Sources{Flags: map[string]string{"database": same, "keyring": same}})
	wantError(t, err, "keyring: want another database than that of the store")
}

func TestAddressesWithPasswordsAreRefusedWithoutRepeatingThem(t *testing.T) {
	for _, text := range []string{
		"signet:Pa55@nats.example.com", "http://signet:Pa55@nats.example.com", "nats://signet:Pa55@",
		"nats://signet:Pa 55@host",
		"nats://a.example,,tls://signet:Pa55@b.example", "nats://signet:Pa55@host/path", "nats://signet:Pa55@host:port",
	} {
		_, err := Load(Sources{Environ: []string{"SIGNET_NATS=" + text}})
		wantError(t, err, "variable SIGNET_NATS: nats: want URLs of NATS servers")
		if err != nil && strings.Contains(err.Error(), "55") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, file, "lisen: x\nlimits: {burst: many, group_members: -1}\n")
	_, err := Load(Sources{File: file, Environ: []string{"SIGNET_LOG_LEVEL=loud"}})
	if err == nil {
		t.Fatal("no error")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 4 {
		t.Errorf("got %d lines, want one for each of the 4 problems:\n%v", len(lines), err)
	}
}

func TestAValueThatCannotBeReadIsNotBlamedForAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, file, "limits: {burst: -5}\n")
	_, err := Load(Sources{File: file, Environ: []string{"SIGNET_LIMITS_BURST=many"}})
	if err == nil || strings.Contains(err.Error(), "-5") {
		t.Errorf("got %v, want only what is wrong with the variable", err)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("got error %v, want none", err)
	case part != "" && err == nil:
		t.Errorf("got no error, want %q", part)
	case part != "" && !strings.Contains(err.Error(), part):
		t.Errorf("got error %q, want %q in it", err, part)
	}
}

func TestRetentionsAreGivenInDays(t *testing.T) {
	for _, key := range []string{"events.retention", "audit.retention"} {
		if c, err := Load(Sources{Flags: map[string]string{key: "30d"}}); err != nil {
			t.Errorf("%s: %v, %v", key, c, err)
		}
	}
}
