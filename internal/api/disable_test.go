package api_test

import (
	"runtime"
	"testing"
	"time"
)

func TestNothingOpensADisabledAccountAndNothingOfItIsLost(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	boss.post(c.bob.path("/password"), fields{"password": "correct horse"}).want(204)
	auth := c.signIn("bob", "correct horse", "phone").reply().at("auth")
	phone := c.bob.with(auth.text("key"), auth.text("secret"))
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	first := c.alice.mustSend(c.bob.token, "first")
	c.bob.forgetEvents()

	stream := c.bob.openStream("")
	stream.wantReplay()
	readers := len(c.hub.Subscriptions())
	poll := phone.start("GET", "/v2/events?wait=60")
	for len(c.hub.Subscriptions()) == readers { // until it waits
		runtime.Gosched()
	}
	for range 2 {
		boss.post(c.bob.path("/disable"), nil).want(204)
	}
	stream.wantEnd()
	poll.answer().want(401)
	wrong := c.bob.with(c.bob.key, "wrong").get("/v2/user")
	for _, p := range []*person{c.bob, phone} {
		wantSameAnswer(p.get("/v2/user"), wrong)
		p.post("/v2/message", fields{"recipient": c.alice.token, "body": "x"}).wantError(401, "credentials_invalid")
		p.post("/v5/login", fields{"device_id": "d"}).want(401)
	}
	wantSameAnswer(c.signIn("bob", "correct horse", "phone"), c.signIn("bob", "wrong horse", "phone"))

	// All else goes on.
	second := c.alice.mustSend(c.bob.token, "second")
	third := c.alice.mustSend(group, "third")
	boss.get(c.bob.path("/key")).want(200)
	for range 2 {
		boss.post(c.bob.path("/enable"), nil).want(204)
	}
	events := c.bob.wantEvents("message", "group_message", "account:settings")
	events[0].wantFields(fields{"message_id": second})
	events[1].wantFields(fields{"message_id": third})
	phone.get("/v2/message/" + first).reply().wantFields(fields{"body": "first"})
	c.signIn("bob", "correct horse", "tablet").want(200)
	lines := boss.get("/v2/organization/" + c.org + "/audit?limit=4").reply()
	lines.at(1).wantFields(fields{"action": "user.enable", "account": boss.token, "on_account": c.bob.token,
		"outcome": "ok"})
}

func TestDisabledIsShownToAdministratorsAndSearchedForOnRequest(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	found := func(by *person, more fields) int {
		t.Helper()
		return len(by.post("/v2/search", merged(fields{"type": "account", "username": "bob"}, more)).reply().list("results"))
	}
	all := fields{"include_disabled": true}
	if found(c.alice, nil) != 1 || found(c.alice, all) != 1 {
		t.Error("an account that is not disabled is not found once")
	}
	boss.post(c.bob.path("/disable"), nil).want(204)
	if found(c.alice, nil) != 0 || found(boss, nil) != 0 || found(boss, all) != 1 || found(c.alice, all) != 1 {
		t.Error("a disabled account is not found by those alone who include such")
	}
	if n := found(c.alice, fields{"any": c.bob.token, "username": nil}); n != 0 {
		t.Errorf("by its token a disabled account is found %d times", n)
	}
	for _, by := range []*person{boss, c.operator} {
		by.get(c.bob.path("")).reply().wantFields(fields{"disabled": true})
	}
	hit := boss.post("/v2/search", fields{"username": "bob", "include_disabled": true}).reply().at("results", 0, "entity")
	hit.wantFields(fields{"disabled": true})
	c.alice.get(c.bob.path("")).reply().wantFields(fields{"username": "bob"}, "disabled")
	regular := boss.withKey(boss.post("/v2/user/me/key", nil).reply())
	regular.get(c.bob.path("")).reply().wantFields(fields{"username": "bob"}, "disabled")
	boss.post(c.bob.path("/enable"), nil).want(204)
	boss.get(c.bob.path("")).reply().wantFields(fields{"username": "bob"}, "disabled")
	if found(c.alice, nil) != 1 {
		t.Error("an account that was enabled is not found")
	}
}

func TestAccountIsDisabledByWhoMaySetItsPassword(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	two := c.mustCreateOrganization("Two")
	other := c.mustCreateAdmin(two, "other")
	shared := c.mustCreate(c.org, "shared")
	for _, call := range []string{"/disable", "/enable"} {
		wantSameAnswer(other.post(c.bob.path(call), nil), other.post("/v2/user/"+randomToken()+call, nil))
		other.post(c.bob.path(call), nil).wantMissing()
		c.alice.post(c.bob.path(call), nil).wantError(403, "administrative_key_required")
		c.alice.post(c.alice.path(call), nil).wantError(403, "administrative_key_required")
		for _, by := range []*person{boss, c.operator} {
			by.post(by.path(call), nil).want(403)
		}
		boss.post(c.operator.path(call), nil).want(403)
		c.operator.post(c.mustCreateOperator("maria"+call[1:]).path(call), nil).want(403)
	}
	other.mustJoin(two, shared)
	for _, by := range []*person{boss, other} {
		by.post(shared.path("/disable"), nil).want(403)
	}
	c.operator.post(shared.path("/disable"), nil).want(204)
	shared.get("/v2/user").want(401)
	c.operator.post(shared.path("/enable"), nil).want(204)
	shared.get("/v2/user").want(200)
}

func TestLastAdministratorIsNotDisabled(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	org := c.mustCreateOrganization("New")
	one, two := c.mustCreateAdmin(org, "one"), c.mustCreateAdmin(org, "two")
	c.operator.delete(c.operator.path("/organization/" + org)).want(204)
	one.post(two.path("/disable"), nil).want(204)
	c.operator.post(one.path("/disable"), nil).wantError(400, "last_administrator")
	c.operator.delete(one.path("/organization/"+org)).wantError(400, "last_administrator")
	c.operator.delete(one.path("/organization/"+org+"/roles/admin")).wantError(400, "last_administrator")
	one.post(two.path("/enable"), nil).want(204)
	c.clock.Advance(time.Second)
	two.post(one.path("/disable"), nil).want(204)
	one.get("/v2/user").want(401)
}
