package app

import (
	"regexp"
	"slices"
	"testing"

	"signet/internal/trace"
	"signet/internal/trace/tracetest"
)

// wantSpans wants each route to be traced, and no attribute that is not allowed.
func wantSpans(t *testing.T, collector *tracetest.Collector, routes []string) {
	t.Helper()
	traced, allowed := map[string]bool{}, trace.Keys()
	for _, span := range collector.Spans() {
		a := tracetest.Attributes(span)
		method, _ := a["http.request.method"].(string)
		route, _ := a["http.route"].(string)
		traced[method+" "+parameters.ReplaceAllString(route, "{}")] = true
		for name := range a {
			if !slices.Contains(allowed, name) {
				t.Errorf("the span %s has the attribute %s", span.Name, name)
			}
		}
	}
	for _, route := range routes {
		probe := route == "GET /healthz" || route == "GET /readyz" // of the server, not of the interface
		if !probe && !traced[bracketed.ReplaceAllString(route, "{}")] {
			t.Errorf("no call of %s is traced", route)
		}
	}
}

// The parameters of a route as spans have them, and as the document of the interface does.
var parameters, bracketed = regexp.MustCompile(`:[a-z_]+`), regexp.MustCompile(`\{[a-z_]+\}`)
