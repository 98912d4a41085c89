package clientreplay

import (
	"testing"

	"signet/internal/app/apptest"
)

// conversation is three people with three kinds of client in one group.
type conversation struct {
	js3, js13, curl *story
}

// share tells the others what one of them has learnt.
func (c *conversation) share(from *story, names ...string) {
	from.t.Helper()
	for _, s := range []*story{c.js3, c.js13, c.curl} {
		for _, name := range names {
			s.names.Set(name, from.id(name))
		}
	}
}

func carol(c *apptest.Cast) *apptest.Person { return c.Carol }

// TestGenerationsTalkToEachOther: the JavaScript SDKs 3.x and 13.x, each with
// its own way to sign in to the stream, and a script with curl, hold a
// conversation together. Each sees what the others do.
func TestGenerationsTalkToEachOther(t *testing.T) {
	t.Parallel()
	cast := apptest.Start(t).People()
	c := &conversation{js3: newClient(t, cast, alice), js13: newClient(t, cast, bob), curl: newClient(t, cast, carol)}

	c.js3.where, c.js13.where = "the stream of JS 3", "the stream of JS 13"
	c.js3.open(apptest.Request{Method: "GET",
		Target: c.js3.fill("/v2/events?auth_basic=" + dummyCredentials +
			"&features=heartbeat_5,is-typing,msg_delivery_delay:0,multi-org"),
		Header: [][2]string{{"Accept", "text/event-stream"}}})
	c.js13.open(apptest.Request{Method: "GET", Target: "/v2/events?lastEventId=",
		Header: [][2]string{{"Accept", "text/event-stream"},
			{"tt-x-features", "can-confirm,heartbeat_5,is-typing,render_metadata"},
			{"Authorization", "Basic " + c.js13.fill("<credentials of me>")}}})
	c.js3.wantReplay()
	c.js13.wantReplay()

	c.meet()
	c.writeFromJS3()
	c.answerFromJS13()
	c.sendFileFromCurl()
	c.recallFromJS13()
}

// meet: JS 3 makes the group.
func (c *conversation) meet() {
	inOrg := [2]string{"tt-x-organization-key", c.js3.cast.Organization}
	c.js3.ask("POST", "/v2/group", `{"name":"Ward 7","replay_history":true,"members":"<alice>,<bob>,<carol>"}`,
		want{status: 204, header: map[string]string{"TT-X-Group-Token": "<grp>"}}, inOrg)
	c.share(c.js3, "grp")
	for _, s := range []*story{c.js3, c.js13} {
		group := with(groupShape("Ward 7", `["<alice>","<bob>","<carol>"]`, "3"), "created_by", `"<alice>"`)
		s.wantEvent("friends", friend("add", group))
		s.wantEvent("bang", `{"event":"added","caller_entity":`+aliceShape+`,"subject_entity":`+s.myShape()+
			`,"target_entity":`+group+
			`,"sort_number":1,"created_on":`+someTime+`}`)
	}
	// Carol has no stream: the two events wait.
	c.curl.ask("GET", "/v2/events?limit=1", "",
		want{status: 200, reply: `[{"event_id":"<first>","event":{"tigertext:iq:friends":` +
			friend("add", with(groupShape("Ward 7", `["<alice>","<bob>","<carol>"]`, "3"), "created_by", `"<alice>"`)) + `}}]`})
	c.curl.ask("DELETE", "/v2/events", "", want{status: 200, reply: `{"count":0,"deleted":2}`})
}

func inGroup(id, sender, body string) string {
	return with(messageShape(id, sender, "grp", body), "group_token", `"<grp>"`)
}

// writeFromJS3: the others get it each in its way, and their deliveries come back.
func (c *conversation) writeFromJS3() {
	c.js13.ask("DELETE", "/v2/message/typing/<grp>/<me>", "", want{status: 204})
	c.js3.wantEvent("message:is_typing", `{"sender_token":"<bob>","group_token":"<grp>","status":"not_typing"}`)
	c.js3.ask("POST", "/v2/message",
		`{"recipient":"<grp>","body":"Round at nine?","sender_organization":"<org>","recipient_organization":"<org>","priority":0}`,
		want{status: 204, header: map[string]string{"TT-X-Message-Id": "<one>", "TT-X-Msg-Ttl": "43200"}},
		[2]string{"Request-ID", "js3-1"})
	c.share(c.js3, "one")

	c.js13.wantEvent("group_message", inGroup("one", "alice", "Round at nine?"))
	c.js13.ask("POST", "/v2/message/status", `{"delivered":["<one>"]}`, want{status: 204}) // as it does by itself
	c.wantStatus(c.js3, "one", "bob", "Delivered")

	c.curl.ask("GET", "/v2/events?wait=10", "",
		want{status: 200, reply: `[{"event_id":"<event>","event":{"tigertext:iq:group_message":` +
			inGroup("one", "alice", "Round at nine?") + `}}]`})
	c.curl.ask("POST", "/v2/events/ack", `{"events":["<event>"]}`, want{status: 204})
	c.wantStatus(c.js3, "one", "carol", "Delivered")
}

