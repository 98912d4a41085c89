package api_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// beside gives the credentials of a key along with the cookie.
func beside(p *person) option {
	return func(r *http.Request) { r.SetBasicAuth(p.key, p.secret) }
}

// mustElevate elevates a session by the password.
func (p *person) mustElevate() *person {
	p.t.Helper()
	return p.byCookie(p.post("/v2/session/elevate", fields{"password": password}).want(204))
}

func TestElevation(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(boss)
	before := boss.mustSignIn()
	before.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	if session := before.get("/v2/session").reply(); session.has("elevated_until") {
		t.Errorf("not elevated, it is %s", session)
	}
	before.post("/v2/session/elevate", nil).wantError(400, "password_required").wantField("password")
	before.post("/v2/session/elevate", fields{"password": "guess"}).wantError(403, "password_wrong")
	st := before.openStream("")
	session := before.mustElevate()
	until := c.clock.Now().Add(15 * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z")
	session.get("/v2/session").reply().wantFields(fields{"elevated_until": until, "administrator_of": []string{c.org}})
	session.get("/v2/organization/" + c.org).want(200)
	session.post(c.alice.path("/password"), fields{"password": "another horse"}).want(204)
	admin := boss.withKey(session.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
	admin.get("/v2/organization/" + c.org).want(200)
	given := session.post(c.alice.path("/key"), nil).reply()
	if given.has("expires_time") {
		t.Errorf("what it gives others ends with it: %s", given)
	}

	// The cookie of before opens for what is on its way, and is not elevated by it.
	before.get("/v2/user").want(200)
	before.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	before.post("/v2/session/elevate", fields{"password": password}).wantError(403, "secret_replaced")
	before.post("/v2/user/me/key", nil).wantError(403, "secret_replaced")
	c.clock.Advance(30 * time.Second)
	before.get("/v2/user").wantError(401, "session_ended")
	c.alice.mustSend(boss.token, "x")
	st.drain()

	session.delete("/v2/session/elevate").want(204)
	session.delete("/v2/session/elevate").want(204)
	session.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	session = session.mustElevate()
	c.clock.Advance(15*time.Minute - time.Millisecond)
	session.get("/v2/organization/" + c.org).want(200)
	c.clock.Advance(time.Millisecond)
	session.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	session.get("/v2/session").want(200)
	session.delete("/v2/session").want(204)
	admin.get("/v2/user").want(401) // what it issued for its own account ends with it
	boss.withKey(given).get("/v2/user").want(200)

	// Of two sessions of an account one is elevated, not the other.
	one, other := boss.mustSignIn(), boss.mustSignIn()
	one.mustElevate().get("/v2/organization/" + c.org).want(200)
	other.get("/v2/organization/" + c.org).want(403)

	for _, action := range []string{"session.elevate", "session.lower"} {
		found := boss.get("/v2/organization/" + c.org + "/audit?action=" + action).reply().list()
		if !slices.ContainsFunc(found, func(line value) bool {
			return line.text("on_key") == session.sessionKey() && line.text("outcome") == "ok"
		}) {
			t.Errorf("no line of %s names the session: %v", action, found)
		}
	}
}

// Elevation opens what an administrative key of the account would, and no more.
func TestElevationIsNoRole(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn().mustElevate()
	alice.post("/v2/organization", fields{"name": "N"}).wantError(403, "administrative_key_required")
	alice.get("/v2/organization/" + c.org).want(403)
	alice.get("/v2/audit").want(403)
	alice.get(c.bob.path("/key")).want(403)
	alice.post("/v2/user/me/key", fields{"kind": "administrative"}).reply() // which works as little
	// A role that is gone takes it along at once.
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(boss)
	session := boss.mustSignIn().mustElevate()
	session.get("/v2/organization/" + c.org).want(200)
	c.operator.delete(boss.path("/organization/" + c.org + "/roles/admin")).want(204)
	session.get("/v2/organization/" + c.org).want(403)
}

// An account without a password elevates its session by an administrative key of its own.
func TestElevationByAKey(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	regular := boss.withKey(c.operator.post(boss.path("/key"), nil).reply())
	key := boss.withKey(c.operator.post(boss.path("/key"), fields{"kind": "administrative"}).reply())
	session := boss.byCookie(regular.post("/v2/session", nil).want(204))
	elevate := func(options ...option) *answer { return session.post("/v2/session/elevate", nil, options...) }
	elevate(beside(regular)).wantError(403, "administrative_key_required")
	elevate(beside(c.operator)).wantError(403, "not_allowed")
	elevate(beside(key.with(key.key, "wrong"))).wantError(401, "credentials_invalid")
	elevate(header("Authorization", "Bearer x")).want(401)
	elevate(beside(key), site("cross-site")).wantError(403, "origin_refused")
	elevate(beside(key), site("none")).wantError(404, "session_missing") // the cookie counts for nothing there
	key.post("/v2/session/elevate", nil).wantError(404, "session_missing")
	c.anyone().post("/v2/session/elevate", fields{"password": password}).wantError(401, "credentials_missing")
	for name, less := range map[string]fields{
		"another scope":     {"kind": "administrative", "organization": c.org},
		"another network":   {"kind": "administrative", "allowed_networks": []string{"127.0.0.0/8"}},
		"an earlier secret": {"kind": "administrative"},
	} {
		limited := boss.withKey(c.operator.post(boss.path("/key"), less).reply())
		want := "exceeds_issuer"
		if name == "an earlier secret" {
			c.operator.post(boss.path("/key/"+limited.key+"/rotate"), nil).want(200)
			want = "secret_replaced"
		}
		elevate(beside(limited)).wantError(403, want)
	}
	session.get("/v2/session").want(200) // none of it has ended the session

	session = boss.byCookie(elevate(beside(key)).want(204))
	session.get("/v2/organization/" + c.org).want(200)
	issued := boss.withKey(session.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
	issued.get("/v2/organization/" + c.org).want(200)
	// What rests on the key ends with it: also once the session has been elevated by another.
	other := boss.withKey(c.operator.post(boss.path("/key"), fields{"kind": "administrative"}).reply())
	session = boss.byCookie(elevate(beside(other)).want(204))
	c.operator.delete(boss.path("/key/" + key.key)).want(204)
	issued.get("/v2/user").want(401)
	session.get("/v2/organization/" + c.org).want(200)
	c.operator.post(boss.path("/key/"+other.key+"/rotate"), fields{"grace": 0}).want(200)
	session.wantSignedOut()

	// A key that ends in a minute elevates for a minute.
	brief := boss.withKey(c.operator.post(boss.path("/key"), fields{"kind": "administrative", "expires_in": 60}).reply())
	session = boss.byCookie(regular.post("/v2/session", nil).want(204))
	session = boss.byCookie(elevate(beside(brief)).want(204))
	session.get("/v2/organization/" + c.org).want(200)
	c.clock.Advance(time.Minute)
	session.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
}

// A password that an administrator set proves nothing beyond its organization.
func TestElevationStaysWithinTheScopeOfThePassword(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	dora := h.other.mustCreate(h.two, "dora")
	unscoped := dora.withKey(h.operator.post(dora.path("/key"), nil).reply())
	h.other.post(dora.path("/password"), fields{"password": password}).want(204)
	h.operator.post(dora.path("/organization"), fields{"organization": h.one}).want(204)
	for _, org := range []string{h.one, h.two} {
		h.operator.post(dora.path("/organization/"+org+"/roles/admin"), nil).want(204)
	}
	scoped := dora.mustSignIn().mustElevate()
	scoped.get("/v2/organization/" + h.two).want(200)
	scoped.get("/v2/organization/" + h.one).want(404)
	wide := dora.byCookie(unscoped.post("/v2/session", nil).want(204))
	wide.post("/v2/session/elevate", fields{"password": password}).wantError(403, "exceeds_issuer")
}

// Passwords are guessed by a session no faster than by signing in.
func TestElevationIsNoWayToGuessAPassword(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.FailedLoginsPerMinute = 3 })
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	for range 3 {
		alice.post("/v2/session/elevate", fields{"password": "guess"}).wantError(403, "password_wrong")
	}
	alice.post("/v2/session/elevate", fields{"password": password}).wantError(429, "too_many_failures")
	c.clock.Advance(time.Minute)
	alice.mustElevate()
}

// The store keeps neither the secret nor what a page could elevate itself with.
func TestTheStoreKeepsNoSecretOfASession(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn().mustElevate()
	k, found := c.mustReadKey(alice.sessionKey())
	if !found || !k.Session || !k.Login || k.Kind != model.Regular || len(k.SecretHash) != 32 ||
		!k.Elevated.Equal(c.clock.Now().Add(15*time.Minute).Truncate(time.Millisecond)) {
		t.Errorf("the store has %+v", k)
	}
	if err := c.store.Update(t.Context(), func(tx *store.Tx) error { return tx.LowerKey(k.Key) }); err != nil {
		t.Fatal(err)
	}
	c.access.DropAll()
	if session := alice.get("/v2/session").reply(); session.has("elevated_until") {
		t.Errorf("the store says otherwise, and it is %s", session)
	}
}
