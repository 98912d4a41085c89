package app

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/transfer"
)

// mustFindSeries is the value of a series.
func mustFindSeries(t *testing.T, metrics, series string) float64 {
	t.Helper()
	_, rest, found := strings.Cut("\n"+metrics, "\n"+series+" ")
	text, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.ParseFloat(text, 64)
	if !found || err != nil {
		t.Fatalf("%s is not served: %q, %v", series, text, err)
	}
	return value
}

func tryNoBackups(t *testing.T, cfg *config.Config, seen *witness) {
	// A backup has the machine's time, and so has the server when one is made.
	w := mustWatch(t, cfg, seen, watching{began: time.Now().Add(-30 * time.Hour), empty: true, step: 10 * time.Minute})
	w.want(26 * time.Hour)
	w.want(2*time.Hour, "SignetBackupOverdue")
	w.pass(time.Since(w.now()).Round(time.Millisecond))
	target := filepath.Join(t.TempDir(), "backup")
	backup := func() error {
		_, err := offline.Backup(t.Context(), cfg, true, transfer.BackupOptions{Target: target})
		return err
	}
	must(t, backup())
	w.want(20 * time.Minute)
	if backup() == nil {
		t.Fatal("a backup went over another one")
	}
	w.want(20*time.Minute, "SignetBackupFailed")
	target += " of another day"
	must(t, backup())
	w.want(20 * time.Minute)
}

func tryAuditChanged(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{})
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	write := func() { // the ends of chains that have something new are signed once a minute
		_, err := operator.CreateOrganization(t.Context(), fmt.Sprint("Audited ", w.now()), client.OrganizationSettings{})
		must(t, err)
	}
	write()
	w.want(5 * time.Minute)
	change(t, cfg.Data, `UPDATE audit_entries SET times = times + 1 WHERE chain = '' AND number = 1`,
		`DELETE FROM audit_checkpoints WHERE chain = ''`)
	write()
	broken := func(want float64) {
		t.Helper()
		wantIn(t, fmt.Sprint("the audit log is broken: ", want), func() bool {
			w.pass(6 * time.Second)
			return mustFindSeries(t, w.metrics(), "signet_audit_chain_broken") == want
		})
	}
	broken(1)
	w.want(time.Minute, "SignetAuditLogChanged")
	change(t, cfg.Data, `UPDATE audit_entries SET times = times - 1 WHERE chain = '' AND number = 1`)
	broken(0)
	w.want(time.Minute)
}

func tryKeyForged(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	w.want(5 * time.Minute)
	w.mustStop()
	change(t, cfg.Data, `UPDATE keys SET messages_per_day = 0 WHERE api_key = '`+w.alice.key+`'`)
	w.mustServe()
	w.each = func() {
		w.each = nil
		w.scrape() // a Prometheus that sees nothing before the first sees no increase
		w.pass(w.step)
		if status := w.send(0); status != http.StatusUnauthorized {
			t.Fatalf("a send with a key that nobody made was answered %d", status)
		}
	}
	w.want(5*time.Minute, "SignetRowsForged")
	w.want(20*time.Minute, "SignetRowsForged", "SignetWarning")
	w.mustStop()
	change(t, cfg.Data, `UPDATE keys SET messages_per_day = -1 WHERE api_key = '`+w.alice.key+`'`)
	w.mustServe()
	w.each = w.mustSendWell
	w.want(70 * time.Minute)
}
