package api_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"signet/internal/config"
	"signet/internal/health"
	"signet/internal/overview"
)

// installation is one of which the interface shows what it is told: what a server tells is
// tested with servers.
type installation struct{ clock func() time.Time }

func (i installation) Status(context.Context) (overview.Status, error) {
	now := i.clock()
	hour := now.Add(-time.Hour)
	return overview.Status{
		Asked: now, Embedded: true, Schema: 1,
		Nodes: []overview.Node{{Name: "ward", Version: "v1", Started: hour, Heard: now, Alive: true, Self: true},
			{Name: "away", Version: "v0", Started: hour, Heard: hour}},
		Server: overview.Server{
			Name: "ward", Version: "v1", Commit: "c", Started: hour, NotReady: errors.New("stopping"), Streams: 3,
			Messages:     overview.Messages{Sent: 1, Copies: 2, Delivered: 3, Read: 4, Expired: 5, Recalled: 6},
			Transactions: overview.Transactions{Retried: 1, Busy: 2, Unavailable: 3},
			Tasks:        []overview.Task{{Name: "messages", Failures: 2, Late: true}, {Name: "files", Succeeded: hour}},
			Parts:        []overview.Part{{Name: "keyring", Since: hour, Refused: 4}, {Name: "attachments", Up: true}},
			Keys:         5, Free: map[string]int64{"data": 9}, CertificateEnds: now.Add(time.Hour),
			Warnings: []health.Warning{{Topic: "disk", Text: "it is full"}},
		},
		Storage: overview.Storage{Database: 4096, Log: 7}, Sweep: overview.Waiting{Count: 1, Oldest: hour},
		Queues: &overview.Queues{Counted: now, Accounts: 1, Events: 2, Old: 3, Long: 4, Oldest: hour},
		Backup: &overview.Backup{Succeeded: hour, Bytes: 5, Failed: now},
	}, nil
}

func TestStatusIsToldToOperators(t *testing.T) {
	t.Parallel()
	s := start(t)
	now, hour := wireTimeOf(s.clock.Now()), wireTimeOf(s.clock.Now().Add(-time.Hour))
	got := s.operator.get("/v2/status").want(200).reply()
	got.wantFields(fields{"time": now, "store": "embedded", "data_version": 1,
		"storage": fields{"database_bytes": 4096, "log_bytes": 7}, "sweep": fields{"waiting": 1, "oldest_time": hour},
		"pieces": fields{"waiting": 0},
		"queues": fields{"counted_time": now, "accounts": 1, "events": 2, "behind_by_age": 3, "behind_by_length": 4,
			"oldest_event_time": hour},
		"backup": fields{"succeeded_time": hour, "age": 3600, "bytes": 5, "failed_time": now}})
	got.at("nodes", 1).wantFields(fields{"name": "away", "version": "v0", "started_time": hour, "heard_time": hour,
		"alive": false, "answers": false})
	got.at("server").wantFields(fields{"name": "ward", "version": "v1", "commit": "c", "started_time": hour,
		"uptime": 3600, "ready": false, "reason": "stopping", "streams": 3, "keys": 5, "free_bytes": fields{"data": 9},
		"messages":              fields{"sent": 1, "copies": 2, "delivered": 3, "read": 4, "expired": 5, "recalled": 6},
		"transactions":          fields{"retried": 1, "busy": 2, "unavailable": 3},
		"certificate_ends_time": wireTimeOf(s.clock.Now().Add(time.Hour)),
		"warnings":              []any{fields{"topic": "disk", "text": "it is full"}}})
	got.at("server", "tasks", 0).wantFields(fields{"name": "messages", "failures": 2, "late": true}, "succeeded_time")
	got.at("server", "parts", 0).wantFields(fields{"name": "keyring", "up": false, "away_since_time": hour,
		"refused_calls": 4})
	boss := s.mustCreateAdmin(s.mustCreateOrganization("Clinic"), "boss")
	boss.get("/v2/status").want(403)
	s.operator.get("/v2/status").want(200)
	if n := s.ownLines("status.read"); n != 1 {
		t.Errorf("the same hour has %d lines, want 1", n)
	}
}

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
	lines := func() int { return s.ownLines("settings.read") }
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

// ownLines counts the lines of what the operator did.
func (s *server) ownLines(action string) (n int) {
	for _, e := range s.operator.get("/v2/audit").reply().list() {
		if e.text("action") == action && e.text("account") == s.operator.token {
			n++
		}
	}
	return n
}
