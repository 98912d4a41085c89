package natsbus

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/live/natstest"
)

func TestPasswordIsUsedAndNotLogged(t *testing.T) {
	guarded := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "signet", "Pa55-word" })
	n := mustOpen(t, guarded.URLAs("signet", "Pa55-word"))
	if !n.Connected() {
		t.Error("it is not connected")
	}
	wrong := mustPrepare(t, guarded.URLAs("signet", "Pa55-wrong"))
	for !strings.Contains(wrong.Log.String(), "the bus is away") {
		wrong.Wake(context.Background(), alice)
	}
	_, err := Open(live.NewHub(0), Options{URL: "nats://signet:Pa55-word@bad host:x", Secret: secret})
	if err == nil {
		t.Fatal("a wrong address is accepted")
	}
	for _, text := range []string{n.Log.String(), wrong.Log.String(), err.Error()} {
		if text == "" || strings.Contains(text, "Pa55") {
			t.Errorf("the password is told, or nothing: %q", text)
		}
	}
}

func TestFirstOfManyRefusalsIsTold(t *testing.T) {
	n := mustOpen(t, startNATS(t).URL())
	for range 3 {
		n.bus.failed(nats.ErrPermissionViolation)
	}
	n.WantLogged(t, "the bus refused something", 1)
}

func TestReaderThatFallsBehindIsToLook(t *testing.T) {
	n := mustOpen(t, startNATS(t).URL())
	n.bus.failed(nats.ErrSlowConsumer)
	n.WantMissed(t)
}
