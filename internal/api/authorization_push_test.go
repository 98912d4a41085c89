package api_test

// pushRules are what the callers get from calls about browsers that are told of messages.
var pushRules = []rule{
	{route: "GET /v2/push", want: all("200")},
	{route: "GET /v2/user/me/push", want: all("200")},
	{route: "POST /v2/user/me/push", sent: sent(exampleSubscription("/matrix")), want: all("204")},
	{route: "DELETE /v2/user/me/push/:id", fresh: (*matrix).newSubscription, want: "404 404 404 404 404 204 404 404"},
}

// newSubscription has a browser of the recipient's told of messages.
func (m *matrix) newSubscription() targets {
	m.count++
	m.recipient.post("/v2/user/me/push", exampleSubscription("/"+number(m.count))).want(204)
	all := m.recipient.get("/v2/user/me/push").reply().list()
	return targets{"id": all[len(all)-1].text("id")}
}

// exampleSubscription is one to a push service that nobody runs, with the keys of RFC 8291's example.
func exampleSubscription(path string) fields {
	return fields{"endpoint": "http://127.0.0.1:9" + path, "keys": fields{"auth": "BTBZMqHH6r4Tts7J_aSIgg",
		"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
}
