package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// clinic is an organization with people: what most tests start from.
type clinic struct {
	*server
	org              string
	alice, bob, carl *person
}

func startClinic(t *testing.T, changes ...func(*figures)) clinic {
	t.Helper()
	s := start(t, changes...)
	org := s.mustCreateOrganization("Clinic")
	all := s.mustCreateAll(org, "alice", "bob", "carl")
	return clinic{s, org, all[0], all[1], all[2]}
}

// mustCreateStranger makes an account of another organization.
func (c *clinic) mustCreateStranger(username string) *person {
	c.t.Helper()
	return c.mustCreate(c.mustCreateOrganization("Elsewhere"), username)
}

func TestMessageHasEveryField(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := c.alice.post("/v2/message?response_format=message", fields{
		"recipient": c.bob.token, "body": "hello", "ttl": 60, "dor": true, "priority": 1, "sender_organization": c.org,
		"recipient_organization": c.org,
		"data":                   []fields{{"mimetype": "application/json", "namespace": "ns", "payload": `{"k":1}`}},
	})
	message := sent.reply()
	id := message.text("message_id")
	sent.wantHeader("TT-X-Message-Id", id).wantHeader("TT-X-Msg-Ttl", "60")
	want := fields{
		"message_id": id, "client_id": id, "sender_token": c.alice.token, "sender_organization": c.org,
		"recipient_token":        c.bob.token,
		"recipient_organization": c.org, "body": "hello", "created_time": "2026-11-21T08:15:30.123Z",
		"expires_time": "2026-11-21T09:15:30.123Z",
		"ttl":          60, "dor": true, "status": "New", "priority": 1, "attachments": []any{},
		"data": []fields{{"mimetype": "application/json", "namespace": "ns", "payload": `{"k":1}`}},
	}
	absent := []string{"group_token", "attachment_name", "is_recalled", "is_forwarded", "original_sender",
		"original_timestamp"}
	message.wantFields(want, absent...)
	if message.int("sort_number") <= 0 {
		t.Errorf("sort_number is %d", message.int("sort_number"))
	}
	for _, reader := range []*person{c.alice, c.bob} {
		reader.get("/v2/message/"+id).reply().wantFields(want, absent...)
	}
	queued := c.bob.wantEvents("message")[0]
	queued.wantFields(want, absent...)
	c.alice.wantEvents()
}

func TestMessageIsSentInAllContentTypes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, sent := range map[string]option{
		"JSON": jsonBody(fields{"recipient": c.bob.token, "body": "grüße & +", "ttl": -1, "dor": true,
			"priority": -1}),
		"JSON of texts": jsonBody(fields{"recipient": c.bob.token, "body": "grüße & +", "ttl": "-1", "dor": "true",
			"priority": "-1"}),
		"form": form("recipient", c.bob.token, "body", "grüße & +", "ttl", "-1", "dor", "1", "priority", "-1"),
		"multipart": parts(map[string]string{"recipient": c.bob.token, "body": "grüße & +", "ttl": "-1",
			"dor": "true", "priority": "-1"}),
		"unknown are fine": jsonBody(fields{"recipient": c.bob.token, "body": "grüße & +", "ttl": -1, "dor": 1,
			"priority": -1, "unheard": []int{1}}),
		"part with a type": body("multipart/form-data; boundary=b", strings.NewReader(typedParts(c.bob.token))),
		"data in a form": form("recipient", c.bob.token, "body", "grüße & +", "ttl", "-1", "dor", "1", "priority", "-1",
			"data", `[]`),
		"empty inputs": form("recipient", c.bob.token, "body", "grüße & +", "ttl", "-1", "dor", "1", "priority", "-1",
			"data", "", "sender_organization", ""),
		"charset in a type": body("application/json; charset=utf-8",
			strings.NewReader(`{"recipient":"`+c.bob.token+`","body":"grüße & +","ttl":-1,"dor":true,"priority":-1}`)),
	} {
		id := c.alice.do("POST", "/v2/message/", sent).want(204).wantHeader("TT-X-Msg-Ttl",
			"-1").Header.Get("TT-X-Message-Id")
		got := c.bob.get("/v2/message/" + id + "/").reply()
		got.wantFields(fields{"body": "grüße & +", "ttl": -1, "dor": true, "priority": -1}, "expires_time")
		if t.Failed() {
			t.Fatalf("the body sent as %s", name)
		}
	}
}

