package api_test

import (
	"testing"
	"time"
)

// The provider ends sessions: those of a person, or of one of its own sessions. Streams end with them.
func TestTheProviderEndsSessions(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice", "sid", "one")
	first := w.mustSignIn()
	w.says("alice", "sid", "two")
	second := w.mustSignIn()
	w.says("bob")
	bob := w.mustSignIn()
	issued := second.withKey(second.post("/v2/user/me/key", nil).reply())
	second.forgetEvents()
	stream := second.openStream("")
	stream.wantReplay()

	logout := func(claims map[string]any) *answer {
		t.Helper()
		return w.anyone().do("POST", w.oidc+"/logout", form("logout_token", w.provider.LogoutToken(claims)))
	}
	logout(map[string]any{"sid": "two"}).want(204)
	second.wantSignedOut()
	stream.wantEnd()
	issued.get("/v2/user").wantError(401, "credentials_invalid")
	first.get("/v2/session").want(200)
	logout(map[string]any{"sid": "two", "sub": "sub-alice"}).want(204) // which has ended already

	logout(map[string]any{"sub": "sub-alice"}).want(204)
	first.wantSignedOut()
	bob.get("/v2/session").want(200)
	w.alice.get("/v2/user").want(200) // a key that came of no sign-in

	// A token is good once, for this provider, and of now.
	w.says("alice", "sid", "three")
	third := w.mustSignIn()
	token := w.provider.LogoutToken(map[string]any{"sub": "sub-nobody"})
	send := func(token string) *answer {
		t.Helper()
		return w.anyone().do("POST", w.oidc+"/logout", form("logout_token", token))
	}
	send(token).want(204)
	send(token).wantError(400, "logout_token_invalid")
	for what, token := range map[string]string{
		"nonsense":      "x",
		"a nonce":       w.provider.LogoutToken(map[string]any{"sub": "sub-alice", "nonce": "x"}),
		"another party": w.provider.LogoutToken(map[string]any{"sub": "sub-alice", "aud": "other"}),
		"an old one": w.provider.LogoutToken(map[string]any{"sub": "sub-alice",
			"iat": w.clock.Now().Add(-9 * time.Minute).Unix()}),
	} {
		if got := send(token); got.StatusCode != 400 {
			t.Errorf("%s: got %d", what, got.StatusCode)
		}
	}
	w.anyone().do("POST", w.oidc+"/logout", form("x", "y")).wantError(400, "logout_token_required")
	third.get("/v2/session").want(200)
	w.anyone().do("POST", "/v2/session/oidc/"+randomOrganization()+"/logout", form("logout_token", token)).wantMissing()
}

// A session of the organization's scope is elevated by proving anew to the provider who one is: so that members without
// a password can administer.
func TestASessionIsElevatedByTheProvider(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"admin_groups": []string{"admins"}})
	w.says("alice", "groups", []string{"admins"})
	alice := w.mustSignIn()
	path := w.oidc + "/elevate"
	alice.get(w.identity).wantError(403, "administrative_key_required")
	alice.get("/v2/session").reply().at("provider").wantIs(fields{"id": w.org, "name": "Clinic"})
	elevate := func(p *person) *going {
		t.Helper()
		a := p.post(path, fields{"return": "/console"}).want(200)
		return w.goTo(a, a.reply().text("url"))
	}
	in := elevate(alice).finish().want(303).wantHeader("Location", "/console")
	elevated := alice.byCookie(in)
	if elevated.sessionKey() != alice.sessionKey() || elevated.cookie == alice.cookie {
		t.Error("it is not the same session under a new cookie")
	}
	elevated.get(w.identity).want(200)
	w.clock.Advance(15 * time.Minute)
	elevated.get(w.identity).wantError(403, "administrative_key_required")

	// Who proved long ago, or is somebody else, elevates nothing.
	w.says("alice", "groups", []string{"admins"}, "auth_time", w.clock.Now().Add(-6*time.Minute).Unix())
	elevate(elevated).finish().wantError(403, "identity_refused")
	w.says("bob")
	w.mustSignIn()
	elevate(elevated).finish().wantError(403, "identity_unknown")
	elevated.get(w.identity).wantError(403, "administrative_key_required")

	// A session that opens more than the organization is not elevated, and a key is none.
	w.mustHavePassword(w.carl)
	w.carl.mustSignIn().post(path, nil).wantError(403, "exceeds_issuer")
	w.alice.post(path, nil).wantMissing()
	w.anyone().post(path, nil).wantError(401, "credentials_missing")
}
