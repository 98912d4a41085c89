package clientreplay

import "testing"

// TestJavaScript3TakesRefusalsAsItExpects: how often the client repeats a call,
// and what its caller sees, goes by the status alone.
func TestJavaScript3TakesRefusalsAsItExpects(t *testing.T) {
	t.Parallel()
	s := newStory(t, alice)
	rows := mustReadRecording(t, "js3.md")
	send := rows[7]
	if send.method != "POST" || send.target != "/v2/message" {
		t.Fatalf("row 8 is %s %s, want a send", send.method, send.target)
	}

	// It repeats a send whose answer was lost, under the same Request-ID. 304 with
	// the message's id is "sent already" to it, and it reads that message.
	request := s.request(&send)
	first := want{status: 204, header: map[string]string{"TT-X-Message-Id": "<m-out-9>", "TT-X-Msg-Ttl": "30"}}
	s.wantAnswer(first, s.cast.MustSend(t, s.http, request))
	for range 3 {
		repeated := first
		repeated.status = 304
		s.wantAnswer(repeated, s.cast.MustSend(t, s.http, request))
	}
	s.ask("GET", "/v2/message/m-out-9", "{}", want{status: 200,
		reply: with(messageShape("m-out-9", "me", "bob", "hello"), "ttl", "30", "dor", "true", "priority", "1")})

	// 404 is "not-found" to it, 401 "wrong-credentials"; of a 400 it keeps the body.
	s.ask("GET", "/v2/user/nobody%40example.com", "{}", want{status: 404, code: "not_found"})
	s.ask("POST", "/v2/message", `{"recipient":"nobody@example.com","body":"hello"}`, want{status: 404, code: "not_found"})
	s.ask("GET", "/v2/user/<me>/organization/<me>", "{}", want{status: 404, code: "not_found"})
	a := s.cast.MustSend(t, s.http, withBody(s.request(&send), `{"body":"hello"}`))
	s.match(
		"the error", `{"status":"fail","error":{"status":400,"code":"recipient_required","message":"<any message>","field":"recipient","request_id":"x"}}`, a.Body)
	s.names.Set("me secret", "wrong")
	s.ask("GET", "/v2/user", "{}",
		want{status: 401, code: "credentials_invalid",
			header: map[string]string{"WWW-Authenticate": `Basic realm="signet", charset="UTF-8"`}})
}

// TestWhatIsNotServedDoesNotExist: calls that some client knows, and that nothing
// depends on, answer as any unknown path does.
func TestWhatIsNotServedDoesNotExist(t *testing.T) {
	t.Parallel()
	s := newStory(t, alice)
	for _, call := range [][2]string{{"POST", "/v2/signup"}, {"GET", "/v2/dist_list/<bob>"}, {"POST", "/v2/dist_list"},
		{"DELETE", "/v2/dist_list/<bob>"}} {
		s.ask(call[0], call[1], "{}", want{status: 404, code: "endpoint_unknown"})
	}
}
