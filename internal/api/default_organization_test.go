package api_test

import "testing"

// TestTheOrganizationOfACallThatNamesNone: where several fit it is the one that the
// other party has belonged to longest (contract, sections 1 and 5.1).
func TestTheOrganizationOfACallThatNamesNone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	dave := c.mustCreate(second, "dave")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(c.org, dave)
	c.operator.post(dave.path("/organization"), fields{"organization": c.org, "title": "Nurse"}).want(204)
	// Alice was in Clinic first, Dave in Second.
	wantIn := func(from *person, to, organization string, more ...option) {
		t.Helper()
		sent := from.post("/v2/message?response_format=message", fields{"recipient": to, "body": "x"}, more...)
		sent.reply().wantFields(fields{"sender_organization": organization, "recipient_organization": organization})
	}
	wantIn(c.alice, dave.token, second)
	wantIn(c.alice, "dave", second)
	wantIn(c.alice, dave.token, second) // also from memory
	wantIn(dave, c.alice.token, c.org)
	wantIn(c.alice, dave.token, c.org, in(c.org))
	wantIn(c.alice, "me", c.org)
	wantIn(dave, "me", second)
	forwarded := c.alice.post("/v2/message/"+c.alice.mustSend(dave.token, "x")+"/forward?response_format=message",
		fields{"recipient": dave.token})
	forwarded.reply().wantFields(fields{"sender_organization": second})

	dave.get("/v2/user/me").reply().wantFields(fields{"organization_key": second, "title": ""})
	c.alice.get(dave.path("")).reply().wantFields(fields{"organization_key": second, "title": ""})
	c.alice.get(dave.path(""), in(c.org)).reply().wantFields(fields{"organization_key": c.org, "title": "Nurse"})
	dave.post("/v2/metadata/me", fields{"in": "clinic"}, in(c.org)).want(204)
	dave.post("/v2/metadata/me", fields{"in": "second"}).want(204)
	c.alice.get("/v2/metadata/" + dave.token).reply().wantIs(fields{"in": "second"})
	c.alice.get(dave.path("?render_metadata=true")).reply().wantFields(fields{"metadata": fields{"in": "second"}})
	c.alice.post("/v2/metadata_bulk",
		fields{"entities": []string{dave.token}}).reply().wantIs([]any{fields{"in": "second"}})
	dave.delete("/v2/metadata/me").want(204)
	dave.get("/v2/metadata/me").reply().wantIs(fields{})
	dave.get("/v2/metadata/me", in(c.org)).reply().wantIs(fields{"in": "clinic"})

	for _, organization := range []string{c.org, second} {
		c.alice.post("/v2/mute/p2p",
			fields{"sender_token": dave.token, "receiver_organization": organization, "duration": 5}).want(204)
	}
	c.alice.delete("/v2/mute/p2p", jsonBody(fields{"sender_token": dave.token})).want(204)
	left := c.alice.get("/v2/mute").reply().list()
	if len(left) != 1 || left[0].text("organization_id") != c.org {
		t.Errorf("muted are %v, want the one in Clinic", left)
	}
	c.alice.delete("/v2/mute/p2p", jsonBody(fields{"sender_token": dave.token})).want(204)
	c.alice.post("/v2/mute/p2p", fields{"sender_token": dave.token, "duration": 5}).want(204)
	c.alice.get("/v2/mute").reply().at(0).wantFields(fields{"organization_id": second})
}

func TestTheOrganizationOfAGroupThatNamesNone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	dave := c.mustCreate(second, "dave")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(c.org, dave)
	wantIn := func(organization string, members ...string) {
		t.Helper()
		g := c.alice.post("/v2/group?render_entity=true", fields{"name": "G", "members": members})
		g.reply().wantFields(fields{"organization_key": organization})
	}
	wantIn(c.org)                                       // the caller's own
	wantIn(second, dave.token)                          // the first member's
	wantIn(second, dave.token, c.alice.token)           //
	wantIn(c.org, c.alice.token, dave.token)            //
	wantIn(c.org, dave.token, c.bob.token)              // the only one that all are in
	c.operator.mustJoin(second, c.bob)                  //
	wantIn(second, dave.token, c.bob.token)             //
	wantIn(c.org, c.bob.token, dave.token, c.bob.token) //
	c.alice.post("/v2/group",
		fields{"name": "G", "members": []string{c.mustCreateStranger("stranger").token}}).wantError(400, "members_unknown")
	c.operator.delete(c.carl.path("/organization/" + c.org)).want(204)
	c.carl.post("/v2/group", fields{"name": "G"}).wantError(400,
		"organization_required").wantField("TT-X-Organization-Key")
	c.operator.post("/v2/user", fields{"username": "x"}).wantError(400,
		"organization_required").wantField("TT-X-Organization-Key")
	c.operator.post(c.carl.path("/organization"), fields{}).wantError(400,
		"organization_required").wantField("organization")
}

// TestRemovingAConversationInOneOfSeveralOrganizations: what the roster lists is meant,
// of several the one that the other has belonged to longest.
func TestRemovingAConversationInOneOfSeveralOrganizations(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	dave := c.mustCreate(second, "dave")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(c.org, dave)
	wantListed := func(organizations ...string) {
		t.Helper()
		entries := c.alice.roster()
		for _, e := range entries {
			if len(entries) != len(organizations) || e.text("organization_id") != organizations[0] {
				t.Fatalf("listed are %v, want %v", entries, organizations)
			}
			organizations = organizations[1:]
		}
	}
	add := func(organization string) {
		t.Helper()
		c.alice.post("/v2/roster", fields{"entity": dave.token}, in(organization)).want(204)
	}
	c.alice.post("/v2/roster", fields{"entity": dave.token}).want(204)
	wantListed(second)
	add(c.org)
	c.alice.delete("/v2/roster/" + dave.token).want(204)
	wantListed(c.org)
	c.alice.delete("/v2/roster/" + dave.token).want(204)
	wantListed()
	// One who has left is still there to be removed.
	add(c.org)
	add(second)
	c.operator.delete(dave.path("/organization/" + second)).want(204)
	c.alice.delete("/v2/roster/" + dave.token).want(204)
	wantListed(second)
	c.alice.delete("/v2/roster/" + dave.token).want(204)
	wantListed()
}
