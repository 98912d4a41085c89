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
			server := apptest.Start(t, func(cfg *config.Config) { cfg.Vendor = vendor })
			for path, render := range map[string]func(prefix, namespace string) ([]byte, error){
				"/openapi.json": openapi.JSON, "/openapi-3.0.json": openapi.JSON30,
			} {
				want, err := render(vendor.Prefix, vendor.Namespace)
				if err != nil {
					t.Fatal(err)
				}
				got := server.MustSend(t, server.NewHTTPClient(), apptest.Request{Method: "GET", Target: path})
				if got.Status != 200 || got.Header.Get("Content-Type") != "application/json" || got.Body != string(want) {
					t.Errorf("%s: got %d %v and %d bytes, want the document of %d bytes", path, got.Status, got.Header, len(got.Body),
						len(want))
				}
			}
		})
	}
}
