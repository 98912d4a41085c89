package api_test

import (
	"strings"
	"testing"
	"time"
)

func TestRepeatedRequestIDIsSentOnce(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := fields{"recipient": c.bob.token, "body": "once", "ttl": 60}
	first := c.alice.post("/v2/message", sent, requestID("r-1")).want(204).wantHeader("Request-Id", "r-1")
	id := first.Header.Get("TT-X-Message-Id")
	wantRepeat := func(a *answer) {
		t.Helper()
		a.want(304).wantHeader("TT-X-Message-Id", id).wantHeader("TT-X-Msg-Ttl", "60")
	}
	wantRepeat(c.alice.post("/v2/message", sent, requestID("r-1")))
	// The same recipient by another address, and other lifetimes, are the same request.
	wantRepeat(c.alice.post("/v2/message", fields{"recipient": "BOB@example.com", "body": "once", "ttl": 5},
		requestID("r-1")))
	wantRepeat(c.alice.do("POST", "/v2/message", form("recipient", "bob", "body", "once"), requestID("r-1")))
	c.alice.post("/v2/message?response_format=message", sent, requestID("r-1")).wantHeader("TT-X-Message-Id", id).reply().
		wantFields(fields{"message_id": id, "body": "once", "ttl": 60})
	c.bob.wantEvents("message")
	// Another request under a used id.
	for _, other := range []fields{
		{"recipient": c.bob.token, "body": "other"},
		{"recipient": c.carl.token, "body": "once"},
		{"recipient": c.bob.token, "body": "once", "data": []fields{{"payload": "x"}}},
		{"recipient": "nobody@example.com", "body": "once"},
	} {
		c.alice.post("/v2/message", other, requestID("r-1")).wantError(400, "request_id_reused").wantField("Request-ID")
	}
	withFile := func(content string) option {
		return parts(map[string]string{"recipient": c.bob.token, "body": "once"},
			file{"attachment", "a.txt", "text/plain", []byte(content)})
	}
	c.alice.do("POST", "/v2/message", withFile("a"), requestID("r-1")).wantError(400, "request_id_reused")
	// Ids are each account's own.
	c.carl.post("/v2/message", sent, requestID("r-1")).want(204)
	// A file is part of the content.
	attached := c.alice.do("POST", "/v2/message", withFile("a"), requestID("r-2")).want(204).Header.Get("TT-X-Message-Id")
	c.alice.do("POST", "/v2/message", withFile("a"), requestID("r-2")).want(304).wantHeader("TT-X-Message-Id", attached)
	c.alice.do("POST", "/v2/message", withFile("b"), requestID("r-2")).wantError(400, "request_id_reused")
	// 24 hours later the id is free again.
	c.clock.Advance(24*time.Hour - time.Millisecond)
	c.alice.post("/v2/message", sent, requestID("r-1")).want(304)
	c.clock.Advance(time.Millisecond)
	again := c.alice.post("/v2/message", sent, requestID("r-1")).want(204).Header.Get("TT-X-Message-Id")
	if again == id {
		t.Error("a request a day later has the first one's message")
	}
	// Without one every POST is new.
	c.bob.forgetEvents()
	c.alice.post("/v2/message", sent).want(204)
	c.alice.post("/v2/message", sent).want(204)
	c.bob.wantEvents("message", "message")
}

func TestRepeatAnswersWhenTheFirstMessageIsGone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := fields{"recipient": c.bob.token, "body": "x", "ttl": 1}
	id := c.alice.post("/v2/message", sent, requestID("r")).want(204).Header.Get("TT-X-Message-Id")
	wantGone := func() {
		t.Helper()
		c.alice.post("/v2/message", sent, requestID("r")).want(304).wantHeader("TT-X-Message-Id",
			id).wantHeader("TT-X-Msg-Ttl", "1")
		c.alice.post("/v2/message?response_format=message", sent, requestID("r")).wantMissing()
	}
	c.clock.Advance(time.Minute)
	wantGone()
	c.mustSweep()
	wantGone()
	// What it was sent to may be gone as well.
	group := c.alice.mustCreateGroup("G", c.bob)
	toGroup := fields{"recipient": group, "body": "x"}
	id = c.alice.post("/v2/message", toGroup, requestID("g")).want(204).Header.Get("TT-X-Message-Id")
	c.alice.delete("/v2/group/" + group).want(204)
	c.alice.post("/v2/message", toGroup, requestID("g")).want(304).wantHeader("TT-X-Message-Id", id)
	c.alice.post("/v2/message", toGroup, requestID("h")).wantMissing()
}

func TestRepeatedForwardIsSentOnce(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	source := c.alice.mustSend(c.bob.token, "x")
	other := c.alice.mustSend(c.bob.token, "x")
	forward := fields{"recipient": c.carl.token}
	id := c.bob.post("/v2/message/"+source+"/forward", forward, requestID("f")).want(204).Header.Get("TT-X-Message-Id")
	c.bob.post("/v2/message/"+source+"/forward", forward, requestID("f")).want(304).wantHeader("TT-X-Message-Id",
		id).wantHeader("TT-X-Msg-Ttl", "43200")
	c.bob.post("/v2/message/"+other+"/forward", forward, requestID("f")).wantError(400, "request_id_reused")
	c.bob.post("/v2/message", fields{"recipient": c.carl.token, "body": "x"}, requestID("f")).wantError(400,
		"request_id_reused")
	c.carl.wantEvents("message")
	// That the source is gone since makes no second message, and no failure.
	c.alice.delete("/v2/message/" + source).want(204)
	c.bob.post("/v2/message/"+source+"/forward", forward, requestID("f")).want(304).wantHeader("TT-X-Message-Id", id)
	c.operator.post("/v2/organization/"+c.org, fields{"forward": false}).want(204)
	c.bob.post("/v2/message/"+source+"/forward?response_format=message", forward,
		requestID("f")).reply().wantFields(fields{"message_id": id})
}

func TestRequestIDIsVisibleASCII(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := fields{"recipient": c.bob.token, "body": "x"}
	for _, bad := range []string{"", "a b", strings.Repeat("x", 129), "gr\u00fc\u00dfe"} {
		c.alice.post("/v2/message", sent, header("Request-Id", bad)).wantError(400,
			"request_id_invalid").wantField("Request-ID")
	}
	c.alice.post("/v2/message", sent, requestID("a"), requestID("b")).wantError(400, "request_id_invalid")
	for _, good := range []string{"!", "~", strings.Repeat("x", 128)} {
		c.alice.post("/v2/message", sent, requestID(good)).want(204).wantHeader("Request-Id", good)
	}
	c.bob.wantEvents("message", "message", "message")
}

func TestRequestsAtTheSameTimeUnderOneIDSendOnce(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var under [8]sending
	for i := range under {
		under[i] = c.alice.start("POST", "/v2/message", jsonBody(fields{"recipient": c.bob.token, "body": "x"}),
			requestID("same"))
	}
	var answers []*answer
	for _, s := range under {
		answers = append(answers, s.answer())
	}
	sent := 0
	for _, a := range answers {
		switch a.StatusCode {
		case 204:
			sent++
		default:
			a.want(304)
		}
		a.wantHeader("TT-X-Message-Id", answers[0].Header.Get("TT-X-Message-Id"))
	}
	if sent != 1 {
		t.Errorf("%d of the requests were the first", sent)
	}
	c.bob.wantEvents("message")
}
