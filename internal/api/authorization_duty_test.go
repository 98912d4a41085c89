package api_test

// memberRota is a rota by which the member of the matrix is on duty.
var memberRota = fields{"timezone": "UTC",
	"rotation": fields{"accounts": []string{"member"}, "start": "2026-11-01T08:00:00Z", "hours": 24}}

// theDuty is a group of the sender's with a rota: the group member is on duty, and the member on another day, by name.
func (m *matrix) theDuty() targets {
	group := m.newGroup()
	m.sender.post("/v2/group/"+group["group"]+"/duty", fields{"timezone": "UTC", "always": "sender",
		"rotation": fields{"accounts": []string{"insider", "member"}, "start": "2026-11-01T08:00:00Z", "hours": 24 * 200}}).
		want(204)
	return group
}

// dutyRules are what the callers get of the rota of a group: whom it names sees it, in the group or not.
var dutyRules = []rule{
	{route: "POST /v2/group/:group/duty", fresh: (*matrix).newGroup, sent: sent(memberRota),
		want: "404 404 404 403 204 404 204 204"},
	{route: "POST /v2/group/:group/duty", fresh: (*matrix).theDuty, sent: sent(memberRota), named: true,
		want: "404 404 403 403 204 404 204 204"},
	{route: "GET /v2/group/:group/duty", fresh: (*matrix).theDuty, want: "404 404 200 200 200 404 200 200"},
	{route: "GET /v2/group/:group/duty", fresh: (*matrix).newGroup, want: all("404")},
	{route: "GET /v2/group/:group/duty.ics", fresh: (*matrix).theDuty, want: "404 404 200 200 200 404 200 200"},
	{route: "DELETE /v2/group/:group/duty", fresh: (*matrix).theDuty, want: "404 404 403 403 204 404 204 204"},
	{route: "DELETE /v2/group/:group/duty", fresh: (*matrix).newGroup, idle: true,
		want: "404 404 404 403 204 404 204 204"},
	{route: "GET /v2/group/:group", fresh: (*matrix).theDuty, want: "404 404 404 200 200 404 200 200"},
	{route: "POST /v2/group/:group/members", fresh: (*matrix).theDuty, sent: sent(fields{"members": "member"}),
		want: "404 404 404 400 400 404 400 400"},
	{route: "POST /v2/group/:group/members/remove", fresh: (*matrix).theDuty, sent: sent(fields{"members": "me"}),
		want: "404 404 404 400 400 404 400 400"},
	{route: "POST /v2/message", sent: toRecipient(fields{"body": "x"}), names: []string{"recipient"},
		fresh: func(m *matrix) targets { return targets{"recipient": m.theDuty()["group"]} },
		want:  "404 404 404 204 204 404 404 404"},
}
