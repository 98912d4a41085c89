package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/config"
)

func tryServerGone(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{})
	// At first Prometheus does not know it at all.
	for range 6 {
		w.pass(w.step)
		w.evaluate()
	}
	if len(w.firing) != 1 || w.firing[0] != "SignetDown" {
		t.Fatalf("while nothing is scraped %q fire", w.firing)
	}
	w.want(3 * time.Minute)
	w.mustStop()
	w.want(3*time.Minute, "SignetDown")
	w.mustServe()
	w.want(3 * time.Minute)
}

// On the embedded store a clock that jumps is in doubt.
func tryClockJumps(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{own: true})
	w.until("signet_clock_in_doubt", 0)
	w.want(6 * time.Minute)
	w.ahead.Store(int64(wrongBy))
	w.until("signet_clock_in_doubt", 1)
	w.want(15*time.Minute, "SignetClockOff") // and not that the sweep, which waits, is late
	w.ahead.Store(0)
	w.until("signet_clock_in_doubt", 0)
	w.want(2 * time.Minute)
}

// On a database it is compared with the database's.
func tryClockApart(t *testing.T, cfg *config.Config, seen *witness) {
	mustShare(t, cfg)
	w := mustWatch(t, cfg, seen, watching{own: true, empty: true})
	w.until("signet_ready", 1)
	w.want(6 * time.Minute)
	w.ahead.Store(int64(time.Second))
	w.until("signet_ready", 0)
	w.until("signet_clock_in_doubt", 1)
	w.want(8*time.Minute, "SignetClockOff", "SignetNotReady")
	w.ahead.Store(0)
	w.until("signet_ready", 1)
	w.until("signet_clock_in_doubt", 0)
	w.want(2 * time.Minute)
}

func tryCertificateEnds(t *testing.T, cfg *config.Config, seen *witness) {
	const day = 24 * time.Hour
	ends := func(left time.Duration) (cert, key string) {
		var made config.Config
		mustCertifyUntil(t, &made, time.Now().Add(left))
		return made.TLS.Cert, made.TLS.Key
	}
	cfg.TLS.Cert, cfg.TLS.Key = ends(60 * day)
	w := mustWatch(t, cfg, seen, watching{empty: true, step: 5 * time.Minute})
	w.want(time.Hour)
	renew := func(left time.Duration) {
		cert, key := ends(left)
		must(t, os.Rename(key, cfg.TLS.Key))
		must(t, os.Rename(cert, cfg.TLS.Cert))
		w.app.Reload()
	}
	renew(10 * day)
	w.want(time.Hour, "SignetCertificateEnding")
	renew(day)
	w.want(time.Hour, "SignetCertificateEndsSoon")
	renew(-time.Hour)
	w.want(time.Hour, "SignetCertificateEndsSoon")
	renew(90 * day)
	w.want(10 * time.Minute)
}

// Of what a server warns there is an alert where nothing else tells it.
func tryFilesOpen(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	w.want(5 * time.Minute)
	w.mustStop()
	must(t, os.Chmod(cfg.Data, 0o755))
	must(t, os.Chmod(filepath.Join(cfg.Data, "operator.json"), 0o644))
	w.mustServe()
	w.until(`signet_warning{topic="files_open"}`, 1)
	w.want(20*time.Minute, "SignetWarning")
	w.mustStop()
	must(t, os.Chmod(cfg.Data, 0o700))
	must(t, os.Chmod(filepath.Join(cfg.Data, "operator.json"), 0o600))
	w.mustServe()
	w.want(2 * time.Minute)
}
