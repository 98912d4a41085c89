package api_test

import "testing"

// unseen are names that show nothing: zero-width characters, fillers, an empty Braille
// pattern, a soft hyphen, a mark of direction, a tag.
var unseen = []string{"\u200b\u2060", "\u3164", "\u2800", "\u00ad", "\u200f", "\U000e0041", " \u00a0\ufeff"}

// A name that shows nothing counts as none, wherever a name is given.
func TestNamesAreSeen(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	for i, text := range unseen {
		username := "unseen" + number(i)
		boss.post("/v2/user", fields{"username": username, "display_name": text, "first_name": text,
			"last_name": text, "title": text, "department": text}, in(c.org)).reply().
			wantFields(fields{"display_name": username, "first_name": "", "last_name": "", "title": "", "department": ""})
		c.alice.post("/v2/user/me/settings", fields{"display_name": text, "first_name": text, "last_name": text}).want(204)
		c.alice.get("/v2/user/me").reply().
			wantFields(fields{"display_name": "alice", "first_name": "", "last_name": ""})
		boss.post("/v2/user", fields{"email": text + "@example.com"}, in(c.org)).wantError(400, "email_invalid")

		group := c.alice.post("/v2/group?render_entity=true",
			fields{"name": text, "members": []string{c.bob.token}}, in(c.org)).reply()
		group.wantFields(fields{"name": "alice, Bob"})
		c.alice.post("/v2/group/"+group.text("token"), fields{"name": text}).want(204)
		c.alice.get("/v2/group/" + group.text("token")).reply().wantFields(fields{"name": "alice, Bob"})

		boss.post("/v2/organization", fields{"name": text}).wantError(400, "name_required").wantField("name")
		boss.post("/v2/organization/"+c.org, fields{"name": text}).wantError(400, "name_required").wantField("name")
		boss.post(c.bob.path("/organization"), fields{"organization": c.org, "title": text, "department": text}).want(204)
		c.bob.get("/v2/user/me", in(c.org)).reply().wantFields(fields{"title": "", "department": ""})
	}
}

// Two names that look the same are the same at their ends.
func TestNamesEndWithWhatIsSeen(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	const given, kept = "\u202a Bo\u00a0Li\u200b ", "Bo\u00a0Li"
	boss.post("/v2/user", fields{"username": "bo", "display_name": given, "first_name": given, "last_name": given,
		"title": given, "department": given}, in(c.org)).reply().wantFields(fields{"display_name": kept,
		"first_name": kept, "last_name": kept, "title": kept, "department": kept})
	c.alice.post("/v2/user/me/settings", fields{"display_name": "\u2060Al\u00a0Li\u3164", "first_name": given}).want(204)
	c.alice.get("/v2/user/me").reply().wantFields(fields{"display_name": "Al\u00a0Li", "first_name": kept})
	group := c.alice.post("/v2/group?render_entity=true",
		fields{"name": given, "members": []string{c.bob.token}}, in(c.org)).reply()
	group.wantFields(fields{"name": kept})
	c.alice.post("/v2/group/"+group.text("token"), fields{"name": "x"}).want(204)
	c.alice.post("/v2/group/"+group.text("token"), fields{"name": given}).want(204)
	c.alice.get("/v2/group/" + group.text("token")).reply().wantFields(fields{"name": kept})

	made := boss.mustCreateOrganization(given)
	boss.get("/v2/organization/" + made).reply().wantFields(fields{"name": kept})
	boss.post("/v2/organization/"+made, fields{"name": "x"}).want(204)
	boss.post("/v2/organization/"+made, fields{"name": given}).want(204)
	boss.get("/v2/organization/" + made).reply().wantFields(fields{"name": kept})
	boss.do("DELETE", "/v2/organization/"+made, jsonBody(fields{"name": given})).want(204)
}
