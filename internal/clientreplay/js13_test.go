package clientreplay

import (
	"testing"

	"signet/client"
	"signet/internal/testenv"
)

// TestJavaScript13 replays the JavaScript SDK 13.x with the key of a member.
func TestJavaScript13(t *testing.T) {
	t.Parallel()
	s := newStory(t, alice)
	answers := s.javaScript13()
	answers[35] = want{status: 403, code: "not_allowed"} // metadata of somebody else
	answers[40] = want{status: 403, code: "administrative_key_required"}
	answers[43] = want{status: 204, before: s.wantHeartbeat}
	s.replay(mustReadRecording(t, "js13.md"), answers)
	s.wantStreamEnd()
	// Its key was not issued by a sign-in: it stays.
	s.ask("GET", "/v2/user", "",
		want{status: 200, reply: with(aliceShape, "status", `"busy"`, "dnd", "true", "dnd_text", `"x"`)})
}

// TestJavaScript13OfAnAdministrator replays the same with the key of an
// administrator, for whom nothing of it is refused.
func TestJavaScript13OfAnAdministrator(t *testing.T) {
	t.Parallel()
	s := newStory(t, dana)
	answers := s.javaScript13()
	answers[31] = want{status: 200, reply: `{"roles":[{"organization":{"organization_id":"<org>","roles":["admin"]}}]}`}
	answers[35] = want{status: 204}
	entry := answers[36]
	entry.reply = `[` + with(s.bobEntry(), "metadata", `{"a":"1","b":"2"}`) + `]`
	answers[36] = entry
	answers[40] = want{status: 204, header: map[string]string{"TT-X-Organization-Key": "<new org>"}, after: func() {
		s.wantEvent("account:settings",
			`{"token":"<me>","services":[{"xmlns":"tigertext:iq:update:org_settings","account":"<me>"}]}`)
	}}
	s.replay(mustReadRecording(t, "js13.md"), answers)
	s.wantStreamEnd()
}

// bobEntry is the roster's entry of somebody whose messages are read.
func (s *story) bobEntry() string {
	return with(bobShape, "type", `"tigertext:entity:account"`, "organization_id", `"<org>"`, "last_message_time",
		someTime, "unread_count", "0", "muted", "false")
}

