package api_test

import "testing"

// What is written of a message is kept from the second time on (model.Text): not what is its
// reader's own, and no longer than the message.
func TestAMessageThatIsReadAgainIsShownAsItIsByThen(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "text")
	page := func(p, with *person) value {
		t.Helper()
		return p.get("/v2/conversation/" + with.token + "/message").reply().list("results")[0]
	}
	wantShown := func(want fields, absent ...string) {
		t.Helper()
		for range 3 {
			for _, shown := range []value{c.bob.events()[0].value, page(c.bob, c.alice)} {
				shown.wantFields(fields{"message_id": id, "body": "text"})
				shown.wantFields(want, absent...)
			}
		}
	}
	wantShown(fields{"status": "New"}, "muted")
	c.bob.mustMark("delivered", id)
	wantShown(fields{"status": "Delivered"}, "muted")
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 60}).want(204)
	wantShown(fields{"status": "Delivered", "muted": true})
	page(c.alice, c.bob).wantFields(fields{"status": "Delivered", "body": "text"}, "muted")

	c.alice.delete("/v2/message/" + id).want(204)
	for range 3 {
		page(c.alice, c.bob).wantFields(fields{"is_recalled": true}, "body")
		page(c.bob, c.alice).wantFields(fields{"is_recalled": true}, "body")
		for _, e := range c.bob.events() {
			e.wantFields(nil, "body")
		}
	}
}
