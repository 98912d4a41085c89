package clientreplay

import (
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/testenv"
)

// TestJavaScript3 replays the JavaScript SDK 3.x, which signs in with a password
// and goes on with the key that it gets.
func TestJavaScript3(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := newStory(t, alice)
	s.must(s.cast.Operator.Client.SetPassword(t.Context(), s.me.Token, "", s.password))
	// That somebody else set the password is an event of its own.
	_, err := s.me.Client.DeleteEvents(t.Context(), false)
	s.must(err)

	answers := s.javaScript3()
	answers[2] = want{status: 200,
		reply: `{"user":` + aliceShape + `,"auth":{"key":"<login key>","secret":"<login secret>","resource":"dev-1"}}`,
		after: func() { s.names.Set("me key", s.id("login key")); s.names.Set("me secret", s.id("login secret")) }}
	refused := func(code string) want { return want{status: 403, code: code} }
	answers[42], answers[43] = refused("not_allowed"), refused("not_allowed") // metadata of somebody else
	answers[49], answers[50] = refused("administrative_key_required"), refused("administrative_key_required")
	answers[52] = want{status: 204, before: s.wantHeartbeat}
	s.replay(mustReadRecording(t, "js3.md"), answers)

	s.wantStreamEnd()
	s.ask("GET", "/v2/user", "{}", want{status: 401, code: "credentials_invalid"}) // the sign-in's key has ended
}

// TestJavaScript3OfAnAdministrator replays the same with the key of an
// administrator, for whom nothing of it is refused.
func TestJavaScript3OfAnAdministrator(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := newStory(t, dana)
	s.must(s.cast.Operator.Client.SetPassword(t.Context(), s.me.Token, "", s.password))
	_, err := s.me.Client.DeleteEvents(t.Context(), false)
	s.must(err)

	answers := s.javaScript3()
	// A sign-in gives a regular key. The story goes on with the one that it has.
	answers[2] = want{status: 200,
		reply: `{"user":` + danaShape + `,"auth":{"key":"<login key>","secret":"<login secret>","resource":"dev-1"}}`}
	answers[42] = want{status: 204}
	answers[43] = want{status: 204, after: func() {
		s.ask("GET", "/v2/metadata/<bob>", "", want{status: 200, reply: `{"c":"2"}`},
			[2]string{"tt-x-organization-key", s.cast.Organization})
	}}
	answers[49] = want{status: 204, header: map[string]string{"TT-X-Organization-Key": "<new org>"}, after: func() {
		s.wantEvent("account:settings",
			`{"token":"<me>","services":[{"xmlns":"tigertext:iq:update:org_settings","account":"<me>"}]}`)
	}}
	answers[50] = want{status: 204, after: func() {
		s.wantEvent("account:settings",
			`{"token":"<me>","services":[{"xmlns":"tigertext:iq:update:org_settings","account":"<me>"}]}`)
	}}
	s.replay(mustReadRecording(t, "js3.md"), answers)

	s.wantStreamEnd()
	// It is in two organizations by now, and the call names none: the older one is meant.
	s.ask("GET", "/v2/user", "{}",
		want{status: 200, reply: with(danaShape, "status", `"busy"`, "dnd", "true", "dnd_text", `"x"`)})
}