// javaScript13 are the answers that do not depend on who calls.
func (s *story) javaScript13() map[int]want {
	me, ctx := s.myShape(), s.t.Context()
	rendered := func(entity string) string { return with(entity, "metadata", `{}`) }
	first := with(messageShape("m-out-10", "me", "bob", "hello"), "ttl", "30", "dor", "true", "priority", "1")
	group := groupShape("G1", `["<me>","<bob>"]`, "2")
	toGroup := `"message_id":"<m-out-25>","client_id":"<m-out-25>","sender_token":"<me>","sender_organization":"<org>","recipient_token":"<grp>",
		"group_token":"<grp>","recipient_organization":"<org>","body":"hey group","created_time":` + someTime +
		`,"ttl":-1,"dor":false,"status":"New",
		"priority":0,"sort_number":1,"attachments":[],"data":[]`
	incoming := "" // the event of the message that came
	return map[int]want{
		1: {status: 200, reply: rendered(me)},
		2: {after: s.wantReplay},
		3: {status: 200, reply: `[` + orgShape + `]`},
		4: {status: 200, reply: rendered(me)},
		5: {status: 200, reply: rendered(bobShape)},
		6: {status: 204},
		7: {status: 204, before: func() {
			s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "hi"})
			incoming = s.wantEvent("message", messageShape("m-in-1", "bob", "me", "hi")).id
		}},
		8:  {status: 204}, // the message has made the entry already
		9:  {status: 204},
		10: {status: 200, header: map[string]string{"TT-X-Message-Id": "<m-out-10>", "TT-X-Msg-Ttl": "30"}, reply: first},
		11: {status: 200, header: map[string]string{"TT-X-Message-Id": "<m-file>", "TT-X-Msg-Ttl": "60"},
			reply: with(messageShape("m-file", "me", "bob", "with a file"), "ttl", "60", "attachments", attached,
				"attachment_name", `"a.png"`),
			after: func() { s.wantFile("m-file") }},
		12: {status: 200, reply: `{"bulk_message_statuses":[` + statusShape("m-out-10", "bob", "Delivered") + `]}`,
			before: func() {
				s.must(s.cast.Bob.Client.MarkDelivered(ctx, s.id("m-out-10")))
				s.wantEvent("message:status",
					`{"client_id":"<m-out-10>","status":"Delivered","account_id":"<bob>","timestamp":`+someTime+`}`)
			}},
		13: {status: 200, reply: with(messageShape("m-in-1", "bob", "me", "hi"), "status", `"Delivered"`)},
		14: {status: 200, reply: statusShape("m-in-1", "me", "Delivered")},
		15: {status: 204, header: map[string]string{"TT-X-Message-Id": "<fwd-1>", "TT-X-Msg-Ttl": "30"}, after: func() {
			s.ask("GET", "/v2/message/fwd-1", "", want{status: 200, reply: with(messageShape("fwd-1", "me", "bob", "hello"),
				"ttl", "30", "dor", "true", "is_forwarded", "true", "original_sender", `"<me>"`, "original_timestamp", someTime)})
		}},
		16: {status: 204},
		17: {status: 204, before: func() {
			s.must(s.cast.Bob.Client.StartTyping(ctx, s.me.Token))
			s.wantEvent("message:is_typing", `{"sender_token":"<bob>","status":"typing"}`)
		}},
		18: {status: 200, reply: rendered(me)},
		19: {status: 200, reply: rendered(bobShape)},
		20: {status: 200, header: map[string]string{"TT-X-Group-Token": "<grp>", "TT-X-Group-Avatar": ""}, reply: group,
			after: func() {
				s.wantEvent("friends", friend("add", group))
				s.wantEvent("bang", `{"event":"added","caller_entity":`+me+`,"subject_entity":`+me+`,"target_entity":`+group+
					`,"sort_number":1,"created_on":`+someTime+`}`)
			}},
		21: {status: 200, reply: `{}`},
		22: {status: 200, reply: rendered(group)},
		23: {status: 204, header: map[string]string{"TT-X-Group-Avatar": ""}, after: func() {
			g := groupShape("G2", `["<me>","<bob>"]`, "2")
			s.wantEvent("update", with(g, "type", `"tigertext:entity:group"`, "caller_token", `"<me>"`,
				"sort_number", "1"))
			s.ask("GET", "/v2/group/<grp>", "", want{status: 200, reply: g})
		}},
		24: {status: 204, before: func() {
			s.must(s.cast.Bob.Client.StartTyping(ctx, s.id("grp")))
			s.wantEvent("message:is_typing", `{"sender_token":"<bob>","group_token":"<grp>","status":"typing"}`)
		}},
		25: {status: 200, header: map[string]string{"TT-X-Message-Id": "<m-out-25>", "TT-X-Msg-Ttl": "-1"},
			reply: `{` + toGroup + `}`},
		26: {status: 200, reply: statusShape("m-out-25", "bob", "Read"), before: func() {
			s.must(s.cast.Bob.Client.MarkRead(ctx, s.id("m-out-25")))
			s.wantEvent("group:message:status",
				`{"client_id":"<m-out-25>","status":"Read","account_id":"<bob>","timestamp":`+someTime+`}`)
		}},
		27: {status: 204, after: func() {
			s.wantEvent("bang", `{"event":"removed","caller_entity":`+me+`,"subject_entity":`+bobShape+`,"target_entity":`+
				groupShape("G2", `["<me>"]`, "1")+
				`,"sort_number":1,"created_on":`+someTime+`}`)
		}},
		28: {status: 204, after: func() { s.wantEvent("friends", friend("del", goneShape)) }},
		29: {status: 200, reply: rendered(bobShape)},
		30: {status: 204, after: func() {
			s.wantEvent("account:settings",
				`{"token":"<me>","services":[{"xmlns":"tigertext:iq:update:account","account":"<me>"}]}`)
		}},
		31: {status: 200, reply: `{"roles":[{"organization":{"organization_id":"<org>","roles":[]}}]}`, after: func() {
			// The client asks with this word where it knows of no organization yet.
			s.ask("GET", "/v2/user/<me>/organization/placeholder/roles", "",
				want{status: 200, reply: `{"roles":[{"organization":{"organization_id":"<org>","roles":[` +
					s.roles() + `]}}]}`})
		}},
		32: {
			status: 200, reply: searchShape(
				`{"avatar":"","department":"Surgery","display_name":"Bob Brown","dnd":false,"first_name":"Bob","last_name":"Brown",
			"organization_key":"<org>","status":"","title":"Surgeon","token":"<bob>","metadata":{}}`)},
		33: {status: 200, reply: `{}`},
		34: {status: 200, reply: `{}`},
		36: {status: 200, reply: `[` + rendered(s.bobEntry()) + `]`, before: func() {
			// Read before the recording says so: the entry's count is to be seen.
			s.ask("POST", "/v2/message/status", `{"read":["m-in-1"]}`, want{status: 204})
		}},
		37: {status: 200, reply: `[]`},
		38: {status: 204, before: s.muteBob, after: s.wantUnmuted},
		39: {status: 204, after: func() {
			// The conversation is gone with its messages, and what is queued of it.
			s.withdraw(incoming)
			s.wantEvent("friends", friend("del", bobShape))
			s.ask("GET", "/v2/roster", "", want{status: 200, reply: `[]`})
		}},
		41: {status: 204, before: s.wantQueued, after: s.wantQueued},
		42: {status: 204},
		43: {status: 204},
	}
}

