package natsbus

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"signet/internal/live/natstest"
)

// TestTryFindsOutWhetherNATSTakesTheNodeIn, and repeats no password.
func TestTryFindsOutWhetherNATSTakesTheNodeIn(t *testing.T) {
	guarded := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "signet", "Pa55-word" })
	before := guarded.Subscriptions()
	if err := Try(t.Context(), Options{URL: guarded.URLAs("signet", "Pa55-word")}); err != nil {
		t.Errorf("it is refused: %v", err)
	}
	if after := guarded.Subscriptions(); after != before {
		t.Errorf("there were %d subscriptions, and there are %d", before, after)
	}
	for what, o := range map[string]Options{
		"a wrong password":        {URL: guarded.URLAs("signet", "Pa55-wrong")},
		"nobody":                  {URL: "nats://signet:Pa55-word@127.0.0.1:1"},
		"an address that is none": {URL: "nats://signet:Pa55-word@bad host:x"},
		"a file that is missing":  {URL: guarded.URL(), Login: "token:" + filepath.Join(t.TempDir(), "none")},
	} {
		if err := Try(t.Context(), o); err == nil || strings.Contains(err.Error(), "Pa55") {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
}
