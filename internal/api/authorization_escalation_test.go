package api_test

// escalationRules are what callers get from the routes of escalations.
var escalationRules = []rule{
	{route: "GET /v2/message/:message/escalation", fresh: (*matrix).newEscalated, want: "404 404 404 404 200 403 404 404"},
	{route: "DELETE /v2/message/:message/escalation", fresh: (*matrix).newEscalated,
		want: "404 404 404 404 204 403 404 404"},
	{route: "GET /v2/organization/:organization/escalation", want: "404 404 200 200 200 200 200 200"},
	{route: "GET /v2/organization/:organization/escalation/:name", fresh: (*matrix).newPolicy,
		want: "404 404 200 200 200 200 200 200"},
	{route: "POST /v2/organization/:organization/escalation/:name", fresh: (*matrix).newPolicy,
		sent: func(x targets) []option { return sent(policyTo(x))(x) }, want: administered},
	{route: "DELETE /v2/organization/:organization/escalation/:name", fresh: (*matrix).newPolicy, want: administered},
}

// newEscalated makes a message that is escalated to the group member.
func (m *matrix) newEscalated() targets {
	return targets{"message": m.sender.mustSend(m.recipient.token, "x", "escalate",
		[]fields{{"after": 5, "to": []string{m.insider.token}}})}
}

// newPolicy makes an escalation policy.
func (m *matrix) newPolicy() targets {
	m.count++
	name := "policy" + number(m.count)
	m.boss.post("/v2/organization/"+m.org+"/escalation/"+name, policyTo(m.standing)).want(204)
	return targets{"name": name}
}

// policyTo is a policy that asks the recipient.
func policyTo(x targets) fields {
	return fields{"steps": []fields{{"after": 5, "to": []string{x["recipient"]}}}}
}