// wantStatus waits for the status event of one recipient of a group message.
func (c *conversation) wantStatus(s *story, message, recipient, status string) {
	s.t.Helper()
	s.wantEvent("group:message:status",
		`{"client_id":"<`+message+`>","status":"`+status+`","account_id":"<`+recipient+`>","timestamp":`+someTime+`}`)
}

// answerFromJS13: with the message in the answer, and read by the script.
func (c *conversation) answerFromJS13() {
	c.js13.ask("POST", "/v2/message?response_format=message",
		`{"body":"Half past","recipient":"<grp>","sender_organization":"<org>","recipient_organization":"<org>","priority":0,"ttl":-1}`,
		want{status: 200, header: map[string]string{"TT-X-Message-Id": "<two>", "TT-X-Msg-Ttl": "-1"},
			reply: `{"message_id":"<two>","client_id":"<two>",
			"sender_token":"<bob>","sender_organization":"<org>","recipient_token":"<grp>","group_token":"<grp>","recipient_organization":"<org>",
			"body":"Half past","created_time":` + someTime +
				`,"ttl":-1,"dor":false,"status":"New","priority":0,"sort_number":1,"attachments":[],"data":[]}`},
		[2]string{"Request-ID", "js13-1"})
	c.share(c.js13, "two")
	c.js3.where = "the stream of JS 3"
	if e := c.js3.next(); e.kind != "group_message" {
		c.js3.t.Fatalf("the stream of JS 3 has %s %s, want the answer", e.kind, e.payload)
	}

	form := apptest.Request{Method: "POST", Target: "/v2/message/status", Body: c.curl.fill("read=<one>,<two>"),
		Header: [][2]string{
			{"Authorization", "Basic " + c.curl.fill("<credentials of me>")},
			{"Content-Type", "application/x-www-form-urlencoded"}}}
	c.curl.where = "the script's form"
	c.curl.wantAnswer(want{status: 204}, c.curl.cast.MustSend(c.curl.t, c.curl.http, form))
	c.wantStatus(c.js3, "one", "carol", "Read")
	c.wantStatus(c.js13, "two", "carol", "Read")
	c.js13.ask("POST", "/v2/get_bulk_message_status", `{"messages":["<one>","<two>"]}`,
		want{status: 200, reply: `{"bulk_message_statuses":[` +
			statusShape("one", "bob", "Delivered") + `,{"client_id":"<two>","is_recalled":false,"statuses":[
			{"account_id":"<alice>","status":"New","timestamp":` + someTime +
			`},{"account_id":"<carol>","status":"Read","timestamp":` + someTime + `}]}]}`})
}

// sendFileFromCurl: JS 3 downloads it as browsers do, JS 13 with its header.
func (c *conversation) sendFileFromCurl() {
	s := c.curl
	s.names.Set("bob", c.js13.id("grp")) // the recorded parts write to <bob>
	form := apptest.Request{Method: "POST", Target: "/v2/message",
		Body: s.multipart("recipient, body, attachment(file a.png)"), Header: [][2]string{
			{"Authorization", "Basic " + s.fill("<credentials of me>")},
			{"Content-Type", "multipart/form-data; boundary=" + boundary}}}
	s.where = "the script's upload"
	s.wantAnswer(want{status: 204, header: map[string]string{"TT-X-Message-Id": "<three>"}},
		s.cast.MustSend(s.t, s.http, form))
	s.names.Set("bob", s.cast.Bob.Token)
	c.share(s, "three")
	for _, reader := range []*story{c.js3, c.js13} {
		reader.wantEvent("group_message",
			with(inGroup("three", "carol", "with a file"), "attachments", attached, "attachment_name", `"a.png"`))
	}
	c.js13.wantFile("three")
	byQuery := apptest.Request{Method: "GET",
		Target: c.js3.fill("/v2/message/<three>/attachment/1?auth_basic=" + dummyCredentials)}
	if a := s.cast.MustSend(s.t, c.js3.http, byQuery); a.Status != 200 || a.Body != file {
		s.t.Errorf("the download with auth_basic: got %d %q", a.Status, a.Body)
	}
}

// recallFromJS13: everybody learns of it, and nobody can read it any more.
func (c *conversation) recallFromJS13() {
	c.js13.ask("DELETE", "/v2/message/<two>", "", want{status: 204})
	recalled := `{"client_id":"<two>","is_recalled":true}`
	c.js3.wantEvent("group:message:status", recalled)
	gone := `{"message_id":"<two>","client_id":"<two>","sender_token":"<bob>","sender_organization":"<org>","recipient_token":"<grp>","group_token":"<grp>",
		"recipient_organization":"<org>","created_time":` + someTime +
		`,"ttl":-1,"dor":false,"status":"New","priority":0,"sort_number":1,"is_recalled":true}`
	c.js3.ask("GET", "/v2/message/<two>", "{}", want{status: 200, reply: gone})
	c.curl.ask("GET", "/v2/events", "",
		want{status: 200, reply: `[{"event_id":"<recall>","event":{"tigertext:iq:group:message:status":` + recalled + `}}]`})
}
