package api_test

import (
	"testing"
	"time"
)

// mustPass lets time pass, and the server do what is due then.
func (c *clinic) mustPass(d time.Duration) {
	c.t.Helper()
	c.clock.Advance(d)
	if err := c.work.Settle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

func TestEscalationAsItsSenderAndTheOthersSeeIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "help", "ttl", 60, "escalate_until", "confirmed",
		"escalate", []fields{{"after": 5, "to": []string{"carl"}}, {"after": "15", "to": "carl,bob"}})
	step := func(n, after int, due string, to ...string) fields {
		return fields{"step": n, "after": after, "to": to, "due_time": due, "sent": []fields{}}
	}
	to := []string{c.bob.token, c.carl.token}
	if to[0] > to[1] {
		to[0], to[1] = to[1], to[0]
	}
	path := "/v2/message/" + id + "/escalation"
	c.alice.get(path).reply().wantIs(fields{"until": "confirmed", "state": "open", "steps": []fields{
		step(1, 5, "2026-11-21T08:20:30.123Z", c.carl.token), step(2, 15, "2026-11-21T08:30:30.123Z", to...)}})
	c.bob.get(path).wantError(403, "not_sender")
	c.carl.get(path).wantMissing()
	c.bob.delete(path).wantError(403, "not_sender")

	c.mustPass(5 * time.Minute)
	got := c.carl.wantEvents("message")[0]
	got.wantFields(fields{"body": "help", "priority": 1, "is_forwarded": true, "original_sender": c.alice.token,
		"sender_token": c.alice.token, "escalation": fields{"message_id": id, "step": 1}, "ttl": 60})
	c.alice.wantEvents("message:escalated")[0].wantIs(fields{"client_id": id, "step": 1, "to": []string{c.carl.token},
		"timestamp": "2026-11-21T08:20:30.123Z"})
	on := got.text("message_id")
	c.carl.forgetEvents()
	c.carl.mustMark("confirmed", on)
	c.alice.wantEvents("message:escalated", "message:status")[1].wantFields(fields{"client_id": on, "status": "Confirmed",
		"account_id": c.carl.token})
	c.alice.get("/v2/message/" + on).reply().wantFields(fields{"status": "Read", "confirmed_by": []string{c.carl.token}})
	c.alice.get("/v2/conversation/"+c.carl.token+"/message").reply().at("results", 0).
		wantFields(fields{"status": "Read", "confirmed_by": []string{c.carl.token}})
	if c.carl.get("/v2/message/" + on).reply().has("confirmed_by") {
		t.Error("a recipient is told who confirmed")
	}
	c.alice.get("/v2/message/" + on + "/status").reply().wantFields(fields{"statuses": []fields{{
		"account_id": c.carl.token, "status": "Confirmed", "timestamp": "2026-11-21T08:20:30.123Z"}}})
	first := step(1, 5, "2026-11-21T08:20:30.123Z", c.carl.token)
	first["done_time"], first["sent"] = "2026-11-21T08:20:30.123Z", []fields{{"token": c.carl.token, "message_id": on}}
	c.alice.get(path).reply().wantIs(fields{"until": "confirmed", "state": "confirmed",
		"ended_time": "2026-11-21T08:20:30.123Z",
		"steps":      []fields{first, step(2, 15, "2026-11-21T08:30:30.123Z", to...)}})
	c.mustPass(time.Hour)
	c.carl.wantEvents()
}

// A step puts something into several queues at once, and each of their readers hears of it.
func TestEveryStreamHearsOfAStep(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	dora := c.mustCreate(c.org, "dora")
	group := c.alice.mustCreateGroup("Night", dora)
	for _, open := range transports {
		c.alice.mustSend("me", "help", "escalate",
			[]fields{{"after": 5, "to": []string{c.bob.token, c.carl.token, group}}})
		streams := map[*person]*stream{}
		for _, p := range []*person{c.alice, c.bob, c.carl, dora} {
			p.forgetEvents()
			streams[p] = open(p, "")
			streams[p].wantReplay()
		}
		c.mustPass(5 * time.Minute)
		streams[c.alice].wantNext("message:escalated").wantFields(fields{"step": 1})
		streams[c.bob].wantNext("message").wantFields(fields{"body": "help"})
		streams[c.carl].wantNext("message").wantFields(fields{"body": "help"})
		streams[dora].wantNext("group_message").wantFields(fields{"body": "help"})
		c.mustPass(5 * time.Minute)
		streams[c.alice].wantNext("message:escalated").wantFields(fields{"step": "exhausted"})
	}
}

