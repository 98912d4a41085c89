package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileRefusals(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"empty":                 {"", ""},
		"only comments":         {"# nothing\n", ""},
		"section commented out": {"limits:\n#  burst: 1\n", ""},
		"nested":                {"limits:\n  burst: 1\n", ""},
		"dotted":                {"limits.burst: 1\n", ""},
		"anchor":                {"listen: &a 127.0.0.1:1\nmetrics.listen: *a\n", ""},
		"misspelt":              {"listn: x\n", "f.yaml:1: unknown key listn; did you mean listen?"},
		"misspelt in a section": {"limits:\n  brust: 1\n", "f.yaml:2: unknown key limits.brust; did you mean " +
			"limits.burst?"},
		"misspelt section": {"limit:\n  burst: 1\n", "unknown key limit.burst; did you mean limits.burst?"},
		"section left out": {"burst: 1\n", "unknown key burst; did you mean limits.burst?"},
		"twice": {"limits.burst: 1\nlimits: {burst: 2}\n",
			"f.yaml:2: limits.burst is set already in line 1"},
		"text for a number": {"limits.burst: many\n", `f.yaml:1: limits.burst: want a whole number, not "many"`},
		"quoted number":     {"limits.burst: '5'\n", `limits.burst: want a whole number, not "5"`},
		"fraction":          {"limits.burst: 1.5\n", `limits.burst: want a whole number, not "1.5"`},
		"negative":          {"limits.burst: -1\n", "f.yaml:1: limits.burst: want a number from 0"},
		"number for text":   {"vendor.prefix: 12\n", `vendor.prefix: want text; put "12" in quotes`},
		"boolean for text":  {"log.format: true\n", "log.format: want text"},
		"list for a number": {"limits.burst: [1]\n", "limits.burst: want a whole number, not a list or section"},
		"mapping for text":  {"listen: {host: x}\n", "listen: want text, not a list or section"},
		"scalar for a section": {"limits: 5\n", "f.yaml:1: limits is a section: its settings, such as " +
			"limits.attachment_bytes, belong below it"},
		"no value":                {"listen:\n", "listen: has no value; leave the line out"},
		"duration without unit":   {"expiry.sweep: 10\n", "expiry.sweep: want a duration"},
		"list":                    {"cors: {origins: ['https://a.example', 'https://b.example']}\n", ""},
		"list of one as text":     {"cors.origins: https://a.example\n", ""},
		"list of numbers":         {"cors.origins: [1]\n", "cors.origins: want a list of texts"},
		"number for a list":       {"cors.origins: 1\n", "cors.origins: want a list of texts"},
		"not a mapping":           {"- listen\n", "want settings, one a line"},
		"just a word":             {"listen\n", "want settings, one a line"},
		"odd key":                 {"[a, b]: c\n", "want the name of a setting"},
		"two documents":           {"listen: 127.0.0.1:1\n---\nlisten: 127.0.0.1:2\n", "want a single YAML document"},
		"broken":                  {"limits: {burst\n", "f.yaml: yaml:"},
		"refers to itself":        {"a: &x\n  b: *x\n", "a.b: an alias cannot stand for a section"},
		"address without port":    {"listen: localhost\n", "want HOST:PORT"},
		"port too large":          {"listen: 'localhost:65536'\n", `want a port from 0 to 65535, not "65536"`},
		"named port":              {"listen: 'localhost:http'\n", "want a port"},
		"port with zeros":         {"listen: 'localhost:080'\n", "want a port"},
		"no data directory":       {"data: ' '\n", "must not be empty"},
		"level":                   {"log.level: loud\n", `want one of debug, info, warn, error, not "loud"`},
		"region":                  {"default_region: UK\n", `want a country such as US, GB or DE, not "UK"`},
		"prefix":                  {"vendor.prefix: 'T T'\n", "want 1 to 32 letters and digits"},
		"namespace with a colon":  {"vendor.namespace: 'a:b'\n", "want 1 to 64 letters"},
		"base URL":                {"base_url: https://example.com/messages/\n", ""},
		"base URL with version":   {"base_url: https://example.com/v2/\n", "leave out the final /v2"},
		"base URL with query":     {"base_url: https://example.com?a=b\n", "without user, query and fragment"},
		"base URL with fragment":  {"base_url: 'https://example.com#'\n", "without user, query and fragment"},
		"base URL without scheme": {"base_url: example.com\n", "want a URL such as"},
		"base URL without host":   {"base_url: 'http://:80'\n", "want a URL such as"},
		"origin with path":        {"cors.origins: [https://a.example/]\n", "use that"},
		"origin in capitals":      {"cors.origins: [https://A.example]\n", `as "https://a.example"`},
		"origin with usual port":  {"cors.origins: ['https://a.example:443']\n", `as "https://a.example"`},
		"wildcard origin":         {"cors.origins: ['*']\n", "* is refused"},
		"null origin":             {"cors.origins: ['null']\n", "want an origin"},
		"retention too short":     {"events.retention: 1s\n", "want a duration from 1m to 876000h, not 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			mustWrite(t, "f.yaml", test.file)
			_, err := Load(Sources{File: "f.yaml"})
			wantError(t, err, test.want)
		})
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	_, err := Load(Sources{File: missing})
	wantError(t, err, missing)

	large := filepath.Join(t.TempDir(), "large.yaml")
	mustWrite(t, large, strings.Repeat("#", maxFileBytes+1))
	_, err = Load(Sources{File: large})
	wantError(t, err, "is larger than")
}

// A name that one setting has whole and another has after its section, such as
// listen, means the first; so does every run.
func TestNearestKeyIsTheSameEveryTime(t *testing.T) {
	known := make(map[string]*setting)
	for _, s := range Default().settings() {
		known[s.key] = s
	}
	for range 100 {
		for key, want := range map[string]string{"lisen": "listen", "brust": "limits.burst",
			"metrics.lisen": "metrics.listen"} {
			if got := nearestKey(key, known); got != want {
				t.Fatalf("nearestKey(%q) = %q, want %q", key, got, want)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"same", "same", 0}, {"ab", "ba", 2}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if got := nearest("b", []string{"d", "c", "a"}); got != "a" {
		t.Errorf("nearest of equals is %q, want the first", got)
	}
}

// No file, however odd, may crash the server, and none with an unknown key may
// be taken silently.
func FuzzFile(f *testing.F) {
	var b strings.Builder
	if err := Describe(&b); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		b.String(), "", "limits: {burst: 1}\n", "a: &x {b: *x}\n", "<<: {listen: ':1'}\n", "? [a]\n: b\n",
		"listen: !!binary aGVsbG8=\n", "limits.burst: 0x10\n", "\xff\xfe", "--- !!set {listen}\n",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "fuzz.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Sources{File: path})
		if err == nil && c.Validate() != nil {
			t.Errorf("a file was accepted that gives invalid settings: %v", c.Validate())
		}
	})
}
