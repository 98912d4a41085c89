package api_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

// transports are the two ways in which a stream is opened: one core, and the same
// tests for both.
var transports = map[string]func(p *person, query string, options ...option) *stream{
	"SSE": (*person).openStream,
	"WebSocket": func(p *person, query string, options ...option) *stream {
		st, _ := p.openSocket(query, options...)
		return st
	},
}

func TestStreamReplaysAndGoesOn(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, open := range transports {
		c.bob.forgetEvents()
		open(c.bob, "").wantReplay() // brackets, also when there is nothing
		first := c.alice.mustSend(c.bob.token, name)
		st, second := open(c.bob, ""), open(c.bob, "")
		st.wantReplay("message")[0].wantFields(fields{"message_id": first, "body": name})
		second.wantReplay("message")
		next := c.alice.mustSend(c.bob.token, "next")
		for _, s := range []*stream{st, second} { // another stream gets the same events
			got := s.wantNext("message")
			got.wantFields(fields{"message_id": next})
			if name == "SSE" && !got.hasID {
				t.Error("a queued event has no id line")
			}
		}
		if got := idsOf(c.bob.wantEvents("message", "message")); got[0] == "" || got[0] == got[1] {
			t.Errorf("the ids are %v", got)
		}
	}
}

func TestStreamSkipsWhatItsConnectionHadSeen(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for i := range 3 {
		c.alice.mustSend(c.bob.token, number(i))
	}
	ids := idsOf(c.bob.events())
	for name, open := range transports {
		open(c.bob, "", header("Last-Event-ID", ids[1])).wantReplay("message")[0].wantFields(fields{"body": "2"})
		open(c.bob, "lastEventId="+ids[0]).wantReplay("message", "message")
		open(c.bob, "lastEventId="+ids[2]).wantReplay()
		epoch, position, _ := strings.Cut(ids[1], "-")
		ahead := model.Cursor{Epoch: epoch, Position: c.clock.now().Add(time.Hour).UnixMicro()}
		for _, none := range []string{"", "%20", "nonsense", "otherage-" + position, ahead.String(), epoch, "%00", strings.Repeat("x", 2000)} {
			open(c.bob, "lastEventId="+none).wantReplay("message", "message", "message")
		}
		if t.Failed() {
			t.Fatalf("over %s", name)
		}
		c.bob.delete("/v2/events?connections_only=true").want(200)
	}
	c.bob.wantEvents("message", "message", "message") // nothing was acknowledged by it
}

func TestStreamFeatures(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, open := range transports {
		c.bob.forgetEvents()
		c.alice.forgetEvents()
		t.Log(name)
		one := c.alice.mustSend(c.bob.token, "one")

		// auto-deliver: Delivered when written.
		st := open(c.bob, "", header("TT-X-Features", "unheard-of, auto-deliver,multi-org"))
		st.wantReplay("message")[0].wantFields(fields{"status": "New"})
		two := c.alice.mustSend(c.bob.token, "two")
		st.wantNext("message")
		sender := open(c.alice, "")
		if got := sender.wantNext("client_advisory").at("advisory", "replay_message_count"); got.v == nil {
			t.Error("the replay does not tell how many events come")
		}
		for range 2 {
			status := sender.nextOf("message:status")
			status.wantFields(fields{"status": "Delivered", "account_id": c.bob.token})
		}
		c.bob.wantEvents("message", "message")
		c.bob.delete("/v2/events?connections_only=1").want(200)
		c.alice.get("/v2/message/" + one).reply().wantFields(fields{"status": "Delivered"})
		c.alice.get("/v2/message/" + two).reply().wantFields(fields{"status": "Delivered"})

		// close-after-messages: the replay, and the end.
		st = open(c.bob, "features=close-after-messages")
		st.wantReplay("message", "message")
		st.wantEnd()

		// no-offline-messages: no replay.
		st = open(c.bob, "features=no-offline-messages")
		c.awaitStreams(c.bob, 1)
		three := c.sendUntilSeen(c.alice, st)
		_ = three

		// auto-ack: acknowledged when written.
		c.bob.delete("/v2/events?connections_only=1").want(200)
		st = open(c.bob, "features=auto-ack,close-after-messages")
		st.wantNext("client_advisory")
		for !st.next().has("advisory") {
		}
		st.wantEnd()
		c.bob.wantEvents()
		c.alice.delete("/v2/events").want(200)
	}
}

// awaitStreams waits until an account has this many streams open.
func (s *server) awaitStreams(p *person, n int) {
	s.t.Helper()
	id, _ := model.ParseAccountID(p.token)
	deadline := time.Now().Add(patience)
	for s.hub.Streams(id) != n {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s has %d streams open, want %d", p.name, s.hub.Streams(id), n)
		}
		time.Sleep(time.Millisecond)
	}
}
