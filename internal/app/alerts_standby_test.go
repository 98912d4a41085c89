package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/config"
	"signet/internal/home"
)

// A standby is scraped beside the server that it follows, and serves nobody on purpose: only that it could
// not become the server is told.
func tryStandbyWithoutKeys(t *testing.T, cfg *config.Config, seen *witness) {
	pair := pairSettings(t)
	cfg.Standby = pair.Standby
	w := mustWatch(t, cfg, seen, watching{own: true})
	of := standbySettings(t, w.app)
	master := filepath.Join(of.Data, home.MasterFile)
	must(t, os.Rename(master, master+".away"))
	s, _ := mustFollow(t, of)
	metrics := func() string {
		answer, text := mustDo(t, "GET", "http://"+s.Addr().String()+"/metrics")
		wantStatus(t, answer, http.StatusOK)
		return text
	}
	warns := func() bool { return strings.Contains(metrics(), `signet_warning{topic="standby_keys"} 1`) }
	wantIn(t, "the standby warns of its keys", warns)
	awaitCopy(t, s)
	w.each = func() {
		w.prometheus.Scrape(w.now(), map[string]string{"job": "signet", "instance": "signet-2:9090"}, metrics())
	}
	w.want(20*time.Minute, "SignetWarning")
	must(t, os.Rename(master+".away", master))
	wantIn(t, "the standby warns no more", func() bool { return !warns() })
	w.want(20 * time.Minute)
}
