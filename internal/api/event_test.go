package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

func TestEventListIsTheOldestUnacknowledged(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.bob.get("/v2/events").reply().wantIs([]any{})
	var sent []string
	for i := range 5 {
		sent = append(sent, c.alice.mustSend(c.bob.token, number(i)))
	}
	all := c.bob.wantEvents("message", "message", "message", "message", "message") // reading does not remove
	for i, e := range all {
		e.wantFields(fields{"message_id": sent[i]})
	}
	ids := idsOf(all)
	want := func(want []string, query ...string) {
		t.Helper()
		if got := idsOf(c.bob.events(query...)); !slices.Equal(got, want) {
			t.Errorf("%v gives %v, want %v", query, got, want)
		}
	}
	want(ids)
	want(ids[:2], "limit=2")
	want(ids, "limit=1000")
	want(ids[2:], "after="+ids[1])
	want(ids[2:3], "after="+ids[1], "limit=1")
	want([]string{}, "after="+ids[4])
	want(ids, "wait=0")
	epoch, _, _ := strings.Cut(ids[0], "-")
	ahead := model.Cursor{Epoch: epoch, Position: c.clock.Now().Add(time.Hour).UnixMicro()}
	for _, bad := range []string{"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "limit=1&limit=2", "wait=61",
		"wait=-1", "wait=x", "auto_ack=maybe",
		"after=x", "after=" + randomToken(), "after=other" + strings.TrimPrefix(ids[0], epoch), "after=" + ahead.String(),
		"after=" + epoch + "-", "after=%FF"} {
		c.bob.get("/v2/events?" + bad).want(400).wantField(bad[:strings.IndexByte(bad, '=')])
	}
	c.bob.events("auto_ack=true", "limit=1")
	want(ids[1:])
	c.alice.get("/v2/message/" + sent[0]).reply().wantFields(fields{"status": "Delivered"})
	c.alice.get("/v2/message/" + sent[1]).reply().wantFields(fields{"status": "New"})
	want(ids[1:], "after="+ids[0]) // an acknowledged id is a place in the queue all the same
	c.carl.wantEvents()
}

func TestAcknowledgingRemovesAndDelivers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := []string{c.alice.mustSend(c.bob.token, "0"), c.alice.mustSend(c.bob.token, "1"),
		c.alice.mustSend(c.bob.token, "2")}
	ids := idsOf(c.bob.events())
	c.carl.mustAck(ids...) // of another account's queue: ignored
	c.bob.mustAck("unknown", randomToken(), ids[1])
	c.bob.wantEvents("message", "message")
	c.bob.mustAck(ids[1]) // again
	c.alice.wantEvents("message:status")[0].wantFields(fields{"client_id": sent[1], "status": "Delivered",
		"account_id": c.bob.token})
	c.bob.mustMark("read", sent[0])
	c.bob.post("/v2/events/ack/", fields{"events": ids[0] + "," + ids[2]}).want(204) // as the Java client does
	c.bob.wantEvents()
	c.alice.get("/v2/message/" + sent[0]).reply().wantFields(fields{"status": "Read"})
	c.bob.do("POST", "/v2/events/ack", form("events", ids[0], "events", ids[1])).want(204)
	c.bob.post("/v2/events/ack", fields{"events": []string{}}).want(204)
	c.bob.post("/v2/events/ack", fields{}).wantError(400, "events_required").wantField("events")
	c.bob.post("/v2/events/ack", fields{"events": 5}).want(400).wantField("events")
	c.bob.post("/v2/events/ack", fields{"events": []int{5}}).want(400).wantField("events")
}

func TestEventListShowsWhatHasChangedSinceItWasReadBefore(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var sent []string
	for i := range 4 {
		sent = append(sent, c.alice.mustSend(c.bob.token, number(i)))
	}
	short := c.alice.post("/v2/message",
		fields{"recipient": c.bob.token, "body": "short", "ttl": 1}).want(204).Header.Get("TT-X-Message-Id")
	once := c.alice.post("/v2/message",
		fields{"recipient": c.bob.token, "body": "once", "dor": true}).want(204).Header.Get("TT-X-Message-Id")
	want := func(want map[string]string, order ...string) {
		t.Helper()
		for range 2 { // and so it stays
			list := ofKind(c.bob.events(), "message")
			if len(list) != len(order) {
				t.Fatalf("got %d messages, want %d", len(list), len(order))
			}
			for i, e := range list {
				status := want[order[i]]
				if status == "" {
					status = "New"
				}
				e.wantFields(fields{"message_id": order[i], "status": status})
			}
		}
	}
	want(nil, sent[0], sent[1], sent[2], sent[3], short, once)
	c.bob.mustMark("delivered", sent[0])
	c.bob.mustMark("read", sent[1])
	c.bob.mustMark("read", once)
	c.alice.delete("/v2/message/" + sent[2]).want(204)
	statuses := map[string]string{sent[0]: "Delivered", sent[1]: "Read", once: "Read"}
	want(statuses, sent[0], sent[1], sent[3], short, once)
	c.clock.Advance(time.Minute)
	want(statuses, sent[0], sent[1], sent[3])
	c.bob.mustMark("read", sent[0])
	statuses[sent[0]] = "Read"
	want(statuses, sent[0], sent[1], sent[3])
	if got := kindsOf(c.bob.events()); !slices.Contains(got, "message:status") {
		t.Errorf("got %v, want the recall among them", got)
	}
}