// A list is a repeated field in a form, and what nobody filled in was left out.
func TestMessageOfAFormRepeatsItsData(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	item := func(payload string) fields { return fields{"mimetype": "a/b", "namespace": "n", "payload": payload} }
	one, two := `{"mimetype":"a/b","namespace":"n","payload":"1"}`, `{"mimetype":"a/b","namespace":"n","payload":"2"}`
	for _, sent := range []option{
		form("recipient", c.bob.token, "data", one, "data", two, "ttl", "", "dor", "", "priority", ""),
		form("recipient", c.bob.token, "data", "["+one+"]", "data", "", "data", "["+two+"]"),
		form("recipient", c.bob.token, "data", "["+one+","+two+"]"),
	} {
		got := c.alice.do("POST", "/v2/message?response_format=message", sent).reply()
		got.wantFields(fields{"data": []fields{item("1"), item("2")}, "ttl": 43200, "dor": false, "priority": 0})
	}
	c.alice.do("POST", "/v2/message", form("recipient", c.bob.token, "data", one, "data", "x")).wantError(400,
		"body_invalid").wantField("data")
	c.alice.do("POST", "/v2/message", form("recipient", c.bob.token, "data", one, "data", "[1]")).wantError(400,
		"field_invalid").wantField("data")
	c.alice.do("POST", "/v2/message", form("recipient", c.bob.token, "data", "", "data", "")).wantError(400,
		"content_required")
	c.alice.post("/v2/message?response_format=xml", fields{"recipient": c.bob.token, "body": "x"}).wantError(400,
		"field_invalid").wantField("response_format")
	c.alice.post("/v2/message?response_format=", fields{"recipient": c.bob.token, "body": "x"}).want(204)
}

// typedParts is a multipart body whose text parts carry a content type.
func typedParts(recipient string) string {
	var b strings.Builder
	for _, field := range [][2]string{{"recipient", recipient}, {"body", "grüße & +"}, {"ttl", "-1"}, {"dor", "1"},
		{"priority", "-1"}} {
		b.WriteString("--b\r\nContent-Disposition: form-data; name=\"" + field[0] +
			"\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + field[1] + "\r\n")
	}
	return b.String() + "--b--\r\n"
}

func TestMessageRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, refused := range []struct {
		sent  fields
		code  string
		field string
	}{
		{fields{"body": "x"}, "recipient_required", "recipient"},
		{fields{"recipient": "", "body": "x"}, "recipient_required", "recipient"},
		{fields{"recipient": nil, "body": "x"}, "recipient_required", "recipient"},
		{fields{}, "recipient_required", "recipient"},
		{fields{"recipient": c.bob.token}, "content_required", "body"},
		{fields{"recipient": c.bob.token, "body": "", "data": []any{}}, "content_required", "body"},
		{fields{"recipient": 7, "body": "x"}, "field_invalid", "recipient"},
		{fields{"recipient": c.bob.token, "body": 7}, "field_invalid", "body"},
		{fields{"recipient": c.bob.token, "body": []string{"x"}}, "field_invalid", "body"},
		{fields{"recipient": c.bob.token, "body": "x", "ttl": 0}, "ttl_invalid", "ttl"},
		{fields{"recipient": c.bob.token, "body": "x", "ttl": -2}, "ttl_invalid", "ttl"},
		{fields{"recipient": c.bob.token, "body": "x", "ttl": 525601}, "ttl_invalid", "ttl"},
		{fields{"recipient": c.bob.token, "body": "x", "ttl": 1.5}, "field_invalid", "ttl"},
		{fields{"recipient": c.bob.token, "body": "x", "ttl": "soon"}, "field_invalid", "ttl"},
		{fields{"recipient": c.bob.token, "body": "x", "dor": "perhaps"}, "field_invalid", "dor"},
		{fields{"recipient": c.bob.token, "body": "x", "priority": 2}, "priority_invalid", "priority"},
		{fields{"recipient": c.bob.token, "body": "x", "priority": -2}, "priority_invalid", "priority"},
		{fields{"recipient": c.bob.token, "body": "x", "data": "text"}, "field_invalid", "data"},
		{fields{"recipient": c.bob.token, "data": []any{nil}}, "field_invalid", "data"},
		{fields{"recipient": c.bob.token, "body": "x", "data": []fields{{"payload": fields{}}}}, "field_invalid", "data"},
		{fields{"recipient": c.bob.token, "body": "x", "attachment": "text"}, "field_invalid", "attachment"},
		{fields{"recipient": c.bob.token, "body": "x", "sender_organization": c.org,
			"recipient_organization": randomOrganization()}, "organization_mismatch", "recipient_organization"},
	} {
		got := c.alice.post("/v2/message", refused.sent).want(400)
		if code := got.value().text("error", "code"); code != refused.code {
			t.Errorf("%v: got %s, want %s", refused.sent, got.content, refused.code)
		}
		got.wantField(refused.field)
	}
	c.bob.wantEvents()
	for _, ttl := range []int{-1, 1, 525600} {
		c.alice.mustSend(c.bob.token, "x", "ttl", ttl)
	}
}

