package api_test

import (
	"slices"
	"testing"
)

// TestEachFieldOfADeleteMayBeAHeader: published clients end a mute so, with an empty
// object as the body (contract, section 1).
func TestEachFieldOfADeleteMayBeAHeader(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Other")
	c.operator.post(c.alice.path("/organization"), fields{"organization": other}).want(204)
	c.operator.post(c.bob.path("/organization"), fields{"organization": other}).want(204)
	empty := jsonBody(fields{})
	muted := func(want ...string) {
		t.Helper()
		var got []string
		for _, m := range c.bob.get("/v2/mute").reply().list() {
			got = append(got, m.text("organization_id"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("muted are %v, want %v", got, want)
		}
	}

	for _, organization := range []string{c.org, other} {
		c.bob.post("/v2/mute/p2p",
			fields{"sender_token": c.alice.token, "receiver_organization": organization, "duration": 5}).want(204)
	}
	c.bob.delete("/v2/mute/p2p", empty, header("tt-x-sender-token", c.alice.token),
		header("tt-x-sender-organization", other),
		header("tt-x-receiver-organization", other)).want(204)
	muted(c.org)
	c.bob.delete("/v2/mute/p2p", header("TT-X-Sender-Token", c.alice.token),
		header("TT-X-Receiver-Organization", c.org)).want(204)
	muted()

	c.bob.post("/v2/mute/p2p",
		fields{"sender_token": c.alice.token, "receiver_organization": c.org, "duration": 5}).want(204)
	c.bob.delete("/v2/mute/p2p?sender_token="+c.carl.token, jsonBody(fields{"sender_token": c.alice.token}),
		header("TT-X-Sender-Token", c.carl.token)).want(204) // the body goes before the others
	muted()
	c.bob.post("/v2/mute/p2p",
		fields{"sender_token": c.alice.token, "receiver_organization": c.org, "duration": 5}).want(204)
	c.bob.delete("/v2/mute/p2p?sender_token="+c.alice.token, jsonBody(fields{"sender_token": nil}),
		header("TT-X-Sender-Token", c.carl.token)).want(204) // the query before the header
	muted()
	c.bob.delete("/v2/mute/p2p", empty, header("TT-X-Sender-Token", c.alice.token),
		header("TT-X-Sender-Token", c.carl.token)).
		wantError(400, "field_repeated").wantField("sender_token")
	c.bob.delete("/v2/mute/p2p", empty).wantError(400, "sender_token_required").wantField("sender_token")

	// A field of any other call as well.
	c.bob.forgetEvents()
	c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "x"}, in(c.org)).want(204)
	c.bob.delete("/v2/events", empty,
		header("TT-X-Connections-Only", "true")).want(200).reply().wantFields(fields{"deleted": 0})
	c.bob.delete("/v2/events",
		jsonBody(fields{"connections_only": true})).want(200).reply().wantFields(fields{"deleted": 0})
	c.bob.delete("/v2/events", header("TT-X-Connections-Only", "perhaps")).wantError(400,
		"field_invalid").wantField("connections_only")
	c.bob.wantEvents("message")
	c.bob.delete("/v2/events?connections_only=0", empty,
		header("TT-X-Connections-Only", "true")).want(200).reply().wantFields(fields{"deleted": 1})

	c.operator.delete("/v2/organization/"+other, empty).wantError(400, "name_required").wantField("name")
	c.operator.delete("/v2/organization/"+other, empty, header("TT-X-Name", "Another")).wantError(400,
		"name_mismatch").wantField("name")
	c.operator.delete("/v2/organization/"+other, empty, header("TT-X-Name", "Other")).want(204)
	// A call that is no DELETE reads none.
	c.bob.post("/v2/mute/p2p", fields{"duration": 5}, header("TT-X-Sender-Token", c.alice.token)).wantError(400,
		"sender_token_required")
}
