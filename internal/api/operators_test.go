package api_test

import (
	"testing"

	"signet/internal/access"
	"signet/internal/people"
)

// mustCreateOperator makes one more operator, as `signet operator create` does.
func (s *server) mustCreateOperator(username string) *person {
	s.t.Helper()
	key, secret := access.NewCredentials()
	if err := people.AddOperator(s.t.Context(), s.store, s.clock.Now(), username, key, secret); err != nil {
		s.t.Fatal(err)
	}
	other := (&person{s: s, t: s.t, name: username}).with(key, secret)
	other.token = other.get("/v2/user/me").reply().text("token")
	return other
}

// Operators manage everybody's keys and passwords but each other's.
func TestOperatorManagesNoAccessOfAnother(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	maria := c.mustCreateOperator("maria")
	maria.get("/v2/user_lookup/operator").want(200)
	org := maria.mustCreateOrganization("Of maria")
	maria.get("/v2/organization/" + c.org).want(200)
	maria.post(c.alice.path("/key"), nil).want(200)
	own := maria.withKey(maria.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())

	c.operator.mustJoin(c.org, maria) // being in an organization gives its administrators no way in
	admin := c.mustCreateAdmin(c.org, "admin")
	for _, by := range []*person{c.operator, admin} {
		for what, got := range map[string]*answer{
			"issues a key":      by.post(maria.path("/key"), nil),
			"lists the keys":    by.get(maria.path("/key")),
			"rotates a key":     by.post(maria.path("/key/"+own.key+"/rotate"), fields{"grace": 0}),
			"revokes a key":     by.delete(maria.path("/key/" + own.key)),
			"sets the password": by.post(maria.path("/password"), fields{"password": "a long password"}),
		} {
			if got.StatusCode != 403 {
				t.Errorf("%s %s of an operator: %d %s, want 403", by.name, what, got.StatusCode, got.content)
			}
		}
	}
	own.get("/v2/organization/" + org).want(200)
	maria.delete("/v2/user/me/key/" + own.key).want(204) // its own are its own
}

// Whoever had an operator's password may have made a passkey.
func TestNothingOfAnOperatorIsLeftAfterAReset(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, end := range map[string]func() error{
		"maria": func() error {
			key, secret := access.NewCredentials()
			return people.ResetOperator(t.Context(), c.store, c.clock.Now(), "maria", key, secret)
		},
		"nora": func() error { return people.EndOperator(t.Context(), c.store, c.clock.Now(), "nora") },
	} {
		operator := c.mustCreateOperator(name)
		operator.post("/v2/user/me/password", fields{"password": password}).want(204)
		device := c.newAuthenticator()
		device.mustMake(operator.mustSignIn())
		device.mustSignIn(operator)
		if err := end(); err != nil {
			t.Fatal(err)
		}
		asked := c.anyone().post("/v2/session/passkey/begin", nil).reply()
		c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")
		c.signIn(name, password, "d").wantError(401, "credentials_invalid")
	}
}