func TestEscalationTellsThatNobodyCame(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "help", "escalate", []fields{{"after": 5, "to": []string{c.carl.token}}})
	c.mustPass(5 * time.Minute)
	c.mustPass(5 * time.Minute)
	c.alice.wantEvents("message:escalated", "message:escalated")[1].wantIs(fields{"client_id": id, "step": "exhausted",
		"to": []string{}, "timestamp": "2026-11-21T08:25:30.123Z"})
	c.alice.get("/v2/message/" + id + "/escalation").reply().wantFields(fields{"state": "exhausted"})
}

func TestEscalationIsEndedByItsSender(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "help", "escalate", []fields{{"after": 5, "to": []string{c.carl.token}}})
	for range 2 {
		c.alice.delete("/v2/message/" + id + "/escalation").want(204)
	}
	c.alice.get("/v2/message/" + id + "/escalation").reply().wantFields(fields{"state": "cancelled"})
	c.mustPass(time.Hour)
	c.carl.wantEvents()
	plain := c.alice.mustSend(c.bob.token, "x")
	c.alice.get("/v2/message/" + plain + "/escalation").wantMissing()
	c.alice.delete("/v2/message/" + plain + "/escalation").wantMissing()
}

func TestEscalationInFormsAndMultipart(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	one, two := `{"after":5,"to":["carl"]}`, `{"after":"10","to":["carl"]}`
	for _, body := range []option{
		form("recipient", "bob", "body", "x", "escalate", "["+one+","+two+"]"),
		form("recipient", "bob", "body", "x", "escalate", one, "escalate", two),
		parts(map[string]string{"recipient": "bob", "body": "x", "escalate": "[" + one + "," + two + "]",
			"escalate_until": "read"}),
	} {
		id := c.alice.do("POST", "/v2/message", body).want(204).Header.Get("TT-X-Message-Id")
		steps := c.alice.get("/v2/message/" + id + "/escalation").reply().at("steps").list()
		if len(steps) != 2 {
			t.Fatalf("it has the steps %v", steps)
		}
		steps[1].wantFields(fields{"after": 10, "to": []string{c.carl.token}})
	}
}

func TestEscalationsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	to := []string{c.carl.token}
	refused := func(code, field string, f fields) {
		t.Helper()
		c.alice.post("/v2/message", merged(fields{"recipient": "bob", "body": "x"}, f)).wantError(400, code).wantField(field)
	}
	for _, steps := range []any{[]fields{}, []fields{{"after": 0, "to": to}}, []fields{{"after": 1441, "to": to}},
		[]fields{{"after": 5}}, []fields{{"after": 5, "to": []string{}}}, []fields{{"after": 5, "to": to},
			{"after": 5, "to": to}}} {
		refused("escalation_invalid", "escalate", fields{"escalate": steps})
	}
	refused("field_invalid", "escalate", fields{"escalate": []fields{{"after": "soon", "to": to}}})
	refused("escalation_to_unknown", "escalate",
		fields{"escalate": []fields{{"after": 5, "to": []string{stranger.token}}}})
	refused("escalation_to_unknown", "escalate", fields{"escalate": []fields{{"after": 5, "to": []string{randomToken()}}}})
	refused("escalation_policy_unknown", "escalate", fields{"escalate": "night"})
	refused("escalate_until_invalid", "escalate_until",
		fields{"escalate": []fields{{"after": 5, "to": to}}, "escalate_until": "seen"})
	refused("escalation_invalid", "escalate", fields{"escalate_until": "read"})
	c.bob.wantEvents()
	c.operator.post("/v2/organization/"+c.org, fields{"priority_messaging": false}).want(204)
	refused("priority_messaging_off", "escalate", fields{"escalate": []fields{{"after": 5, "to": to}}})
	c.operator.post("/v2/organization/"+c.org, fields{"forward": false}).want(204)
	c.alice.post("/v2/message", fields{"recipient": "bob", "body": "x", "escalate": []fields{{"after": 5, "to": to}}}).
		wantError(403, "forward_off")
}

func TestARepeatedEscalationIsOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	send := func(after int) *answer {
		return c.alice.post("/v2/message", fields{"recipient": "bob", "body": "x",
			"escalate": []fields{{"after": after, "to": []string{c.carl.token}}}}, requestID("once"))
	}
	send(5).want(204)
	send(5).want(304)
	send(6).wantError(400, "request_id_reused")
	c.mustPass(6 * time.Minute)
	c.carl.wantEvents("message")
}

func TestPoliciesOfAnOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	base := "/v2/organization/" + c.org + "/escalation"
	c.alice.get(base).reply().wantIs([]any{})
	c.alice.get(base + "/night").wantMissing()
	c.alice.post(base+"/night", fields{"steps": []fields{{"after": 5, "to": []string{"carl"}}}}).want(403)
	boss.post(base+"/night", fields{"until": "confirmed", "steps": []fields{{"after": 5, "to": []string{"carl"}}}}).
		want(204)
	boss.post(base+"/Late%20shift", fields{"steps": []fields{{"after": 7, "to": []string{"bob"}}}}).want(204)
	night := fields{"name": "night", "until": "confirmed",
		"steps": []fields{{"after": 5, "to": []string{c.carl.token}}}}
	c.alice.get(base + "/night").reply().wantIs(night)
	c.alice.get(base).reply().wantIs([]fields{{"name": "Late shift", "until": "read",
		"steps": []fields{{"after": 7, "to": []string{c.bob.token}}}}, night})
	for field, f := range map[string]fields{"until": {"until": "x"}, "steps": {"steps": []fields{}}} {
		boss.post(base+"/other", merged(fields{"steps": []fields{{"after": 5, "to": []string{"carl"}}}}, f)).want(400).
			wantField(field)
	}
	boss.post(base+"/-", fields{"steps": []fields{{"after": 5, "to": []string{"carl"}}}}).
		wantError(400, "policy_name_invalid")
	boss.post(base+"/other", fields{"steps": []fields{{"after": 5, "to": []string{randomToken()}}}}).
		wantError(400, "escalation_to_unknown").wantField("steps")

	id := c.alice.mustSend(c.bob.token, "x", "escalate", "night")
	c.alice.get("/v2/message/" + id + "/escalation").reply().wantFields(fields{"until": "confirmed"})
	id = c.alice.mustSend(c.bob.token, "x", "escalate", "night", "escalate_until", "read")
	c.alice.get("/v2/message/" + id + "/escalation").reply().wantFields(fields{"until": "read"})
	boss.post(base+"/null", fields{"steps": []fields{{"after": 9, "to": []string{"carl"}}}}).want(204)
	named := c.alice.mustSend(c.bob.token, "x", "escalate", "null")
	c.alice.get("/v2/message/" + named + "/escalation").want(200)
	boss.delete(base + "/null").want(204)
	boss.delete(base + "/night").want(204)
	boss.delete(base + "/night").wantMissing()
	c.alice.post("/v2/message", fields{"recipient": "bob", "body": "x", "escalate": "night"}).
		wantError(400, "escalation_policy_unknown")
	c.carl.forgetEvents()
	c.mustPass(5 * time.Minute)
	c.carl.wantEvents("message", "message")
}

// An account that is erased is in no step and in no policy any more.
func TestErasedAccountsLeaveEscalations(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	base := "/v2/organization/" + c.org + "/escalation"
	boss.post(base+"/both", fields{"steps": []fields{{"after": 5, "to": []string{"carl", "bob"}},
		{"after": 10, "to": []string{"carl"}}}}).want(204)
	boss.post(base+"/alone", fields{"steps": []fields{{"after": 5, "to": []string{"carl"}}}}).want(204)
	id := c.alice.mustSend(c.bob.token, "x", "escalate", "both")
	boss.delete(c.carl.path(""), jsonBody(fields{"username": "carl"})).want(204)
	c.mustSweep()
	c.alice.get(base).reply().wantIs([]fields{{"name": "both", "until": "read",
		"steps": []fields{{"after": 5, "to": []string{c.bob.token}}}}})
	steps := c.alice.get("/v2/message/" + id + "/escalation").reply().at("steps").list()
	if len(steps) != 1 {
		t.Fatalf("the steps are %v", steps)
	}
	steps[0].wantFields(fields{"step": 1, "to": []string{c.bob.token}})
}
