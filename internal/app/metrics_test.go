package app

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
)

// mustShare has the server store in a database, as one that others use too.
func mustShare(t *testing.T, cfg *config.Config) {
	t.Helper()
	master, err := NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "master.json")
	mustWrite(t, path, string(master), 0o600)
	cfg.Database, cfg.Keyring, cfg.MasterKey = postgrestest.URL(t), postgrestest.URL(t), "file:"+path
}

// onBothStores runs a test on the embedded store and on PostgreSQL.
func onBothStores(t *testing.T, test func(t *testing.T, cfg *config.Config)) {
	t.Helper()
	for name, change := range map[string]func(*testing.T, *config.Config){
		"embedded": func(*testing.T, *config.Config) {}, "postgres": mustShare,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t)
			change(t, cfg)
			test(t, cfg)
		})
	}
}

// mustMeasure reads all series of a server, each by its name and labels.
func mustMeasure(t *testing.T, a *App) map[string]float64 {
	t.Helper()
	_, text := mustDo(t, "GET", "http://"+a.Addr().String()+"/metrics")
	values := map[string]float64{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		var err error
		if values[line[:at]], err = strconv.ParseFloat(line[at+1:], 64); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return values
}

// wantMoved checks by how much series differ from what they were before.
func wantMoved(t *testing.T, a *App, before map[string]float64, want map[string]float64) {
	t.Helper()
	after := mustMeasure(t, a)
	for series, n := range want {
		if _, ok := after[series]; !ok {
			t.Errorf("there is no %s", series)
		} else if got := after[series] - before[series]; got != n {
			t.Errorf("%s moved by %v, want %v", series, got, n)
		}
	}
}

func TestMetricsCountMessages(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		before, ctx := mustMeasure(t, w.app), t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		toBob := w.mustSendTo("bob", client.Outgoing{Body: "one", TTL: 1})
		w.mustSendTo("bob", client.Outgoing{Body: "two", TTL: 1})
		toAll := w.mustSendTo(w.group, client.Outgoing{Body: "three", TTL: 60})
		taken := w.mustSendTo(w.group, client.Outgoing{Body: "four", TTL: 60})
		_, err := w.bob.Forward(ctx, toBob, client.Forwarding{Recipient: "carol"})
		must(err)
		wantMoved(t, w.app, before, map[string]float64{
			`signet_messages_sent_total{to="one"}`: 3, `signet_messages_sent_total{to="group"}`: 2,
			`signet_message_copies_total{to="one"}`: 3, `signet_message_copies_total{to="group"}`: 4,
			`signet_message_copies_delivered_total`: 0, `signet_message_copies_read_total`: 0,
		})
		events, err := w.bob.Poll(ctx, client.PollOptions{})
		must(err)
		for _, e := range events {
			must(w.bob.Ack(ctx, e.ID))
			must(w.bob.Ack(ctx, e.ID)) // again: nothing more
		}
		must(w.bob.MarkRead(ctx, toBob, toAll))
		must(w.bob.MarkRead(ctx, toBob, toAll))
		must(w.carol.MarkRead(ctx, toAll)) // read without
		must(w.alice.Recall(ctx, taken))
		must(w.alice.Recall(ctx, taken))
		wantMoved(t, w.app, before, map[string]float64{
			`signet_message_copies_delivered_total`: 5, // bob's four, carol's one
			`signet_message_copies_read_total`:      3,
			`signet_messages_recalled_total`:        1,
			`signet_messages_expired_total`:         0, `signet_messages_erased_total`: 0,
		})
		w.pass(2 * time.Minute)
		w.sweep()
		wantIn(t, "the sweep has removed both", func() bool {
			return mustMeasure(t, w.app)[`signet_messages_erased_total`]-before[`signet_messages_erased_total`] >= 2
		})
		wantMoved(t, w.app, before, map[string]float64{`signet_messages_expired_total`: 2, `signet_messages_erased_total`: 2})
		w.pass(2 * time.Hour)
		wantIn(t, "the sweep has removed all but the forwarded one", func() bool {
			return mustMeasure(t, w.app)[`signet_messages_erased_total`]-before[`signet_messages_erased_total`] >= 4
		})
		// The recalled one did not expire.
		wantMoved(t, w.app, before, map[string]float64{`signet_messages_expired_total`: 3, `signet_messages_erased_total`: 4})
		after := mustMeasure(t, w.app)
		now := float64(w.began.Add(2*time.Hour + 2*time.Minute).Unix())
		for series, value := range after {
			switch name, _, _ := strings.Cut(series, "{"); {
			case name == "signet_task_last_success_timestamp_seconds" && value < now-7200:
				t.Errorf("%s is %v, before this test began", series, value)
			case name == "signet_task_failures_total" && value != 0:
				t.Errorf("%s is %v, want none", series, value)
			}
		}
	})
}
