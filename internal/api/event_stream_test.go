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
		ahead := model.Cursor{Epoch: epoch, Position: c.clock.Now().Add(time.Hour).UnixMicro()}
		for _, none := range []string{"", "%20", "nonsense", "otherage-" + position, ahead.String(), epoch, "%00",
			strings.Repeat("x", 2000)} {
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
		one := c.alice.mustSend(c.bob.token, "one")

		// auto-deliver: Delivered when written.
		st := open(c.bob, "", header("TT-X-Features", "unheard-of, auto-deliver,multi-org"))
		st.wantReplay("message")[0].wantFields(fields{"status": "New"})
		two := c.alice.mustSend(c.bob.token, "two")
		st.wantNext("message")
		sender := open(c.alice, "")
		for _, id := range []string{one, two} {
			sender.nextOf("message:status").wantFields(fields{"client_id": id, "status": "Delivered", "account_id": c.bob.token})
			c.alice.get("/v2/message/" + id).reply().wantFields(fields{"status": "Delivered"})
		}
		c.bob.wantEvents("message", "message")
		c.bob.delete("/v2/events?connections_only=1").want(200)

		// close-after-messages: the replay, and the end.
		st = open(c.bob, "features=close-after-messages")
		st.wantReplay("message", "message")
		st.wantEnd()

		// no-offline-messages: no replay, and no brackets.
		st = open(c.bob, "features=no-offline-messages")
		three := c.alice.mustSend(c.bob.token, "three")
		st.wantNext("message").wantFields(fields{"message_id": three})

		// auto-ack: acknowledged when written.
		st = open(c.bob, "features=auto-ack&features=close-after-messages")
		st.wantReplay("message", "message", "message")
		st.wantEnd()
		c.bob.wantEvents()
		sender.nextOf("message:status").wantFields(fields{"client_id": three, "status": "Delivered"})
		c.bob.delete("/v2/events?connections_only=1").want(200)

		// self-copies: the sender's own streams get its messages, live only.
		plain, copies := open(c.carl, ""), open(c.carl, "features=self-copies")
		plain.wantReplay()
		copies.wantReplay()
		sent := c.carl.mustSend(c.alice.token, "mine")
		own := copies.wantNext("message")
		own.wantFields(fields{"message_id": sent, "sender_token": c.carl.token})
		if own.hasID {
			t.Error("a self-copy is queued")
		}
		toItself := c.carl.mustSend("me", "a note") // comes once, from the queue
		copies.wantNext("message").wantFields(fields{"message_id": toItself})
		plain.wantNext("message").wantFields(fields{"message_id": toItself})
		c.alice.mustSend(c.carl.token, "yours")
		plain.wantNext("message").wantFields(fields{"body": "yours"})
		copies.wantNext("message").wantFields(fields{"body": "yours"})
		c.carl.wantEvents("message", "message")
		c.carl.forgetEvents()
		if t.Failed() {
			t.Fatalf("over %s", name)
		}
	}
}

func TestStreamBeats(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	streams := map[string]*stream{}
	for name, open := range transports {
		streams[name] = open(c.bob, "features=heartbeat_1,is-typing")
		streams[name].wantReplay()
	}
	for name, st := range streams {
		beat := st.wantNext("sse:heartbeat")
		beat.wantIs(fields{})
		if beat.hasID || beat.id == "" {
			t.Errorf("over %s a heartbeat has an id line %t and the event_id %q", name, beat.hasID, beat.id)
		}
	}
	c.bob.wantEvents()
}

// Without a heartbeat, and with one that is none, a comment comes now and then.
func TestQuietStreamShowsThatItIsAlive(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.quiet = 20 * time.Millisecond })
	quiet := []*stream{c.bob.openStream(""), c.bob.openStream("features=heartbeat_61"),
		c.bob.openStream("features=heartbeat_0,heartbeat_,heartbeat_x")}
	for _, st := range quiet {
		st.wantReplay()
	}
	for _, st := range quiet {
		if l := st.next(); !l.comment {
			t.Errorf("a quiet stream has %s", l.kind)
		}
	}
}

func TestStreamTakesCredentialsInTheQuery(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	basic := "auth_basic=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(c.bob.key+":"+c.bob.secret)))
	st := c.anyone().openStream(basic + "&features=heartbeat_5,is-typing,msg_delivery_delay:0,multi-org")
	st.wantReplay()
	c.alice.mustSend(c.bob.token, "x")
	st.wantNext("message")
	c.anyone().get("/v2/events?auth_basic="+url.QueryEscape("bm9ib2R5Ong=")).wantError(401, "credentials_invalid")
	c.anyone().get("/v2/events?auth_basic=%25").want(401)
	for _, transport := range []string{"SSE", "WebSocket"} {
		options := []option{header("Accept", "text/event-stream")}
		if transport == "WebSocket" {
			options = []option{header("Upgrade", "websocket"), header("Connection", "Upgrade"),
				header("Sec-WebSocket-Version", "13"), header("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")}
		}
		c.anyone().get("/v2/events", options...).wantError(401, "credentials_missing").wantHeader("WWW-Authenticate",
			`Basic realm="signet", charset="UTF-8"`)
	}
}

func TestSocketAcknowledges(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.mustSend(c.bob.token, "one")
	st, send := c.bob.openSocket("")
	one := st.wantReplay("message")[0]
	send(`nonsense`)
	send(`{"unheard-of":1}`)
	send(`{"ack":"no list"}`)
	send(`{"ack":["` + one.id + `","unknown"]}`)
	// The sender is told when it is done.
	sender := c.alice.openStream("")
	sender.nextOf("message:status").wantFields(fields{"status": "Delivered"})
	c.bob.wantEvents()
	c.alice.mustSend(c.bob.token, "two")
	st.wantNext("message")
}

func TestSocketEndsAtTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	st, send := c.bob.openSocket("features=no-offline-messages")
	send("{\"ack\":[\"\xff\"]}")
	st.wantEnd()
}

func TestSocketHandshakeIsRefusedInTheShapeOfEveryError(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for field, given := range map[string][]string{
		"Connection":            {"keep-alive", "13", "AAAAAAAAAAAAAAAAAAAAAA=="},
		"Sec-WebSocket-Version": {"Upgrade", "8", "AAAAAAAAAAAAAAAAAAAAAA=="},
		"Sec-WebSocket-Key":     {"Upgrade", "13", "short"},
	} {
		got := c.bob.get("/v2/events", header("Upgrade", "websocket"), header("Connection", given[0]),
			header("Sec-WebSocket-Version", given[1]), header("Sec-WebSocket-Key", given[2]))
		got.wantError(400, "upgrade_invalid").wantHeader("Sec-WebSocket-Version", "13").wantHeader("Content-Type",
			"application/json")
		if !strings.Contains(string(got.content), `"field":"`+field+`"`) {
			t.Errorf("%s: got %s", field, got.content)
		}
	}
}

func TestOldestStreamIsClosedPastTheLimit(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var open []*stream
	for i := range 20 {
		if i%2 == 0 {
			open = append(open, c.bob.openStream(""))
		} else {
			st, _ := c.bob.openSocket("")
			open = append(open, st)
		}
		open[i].wantReplay()
	}
	c.bob.delete("/v2/events?connections_only=false").reply().wantFields(fields{"count": 20})
	for _, st := range open {
		st.wantEnd()
	}
	open = open[:0]
	for range 21 {
		st := c.bob.openStream("")
		st.wantReplay()
		open = append(open, st)
	}
	open[0].wantCrowdedOut(true)
	c.alice.mustSend(c.bob.token, "x")
	for _, st := range open[1:] {
		st.wantNext("message")
	}
	c.carl.openStream("").wantReplay() // others have their own
}

// wantCrowdedOut waits until a stream is closed because its account has opened others, and
// is told to wait: with server-sent events also in the words of their standard.
func (st *stream) wantCrowdedOut(sse bool) {
	st.t.Helper()
	last := st.nextOf("client_advisory")
	last.wantIs(fields{"advisory": fields{"name": "too_many_streams"}})
	if sse != (last.retry == "60000") || last.hasID {
		st.t.Errorf("the last word came with retry %q and the id %q", last.retry, last.idLine)
	}
	st.wantEnd()
}

func TestStreamThatIsCrowdedOutIsToldToWait(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.streams = 1 })
	for name, transport := range transports {
		st := transport(c.bob, "features=no-offline-messages")
		c.bob.openStream("").wantReplay()
		st.wantCrowdedOut(name == "SSE")
	}
}

func TestStreamsSayGoodbyeOnShutdown(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var open []*stream
	for _, transport := range transports {
		st := transport(c.bob, "")
		st.wantReplay()
		open = append(open, st)
	}
	c.hub.Close()
	for _, st := range open {
		st.wantNext("reconnect").wantIs(fields{})
		st.wantEnd()
	}
}

// whatEnds are the ways in which what was opened with a key, or for a membership,
// has to end.
var whatEnds = map[string]func(c clinic, p *person){
	"the key is revoked": func(c clinic, p *person) { c.operator.delete(p.path("/key/" + p.key)).want(204) },
	"the account leaves": func(c clinic, p *person) { c.operator.delete(p.path("/organization/" + c.org)).want(204) },
	"the organization is deleted": func(c clinic, _ *person) {
		c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).want(204)
	},
	"the key is logged out": func(_ clinic, p *person) { p.post("/v2/logout", nil).want(204) },
	"the key is of a login and is over": func(c clinic, p *person) {
		c.operator.post(p.path("/password"), fields{"password": "another-one"}).want(204)
	},
	"the key expires": nil, // by itself
}

func TestStreamsAndPollsEndWithTheirKey(t *testing.T) {
	t.Parallel()
	for name, end := range whatEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startClinic(t)
			bob := c.bob
			switch name {
			case "the key is of a login and is over", "the key is logged out":
				c.operator.post(bob.path("/password"), fields{"password": "correct horse"}).want(204)
				signed := c.signIn("bob", "correct horse", "phone").reply().at("auth")
				bob = bob.with(signed.text("key"), signed.text("secret"))
			case "the key expires":
				bob = bob.withKey(bob.post(bob.path("/key"), fields{"expires_in": 1}).reply())
			}
			c.bob.forgetEvents()
			sse, socket := bob.openStream("features=no-offline-messages"),
				transports["WebSocket"](bob, "features=no-offline-messages")
			begin, polled := time.Now(), bob.start("GET", "/v2/events?wait=60")
			if end != nil {
				end(c, bob)
			}
			// The account may be told of the change before its stream ends.
			sse.drain()
			socket.drain()
			if got := polled.answer(); got.StatusCode != 401 && got.StatusCode != 200 {
				t.Errorf("the waiting poll got %d %s", got.StatusCode, got.content)
			}
			if took := time.Since(begin); took > 50*time.Second {
				t.Errorf("the poll waited %s, and was not ended", took)
			}
		})
	}
}

// drain waits for the end of the stream, whatever comes before.
func (st *stream) drain() {
	st.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, open := <-st.lines:
			if !open {
				return
			}
		case <-deadline:
			st.t.Fatalf("the stream of %s does not end", st.name)
		}
	}
}