// roles are those that the story's account holds.
func (s *story) roles() string {
	if s.me == s.cast.Dana {
		return `"admin"`
	}
	return ""
}

// TestJavaScript13SignsIn replays what comes first where a client signs in with a
// password, or with a key and its secret.
func TestJavaScript13SignsIn(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const body = `{"device_id":"dev-13","metadata":{"device_type":"js_sdk","device_version":"13.7.0","tt_product_version":"partner"},` +
		`"push_routing":"consumer","version":"1.0","want_condensed_replays":true,"want_processing_events":true}`
	s := newStory(t, alice)
	s.must(s.cast.Operator.Client.SetPassword(t.Context(), s.me.Token, "", s.password))
	signedIn := func(name string) want {
		return want{status: 200,
			reply: `{"user":` + aliceShape + `,"auth":{"key":"<` + name + ` key>","secret":"<` + name +
				` secret>","resource":"dev-13"}}`}
	}
	// signInWithApiKeyAndSecret
	s.ask("POST", "/v5/login", body, signedIn("first"))
	first := s.withKey("first")
	first.ask("GET", "/v2/user?render_metadata=true", "", want{status: 200, reply: with(aliceShape, "metadata", `{}`)})
	// signIn
	byPassword := s.withKey("first")
	byPassword.names.Set("me key", "alice@example.com")
	byPassword.names.Set("me secret", s.password)
	byPassword.ask("POST", "/v5/login", body, signedIn("second"))
	byPassword.withKey("second").ask("GET", "/v2/user", "", want{status: 200, reply: aliceShape})
	// The device has one key at a time.
	first.ask("GET", "/v2/user", "", want{status: 401, code: "credentials_invalid"})
	for _, wrong := range []string{"alice@example.com", "nobody@example.com", s.me.Key} {
		byPassword.names.Set("me key", wrong)
		byPassword.names.Set("me secret", "wrong")
		byPassword.ask("POST", "/v5/login", body, want{status: 401, code: "credentials_invalid"})
	}
}

// withKey is the same client with another key.
func (s *story) withKey(name string) *story {
	s.t.Helper()
	other := *s
	other.names = s.names.Clone()
	other.names.Set("me key", s.id(name+" key"))
	other.names.Set("me secret", s.id(name+" secret"))
	return &other
}
