package api_test

import (
	"net/http"
	"testing"
	"time"
)

// startRequiring starts a clinic that requires a second factor, with an administrator; all have passwords.
func startRequiring(t *testing.T, changes ...func(*figures)) (clinic, *person) {
	t.Helper()
	c := startClinic(t, changes...)
	boss := c.mustCreateAdmin(c.org, "boss")
	for _, p := range []*person{c.alice, c.bob, boss} {
		c.mustHavePassword(p)
	}
	boss.post("/v2/organization/"+c.org, fields{"second_factor": "required"}).want(204)
	return c, boss
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
	c, boss := startRequiring(t)
	boss.get("/v2/organization/" + c.org).reply().setting("second_factor").wantIs("required")
	boss.post("/v2/organization/"+c.org, fields{"second_factor": "perhaps"}).wantError(400, "second_factor_invalid").
		wantField("second_factor")

	// A password alone makes the first passkey, and nothing else. Other devices than browsers get nothing for it.
	session := c.alice.mustSignIn()
	session.get("/v2/session").reply().wantFields(fields{"second_factor": "make", "has_passkey": false})
	session.get("/v2/user").wantError(403, "second_factor_required")
	session.post("/v2/session/elevate", fields{"password": password}).wantError(403, "second_factor_required")
	c.alice.with("alice", password).post("/v5/login", nil).wantError(403, "second_factor_required")
	device := c.newAuthenticator()
	whole := c.alice.byCookie(device.mustMake(session))
	whole.get("/v2/session").reply().wantFields(fields{"has_passkey": true}, "second_factor")
	whole.get("/v2/user").want(200)
	session.get("/v2/user").wantError(401, "session_ended") // whoever has the cookie of before gave no passkey

	// Whoever has the password alone makes no other one, but goes on with the passkey.
	session = c.alice.mustSignIn()
	session.get("/v2/session").reply().wantFields(fields{"second_factor": "use"})
	session.post("/v2/user/me/passkey/begin", nil).wantError(403, "passkey_exists")
	asked := session.post("/v2/session/passkey/begin", nil).reply()
	whole = c.alice.byCookie(session.post("/v2/session/passkey/finish", answered(device.signs(asked))).want(204))
	whole.get("/v2/user").want(200)

	// A password proves nothing any more where it stood for an administrative key.
	whole.delete("/v2/session/elevate").want(204)
	whole.post("/v2/session/elevate", fields{"password": password}).wantError(403, "second_factor_required")
	c.alice.post("/v2/user/me/key", fields{"kind": "administrative", "password": password}).
		wantError(403, "second_factor_required")
	c.alice.get("/v2/user").want(200) // keys are as they were

	boss.post("/v2/organization/"+c.org, fields{"second_factor": "optional"}).want(204)
	c.bob.mustSignIn().get("/v2/user").want(200)
}

// A requirement holds at once for those who are signed in, and for what they issued and read.
func TestSecondFactorOfThoseWhoAreSignedIn(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	for _, p := range []*person{c.alice, c.bob} {
		c.mustHavePassword(p)
	}
	session := c.alice.mustSignIn()
	issued := c.alice.withKey(session.post("/v2/user/me/key", nil).reply())
	login := c.alice.with("alice", password).post("/v5/login", fields{"device_id": "phone"}).reply()
	device := c.alice.with(login.text("auth", "key"), login.text("auth", "secret"))
	keyed := c.alice.byCookie(c.alice.post("/v2/session", nil).want(204))
	authenticator := c.newAuthenticator()
	bob := c.bob.byCookie(authenticator.mustMake(c.bob.mustSignIn()))
	stream := session.openStream("")
	boss.post("/v2/organization/"+c.org, fields{"second_factor": "required"}).want(204)
	for _, p := range []*person{session, issued, device} {
		p.get("/v2/user").wantError(403, "second_factor_required")
	}
	for _, p := range []*person{keyed, c.alice, bob} {
		p.get("/v2/user").want(200)
	}
	c.bob.mustSend(c.alice.token, "x")
	stream.drain()
	device.post("/v2/logout", nil).want(204)
}

// The organization that created an account decides how it signs in. Others, and operators, are not concerned.
func TestSecondFactorIsOfTheOrganizationThatCreatedAnAccount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	elsewhere := c.mustCreateOrganization("Elsewhere")
	c.operator.mustJoin(elsewhere, c.alice)
	c.mustHavePassword(c.alice)
	c.operator.post("/v2/organization/"+elsewhere, fields{"second_factor": "required"}).want(204)
	c.alice.mustSignIn().get("/v2/user").want(200)
	c.operator.post("/v2/organization/"+c.org, fields{"second_factor": "required"}).want(204)
	c.alice.mustSignIn().get("/v2/user").wantError(403, "second_factor_required")
	c.operator.post("/v2/user/me/password", fields{"password": "a long horse battery"}).want(204)
	c.operator.byCookie(c.operator.with(c.operator.token, "a long horse battery").post("/v2/session", nil).want(204)).
		get("/v2/user").want(200)
}

// Somebody who lost a passkey makes one more, once an administrator allowed it, within a day.
func TestPasskeyIsLost(t *testing.T) {
	t.Parallel()
	c, boss := startRequiring(t)
	lost := c.newAuthenticator()
	lost.mustMake(c.alice.mustSignIn())
	second := c.mustCreateAdmin(c.org, "second")
	c.alice.forgetEvents()
	allow := c.alice.path("/passkey/allow")
	foreign := c.mustCreateAdmin(c.mustCreateOrganization("Elsewhere"), "foreign")
	foreign.post(allow, nil).want(404)
	c.bob.post(allow, nil).want(403)
	boss.post("/v2/user/me/passkey/allow", nil).wantError(403, "not_allowed")
	second.post(allow, nil).reply().wantFields(
		fields{"expires_time": "2026-11-22T08:15:30.123Z"})
	c.alice.wantEvents("account:settings") // it is told
	lines := boss.get("/v2/organization/" + c.org + "/audit?action=passkey.allow&outcome=ok").reply().list()
	if len(lines) != 1 || lines[0].text("on_account") != c.alice.token {
		t.Errorf("the audit log has %v", lines)
	}

	session := c.alice.mustSignIn()
	session.get("/v2/session").reply().wantFields(fields{"second_factor": "make"})
	found := c.newAuthenticator()
	c.alice.byCookie(found.mustMake(session)).get("/v2/user").want(200)
	c.alice.mustSignIn().post("/v2/user/me/passkey/begin", nil).wantError(403, "passkey_exists") // it was for one
	found.mustSignIn(c.alice).get("/v2/user").want(200)

	boss.post(allow, nil).want(200)
	c.clock.Advance(24 * time.Hour)
	c.alice.mustSignIn().post("/v2/user/me/passkey/begin", nil).wantError(403, "passkey_exists")
	boss.post(allow, nil).want(200)
	session = c.alice.mustSignIn()
	asked := session.post("/v2/user/me/passkey/begin", nil).reply()
	late := c.newAuthenticator()
	other := c.alice.mustSignIn()
	c.newAuthenticator().mustMake(other)
	session.post("/v2/user/me/passkey/finish", answered(late.makes(asked))).wantError(403, "passkey_exists")

	// Another organization does not decide that, which it only belongs to.
	foreign2 := c.mustCreateOrganization("Third")
	c.operator.mustJoin(foreign2, c.alice)
	c.mustCreateAdmin(foreign2, "third").post(allow, nil).want(http.StatusForbidden)
}
