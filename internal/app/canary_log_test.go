package app

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"signet/internal/config"
	"signet/internal/testenv"
	"signet/internal/trace/tracetest"
)

// routes are those of the interface's document, which names the same ones as the
// router (a test of package api).
func (v *aviary) routes() []string {
	v.t.Helper()
	answer, err := v.http.Get(v.app.BaseURL() + "/openapi.json")
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	var routes []string
	for place, methods := range document.Paths {
		for method := range methods {
			if slices.Contains([]string{"get", "post", "put", "delete", "patch"}, method) {
				routes = append(routes, strings.ToUpper(method)+" "+place)
			}
		}
	}
	return routes
}

// TestCanariesAreInNoLog sends words that stand for secrets, contents, metadata,
// addresses and names through every route: in requests that succeed, in such that
// somebody would send who means no good, in panics, and while the store is away. None
// of them may come up in the log, the metrics or the traces, and none but names in an error.
func TestCanariesAreInNoLog(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	collector := tracetest.Start(t)
	v := openAviary(t, func(cfg *config.Config) {
		cfg.Tracing.Endpoint = collector.URL
		cfg.Egress.Push, cfg.Egress.Webhooks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
		cfg.Egress.Networks = []string{"127.0.0.1"}
	})
	routes := v.routes()
	for _, route := range routes {
		if sightings[route] == nil {
			t.Errorf("%s has no canary: add a request to this test that puts one wherever its sender says something", route)
		}
	}
	for route := range sightings {
		if !slices.Contains(routes, route) {
			t.Errorf("%s has a canary, and is no route", route)
		}
	}
	v.pushed()
	v.hooked()
	later := v.sendAll()
	v.followSocket()
	for _, route := range slices.Sorted(maps.Keys(sightings)) {
		if route == "POST /v2/logout" || route == "DELETE /v2/events" {
			continue // nothing of them is said in another way
		}
		v.vary(later[route])
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", v.app.BaseURL()+"/v2/user", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(panicHeader, v.word(ofContent, "panic before the interface"))
	if answer, err := v.http.Do(r); err == nil {
		answer.Body.Close()
		t.Errorf("a panic is answered with %d", answer.StatusCode)
	}
	_, metrics := mustDo(t, "GET", v.app.BaseURL()+"/metrics")
	v.wantSilence("/metrics", metrics)
	for _, said := range []string{"a handler panicked", "a call panicked", "credentials_invalid", `"route":"/v2/message"`,
		"route=/v2/message ", "a push service does not take what is pushed", "a webhook was disabled"} {
		if !strings.Contains(v.log.String(), said) {
			t.Errorf("the log does not say %q: this test looks at the wrong place", said)
		}
	}

	// The store goes away, and every call fails in a way that nobody foresaw.
	if err := v.close(); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, l := range later {
		if l.want = 0; v.mustSend(l).StatusCode >= 500 {
			failed++
		}
	}
	if failed < len(later)*3/4 {
		t.Errorf("%d of %d calls failed without a store", failed, len(later))
	}
	if !strings.Contains(v.log.String(), "a call failed") {
		t.Error("the log says of no call that it failed")
	}
	v.wantSilence("the log", v.log.String())
	if err := v.stop(); err != nil {
		t.Error(err)
	}
	wantSpans(t, collector, routes)
	v.wantSilence("what the collector of traces gets", string(collector.Raw()))
}
