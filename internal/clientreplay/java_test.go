package clientreplay

import (
	"strings"
	"testing"

	"signet/client"
)

// TestJava replays the Java SDK: paths that end with a slash, ids with commas
// between them, statuses and times that are taken to the letter.
func TestJava(t *testing.T) {
	t.Parallel()
	s := newStory(t, alice)
	incoming := with(messageShape("m-in-1", "bob", "me", "values"), "attachments",
		`[{"attachment_id":1,"name":"values.csv","content-type":"text/csv","size":13}]`, "attachment_name", `"values.csv"`,
		"data", `[{"mimetype":"text/plain","namespace":"lab","payload":"k=6.1"}]`)
	s.replay(mustReadRecording(t, "java.md"), map[int]want{
		1: {after: s.wantReplay},
		2: {status: 200, reply: aliceShape},
		3: {status: 200, reply: bobShape},
		4: {status: 204, header: map[string]string{"TT-X-Message-Id": "<m-out-4>", "TT-X-Msg-Ttl": "43200"}},
		5: {status: 200, reply: messageShape("m-out-4", "me", "bob", "Hello World!")},
		6: {status: 200, reply: incoming, before: func() {
			s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "values",
				Data: []client.DataItem{{MimeType: "text/plain", Namespace: "lab", Payload: "k=6.1"}},
				Attachment: &client.Upload{Name: "values.csv", ContentType: "text/csv",
					Content: strings.NewReader("potassium,6.1")}})
			s.wantEvent("message", incoming)
		}},
		7: {status: 204, before: func() {
			s.must(s.cast.Bob.Client.MarkDelivered(t.Context(), s.id("m-out-4")))
			s.wantEvent("message:status",
				`{"client_id":"<m-out-4>","status":"Delivered","account_id":"<bob>","timestamp":`+someTime+`}`)
		}, after: s.wantQueued},
		8: {status: 200, reply: `{"count":1,"deleted":0}`},
	})
	s.wantStreamEnd()
}
