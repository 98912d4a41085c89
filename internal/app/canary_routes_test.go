package app

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// fields and params are shorter names.
type (
	fields = map[string]any
	params = map[string]string
)

// sightings are requests that succeed, one for each route of the interface, with a
// canary in all that their senders say. A route without one fails the test.
var sightings = map[string]func(v *aviary) letter{
	"GET /v2/events": func(v *aviary) letter {
		return letter{who: v.bob,
			query:  url.Values{"features": {"close-after-messages"}, "lastEventId": {v.word(ofContent, "lastEventId")}},
			header: http.Header{"Accept": {"text/event-stream"}}, want: 200}
	},
	"DELETE /v2/events": func(v *aviary) letter { return letter{who: v.person(), want: 200} },
	"POST /v2/events/ack": func(v *aviary) letter {
		return letter{who: v.bob, fields: fields{"events": v.word(ofContent, "event id")}, want: 204}
	},

	"GET /v2/user": func(v *aviary) letter { return letter{who: v.alice, want: 200} },
	"GET /v2/user/{user}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": v.bob.email},
			want: 200}
	},
	"DELETE /v2/user/{user}": func(v *aviary) letter {
		p := v.person()
		return letter{who: v.operator, path: params{"user": p.email}, fields: fields{"username": p.username}, want: 204}
	},
	"POST /v2/user/{user}/settings": func(v *aviary) letter {
		said := fields{}
		for _, name := range []string{"first_name", "last_name", "display_name", "status", "dnd_text"} {
			said[name] = v.word(ofContent, name)
		}
		return letter{who: v.person(), path: params{"user": "me"}, fields: said,
			files: map[string][]byte{"avatar": v.picture()}, want: 204}
	},
	"POST /v2/user/{user}/password": func(v *aviary) letter {
		p := v.person()
		return letter{who: p, path: params{"user": p.username},
			fields: fields{"old_password": p.password, "password": v.word(ofSecret, "new password")}, want: 204}
	},
	"GET /v2/user/{user}/export": func(v *aviary) letter {
		v.newMessage()
		return letter{who: v.bob, path: params{"user": v.bob.email}, want: 200}
	},
	"GET /v2/user/{user}/organization": func(v *aviary) letter {
		return letter{who: v.alice,
			path: params{"user": v.alice.phone}, want: 200}
	},
	"GET /v2/user/{user}/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": "me", "organization": v.organization}, want: 200}
	},

	"POST /v2/group": (*aviary).outgoingGroup,
	"GET /v2/group/{group}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.group},
			want: 200}
	},
	"POST /v2/group/{group}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.group},
			fields: fields{"name": v.word(ofContent, "name"), "description": v.word(ofContent, "description")}, want: 204}
	},
	"DELETE /v2/group/{group}": func(v *aviary) letter {
		return letter{who: v.alice,
			path: params{"group": v.newGroup()}, want: 204}
	},
	"GET /v2/group/{group}/members": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.group},
			want: 200}
	},
	"POST /v2/group/{group}/members": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.newGroup()}, fields: fields{"members": []string{v.bob.phone}},
			want: 204}
	},
	"POST /v2/group/{group}/members/remove": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.newGroup()}, fields: fields{"members": v.bob.email}, want: 204}
	},
	"POST /v2/group/{group}/duty":   func(v *aviary) letter { return v.duty(false) },
	"DELETE /v2/group/{group}/duty": func(v *aviary) letter { return v.duty(true) },
	"GET /v2/group/{group}/duty":    func(v *aviary) letter { return v.duty(true).answered(200) },
	"GET /v2/group/{group}/duty.ics": func(v *aviary) letter {
		l := v.duty(true).answered(200)
		l.query = url.Values{"from": {"2026-11-21T08:00:00Z"}, "x": {v.word(ofContent, "query")}}
		return l
	},
	"POST /v2/role_group": func(v *aviary) letter {
		return letter{who: v.alice, organization: true,
			fields: fields{"name": v.word(ofContent, "name"), "members": []string{v.bob.email}}, want: 200}
	},

	"POST /v2/message": (*aviary).outgoingMessage,
	"GET /v2/message/{message}": func(v *aviary) letter {
		return letter{who: v.bob,
			path: params{"message": v.newMessage()}, want: 200}
	},
	"DELETE /v2/message/{message}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"message": v.newMessage()}, want: 204}
	},
	"GET /v2/message/{message}/escalation": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"message": v.newEscalated()}, want: 200}
	},
	"DELETE /v2/message/{message}/escalation": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"message": v.newEscalated()}, want: 204}
	},
	"GET /v2/message/{message}/attachment/{number}": func(v *aviary) letter {
		return letter{who: v.bob, path: params{"message": v.newMessage(), "number": "1"}, want: 200}
	},
	"GET /v2/message/{message}/status": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"message": v.newMessage()}, want: 200}
	},
	"POST /v2/message/{message}/forward": func(v *aviary) letter {
		return letter{who: v.bob, path: params{"message": v.newMessage()}, fields: fields{"recipient": v.alice.email},
			want: 204}
	},
	"POST /v2/message/status": func(v *aviary) letter {
		return letter{who: v.bob,
			fields: fields{"delivered": v.newMessage(), "read": []string{v.word(ofContent, "message id")}}, want: 204}
	},
	"PUT /v2/message/status": func(v *aviary) letter {
		return letter{who: v.bob, fields: fields{"read": v.newMessage()},
			want: 204}
	},
	"POST /v2/get_bulk_message_status": func(v *aviary) letter {
		return letter{who: v.alice, fields: fields{"messages": []string{v.newMessage(), v.word(ofContent, "message id")}},
			want: 200}
	},
	"POST /v2/message/typing": func(v *aviary) letter {
		return letter{who: v.alice, fields: fields{"recipient": v.bob.email}, want: 204}
	},
	"DELETE /v2/message/typing/{recipient}": func(v *aviary) letter {
		return letter{who: v.alice,
			path: params{"recipient": v.bob.phone}, want: 204}
	},
	"DELETE /v2/message/typing/{recipient}/{sender}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"recipient": v.bob.email, "sender": v.alice.email}, want: 204}
	},

	"GET /v2/conversation": func(v *aviary) letter { return letter{who: v.bob, want: 200} },
	"GET /v2/conversation/{entity}/message": func(v *aviary) letter {
		return letter{who: v.bob, path: params{"entity": v.alice.email}, want: 200}
	},
	"POST /v2/conversation/search": func(v *aviary) letter {
		v.newMessage()
		return letter{who: v.bob, fields: fields{"text": v.word(ofContent, "text"), "sender": v.alice.email}, want: 200}
	},
	"POST /v2/conversation/{entity}/read": func(v *aviary) letter {
		return letter{who: v.bob, path: params{"entity": v.alice.phone}, fields: fields{"up_to": 1}, want: 204}
	},

	"GET /v2/metadata/{entity}": func(v *aviary) letter {
		return letter{who: v.alice, organization: true, path: params{"entity": v.bob.email}, want: 200}
	},
	"POST /v2/metadata/{entity}": func(v *aviary) letter {
		return letter{who: v.alice, organization: true, path: params{"entity": v.alice.email},
			fields: fields{v.word(ofName, "metadata key"): v.word(ofMetadata, "metadata")}, want: 204}
	},
	"DELETE /v2/metadata/{entity}": func(v *aviary) letter {
		return letter{who: v.bob, organization: true, path: params{"entity": "me"}, want: 204}
	},
	"POST /v2/metadata_bulk": func(v *aviary) letter {
		return letter{who: v.bob, organization: true,
			fields: fields{"entities": []string{v.alice.token, v.alice.email, v.word(ofContent, "entity")}}, want: 200}
	},

	"GET /v2/roster": func(v *aviary) letter {
		return letter{who: v.bob, query: url.Values{"render_metadata": {"true"}}, want: 200}
	},
	"POST /v2/roster": func(v *aviary) letter {
		return letter{who: v.alice, organization: true,
			fields: fields{"entity": v.bob.email, "type": v.word(ofContent, "type")}, want: 204}
	},
	"DELETE /v2/roster/{entity}": func(v *aviary) letter {
		return letter{who: v.alice, organization: true, path: params{"entity": v.person().email}, want: 204}
	},
	"POST /v2/search": func(v *aviary) letter {
		return letter{who: v.alice, fields: fields{"type": "account", "any": v.bob.username, "email": v.bob.email}, want: 200}
	},
	"GET /v2/user/{user}/message/unread_count": func(v *aviary) letter {
		return letter{who: v.bob,
			path: params{"user": v.bob.email}, want: 200}
	},
	"GET /v2/user/{user}/organization/{organization}/message/unread_count": func(v *aviary) letter {
		return letter{who: v.bob, path: params{"user": v.bob.phone, "organization": v.organization}, want: 200}
	},

	"GET /v2/push":         func(v *aviary) letter { return letter{who: v.alice, want: 200} },
	"GET /v2/user/me/push": func(v *aviary) letter { return letter{who: v.alice, want: 200} },
	"POST /v2/user/me/push": func(v *aviary) letter { // to a host that is not allowed
		return letter{who: v.alice, want: 400, fields: v.subscription("https://push.example.com")}
	},
	"DELETE /v2/user/me/push/{id}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"id": v.group}, want: 404}
	},

	"GET /v2/mute":        func(v *aviary) letter { return letter{who: v.alice, want: 200} },
	"DELETE /v2/mute":     func(v *aviary) letter { return letter{who: v.alice, want: 204} },
	"POST /v2/mute/p2p":   func(v *aviary) letter { return letter{who: v.alice, fields: v.mute(), want: 204} },
	"DELETE /v2/mute/p2p": func(v *aviary) letter { return letter{who: v.alice, fields: v.mute(), want: 204} },
	"POST /v2/mute/group/{group}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.group}, fields: fields{"duration": 5}, want: 204}
	},
	"DELETE /v2/mute/group/{group}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"group": v.group},
			want: 204}
	},
	"POST /v2/mute/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"organization": v.organization}, fields: fields{"duration": 5}, want: 204}
	},
	"DELETE /v2/mute/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"organization": v.organization}, want: 204}
	},

	"GET /v2/user_lookup/{user}": func(v *aviary) letter {
		return letter{who: v.operator,
			path: params{"user": v.bob.phone}, want: 200}
	},
	"POST /v2/user": func(v *aviary) letter {
		return letter{who: v.operator, organization: true, want: 200,
			fields: fields{"email": v.word(ofEmail, "email") + "@signet.test", "phones": []string{v.phone("phones")},
				"password": v.word(ofSecret, "password"), "display_name": v.word(ofContent, "display_name"),
				"title": v.word(ofContent, "title")}}
	},
	"POST /v2/user/bulk": func(v *aviary) letter {
		return letter{who: v.operator, organization: true, want: 200,
			fields: fields{"users": []fields{{"email": v.word(ofEmail, "email") + "@signet.test",
				"password": v.word(ofSecret, "password"), "display_name": v.word(ofContent, "display_name")}},
				"dry_run": false}}
	},
	"POST /v2/user/{user}/organization": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.bob.email}, want: 204,
			fields: fields{"organization": v.organization, "title": v.word(ofContent, "title"),
				"department": v.word(ofContent, "department")}}
	},
	"DELETE /v2/user/{user}/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.person().email, "organization": v.organization}, want: 204}
	},
	"GET /v2/user/{user}/organization/{organization}/roles": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.bob.email, "organization": v.organization}, want: 200}
	},
	"POST /v2/user/{user}/organization/{organization}/roles/{role}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.bob.email, "organization": v.organization, "role": "reporting"},
			want: 204}
	},
	"DELETE /v2/user/{user}/organization/{organization}/roles/{role}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.bob.phone, "organization": v.organization, "role": "reporting"},
			want: 204}
	},
	"POST /v2/organization": func(v *aviary) letter {
		return letter{who: v.operator,
			fields: fields{"name": v.word(ofContent, "name"), v.word(ofName, "setting"): v.word(ofContent, "setting")},
			want:   204}
	},
	"POST /v2/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			fields: fields{"colour": v.word(ofContent, "setting")}, want: 204}
	},
	"GET /v2/organization/{organization}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/organization/{organization}/audit": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			query: url.Values{"action": {v.word(ofContent, "action")}}, want: 200}
	},
	"GET /v2/organization": func(v *aviary) letter {
		return letter{who: v.operator, query: url.Values{"name": {v.word(ofContent, "name")}}, want: 200}
	},
	"GET /v2/organization/{organization}/member": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			query: url.Values{"q": {v.word(ofContent, "text")}, "role": {v.word(ofContent, "role")}}, want: 200}
	},
	"GET /v2/organization/{organization}/group": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			query: url.Values{"q": {v.word(ofContent, "text")}}, want: 200}
	},
	"GET /v2/organization/{organization}/request": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/organization/{organization}/key": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			query: url.Values{"account": {v.bob.email}}, want: 200}
	},
	"GET /v2/organization/{organization}/queue": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/organization/{organization}/undelivered": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/organization/{organization}/message": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization},
			query: url.Values{"sender": {v.bob.email}, "recipient": {v.bob.phone}}, want: 200}
	},
	"GET /v2/organization/{organization}/escalation": func(v *aviary) letter {
		v.policy(true)
		return letter{who: v.bob, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/organization/{organization}/escalation/{name}": func(v *aviary) letter {
		return v.policy(true).answered(200)
	},
	"POST /v2/organization/{organization}/escalation/{name}":   func(v *aviary) letter { return v.policy(false) },
	"DELETE /v2/organization/{organization}/escalation/{name}": func(v *aviary) letter { return v.policy(true) },
	"GET /v2/organization/{organization}/history": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 200}
	},
	"GET /v2/status/history": func(v *aviary) letter { return letter{who: v.operator, want: 200} },
	"GET /v2/status":         func(v *aviary) letter { return letter{who: v.operator, want: 200} },
	"GET /v2/settings":       func(v *aviary) letter { return letter{who: v.operator, want: 200} },
	"GET /v2/queue":          func(v *aviary) letter { return letter{who: v.operator, want: 200} },
	"GET /v2/key": func(v *aviary) letter {
		return letter{who: v.operator,
			query: url.Values{"account": {v.bob.phone}, "q": {v.word(ofContent, "text")}}, want: 200}
	},
	"GET /v2/audit": func(v *aviary) letter {
		return letter{who: v.operator, query: url.Values{"limit": {"1000"}}, want: 200}
	},
	"POST /v2/organization/{organization}/hold": func(v *aviary) letter {
		token := v.mustSend(letter{who: v.operator, route: "POST /v2/organization",
			fields: fields{"name": v.word(ofContent, "name")}, want: 204}).Header.Get("TT-X-Organization-Key")
		return letter{who: v.operator, path: params{"organization": token}, want: 204}
	},
	"DELETE /v2/organization/{organization}/hold": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization}, want: 204}
	},
	"DELETE /v2/organization/{organization}": func(v *aviary) letter {
		name := v.word(ofContent, "name")
		token := v.mustSend(letter{who: v.operator, route: "POST /v2/organization", fields: fields{"name": name},
			want: 204}).Header.Get("TT-X-Organization-Key")
		return letter{who: v.operator, path: params{"organization": token}, fields: fields{"name": name}, want: 204}
	},

	"GET /v2/user/{user}/key": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": v.alice.email},
			want: 200}
	},
	"POST /v2/user/{user}/key": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": v.alice.phone},
			fields: fields{"kind": "administrative", "password": v.alice.password, "label": v.word(ofContent, "label")},
			want:   200}
	},
	"DELETE /v2/user/{user}/key/{key}": func(v *aviary) letter {
		p := v.person()
		return letter{who: p, path: params{"user": p.email, "key": p.key}, want: 204}
	},
	"POST /v2/user/{user}/key/{key}/rotate": func(v *aviary) letter {
		p := v.person()
		return letter{who: p, path: params{"user": p.phone, "key": p.key}, fields: fields{"password": p.password}, want: 200}
	},

	"POST /v2/user/{user}/key/{key}": func(v *aviary) letter {
		p := v.person()
		return letter{who: v.operator, path: params{"user": p.email, "key": p.key}, fields: fields{"messages_per_day": 0,
			"label": v.word(ofContent, "label")}, want: 204}
	},
	// Of passkeys' answers only such as are refused: no authenticator is at hand.
	"POST /v2/user/me/passkey/begin": func(v *aviary) letter { return letter{header: v.session(v.person()), want: 200} },
	"POST /v2/user/me/passkey/finish": func(v *aviary) letter {
		return letter{header: v.session(v.person()), fields: v.forgedAnswer(), want: 400}
	},
	"GET /v2/user/{user}/passkey": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": v.alice.email}, want: 200}
	},
	"DELETE /v2/user/{user}/passkey/{passkey}": func(v *aviary) letter {
		return letter{who: v.operator, path: v.passkeyOf(v.alice), want: 404}
	},
	"POST /v2/user/{user}/passkey/allow": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.person().phone}, want: 200}
	},
	"POST /v2/session/passkey/begin": func(v *aviary) letter {
		return letter{header: http.Header{"Sec-Fetch-Site": {"same-origin"}}, want: 200}
	},
	"POST /v2/session/passkey/finish": func(v *aviary) letter { return letter{fields: v.forgedAnswer(), want: 400} },
	"GET /v2/user/{user}/webhook": func(v *aviary) letter {
		return letter{who: v.alice, path: params{"user": v.alice.email}, want: 200}
	},
	"POST /v2/user/{user}/webhook": func(v *aviary) letter { // to a host that is not allowed
		return letter{who: v.alice, path: params{"user": v.alice.phone}, want: 400,
			fields: fields{"url": "https://hooks.example.com/" + v.word(ofContent, "url")}}
	},
	"GET /v2/user/{user}/webhook/{webhook}": func(v *aviary) letter { return v.noWebhook(nil) },
	"POST /v2/user/{user}/webhook/{webhook}": func(v *aviary) letter {
		return v.noWebhook(fields{"content": "full", "acknowledge": true})
	},
	"DELETE /v2/user/{user}/webhook/{webhook}":    func(v *aviary) letter { return v.noWebhook(nil) },
	"POST /v2/user/{user}/webhook/{webhook}/test": func(v *aviary) letter { return v.noWebhook(nil) },
	"POST /v2/user/{user}/webhook/{webhook}/rotate": func(v *aviary) letter {
		return v.noWebhook(fields{"grace": 60})
	},
	"POST /v2/hook/alertmanager": func(v *aviary) letter { return v.noAlert() },
	"POST /v2/hook/grafana":      func(v *aviary) letter { return v.noAlert() },
	"POST /v2/user/{user}": func(v *aviary) letter {
		said := fields{"email": v.word(ofEmail, "email") + "@signet.test", "phones": []string{v.phone("phones")}}
		for _, name := range []string{"first_name", "last_name", "display_name", "title", "department"} {
			said[name] = v.word(ofContent, name)
		}
		return letter{who: v.operator, path: params{"user": v.person().email}, fields: said, want: 200}
	},
	"POST /v2/user/{user}/disable": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.person().email}, want: 204}
	},
	"POST /v2/user/{user}/enable": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"user": v.person().phone}, want: 204}
	},
	"DELETE /v2/organization/{organization}/message/{message}": func(v *aviary) letter {
		return letter{who: v.operator, path: params{"organization": v.organization, "message": v.newMessage()}, want: 204}
	},

	"GET /v2/avatar/{id}": func(v *aviary) letter {
		p := v.person()
		v.mustSend(letter{who: p, route: "POST /v2/user/{user}/settings", path: params{"user": "me"},
			files: map[string][]byte{"avatar": v.picture()}, want: 204})
		var self struct{ Reply struct{ Avatar string } }
		v.mustParse(v.mustSend(letter{who: p, route: "GET /v2/user", want: 200}), &self)
		return letter{who: p, path: params{"id": self.Reply.Avatar[strings.LastIndexByte(self.Reply.Avatar, '/')+1:]},
			want: 200}
	},
	"POST /v2/login": func(v *aviary) letter {
		encoded := base64.StdEncoding.EncodeToString([]byte(v.word(ofSecret, "product key") + ":" + v.alice.email + ":" +
			v.alice.password))
		return letter{header: http.Header{"Authorization": {"XMPP-Simple " + encoded}},
			fields: fields{"device_id": v.word(ofContent, "device")}, want: 200}
	},
	"POST /v5/login": func(v *aviary) letter {
		return letter{who: &caged{key: v.alice.phone, secret: v.alice.password},
			fields: fields{"device_id": v.word(ofContent, "device")}, want: 200}
	},
	"POST /v2/session": func(v *aviary) letter {
		p := v.person()
		return letter{fields: fields{"username": p.email, "password": p.password}, want: 204}
	},
	"GET /v2/session":    func(v *aviary) letter { return letter{header: v.session(v.person()), want: 200} },
	"DELETE /v2/session": func(v *aviary) letter { return letter{header: v.session(v.person()), want: 204} },
	"POST /v2/session/elevate": func(v *aviary) letter {
		p := v.person()
		return letter{header: v.session(p), fields: fields{"password": p.password}, want: 204}
	},
	"DELETE /v2/session/elevate": func(v *aviary) letter {
		return letter{header: v.session(v.person()), want: 204}
	},
	"GET /v2/organization/{organization}/identity": func(v *aviary) letter { return v.noProvider(nil) },
	"POST /v2/organization/{organization}/identity": func(v *aviary) letter { // of an issuer that is not allowed
		l := v.noProvider(fields{"issuer": "https://login.example.com/" + v.word(ofContent, "issuer"),
			"client_id": v.word(ofContent, "client_id"), "client_secret": v.word(ofSecret, "client_secret"),
			"name": v.word(ofContent, "name"), "domains": []string{v.word(ofEmail, "domains") + ".signet.test"},
			"admin_groups": []string{v.word(ofContent, "admin_groups")},
			"claims":       fields{"username": v.word(ofContent, "claims")}})
		l.want = 400
		return l
	},
	"DELETE /v2/organization/{organization}/identity": func(v *aviary) letter { return v.noProvider(nil) },
	"POST /v2/organization/{organization}/identity/test": func(v *aviary) letter {
		return v.noProvider(fields{"return": "/" + v.word(ofContent, "return")})
	},
	"GET /v2/organization/{organization}/identity/test/{test}": func(v *aviary) letter {
		return letter{who: v.operator, want: 200,
			path: params{"organization": v.organization, "test": v.word(ofSecret, "test")}}
	},
	"GET /v2/session/providers": func(v *aviary) letter {
		return letter{query: url.Values{"login": {v.word(ofEmail, "login") + "@signet.test"}}, want: 200}
	},
	"GET /v2/session/oidc/{provider}": func(v *aviary) letter {
		return letter{path: params{"provider": v.organization}, want: 404,
			query: url.Values{"login": {v.word(ofEmail, "login") + "@signet.test"}, "return": {"/"}}}
	},
	"GET /v2/session/oidc/{provider}/callback": func(v *aviary) letter {
		return letter{path: params{"provider": v.organization}, want: 403,
			query: url.Values{"state": {v.word(ofSecret, "state")}, "code": {v.word(ofSecret, "code")}}}
	},
	"POST /v2/session/oidc/{provider}/elevate": func(v *aviary) letter { // of a session that no provider opened
		return letter{header: v.session(v.person()), path: params{"provider": v.organization}, want: 403,
			fields: fields{"return": "/" + v.word(ofContent, "return")}}
	},
	"POST /v2/session/oidc/{provider}/key": func(v *aviary) letter {
		return letter{path: params{"provider": v.organization}, want: 403,
			fields: fields{"code": v.word(ofSecret, "code"), "code_verifier": v.word(ofSecret, "code_verifier")}}
	},
	"POST /v2/session/oidc/{provider}/logout": func(v *aviary) letter {
		return letter{path: params{"provider": v.organization}, want: 404,
			fields: fields{"logout_token": v.word(ofSecret, "logout_token")}}
	},
	"POST /v2/logout":       func(v *aviary) letter { return letter{who: v.alice, want: 204} },
	"GET /v2/brand":         func(v *aviary) letter { return letter{want: 200} },
	"GET /v2/brand/logo":    func(v *aviary) letter { return letter{want: 404} },
	"GET /openapi.json":     func(v *aviary) letter { return letter{want: 200} },
	"GET /openapi-3.0.json": func(v *aviary) letter { return letter{want: 200} },
	"GET /healthz":          func(v *aviary) letter { return letter{want: 200} },
	"GET /readyz":           func(v *aviary) letter { return letter{want: 200} },
}
