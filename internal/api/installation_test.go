package api_test

import (
	"strings"
	"testing"
	"time"

	"signet/internal/config"
)

func TestSettingsAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	const canary = "CaNaRy0123456789"
	given, err := config.Load(config.Sources{
		Environ: []string{"SIGNET_DATABASE=postgres://signet:" + canary + "@db.example.com/signet",
			"SIGNET_INSECURE_LINKS=true"},
		Flags: map[string]string{
			"keyring":      "postgres://keys.example.com/ring?password=" + canary,
			"keyring.copy": "postgres://u:" + canary + "@copy.example.com/ring",
			"nats":         "nats://" + canary + "@a:4222,tls://u:" + canary + "@b:4222",
			"blobs":        "s3://signet?endpoint=s3.example.com&secret_key=" + canary,
			"limits.burst": "7",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(f *figures) { f.settings = given })
	got := s.operator.get("/v2/settings").want(200)
	if strings.Contains(string(got.content), canary) {
		t.Fatalf("a secret is shown: %s", got.content)
	}
	all := got.reply().at("results").list()
	if want := len(config.Settings()); len(all) != want {
		t.Errorf("there are %d settings, want %d", len(all), want)
	}
	for _, r := range all {
		origin := ""
		if r.has("origin") {
			origin = r.text("origin")
		}
		want := map[string]string{
			"database":     "postgres://signet:***@db.example.com/signet|environment|variable SIGNET_DATABASE",
			"keyring":      "postgres://keys.example.com/ring?password=***|flag|flag --keyring",
			"keyring.copy": "postgres://u:***@copy.example.com/ring|flag|flag --keyring.copy",
			"nats":         "nats://***@a:4222,tls://u:***@b:4222|flag|flag --nats",
			"blobs":        "s3://signet?endpoint=s3.example.com&secret_key=***|flag|flag --blobs",
			"limits.burst": "7|flag|flag --limits.burst", "log.format": "text|default|",
		}[r.text("key")]
		if shown := r.text("value") + "|" + r.text("source") + "|" + origin; want != "" && shown != want {
			t.Errorf("%s is %s, want %s", r.text("key"), shown, want)
		}
		r.wantFields(fields{"secret": strings.Contains(r.text("value"), "***")})
	}
	boss := s.mustCreateAdmin(s.mustCreateOrganization("Clinic"), "boss")
	boss.get("/v2/settings").want(403)
	lines := func() (n int) {
		for _, e := range s.operator.get("/v2/audit").reply().list() {
			if e.text("action") == "settings.read" && e.text("account") == s.operator.token {
				n++
			}
		}
		return n
	}
	if n := lines(); n != 1 {
		t.Errorf("there are %d lines of it, want 1", n)
	}
	s.operator.get("/v2/settings").want(200)
	if n := lines(); n != 1 {
		t.Errorf("the same hour has %d lines, want 1", n)
	}
	s.clock.Advance(time.Hour)
	s.operator.get("/v2/settings").want(200)
	if n := lines(); n != 2 {
		t.Errorf("another hour has %d lines, want 2", n)
	}
}