func TestMessageFindsItsRecipientByAnyAddress(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	user := c.operator.post("/v2/user",
		fields{"first_name": "Dora", "email": "Doc+Test@Example.com", "phone": "(415) 555-2671", "username": "Dr.Who-1_a"},
		in(c.org)).reply()
	dora := user.text("token")
	group := c.alice.mustCreateGroup("G", c.bob)
	for address, want := range map[string]string{
		dora: dora, strings.ToUpper(dora): dora, "doc+test@example.com": dora, "DOC+TEST@example.COM": dora,
		"dr.who-1_a": dora, "DR.WHO-1_A": dora,
		"+14155552671": dora, "415.555.2671": dora, "+1 (415) 555-2671": dora, "me": c.alice.token, "alice": c.alice.token,
		group: group,
	} {
		if got := c.alice.post("/v2/message?response_format=message",
			fields{"recipient": address, "body": "x"}).reply().text("recipient_token"); got != want {
			t.Errorf("a message to %q went to %s, want %s", address, got, want)
		}
	}
	for _, nobody := range []string{randomToken(), "nobody@example.com", "+14155550000", "nobody", "@", "+"} {
		c.alice.post("/v2/message", fields{"recipient": nobody, "body": "x"}).wantMissing()
	}
	// A literal plus in a path is a plus, raw or encoded.
	for _, address := range []string{"doc+test@example.com", "doc%2Btest%40example.com", "+14155552671", "dr.who-1_a"} {
		if got := c.alice.get("/v2/user/" + address).reply().text("token"); got != dora {
			t.Errorf("%s is %s, want %s", address, got, dora)
		}
	}
}

// The rules of contract 5.1 on which organization a message belongs to.
func TestMessageOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	third := c.mustCreateOrganization("Third")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(second, c.bob)
	c.operator.mustJoin(third, c.alice)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.post("/v2/group", fields{"name": "G", "members": []string{c.bob.token}},
		in(second)).want(204).Header.Get("TT-X-Group-Token")

	send := func(f fields, options ...option) *answer {
		t.Helper()
		f["body"] = "x"
		return c.alice.post("/v2/message?response_format=message", f, options...)
	}
	wantIn := func(a *answer, org string) {
		t.Helper()
		a.reply().wantFields(fields{"sender_organization": org, "recipient_organization": org})
	}
	wantIn(send(fields{"recipient": c.bob.token, "sender_organization": c.org}), c.org)
	wantIn(send(fields{"recipient": c.bob.token, "recipient_organization": second}), second)
	wantIn(send(fields{"recipient": c.bob.token}, in(second)), second)
	wantIn(send(fields{"recipient": c.bob.token, "sender_organization": c.org}, in(second)), c.org)
	wantIn(send(fields{"recipient": c.bob.token, "TT-X-Organization-Key": second}), second)
	wantIn(c.alice.post("/v2/message?response_format=message&TT-X-Organization-Key="+second,
		fields{"recipient": c.bob.token, "body": "x"}), second)
	// Left out: the only one that both share; of a group its own, whatever the header names.
	wantIn(send(fields{"recipient": c.carl.token}), c.org)
	wantIn(send(fields{"recipient": group}), second)
	wantIn(send(fields{"recipient": group}, in(c.org)), second)
	wantIn(send(fields{"recipient": c.bob.token}), c.org) // of both, the one that Bob has belonged to longest
	send(fields{"recipient": group, "sender_organization": c.org}).wantError(400, "organization_mismatch")
	wantIn(send(fields{"recipient": c.bob.token, "recipient_organization": second}, in(c.org)), second)
	// None, or not both of them in it: as for a recipient that does not exist.
	unknown := send(fields{"recipient": randomToken()}).wantMissing()
	for _, a := range []*answer{
		send(fields{"recipient": stranger.token}),
		send(fields{"recipient": stranger.token, "sender_organization": c.org}),
		send(fields{"recipient": c.bob.token, "sender_organization": third}),
		send(fields{"recipient": c.carl.token, "sender_organization": second}),
		send(fields{"recipient": c.carl.token, "sender_organization": randomOrganization()}),
		send(fields{"recipient": c.carl.token}, in("nonsense")),
	} {
		wantSameAnswer(a.wantMissing(), unknown)
	}
	// A group that the sender is not a member of.
	wantSameAnswer(c.carl.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing(), unknown)
	wantSameAnswer(stranger.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing(), unknown)
}