func TestWaitingPollAnswersAsSoonAsThereIsOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	polled := c.bob.start("GET", "/v2/events?wait=60&auto_ack=true")
	c.alice.mustSend(c.bob.token, "x")
	if list := polled.answer().reply().list(); len(list) != 1 {
		t.Errorf("a waiting poll got %v, want the message", list)
	}
	c.bob.wantEvents()
	begin := time.Now()
	c.bob.get("/v2/events?wait=1").reply().wantIs([]any{})
	if took := time.Since(begin); took < time.Second {
		t.Errorf("the poll waited %s, want 1 s", took)
	}
}

func TestDeletingEventsEndsStreamsAndEmptiesTheQueue(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "x")
	c.alice.mustSend(c.bob.token, "y")
	st := c.bob.openStream("")
	st.wantReplay("message", "message")
	socket, _ := c.bob.openSocket("")
	socket.wantReplay("message", "message")
	other := c.carl.openStream("")
	other.wantReplay()
	c.bob.delete("/v2/events?connections_only=true").reply().wantIs(fields{"count": 2, "deleted": 0})
	st.wantEnd()
	socket.wantEnd()
	c.bob.wantEvents("message", "message")
	st = c.bob.openStream("")
	st.wantReplay("message", "message")
	c.bob.delete("/v2/events/",
		body("application/json", strings.NewReader("{}"))).reply().wantIs(fields{"count": 1, "deleted": 2})
	st.wantEnd()
	c.bob.wantEvents()
	c.bob.delete("/v2/events").reply().wantIs(fields{"count": 0, "deleted": 0})
	// A blank says nothing that anybody may take for leave to empty the queue.
	for _, said := range []string{"=perhaps", "", "="} {
		c.bob.delete("/v2/events?connections_only" + said).want(400).wantField("connections_only")
	}
	c.bob.delete("/v2/events", header("TT-X-Connections-Only", "")).want(400).wantField("connections_only")
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"status": "New"}) // the messages stay
	c.carl.mustSend(c.carl.token, "x")
	other.wantNext("message")
}

func TestEventsPastTheRetentionAreGone(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.retention = 24 * time.Hour })
	c.alice.mustSend(c.bob.token, "old", "ttl", -1)
	c.clock.Advance(time.Hour)
	young := c.alice.mustSend(c.bob.token, "young", "ttl", -1)
	c.clock.Advance(23*time.Hour - time.Second)
	c.bob.wantEvents("message", "message")
	c.clock.Advance(2 * time.Second)
	c.bob.wantEvents("message")[0].wantFields(fields{"message_id": young})
	c.bob.openStream("").wantReplay("message")
	c.mustKeepHouse()
	c.bob.wantEvents("message")
	c.clock.Advance(time.Hour)
	c.mustKeepHouse()
	c.bob.wantEvents()
	c.bob.get("/v2/message/" + young).want(200)
}

// A page that a signed-in person looks at can have the browser send any GET, with the
// credentials that it keeps. It must not cost that person a message.
func TestForeignPagesTakeNoEvents(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.mustSend(c.bob.token, "for bob")
	stream := header("Accept", "text/event-stream")
	for _, foreign := range []option{header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Site", "same-site"),
		header("Origin", "https://evil.example"), header("Origin", "null")} {
		for _, path := range []string{"/v2/events?auto_ack=true", "/v2/events?auto_ack=1&wait=60",
			"/v2/events/?auto_ack=true"} {
			c.bob.get(path, foreign).wantError(403, "origin_refused")
		}
		for _, path := range []string{"/v2/events", "/v2/events?features=auto-ack,close-after-messages",
			"/v2/events?features=auto-deliver,close-after-messages"} {
			c.bob.get(path, foreign, stream).wantError(403, "origin_refused")
		}
		c.bob.get("/v2/events", foreign).want(200) // which the browser does not show to the page
	}
	c.bob.wantEvents("message")
	c.anyone().get("/v2/events", header("Sec-Fetch-Site", "same-origin")).wantError(401,
		"credentials_missing").wantHeader("WWW-Authenticate", "")
	c.bob.get("/v2/events?auto_ack=true", header("Sec-Fetch-Site", "same-origin")).want(200)
	c.bob.wantEvents()
}

// The answer to HEAD has no events, so that none is acknowledged by it.
func TestHeadTakesNoEvents(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.mustSend(c.bob.token, "for bob")
	c.bob.do("HEAD", "/v2/events?auto_ack=true").want(200)
	c.bob.do("HEAD", "/v2/events?features=auto-ack", header("Accept", "text/event-stream")).want(200)
	c.bob.wantEvents("message")
}
