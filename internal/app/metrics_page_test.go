package app

import (
	"crypto/tls"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signet/internal/config"
	"signet/internal/live/natstest"
	"signet/internal/trace/tracetest"
)

// metricFamily is what is known of the series of one name.
type metricFamily struct {
	kind   string
	labels []string // sorted
	text   string   // what it means
}

// mustScrape reads the families of a text in Prometheus' format, with the labels that
// their series have.
func mustScrape(t *testing.T, text string) map[string]metricFamily {
	t.Helper()
	families := map[string]metricFamily{}
	var name string
	label := regexp.MustCompile(`([a-z_]+)="`)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			kind := ""
			name, kind, _ = strings.Cut(rest, " ")
			f := families[name]
			f.kind = kind
			families[name] = f
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, text, _ := strings.Cut(rest, " ")
			families[name] = metricFamily{text: text}
			continue
		}
		f := families[name]
		for _, found := range label.FindAllStringSubmatch(line, -1) {
			if found[1] != "le" && !slices.Contains(f.labels, found[1]) {
				f.labels = append(f.labels, found[1])
			}
		}
		slices.Sort(f.labels)
		families[name] = f
	}
	return families
}

// documentedMetrics reads the entries of docs/operate/metrics.md.
func documentedMetrics(t *testing.T) map[string]metricFamily {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(moduleRoot, "docs", "operate", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]metricFamily{}
	begin := regexp.MustCompile("(?m)^- `(signet_[a-z0-9_]+)`")
	rest := regexp.MustCompile(`^ \((gauge|counter|histogram), ([^;)]+)(?:; ([^)]+))?\): (.+)`)
	quoted := regexp.MustCompile("`([a-z_]+)`")
	text := strings.ReplaceAll(string(page), "\n  ", " ")
	for _, at := range begin.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		found := rest.FindStringSubmatch(text[at[1]:])
		if found == nil {
			t.Errorf("docs/operate/metrics.md: the entry of %s is not: name (type, unit; labels): meaning", name)
			continue
		}
		if _, twice := entries[name]; twice {
			t.Errorf("docs/operate/metrics.md describes %s twice", name)
		}
		entry := metricFamily{kind: found[1], text: found[4]}
		for _, label := range quoted.FindAllStringSubmatch(found[3], -1) {
			entry.labels = append(entry.labels, label[1])
		}
		slices.Sort(entry.labels)
		entries[name] = entry
	}
	return entries
}

// mustServeAll returns what /metrics serves, as text: of a server on the embedded store, of one on
// PostgreSQL, of one that has NATS and a copy of its key ring, and of a pair. A metric that only some
// servers have is served by one of these.
func mustServeAll(t *testing.T) (texts []string) {
	t.Helper()
	trusting := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, change := range []func(*config.Config){
		func(cfg *config.Config) {
			mustCertify(t, cfg)
			cfg.Tracing.Endpoint = tracetest.Start(t).URL
		},
		func(cfg *config.Config) { mustShare(t, cfg) },
		func(cfg *config.Config) {
			mustShare(t, cfg)
			cfg.NATS = natstest.Start(t).URL()
			cfg.KeyringCopy = "file:" + filepath.Join(t.TempDir(), "copy")
		},
	} {
		cfg := settings(t)
		cfg.Metrics.Listen = "127.0.0.1:0"
		change(cfg)
		a, err := Open(t.Context(), cfg, quiet())
		if err != nil {
			t.Fatal(err)
		}
		a.warnings.Set("disk", "a warning, so that there is one")
		stop := mustRun(t, a)
		scheme := "http://"
		if cfg.TLS.Cert != "" {
			scheme = "https://"
		}
		mustFetch(t, trusting, "GET", scheme+a.Addr().String()+"/v2/nowhere") // so that a call was counted
		var text string
		wantIn(t, "the server has swept and the queues are counted", func() bool { // both in the background
			var answer *http.Response
			answer, text = mustDo(t, "GET", "http://"+a.MetricsAddr().String()+"/metrics")
			wantStatus(t, answer, http.StatusOK)
			return strings.Contains(text, "signet_queues_counted_timestamp_seconds ") &&
				!strings.Contains(text, `signet_task_last_success_timestamp_seconds{task="key_uses"} 0`)
		})
		texts = append(texts, text)
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	return append(texts, mustServePair(t)...)
}

// What /metrics serves is what docs/operate/metrics.md describes, and what Grafana's boards and the
// rules for Prometheus ask for.
func TestMetricsAreDescribedAndShown(t *testing.T) {
	texts := mustServeAll(t)
	served := map[string]metricFamily{}
	for _, text := range texts {
		for name, f := range mustScrape(t, text) {
			f.labels = slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.labels, served[name].labels))))
			served[name] = f
		}
	}
	t.Run("page", func(t *testing.T) { wantDescribed(t, served) })
	t.Run("boards", func(t *testing.T) { wantShown(t, texts, served) })
	t.Run("rules", func(t *testing.T) { wantAsked(t, served) })
}

// wantDescribed compares docs/operate/metrics.md with what is served: names, types, labels.
func wantDescribed(t *testing.T, served map[string]metricFamily) {
	rows := documentedMetrics(t)
	for _, name := range slices.Sorted(maps.Keys(served)) {
		f := served[name]
		if prefix, _, _ := strings.Cut(name, "_"); slices.Contains([]string{"go", "process", "promhttp"}, prefix) {
			continue // described by a sentence
		}
		row, ok := rows[name]
		switch {
		case !ok:
			t.Errorf("docs/operate/metrics.md has no entry for %s (%s %v: %s)", name, f.kind, f.labels, f.text)
		case row.kind != f.kind:
			t.Errorf("docs/operate/metrics.md: %s is a %s, not a %s", name, f.kind, row.kind)
		case !slices.Equal(row.labels, f.labels):
			t.Errorf("docs/operate/metrics.md: %s has the labels %v, not %v", name, f.labels, row.labels)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if _, ok := served[name]; !ok {
			t.Errorf("docs/operate/metrics.md describes %s, which no server serves", name)
		}
	}
}

// mustServePair returns what /metrics serves of a server and of its standby.
func mustServePair(t *testing.T) (texts []string) {
	t.Helper()
	cfg := pairSettings(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, a)
	s, _ := mustFollow(t, standbySettings(t, a))
	for _, at := range []string{a.Addr().String(), s.Addr().String()} {
		answer, text := mustDo(t, "GET", "http://"+at+"/metrics")
		wantStatus(t, answer, http.StatusOK)
		texts = append(texts, text)
	}
	return texts
}
