package api_test

import (
	"slices"
	"testing"

	"signet/internal/api"
	"signet/openapi/openapitest"
)

// TestRouterAndDocumentNameTheSameCalls: docs/api has a test of its own that
// compares its tables with the OpenAPI document.
func TestRouterAndDocumentNameTheSameCalls(t *testing.T) {
	t.Parallel()
	var described []string
	for _, op := range openapitest.Operations(t) {
		if op.Pattern == "/healthz" || op.Pattern == "/readyz" {
			continue // answered in front of the router
		}
		described = append(described, op.Method+" "+op.Pattern)
	}
	routed := new(api.API).Table()
	for _, call := range routed {
		if !slices.Contains(described, call) {
			t.Errorf("%s is not in the OpenAPI document", call)
		}
	}
	for _, call := range described {
		if !slices.Contains(routed, call) {
			t.Errorf("%s is in the OpenAPI document, and no route", call)
		}
	}
}
