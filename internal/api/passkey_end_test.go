package api_test

import (
	"slices"
	"testing"
)

// A passkey goes with the key that its session came of, in all ways in which that may go.
func TestPasskeysEndWithTheirKeys(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	refused := func(device *authenticator) {
		t.Helper()
		asked := c.anyone().post("/v2/session/passkey/begin", nil).reply()
		c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")
	}

	// Its secret is replaced at once, because somebody else has it.
	key := c.bob.withKey(c.bob.post("/v2/user/me/key", nil).reply())
	device, other := c.newAuthenticator(), c.newAuthenticator()
	device.mustMake(c.bob.byCookie(key.post("/v2/session", nil).want(204)))
	device.mustSignIn(c.bob)
	rotated := c.bob.withKey(c.bob.post("/v2/user/me/key/"+key.key+"/rotate", fields{"grace": 0}).reply())
	refused(device)

	// It gets a scope, because an administrator has its secret.
	other.mustMake(c.bob.byCookie(rotated.post("/v2/session", nil).want(204)))
	boss.post(c.bob.path("/key/"+key.key+"/rotate"), nil).want(200)
	signedIn := other.mustSignIn(c.bob)
	if !slices.ContainsFunc(c.bob.get("/v2/user/me/key").reply().list(), func(k value) bool {
		return k.text("api_key") == signedIn.sessionKey() && k.has("organization") && k.text("organization") == c.org
	}) {
		t.Error("a passkey of a key that has a scope signs in without one")
	}

	// It elevated the session.
	c.mustHavePassword(boss)
	third := c.newAuthenticator()
	admin := boss.withKey(c.operator.post(boss.path("/key"), fields{"kind": "administrative"}).reply())
	session := boss.mustSignIn()
	session = session.byCookie(session.post("/v2/session/elevate", nil, beside(admin)).want(204))
	third.mustMake(session)
	third.mustSignIn(boss)
	c.operator.delete(boss.path("/key/" + admin.key)).want(204)
	refused(third)
	brief := boss.withKey(c.operator.post(boss.path("/key"), fields{"kind": "administrative", "expires_in": 600}).reply())
	session = boss.mustSignIn()
	session = session.byCookie(session.post("/v2/session/elevate", nil, beside(brief)).want(204))
	asked := session.post("/v2/user/me/passkey/begin", nil).reply()
	session.post("/v2/user/me/passkey/finish", answered(c.newAuthenticator().makes(asked))).
		wantError(403, "exceeds_issuer")
}
