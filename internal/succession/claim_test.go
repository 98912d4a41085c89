package succession

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"signet/internal/standby"
)

const testKey = "0123456789abcdef0123456789abcdef"

// Somebody who gives up waiting for a server that answers slowly has not found out that it is gone.
func TestInterruptedClaimPromotesNothing(t *testing.T) {
	for _, slow := range []string{"state", "fence"} {
		t.Run(slow, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // net/http tells of the client's end after it
				if strings.HasSuffix(r.URL.Path, slow) {
					interrupt()
					<-r.Context().Done()
					return
				}
				_ = json.NewEncoder(w).Encode(standby.State{Installation: "one", Role: standby.First})
			}))
			defer server.Close()
			peer, err := standby.NewPeer(server.URL, testKey, "")
			if err != nil {
				t.Fatal(err)
			}
			defer peer.Close()
			var p Promotion
			err = Claim(ctx, peer, "copy", standby.Position{Installation: "one"}, true, &p)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%+v, error %v", p, err)
			}
		})
	}
}
