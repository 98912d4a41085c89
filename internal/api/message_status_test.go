package api_test

import (
	"testing"
	"time"
)

func TestStatusGoesForwardOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "x")
	row := func(status, at string) fields {
		return fields{"client_id": id, "is_recalled": false,
			"statuses": []fields{{"account_id": c.bob.token, "status": status, "timestamp": at}}}
	}
	wantStatus := func(status, at string) {
		t.Helper()
		for _, p := range []*person{c.alice, c.bob} {
			p.get("/v2/message/" + id + "/status").reply().wantIs(row(status, at))
			p.get("/v2/message/" + id).reply().wantFields(fields{"status": status})
		}
		c.alice.post("/v2/get_bulk_message_status", fields{"messages": []string{id, randomToken(), "nonsense"}}).reply().
			wantIs(fields{"bulk_message_statuses": []fields{row(status, at)}})
	}
	wantStatus("New", "2026-11-21T08:15:30.123Z")
	c.clock.Advance(time.Second)
	c.bob.mustMark("delivered", id)
	wantStatus("Delivered", "2026-11-21T08:15:31.123Z")
	c.clock.Advance(time.Second)
	c.bob.mustMark("delivered", id)
	wantStatus("Delivered", "2026-11-21T08:15:31.123Z")
	delivered := c.alice.wantEvents("message:status")[0]
	delivered.wantIs(fields{"client_id": id, "status": "Delivered", "account_id": c.bob.token,
		"timestamp": "2026-11-21T08:15:31.123Z"})
	// A newer one withdraws the older and comes at the end with a new id.
	c.carl.mustSend(c.alice.token, "between")
	c.bob.do("PUT", "/v2/message/status", jsonBody(fields{"read": id})).want(204)
	read := c.alice.wantEvents("message", "message:status")[1]
	read.wantFields(fields{"client_id": id, "status": "Read"})
	if read.id == delivered.id {
		t.Error("the newer status event has the older one's id")
	}
	c.bob.mustMark("delivered", id)
	c.bob.mustAck(c.bob.wantEvents("message")[0].id)
	wantStatus("Read", "2026-11-21T08:15:32.123Z")
	c.alice.wantEvents("message", "message:status")
	c.alice.mustAck(read.id)
	c.bob.mustMark("read", id)
	c.alice.wantEvents("message")
}

func TestStatusReadImpliesDelivered(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	one, two := c.alice.mustSend(c.bob.token, "x"), c.alice.mustSend(c.bob.token, "x")
	c.bob.post("/v2/message/status", fields{"delivered": []string{one, two}, "read": one}).want(204)
	events := c.alice.wantEvents("message:status", "message:status")
	got := map[string]string{}
	for _, e := range events {
		got[e.text("client_id")] = e.text("status")
	}
	if got[one] != "Read" || got[two] != "Delivered" {
		t.Errorf("got %v", got)
	}
	for _, refused := range []fields{{}, {"delivered": nil}, {"read": 5}, {"read": []int{5}}} {
		c.bob.post("/v2/message/status", refused).want(400)
	}
	c.bob.post("/v2/message/status", fields{"read": []string{}}).want(204)
	c.bob.do("POST", "/v2/message/status", form("read", one+","+two, "delivered", "nonsense")).want(204)
	c.bob.do("POST", "/v2/message/status", form("read", one, "read", two)).want(204)
}

func TestStatusOfAGroupMessageIsTheLeastOfAll(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	id := c.alice.mustSend(group, "x")
	c.alice.forgetEvents()
	c.bob.get("/v2/message/" +
		id).reply().wantFields(fields{"group_token": group, "recipient_token": group, "sender_token": c.alice.token})
	own := func(p *person) string { return p.get("/v2/message/" + id).reply().text("status") }
	want := func(alice, bob, carl string) {
		t.Helper()
		if own(c.alice) != alice || own(c.bob) != bob || own(c.carl) != carl {
			t.Errorf("got %s, %s and %s, want %s, %s and %s", own(c.alice), own(c.bob), own(c.carl), alice, bob, carl)
		}
	}
	want("New", "New", "New")
	c.bob.mustMark("read", id)
	want("New", "Read", "New")
	c.carl.mustMark("delivered", id)
	want("Delivered", "Read", "Delivered")
	if got := c.alice.get("/v2/message/" + id + "/status").reply().list("statuses"); len(got) != 2 {
		t.Errorf("the sender sees %d rows, want one for each recipient", len(got))
	}
	rows := c.carl.get("/v2/message/" + id + "/status").reply().list("statuses")
	if len(rows) != 1 || rows[0].text("account_id") != c.carl.token {
		t.Errorf("a recipient sees %v, want its own row", rows)
	}
	for _, e := range c.alice.wantEvents("group:message:status", "group:message:status") {
		e.wantFields(fields{"client_id": id}, "is_recalled")
	}
	c.carl.mustMark("read", id)
	want("Read", "Read", "Read")
}
