package app

import (
	"net/http"
	"strings"
)

// session signs somebody in, and returns what a page of the server's own sends then.
func (v *aviary) session(p *caged) http.Header {
	v.t.Helper()
	got := v.mustSend(letter{route: "POST /v2/session", want: 204,
		fields: fields{"username": p.email, "password": p.password}})
	cookie, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";")
	_, value, _ := strings.Cut(cookie, "=")
	v.note(ofSecret, "a session", value)
	return http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}
}

// picture is a file that is a PNG to the server, with a canary in it.
func (v *aviary) picture() []byte {
	return []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 64) + v.word(ofContent, "picture"))
}

func (v *aviary) mute() fields {
	return fields{"sender_token": v.bob.token, "sender_organization": v.organization,
		"receiver_organization": v.organization, "duration": "60"}
}

// subscription is of a browser whose push service nobody allows.
func (v *aviary) subscription() fields {
	return fields{"endpoint": "https://push.example.com/" + v.word(ofContent, "endpoint"),
		"keys": `{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bj` +
			`yPjs7Vd8pZGH6SRpkNtoIAiw4"}`}
}

// outgoingMessage is a message to bob, with a file.
func (v *aviary) outgoingMessage() letter {
	return letter{who: v.alice, want: 204,
		files: map[string][]byte{"attachment": []byte("a file: " + v.word(ofContent, "attachment"))}, fields: fields{
			"recipient": v.bob.phone, "body": v.word(ofContent, "body"),
			"data": `[{"mimetype":"text/plain","namespace":"` + v.word(ofContent, "namespace") + `","payload":"` +
				v.word(ofContent, "payload") + `"}]`}}
}

// outgoingGroup is a group of both, with a picture.
func (v *aviary) outgoingGroup() letter {
	return letter{who: v.alice, organization: true, want: 204, files: map[string][]byte{"avatar": v.picture()},
		fields: fields{
			"name": v.word(ofContent, "name"), "description": v.word(ofContent, "description"), "members": v.bob.email,
			"metadata": `{"` + v.word(ofName, "metadata key") + `":"` + v.word(ofMetadata, "metadata") + `"}`}}
}

// newMessage is a message from alice to bob, with a file.
func (v *aviary) newMessage() string {
	l := v.outgoingMessage()
	l.route = "POST /v2/message"
	return v.mustSend(l).Header.Get("TT-X-Message-Id")
}

// newGroup is a group of both.
func (v *aviary) newGroup() string {
	l := v.outgoingGroup()
	l.route = "POST /v2/group"
	return v.mustSend(l).Header.Get("TT-X-Group-Token")
}