func TestMessageToOneself(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend("me", "note")
	queued := c.alice.wantEvents("message")
	queued[0].wantFields(fields{"message_id": id, "sender_token": c.alice.token, "recipient_token": c.alice.token,
		"status": "New"})
	c.alice.mustAck(queued[0].id)
	c.alice.get("/v2/message/" + id).reply().wantFields(fields{"status": "Delivered"})
	c.alice.wantEvents("message:status")
}

func TestMessagesComeInTheOrderOfSending(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	c.bob.forgetEvents()
	var sent []string
	for i := range 30 {
		to := c.bob.token
		if i%3 == 0 {
			to = group
		}
		sent = append(sent, c.alice.mustSend(to, number(i)))
	}
	var got []string
	last := map[string]int64{}
	for _, e := range c.bob.events() {
		got = append(got, e.text("message_id"))
		conversation, sort := e.text("recipient_token"), e.int("sort_number")
		if sort <= last[conversation] {
			t.Errorf("sort_number %d comes after %d", sort, last[conversation])
		}
		last[conversation] = sort
	}
	if !slices.Equal(got, sent) {
		t.Errorf("sent %v, got %v", sent, got)
	}
}

func TestMessageIsSeenBySenderAndRecipientsOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	stranger := c.mustCreateStranger("stranger")
	id := c.alice.mustSend(c.bob.token, "secret", "ttl", -1)
	unknown := c.carl.get("/v2/message/" + randomToken()).wantMissing()
	for _, p := range []*person{c.carl, stranger, admin, c.operator} {
		for _, path := range []string{"", "/status", "/attachment/1"} {
			wantSameAnswer(p.get("/v2/message/"+id+path).wantMissing(), unknown)
		}
		wantSameAnswer(p.delete("/v2/message/"+id).wantMissing(), unknown)
		wantSameAnswer(p.post("/v2/message/"+id+"/forward", fields{"recipient": p.token}).wantMissing(), unknown)
		p.post("/v2/message/status", fields{"read": []string{id}}).want(204)
		p.post("/v2/get_bulk_message_status",
			fields{"messages": []string{id}}).reply().at("bulk_message_statuses").wantIs([]any{})
	}
	c.alice.wantEvents()
	for _, nothing := range []string{"nonsense", "1", c.bob.token, "%00", strings.Repeat("a", 300)} {
		c.alice.get("/v2/message/" + nothing).want(404)
	}
}

