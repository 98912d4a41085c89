package api_test

// noEveryone has the organization have no group of everybody.
func (m *matrix) noEveryone() targets {
	if group, found := m.everyone(); found {
		m.boss.delete("/v2/group/" + group).want(204)
	}
	return nil
}

// everyone finds the organization's group of everybody.
func (m *matrix) everyone() (group string, found bool) {
	for _, g := range m.boss.pages("/v2/organization/"+m.org+"/group", 50) {
		if g.has("everyone") {
			return g.text("token"), true
		}
	}
	return "", false
}

// theEveryone is a group of everybody, as an entity too, in which the recipient is nobody's administrator,
// which another rule has made it.
func (m *matrix) theEveryone() targets {
	m.boss.delete(m.recipient.path("/organization/" + m.org + "/roles/admin")).want(204)
	group, found := m.everyone()
	if !found {
		group = m.boss.post("/v2/group", fields{"name": "All", "everyone": true}, in(m.org)).want(204).
			Header.Get("TT-X-Group-Token")
	}
	return targets{"group": group, "entity": group, "recipient": group}
}

// everyoneRules are what the callers get from a group of everybody.
var everyoneRules = []rule{
	{route: "POST /v2/group", sent: inOrganization(fields{"everyone": true}), names: organizationNamed,
		fresh: (*matrix).noEveryone, want: "404 404 403 403 403 403 204 204"},
	{route: "GET /v2/group/:group", fresh: (*matrix).theEveryone, want: "404 404 200 200 200 200 200 200"},
	{route: "GET /v2/group/:group/members", fresh: (*matrix).theEveryone, want: "404 404 200 200 200 200 200 200"},
	{route: "POST /v2/group/:group", sent: sent(fields{"name": "N"}), fresh: (*matrix).theEveryone,
		want: "404 404 403 403 403 403 204 204"},
	{route: "DELETE /v2/group/:group", fresh: (*matrix).theEveryone, want: "404 404 403 403 403 403 204 204"},
	{route: "POST /v2/group/:group/members", fresh: (*matrix).theEveryone, sent: sent(fields{"members": "member"}),
		want: "404 404 400 400 400 400 400 400"},
	{route: "POST /v2/group/:group/members/remove", fresh: (*matrix).theEveryone, sent: sent(fields{"members": "me"}),
		want: "404 404 400 400 400 400 400 400"},
	{route: "POST /v2/message", sent: toRecipient(fields{"body": "x"}), names: []string{"recipient"},
		fresh: (*matrix).theEveryone, want: "404 404 403 403 403 403 204 404"},
	{route: "POST /v2/message/typing", sent: toRecipient(nil), names: []string{"recipient"}, fresh: (*matrix).theEveryone,
		want: "404 404 403 403 403 403 204 404"},
	{route: "POST /v2/metadata/:entity", sent: inOrganization(fields{"a": "b"}), names: organizationNamed,
		fresh: (*matrix).theEveryone, want: "404 404 403 403 403 403 204 204"},
}
