package clientreplay

import (
	"testing"

	"signet/client"
)

// TestNode replays the small Node client, which takes the event's type from what
// follows the last colon, and anything but 204 for a failure.
func TestNode(t *testing.T) {
	t.Parallel()
	s := newStory(t, alice)
	s.names.Set("uuid", s.cast.Bob.Token) // whom it writes to
	s.replay(mustReadRecording(t, "node.md"), map[int]want{
		1: {after: s.wantReplay},
		2: {status: 204, before: func() {
			s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "Hi!"})
			s.wantEvent("message", messageShape("m-in-1", "bob", "me", "Hi!"))
			s.must(s.cast.Bob.Client.StartTyping(t.Context(), s.me.Token))
			s.wantEvent("message:is_typing", `{"sender_token":"<bob>","status":"typing"}`)
		}, after: func() {
			s.wantQueued()
			s.ask("GET", "/v2/message/m-in-1/status", "", want{status: 200, reply: statusShape("m-in-1", "me", "Delivered")})
		}},
		3: {status: 204, header: map[string]string{"tt-x-message-id": "<m-out-3>"}, after: func() {
			s.must(s.cast.Bob.Client.MarkRead(t.Context(), s.id("m-out-3")))
			s.wantEvent("message:status",
				`{"client_id":"<m-out-3>","status":"Read","account_id":"<bob>","timestamp":`+someTime+`}`)
		}},
	})
}
