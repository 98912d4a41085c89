package apidocs

import (
	"testing"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/openapi"
)

// TestServerShowsTheDocument: to everybody, with the vendor's names that the
// server is configured with.
func TestServerShowsTheDocument(t *testing.T) {
	t.Parallel()
	for name, vendor := range map[string]config.Vendor{
		"the default names": config.Default().Vendor,
		"other names":       {Prefix: "AC", Namespace: "acme"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := openapi.JSON(vendor.Prefix, vendor.Namespace)
			if err != nil {
				t.Fatal(err)
			}
			server := apptest.Start(t, func(cfg *config.Config) { cfg.Vendor = vendor })
			got := server.MustSend(t, server.NewHTTPClient(), apptest.Request{Method: "GET", Target: "/openapi.json"})
			if got.Status != 200 || got.Header.Get("Content-Type") != "application/json" || got.Body != string(want) {
				t.Errorf("got %d %v and %d bytes, want the document of %d bytes", got.Status, got.Header, len(got.Body), len(want))
			}
		})
	}
}