func TestMessageFollowsTheOrganizationsSettings(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	settings := func(f fields) {
		t.Helper()
		c.operator.post("/v2/organization/"+c.org, f).want(204)
	}
	send := func(f fields) *answer {
		t.Helper()
		f["recipient"], f["body"] = c.bob.token, "x"
		return c.alice.post("/v2/message", f)
	}
	send(fields{}).want(204).wantHeader("TT-X-Msg-Ttl", "43200")
	settings(fields{"ttl": 120, "dor": true})
	id := send(fields{}).want(204).wantHeader("TT-X-Msg-Ttl", "120").Header.Get("TT-X-Message-Id")
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"ttl": 120, "dor": true})
	id = send(fields{"dor": false, "ttl": 5}).want(204).wantHeader("TT-X-Msg-Ttl", "5").Header.Get("TT-X-Message-Id")
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"ttl": 5, "dor": false})
	settings(fields{"maxTtl": 60})
	send(fields{"ttl": 61}).wantError(400, "ttl_too_long").wantField("ttl")
	send(fields{"ttl": 60}).want(204).wantHeader("TT-X-Msg-Ttl", "60")
	send(fields{"ttl": -1}).want(204).wantHeader("TT-X-Msg-Ttl", "60") // clients send it unasked
	send(fields{}).want(204).wantHeader("TT-X-Msg-Ttl", "60")

	settings(fields{"priorityMessaging": false, "attachments": "false", "forward": 0})
	send(fields{"priority": 1}).want(400).wantField("priority")
	id = send(fields{"priority": 0}).want(204).Header.Get("TT-X-Message-Id")
	send(fields{"priority": -1}).want(204)
	withFile := parts(map[string]string{"recipient": c.bob.token}, file{"attachment", "a.txt", "text/plain", []byte("x")})
	c.alice.do("POST", "/v2/message", withFile).want(400).wantField("attachment")
	c.alice.post("/v2/message/"+id+"/forward", fields{"recipient": c.carl.token}).wantError(403, "forward_off")
}

func TestRecallErasesForEverybody(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	c.bob.forgetEvents()
	c.carl.forgetEvents()
	one := c.alice.do("POST", "/v2/message",
		parts(map[string]string{"recipient": c.bob.token, "body": "one"}, file{"attachment", "a.png", "image/png", picture})).
		want(204).Header.Get("TT-X-Message-Id")
	two := c.alice.mustSend(group, "two")
	c.bob.wantEvents("message", "group_message")
	c.carl.mustAck(c.carl.wantEvents("group_message")[0].id)
	c.alice.forgetEvents()

	for id, kind := range map[string]string{one: "message:status", two: "group:message:status"} {
		c.bob.delete("/v2/message/"+id).wantError(403, "not_sender")
		stranger.delete("/v2/message/" + id).wantMissing()
		c.alice.delete("/v2/message/" + id).want(204)
		c.alice.delete("/v2/message/" + id).want(204) // again
		event := c.bob.events()
		last := event[len(event)-1]
		if last.kind != kind {
			t.Errorf("a recall is told by %s, want %s", last.kind, kind)
		}
		last.wantIs(fields{"client_id": id, "is_recalled": true})
		for _, p := range []*person{c.alice, c.bob} {
			p.get("/v2/message/"+id).reply().wantFields(fields{"message_id": id, "is_recalled": true}, "body", "attachments",
				"attachment_name", "data")
			p.get("/v2/message/" + id + "/attachment/1").wantMissing()
			p.get("/v2/message/" + id + "/status").reply().wantFields(fields{"client_id": id, "is_recalled": true})
		}
		c.alice.post("/v2/message/"+id+"/forward", fields{"recipient": c.carl.token}).wantMissing()
	}
	// The queued events that carried them are withdrawn; who had acknowledged is told too.
	for _, e := range c.bob.events() {
		if e.kind != "message:status" && e.kind != "group:message:status" {
			t.Errorf("after the recall the queue still holds %s %s", e.kind, e.value)
		}
	}
	c.carl.wantEvents("group:message:status")
	c.alice.wantEvents()
	c.bob.get(c.bob.path("/message/unread_count")).reply().wantIs(fields{"unread_count": 0, "unread_priority_count": 0})
	// What is read or acknowledged of a recalled message moves no status.
	c.bob.mustMark("read", one, two)
	c.alice.wantEvents()
}

func TestRecalledMessageIsGoneWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "x", "ttl", 1)
	c.alice.delete("/v2/message/" + id).want(204)
	c.clock.Advance(time.Minute)
	c.alice.get("/v2/message/" + id).wantMissing()
	c.alice.delete("/v2/message/" + id).wantMissing()
}
