package api_test

import "testing"

func TestLimitsOfAKeyAreChangedForAllThatShareItsCounter(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) {
		f.service.MessagesPerDay, f.api.RequestsPerSecond, f.api.Burst = 2, 100, 200
	})
	path := func(p *person) string { return p.path("/key/" + p.key) }
	limit := func(p *person, f fields) { t.Helper(); c.operator.post(path(p), f).want(204) }
	send := func(p *person, want int) {
		t.Helper()
		p.post("/v2/message", fields{"recipient": c.bob.token, "body": "x"}).want(want)
	}
	rate := func(p *person, want string) {
		t.Helper()
		p.get("/v2/mute").want(200).wantHeader("RateLimit-Limit", want)
	}
	child := c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply())
	own := c.alice.withKey(c.operator.post(c.alice.path("/key"), fields{}).reply()) // a counter of its own
	send(child, 204)
	send(c.alice, 204)
	send(child, 429)
	limit(c.alice, fields{"messages_per_day": 3})
	send(child, 204)
	send(c.alice, 429)
	rate(child, "200") // what is not named stays
	limit(child, fields{"requests_per_second": "40"})
	rate(c.alice, "80")
	rate(own, "200")
	send(c.alice, 429)
	limit(c.alice, fields{"messages_per_day": 0})
	for range 3 {
		send(child, 204)
	}
	limit(c.alice, fields{"messages_per_day": "default"})
	send(c.alice, 429)
	rate(c.alice, "80")
	c.operator.do("POST", path(c.alice), form("requests_per_second", "default")).want(204)
	rate(child, "200")
	limit(c.alice, fields{"requests_per_second": 0})
	rate(child, "")
	limit(c.alice, fields{})
	rate(child, "")
	if got := len(ofKind(c.alice.events("limit=1000"), "account:settings")); got == 0 {
		t.Error("the account was not told")
	}
}

func TestLimitsOfAKeyAreForOperators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	path, change := c.alice.path("/key/"+c.alice.key), fields{"messages_per_day": 5}
	admin.post(path, change).wantError(403, "operator_required")
	admin.post(admin.path("/key/"+admin.key), change).wantError(403, "operator_required")
	c.alice.post(path, change).wantError(403, "administrative_key_required")
	regular := c.operator.withKey(c.operator.post("/v2/user/me/key", nil).reply())
	regular.post(path, change).wantError(403, "administrative_key_required")
	c.operator.post(c.alice.path("/key/"+c.bob.key), change).wantMissing()
	c.operator.post("/v2/user/nobody/key/"+c.bob.key, change).wantMissing()
	for _, bad := range []fields{{"messages_per_day": -1}, {"messages_per_day": 1 << 31}, {"messages_per_day": "many"},
		{"messages_per_day": []int{1}}, {"messages_per_day": true}} {
		c.operator.post(path, bad).want(400).wantField("messages_per_day")
	}
	c.operator.post(path, fields{"requests_per_second": -1}).want(400).wantField("requests_per_second")
	c.operator.post(path, fields{"messages_per_day": 5, "requests_per_second": "default"}).want(204)
	limited := fields{"api_key": c.alice.key, "messages_per_day": 5}
	c.alice.get("/v2/user/me/key").reply().at(0).wantFields(limited, "requests_per_second")
	c.operator.get("/v2/organization/"+c.org+"/key?account=alice").reply().at("results", 0).wantFields(limited)
	c.operator.get("/v2/organization/" + c.org + "/audit?action=key.limit").reply().at(0).wantFields(fields{
		"account": c.operator.token, "on_account": c.alice.token, "on_key": c.alice.key, "outcome": "ok",
		"detail": "messages_per_day=5 requests_per_second=default"})
}

// Signing in again with the password does not give back what an operator took.
func TestSignInsHaveTheLimitsOfTheOthers(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 100, 200 })
	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	signIn := func(device string) *person {
		t.Helper()
		auth := c.signIn("alice", "correct horse", device).reply().at("auth")
		return c.alice.with(auth.text("key"), auth.text("secret"))
	}
	first := signIn("phone")
	c.operator.post(c.alice.path("/key/"+first.key), fields{"requests_per_second": 3, "messages_per_day": 1}).want(204)
	for _, device := range []string{"tablet", "phone"} { // the second takes the place of the first
		again := signIn(device)
		again.get("/v2/mute").want(200).wantHeader("RateLimit-Limit", "6")
	}
}
