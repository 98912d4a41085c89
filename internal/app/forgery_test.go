package app

import (
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestRowsThatNoServerWroteAreTold changes a key behind a server's back, as somebody may who
// has the database, and puts it right again.
func TestRowsThatNoServerWroteAreTold(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for engine, database := range map[string]func(postgrestest.TB) string{
		"sqlite": func(postgrestest.TB) string { return "" }, "postgres": postgrestest.URL} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t)
			cfg.Database = database(t)
			w := mustOpenWardAt(t, cfg, false)
			wantVerified(t, cfg)
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
			changeDatabase(t, cfg, `UPDATE keys SET messages_per_day = 0 WHERE api_key = '`+w.alice.key+`'`)
			again := w.mustReopen(cfg)
			again.sweep()
			again.wantUser(again.alice, "a key that was changed", 401)
			again.wantUser(again.bob, "another key", 200)
			again.wantForgeryTold(w.alice.key)
			wantVerified(t, cfg, "key "+w.alice.key)
			if err := again.stop(); err != nil {
				t.Fatal(err)
			}
			changeDatabase(t, cfg, `UPDATE keys SET messages_per_day = -1 WHERE api_key = '`+w.alice.key+`'`)
			third := again.mustReopen(cfg)
			third.wantUser(third.alice, "a key that is as it was", 200)
			wantVerified(t, cfg)
		})
	}
}

// wantVerified asks both commands that verify rows for those that no server wrote.
func wantVerified(t *testing.T, cfg *config.Config, forged ...string) {
	t.Helper()
	told := map[string][]string{}
	keys, err := offline.VerifyKeys(t.Context(), cfg, false,
		func(line string) { told["keys"] = append(told["keys"], line) })
	if err != nil || keys.Forged != len(forged) || keys.Rows < 10 || keys.Broken > 0 {
		t.Errorf("keys verify: %+v, %v", keys, err)
	}
	log, err := offline.VerifyAudit(t.Context(), cfg, nil,
		func(line string) { told["audit"] = append(told["audit"], line) })
	if err != nil || log.NoCodes != nil || log.Forged != len(forged) || log.Rows < 10 {
		t.Errorf("audit verify: %+v, %v", log, err)
	}
	for command, lines := range told {
		if len(lines) != len(forged) || !strings.HasPrefix(lines[0], forged[0]+": ") {
			t.Errorf("%s verify says %q, want %q", command, lines, forged)
		}
	}
}

// wantForgeryTold waits until the audit log has that a key was changed, and looks where else it
// is told, without the key.
func (w *ward) wantForgeryTold(key string) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		entries, err := w.operator(mustReadCredentials(w.t, w.app.OperatorFile())).Audit(w.t.Context(), "",
			client.AuditQuery{Limit: 1000, Action: "row.forged"})
		if err == nil && len(entries) == 1 && entries[0].Detail == "key "+key && entries[0].Outcome == "refused" {
			break
		}
		if n == 1000 {
			w.t.Fatalf("the audit log has %+v, %v", entries, err)
		}
		<-tick.C
	}
	if _, body := mustDo(w.t, "GET", w.app.BaseURL()+"/readyz"); !strings.Contains(body, "signet keys verify") ||
		strings.Contains(body, key) {
		w.t.Errorf("/readyz says %s", body)
	}
	if _, metrics := mustDo(w.t, "GET", w.app.BaseURL()+"/metrics"); !strings.Contains(metrics,
		`signet_warning{topic="rows_forged"} 1`) || strings.Contains(metrics, "signet_rows_forged_total 0") {
		w.t.Error("the metrics do not tell of it")
	}
}
