package app

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// mustShare has the server store in a database, as one that others use too.
func mustShare(t *testing.T, cfg *config.Config) {
	t.Helper()
	master, err := offline.NewMasterKey()
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
	testenv.Long(t)
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
		_, err := w.bob.Forward(ctx, toAll, client.Forwarding{Recipient: "carol"})
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
		size, err := w.bob.ExportUser(ctx, "me", io.Discard)
		must(err)
		wantIn(t, "the archive is counted", func() bool {
			return mustMeasure(t, w.app)[`signet_exports_total{outcome="whole"}`]-before[`signet_exports_total{outcome="whole"}`] == 1
		})
		wantMoved(t, w.app, before, map[string]float64{
			`signet_export_bytes_total`:              float64(size),
			`signet_exports_total{outcome="failed"}`: 0, `signet_exports_total{outcome="left"}`: 0,
		})
		w.pass(2 * time.Minute)
		w.sweep()
		wantIn(t, "the sweep has removed both", func() bool {
			return mustMeasure(t, w.app)[`signet_messages_erased_total`]-before[`signet_messages_erased_total`] >= 2
		})
		wantMoved(t, w.app, before, map[string]float64{`signet_messages_expired_total`: 2, `signet_messages_erased_total`: 2})
		w.pass(2 * time.Hour)
		wantIn(t, "the sweep has removed all, the forwarded one too", func() bool {
			return mustMeasure(t, w.app)[`signet_messages_erased_total`]-before[`signet_messages_erased_total`] >= 5
		})
		// The recalled one did not expire.
		wantMoved(t, w.app, before, map[string]float64{`signet_messages_expired_total`: 4, `signet_messages_erased_total`: 5})
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

func TestMetricsTellWhatWaits(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		for _, p := range w.everybody() {
			if _, err := p.DeleteEvents(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		want := func(want map[string]float64) {
			t.Helper()
			got := mustMeasure(t, w.app)
			for series, n := range want {
				if value, ok := got[series]; !ok || value < n-.1 || value > n+1 { // ages go on
					t.Errorf("%s is %v (%v), want %v", series, value, ok, n)
				}
			}
		}
		w.sweep() // the survey is a background task too; nothing has ended
		want(map[string]float64{
			`signet_queues`: 0, `signet_queue_events`: 0, `signet_queue_oldest_age_seconds`: 0,
			`signet_queues_behind{reason="age"}`: 0, `signet_queues_behind{reason="length"}`: 0, `signet_nodes`: 1,
			`signet_sweep_backlog{what="messages"}`: 0, `signet_sweep_oldest_age_seconds`: 0,
		})
		for range 1001 {
			w.mustSendTo("bob", client.Outgoing{Body: "to bob", TTL: -1})
		}
		w.mustSendTo("carol", client.Outgoing{Body: "to carol", TTL: -1})
		w.pass(2 * time.Minute)
		want(map[string]float64{
			`signet_queues`: 2, `signet_queue_events`: 1002, `signet_queue_oldest_age_seconds`: 120,
			`signet_queues_behind{reason="age"}`: 0, `signet_queues_behind{reason="length"}`: 1,
			`signet_queues_counted_timestamp_seconds`: float64(w.began.Add(2 * time.Minute).Unix()),
		})
		w.pass(25 * time.Hour)
		want(map[string]float64{`signet_queues_behind{reason="age"}`: 2, `signet_queue_oldest_age_seconds`: 25*3600 + 120})
	})
}

// What ended waits for the sweep, which does not run here.
func TestMetricsTellTheSweepsBacklog(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		for range 3 {
			w.mustSendTo("bob", client.Outgoing{Body: "brief", TTL: 1})
		}
		w.mustSendTo("bob", client.Outgoing{Body: "long", TTL: 60})
		w.pass(5 * time.Minute)
		got := mustMeasure(t, w.app)
		if n, age := got[`signet_sweep_backlog{what="messages"}`], got[`signet_sweep_oldest_age_seconds`]; n != 3 ||
			age < 230 || age > 241 {
			t.Errorf("the backlog is %v messages, the oldest ended %v s ago; want 3, 240", n, age)
		}
	})
}

