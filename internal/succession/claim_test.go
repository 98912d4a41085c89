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

	"signet/internal/blob/s3test"
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

// A bucket that is there has to take the claim: of two standbys that were promoted without it, both would be the first
// of one term. One that is away holds up nobody.
func TestNothingIsPromotedWhereTheBucketTakesNoClaim(t *testing.T) {
	server := s3test.Shared(t)
	for what, c := range map[string]struct {
		method   string
		status   int
		promotes bool
	}{
		"it takes no claim":         {http.MethodPut, http.StatusForbidden, false},
		"others claim all the time": {http.MethodPut, http.StatusConflict, false},
		"it does not show claims":   {http.MethodGet, http.StatusForbidden, false},
		"it cannot read":            {http.MethodGet, http.StatusServiceUnavailable, true},
		"it cannot write":           {http.MethodPut, http.StatusServiceUnavailable, true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			at := server.Refusing(t, func(r *http.Request) int {
				if r.Method == c.method {
					return c.status
				}
				return 0
			})
			bucket, err := standby.NewBucket(server.Bucket(t).Through(at), testKey)
			if err != nil {
				t.Fatal(err)
			}
			defer bucket.Close()
			var p Promotion
			err = Claim(t.Context(), bucket, "copy", standby.Position{Installation: "one"}, true, &p)
			if c.promotes && (err != nil || p.Reason == "" || p.Term != 1) ||
				!c.promotes && !errors.Is(err, standby.ErrNotClaimed) {
				t.Errorf("%+v, error %v", p, err)
			}
		})
	}
}
