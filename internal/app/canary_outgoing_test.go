package app

import (
	"net/http"
	"strings"
	"time"

	"signet/internal/webpush/webpushtest"
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

// subscription is of a browser at a push service.
func (v *aviary) subscription(service string) fields {
	return fields{"endpoint": service + "/" + v.word(ofContent, "endpoint"), "keys": fields{
		"auth":   "BTBZMqHH6r4Tts7J_aSIgg",
		"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
}

// pushed has a message pushed to browsers of bob: one push is taken, one fails, one is refused, one reaches nobody,
// and one ends its subscription.
func (v *aviary) pushed() {
	v.t.Helper()
	answers := map[string]int{"/taken": 201, "/fails": 500, "/refused": 400, "/gone": 410}
	service := webpushtest.NewService(v.t)
	service.Answer(func(p webpushtest.Push) (int, http.Header) {
		kind, _, _ := strings.Cut(p.Path[1:], "/")
		return answers["/"+kind], nil
	})
	places := []string{"http://127.0.0.1:1"} // where nobody listens
	for kind := range answers {
		places = append(places, service.URL+kind)
	}
	for _, place := range places {
		v.mustSend(letter{route: "POST /v2/user/me/push", who: v.bob, want: 204, fields: v.subscription(place)})
	}
	l := v.outgoingMessage()
	l.route = "POST /v2/message"
	v.mustSend(l)
	for outcome, n := range map[string]float64{"pushed": 1, "ended": 1, "refused": 1, "failed": 2} {
		again := time.NewTicker(10 * time.Millisecond)
		series := `signet_pushes_total{outcome="` + outcome + `"}`
		for late := time.Now().Add(time.Minute); mustMeasure(v.t, v.app)[series] < n; <-again.C {
			if time.Now().After(late) {
				v.t.Fatalf("no push is %s", outcome)
			}
		}
		again.Stop()
	}
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
