package clientreplay

import (
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
)

// TestAnotherVendorsClientsAreServed: two settings carry the names that clients
// have built in, in headers and in types.
func TestAnotherVendorsClientsAreServed(t *testing.T) {
	t.Parallel()
	server := apptest.Start(t, func(cfg *config.Config) { cfg.Vendor = config.Vendor{Prefix: "AC", Namespace: "acme"} })
	s := newClient(t, server.People(), alice)
	theirs := func(shape string) string { return strings.ReplaceAll(shape, "tigertext:", "acme:") }
	s.where = "the stream"
	s.open(apptest.Request{Method: "GET", Target: "/v2/events",
		Header: [][2]string{{"Authorization", "Basic " + s.fill("<credentials of me>")},
			{"Accept", "text/event-stream"}, {"ac-x-features", "no-offline-messages"}}})
	s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "hi"})
	wantLine := func(name, pattern string) {
		t.Helper()
		for {
			line, open := s.stream.Line()
			if !open {
				t.Fatal("the stream has ended")
			}
			if value, ok := strings.CutPrefix(line, name+": "); ok && name != "" {
				s.match("the stream", pattern, value)
				return
			}
		}
	}
	wantLine("data", `{"event_id":"<event>","event":{"acme:iq:message":`+messageShape("m-in-1", "bob", "me", "hi")+`}}`)
	sent := s.ask("POST", "/v2/message", `{"recipient":"<bob>","body":"hello"}`,
		want{status: 204, header: map[string]string{"AC-X-Message-Id": "<m>", "AC-X-Msg-Ttl": "43200"}},
		[2]string{"ac-x-organization-key", s.cast.Organization})
	for name := range sent.Header {
		if strings.HasPrefix(strings.ToLower(name), "tt-x-") {
			t.Errorf("the answer has the header %s", name)
		}
	}
	s.ask("GET", "/v2/user", "", want{status: 200, reply: theirs(aliceShape)})
	s.ask("DELETE", "/v2/mute/p2p", "{}", want{status: 204}, [2]string{"ac-x-sender-token", s.cast.Bob.Token})
}