func TestMetricsMeasureTheStore(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		before := mustMeasure(t, w.app)
		for range 10 {
			w.mustSendTo("bob", client.Outgoing{Body: "to bob"})
		}
		after := mustMeasure(t, w.app)
		for _, series := range []string{
			`signet_store_transaction_duration_seconds_count{kind="write"}`, `signet_store_commit_duration_seconds_count`,
			`signet_store_batch_calls_count{kind="write"}`, `signet_store_batch_calls_sum{kind="write"}`,
			`signet_store_commits_total`,
		} {
			if n := after[series] - before[series]; n < 10 || n > 15 {
				t.Errorf("%s moved by %v with ten sends, one after the other", series, n)
			}
		}
		// A send takes several of each, and so does what runs beside it.
		counted := []string{`signet_store_statements_total`}
		if cfg.Database == "" {
			counted = append(counted, `signet_store_log_pages_total`)
		}
		for _, series := range counted {
			if n := after[series] - before[series]; n < 10 || n > 1000 {
				t.Errorf("%s moved by %v with ten sends", series, n)
			}
		}
		if took := after[`signet_store_commit_duration_seconds_sum`] - before[`signet_store_commit_duration_seconds_sum`]; took <= 0 || took > 10 {
			t.Errorf("ten commits took %v s", took)
		}
		if after[`signet_store_connections_limit`] < 1 {
			t.Error("there are no connections")
		}
		if cfg.Database == "" &&
			(after[`signet_store_bytes{file="database"}`] < 4096 || after[`signet_store_bytes{file="log"}`] < 4096) {
			t.Errorf("the files have %v and %v bytes", after[`signet_store_bytes{file="database"}`],
				after[`signet_store_bytes{file="log"}`])
		}
	})
}

func TestMetricsTellOfTheLastBackup(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	w := mustOpenWardAt(t, cfg, false)
	if at := mustMeasure(t, w.app)["signet_backup_last_success_timestamp_seconds"]; at != 0 {
		t.Errorf("there was a backup at %v before any", at)
	}
	target := filepath.Join(t.TempDir(), "backup")
	if _, err := offline.Backup(t.Context(), cfg, true, transfer.BackupOptions{Target: target}); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	got := mustMeasure(t, w.app)
	if at := got["signet_backup_last_success_timestamp_seconds"]; at < float64(w.began.Unix()) ||
		got["signet_backup_last_bytes"] < 4096 {
		t.Errorf("the last backup is told to be of %v with %v bytes", at, got["signet_backup_last_bytes"])
	}
	if _, err := offline.Backup(t.Context(), cfg, true, transfer.BackupOptions{Target: target}); err == nil {
		t.Fatal("a backup went over another one")
	}
	w.pass(time.Minute)
	again := mustMeasure(t, w.app)
	if at := again["signet_backup_last_failure_timestamp_seconds"]; at < float64(w.began.Unix()) {
		t.Errorf("the backup that failed is told to be of %v", at)
	}
	if again["signet_backup_last_success_timestamp_seconds"] != got["signet_backup_last_success_timestamp_seconds"] {
		t.Error("the backup that failed is taken for a success")
	}
}

func TestMetricsTellOfTheServerAndItsKeys(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		w.mustSendTo("bob", client.Outgoing{Body: "sealed", TTL: 60})
		got := mustMeasure(t, w.app)
		alone := cfg.Database == ""
		if got["signet_keyring_up"] != 1 || got["signet_keyring_keys"] < 1 || got["signet_keyring_destroyed_total"] != 0 {
			t.Errorf("ring up %v, %v keys, %v destroyed; want 1, some, 0",
				got["signet_keyring_up"], got["signet_keyring_keys"], got["signet_keyring_destroyed_total"])
		}
		// On PostgreSQL this test's clock is another one than the database's: not ready, as soon as that is noticed.
		wantIn(t, "readiness is told", func() bool { return mustMeasure(t, w.app)["signet_ready"] == oneIf(alone) })
		if alone {
			w.pass(72 * time.Hour)
			w.sweep()
			wantIn(t, "the message's key was destroyed",
				func() bool { return mustMeasure(t, w.app)["signet_keyring_destroyed_total"] >= 1 })
		}
		builds := 0
		for series, value := range mustMeasure(t, w.app) {
			if strings.HasPrefix(series, "signet_build_info{") && value == 1 {
				builds++
			}
		}
		if builds != 1 {
			t.Errorf("%d builds run, want 1", builds)
		}
	})
}