// javaScript3 are the answers that do not depend on who calls.
func (s *story) javaScript3() map[int]want {
	me, ctx := s.myShape(), s.t.Context()
	return map[int]want{
		1:  {status: 200, reply: me},
		3:  {status: 200, reply: me},
		4:  {after: s.wantReplay},
		5:  {status: 204, after: func() { s.wantEvent("friends", friend("add", bobShape)) }},
		6:  {status: 200, reply: orgShape},
		7:  {status: 200, reply: bobShape},
		8:  {status: 204, header: map[string]string{"TT-X-Message-Id": "<m-out-9>", "TT-X-Msg-Ttl": "30"}},
		9:  {status: 200, reply: bobShape},
		10: {status: 204},
		11: {status: 204, header: map[string]string{"TT-X-Message-Id": "<m-data>", "TT-X-Msg-Ttl": "60"}, after: func() {
			s.ask("GET", "/v2/message/<m-data>", "{}",
				want{status: 200, reply: with(messageShape("m-data", "me", "bob", "meta"), "ttl", "60",
					"data", `[{"mimetype":"application/json","namespace":"ns","payload":"{\"k\":1}"}]`)})
		}},
		12: {status: 204, header: map[string]string{"TT-X-Message-Id": "<m-file>", "TT-X-Msg-Ttl": "60"}, after: func() {
			s.ask("GET", "/v2/message/<m-file>", "{}",
				want{status: 200, reply: with(messageShape("m-file", "me", "bob", "with a file"), "ttl", "60",
					"attachments", attached, "attachment_name", `"a.png"`)})
			s.wantFile("m-file")
		}},
		13: {status: 200, reply: statusShape("m-out-9", "bob", "Delivered"), before: func() {
			s.must(s.cast.Bob.Client.MarkDelivered(ctx, s.id("m-out-9")))
			s.wantEvent("message:status",
				`{"client_id":"<m-out-9>","status":"Delivered","account_id":"<bob>","timestamp":`+someTime+`}`)
		}},
		14: {status: 200, reply: messageShape("m-in-1", "bob", "me", "hi"), before: func() {
			s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "hi"})
			s.wantEvent("message", messageShape("m-in-1", "bob", "me", "hi"))
		}},
		15: {status: 200, reply: statusShape("m-in-1", "me", "New")},
		16: {status: 204},
		17: {status: 204, header: map[string]string{"TT-X-Message-Id": "<fwd-1>", "TT-X-Msg-Ttl": "30"}},
		18: {status: 200, reply: with(messageShape("fwd-1", "me", "bob", "hello"), "priority", "1",
			"ttl", "30", "dor", "true", "is_forwarded", "true", "original_sender", `"<me>"`, "original_timestamp", someTime)},
		19: {status: 200, reply: statusShape("m-in-1", "me", "Read")},
		20: {status: 204, after: func() {
			s.ask("GET", "/v2/message/m-out-9/status", "{}",
				want{status: 200, reply: with(statusShape("m-out-9", "bob", "Delivered"), "is_recalled", "true")})
		}},
		21: {status: 204, before: func() {
			s.must(s.cast.Bob.Client.StartTyping(ctx, s.me.Token))
			s.wantEvent("message:is_typing", `{"sender_token":"<bob>","status":"typing"}`)
			s.must(s.cast.Bob.Client.StopTyping(ctx, s.me.Token))
			s.wantEvent("message:is_typing", `{"sender_token":"<bob>","status":"not_typing"}`)
		}},
		22: {status: 204, before: s.wantQueued, after: s.wantQueued},
		23: {status: 204},
		24: {status: 204, header: map[string]string{"TT-X-Group-Token": "<grp>", "TT-X-Group-Avatar": ""}, after: func() {
			g := groupShape("G1", `["<me>","<bob>"]`, "2")
			s.wantEvent("friends", friend("add", g))
			s.wantEvent("bang", `{"event":"added","caller_entity":`+me+`,"subject_entity":`+me+`,"target_entity":`+g+
				`,"sort_number":1,"created_on":`+someTime+`}`)
			s.ask("GET", "/v2/group/<grp>", "{}", want{status: 200, reply: g})
		}},
		25: {status: 200, reply: `{}`},
		26: {status: 204, after: func() {
			s.ask("GET", "/v2/metadata/<grp>", "{}", want{status: 200, reply: `{"a":"1","k":"v"}`})
		}},
		27: {status: 204, header: map[string]string{"TT-X-Group-Avatar": ""}, after: func() {
			// The client names the others only, and goes on writing to the group.
			g := groupShape("G2", `["<me>","<bob>"]`, "2")
			s.wantEvent("update", with(g, "type", `"tigertext:entity:group"`, "caller_token", `"<me>"`,
				"sort_number", "1"))
			s.ask("GET", "/v2/group/<grp>", "{}", want{status: 200, reply: g})
		}},
		28: {status: 204, before: func() {
			s.receive(s.cast.Bob, "m-in-2", client.Outgoing{Recipient: s.id("grp"), Body: "hi all"})
			s.wantEvent("group_message", with(messageShape("m-in-2", "bob", "grp", "hi all"), "group_token", `"<grp>"`))
		}},
		29: {status: 204, header: map[string]string{"TT-X-Message-Id": "<m-out-29>", "TT-X-Msg-Ttl": "60"}, after: func() {
			s.must(s.cast.Bob.Client.MarkRead(ctx, s.id("m-out-29")))
			s.wantEvent("group:message:status",
				`{"client_id":"<m-out-29>","status":"Read","account_id":"<bob>","timestamp":`+someTime+`}`)
		}},
		30: {status: 204, after: func() {
			s.wantEvent("bang", `{"event":"removed","caller_entity":`+me+`,"subject_entity":`+bobShape+`,"target_entity":`+
				groupShape("G2", `["<me>"]`, "1")+
				`,"sort_number":1,"created_on":`+someTime+`}`)
		}},
		31: {status: 204, after: func() {
			s.wantEvent("friends", friend("del", goneShape))
			s.ask("GET", "/v2/group/<grp>", "{}", want{status: 404, code: "not_found"})
		}},
		32: {status: 200, reply: bobShape},
		33: {status: 200, reply: me},
		34: {status: 204, after: func() {
			s.wantEvent("account:settings",
				`{"token":"<me>","services":[{"xmlns":"tigertext:iq:update:account","account":"<me>"}]}`)
			s.ask("GET", "/v2/user", "{}",
				want{status: 200, reply: with(me, "status", `"busy"`, "dnd", "true", "dnd_text", `"x"`)})
		}},
		35: {status: 200, reply: `[` + orgShape + `]`},
		36: {status: 200, reply: orgShape},
		37: {status: 200, reply: searchShape(bobShape)},
		38: {status: 200, reply: searchShape(bobShape)},
		39: {status: 200, reply: `[{},{}]`},
		40: {status: 200, reply: `{}`},
		41: {status: 200, reply: `{}`},
		44: {status: 200, reply: `[` + with(bobShape, "type", `"tigertext:entity:account"`, "organization_id", `"<org>"`,
			"last_message_time", someTime, "unread_count", "0", "muted", "false") + `]`},
		45: {status: 200, reply: `[]`},
		46: {status: 204, after: func() {
			s.wantEvent("friends", friend("del", bobShape))
			s.ask("GET", "/v2/roster", "{}", want{status: 200, reply: `[]`})
		}},
		47: {status: 204, after: func() {
			entry := muteOfBob("60", "1")
			s.wantEvent("conversation_mute", `{"token":"<me>","action":"add",`+entry+`}`)
			s.ask("GET", "/v2/mute", "{}", want{status: 200, reply: `[{` + entry + `}]`})
		}},
		48: {status: 204, after: s.wantUnmuted},
		51: {status: 204, before: s.wantQueued, after: s.wantQueued},
		52: {status: 204},
	}
}

// searchShape is what a search finds whose one result is an account.
func searchShape(entity string) string {
	return `{"results":[{"type":"tigertext:entity:account","organization_id":"<org>","entity":` + entity +
		`}],"metadata":{"total_hits":1,"first_hit":0}}`
}

// wantFile downloads the attachment of a message as the clients do.
func (s *story) wantFile(message string) {
	s.t.Helper()
	a := s.cast.MustSend(s.t, s.http,
		apptest.Request{Method: "GET", Target: s.fill("/v2/message/<" + message + ">/attachment/1"),
			Header: [][2]string{{"Authorization", "Basic " + s.fill("<credentials of me>")}}})
	if a.Status != 200 || a.Body != file || a.Header.Get("Content-Type") != "image/png" ||
		a.Header.Get("Content-Length") != "13" {
		s.t.Errorf("the attachment of %s: got %d %v %q", message, a.Status, a.Header, a.Body)
	}
}
