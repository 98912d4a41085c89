package app

import (
	"io"
	"net/http"
	"net/http/httptest"
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
		v.until(`signet_pushes_total{outcome="`+outcome+`"}`, n)
	}
}

// until waits until a series of the server has a value.
func (v *aviary) until(series string, n float64) {
	v.t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for late := time.Now().Add(time.Minute); mustMeasure(v.t, v.app)[series] < n; <-again.C {
		if time.Now().After(late) {
			v.t.Fatalf("%s does not become %v", series, n)
		}
	}
}

// hooked has a message delivered to webhooks of bob: one takes it, one refuses it, one has gone, and one is not there.
func (v *aviary) hooked() {
	v.t.Helper()
	answers := map[string]int{"/taken": 204, "/refused": 500, "/gone": 410}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := strings.Cut(r.URL.Path[1:], "/")
		w.WriteHeader(answers["/"+kind])
		_, _ = io.WriteString(w, v.word(ofContent, "a receiver's answer"))
	}))
	v.t.Cleanup(receiver.Close)
	places := []string{"http://127.0.0.1:1"} // where nobody listens
	for kind := range answers {
		places = append(places, receiver.URL+kind)
	}
	for _, place := range places {
		v.noteSecrets(v.mustSend(letter{route: "POST /v2/user/{user}/webhook", who: v.bob, want: 200,
			path:   params{"user": "me"},
			fields: fields{"url": place + "/" + v.word(ofContent, "url"), "content": "full"}}))
	}
	v.newMessage()
	for series, n := range map[string]float64{`signet_webhook_deliveries_total{outcome="delivered"}`: 1,
		`signet_webhook_deliveries_total{outcome="refused"}`: 2, `signet_webhook_deliveries_total{outcome="unanswered"}`: 1,
		`signet_webhooks_disabled_total{reason="gone"}`: 1} {
		v.until(series, n)
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

// answered is a letter that is answered with another status.
func (l letter) answered(want int) letter {
	l.want = want
	return l
}

// newEscalated is a message from alice to bob that is sent on to somebody while nobody reads it.
func (v *aviary) newEscalated() string {
	return v.mustSend(letter{route: "POST /v2/message", who: v.alice, want: 204, fields: fields{
		"recipient": v.bob.email, "body": v.word(ofContent, "body"),
		"escalate": []fields{{"after": 5, "to": []string{v.person().phone}}}}}).Header.Get("TT-X-Message-Id")
}

// policy asks for an escalation policy of a name, for whatever is to be done to it; it is made before, if there is
// to be one.
func (v *aviary) policy(made bool) letter {
	l := letter{route: "POST /v2/organization/{organization}/escalation/{name}", who: v.operator, want: 204,
		path: params{"organization": v.organization, "name": v.word(ofName, "policy")},
		fields: fields{"until": "confirmed", "steps": []fields{
			{"after": 5, "to": []string{v.alice.phone}}, {"after": 10, "to": []string{v.bob.email, v.group}}}}}
	if made {
		v.mustSend(l)
		l.fields = nil
	}
	return l
}

// duty asks for the rota of a group, for whatever is to be done to it; it is set before, if there is to be one.
func (v *aviary) duty(set bool) letter {
	l := letter{route: "POST /v2/group/{group}/duty", who: v.alice, want: 204, path: params{"group": v.newGroup()},
		fields: fields{"timezone": "Europe/Berlin", "always": []string{v.alice.email}, "fallback": []string{v.bob.phone},
			"rotation": fields{"accounts": []string{v.alice.phone, v.bob.email}, "start": "2026-11-02T07:00:00Z",
				"hours": 12}}}
	if set {
		v.mustSend(l)
		l.fields = nil
	}
	return l
}
