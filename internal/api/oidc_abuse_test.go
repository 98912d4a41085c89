package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"testing"
	"time"

	"signet/internal/openid/openidtest"
)

// Strangers who send made-up logout tokens do not keep the provider from ending sessions: else a leaver could.
func TestStrangersDoNotHoldUpTheProvidersLogout(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil, fromHeader, func(f *figures) {
		f.api.FailedLoginsPerMinute, f.api.FailedLoginsPerMinuteAddress, f.api.FailedLoginsPerMinuteName = 3, 6, 5
	})
	w.says("alice")
	alice := w.mustSignIn()
	send := func(from, token string) *answer {
		t.Helper()
		return w.anyone().do("POST", w.oidc+"/logout", form("logout_token", token), at(from))
	}
	for n := range 10 {
		send(fmt.Sprintf("198.51.100.%d", n+1), "made up")
	}
	for range 4 {
		send("203.0.113.7", "made up")
	}
	send("203.0.113.7", "made up").wantError(429, "too_many_failures")
	send("192.0.2.200", w.provider.LogoutToken(map[string]any{"sub": "sub-alice"})).want(204)
	alice.wantSignedOut()
}

// Roles follow the groups where a session is elevated by the provider, too: that is when they count most.
func TestRolesFollowGroupsAtElevation(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"admin_groups": []string{"admins"}})
	w.says("alice", "groups", []string{"admins"})
	alice := w.mustSignIn()
	w.says("alice", "groups", []string{"staff"})
	a := alice.post(w.oidc+"/elevate", nil).want(200)
	elevated := alice.byCookie(w.goTo(a, a.reply().text("url")).finish().want(303))
	if n := len(elevated.get("/v2/session").reply().list("administrator_of")); n != 0 {
		t.Error("who has left the group administers with an elevated session")
	}
	elevated.get(w.identity).wantError(403, "administrative_key_required")

	// The groups of somebody else change nobody's role.
	w.says("bob", "groups", []string{"admins"})
	a = elevated.post(w.oidc+"/elevate", nil).want(200)
	w.goTo(a, a.reply().text("url")).finish().wantError(403, "identity_unknown")
	if n := len(elevated.get("/v2/session").reply().list("administrator_of")); n != 0 {
		t.Error("the groups of another person made an administrator")
	}
}

// What came of sign-ins ends with the provider, and with another issuer: nobody could end it in their name any more.
// Whoever does that stays.
func TestSessionsEndWithTheProvider(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(w *ward, admin *person) *answer{
		"removed": func(w *ward, admin *person) *answer { return admin.delete(w.identity) },
		"another issuer": func(w *ward, admin *person) *answer {
			return admin.post(w.identity, fields{"issuer": w.provider.URL + "/other", "client_secret": "x"})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := startWard(t, fields{"admin_groups": []string{"admins"}})
			w.says("bob")
			bob := w.mustSignIn()
			bob.forgetEvents()
			stream := bob.openStream("")
			stream.wantReplay()
			w.says("alice", "groups", []string{"admins"})
			admin, other := w.mustSignIn(), w.mustSignIn()
			a := admin.post(w.oidc+"/elevate", nil).want(200)
			admin = admin.byCookie(w.goTo(a, a.reply().text("url")).finish().want(303))
			w.operator.post(w.identity, fields{"client_secret": openidtest.ClientSecret, "name": "New"}).want(204)
			bob.get("/v2/session").want(200) // the issuer is the same

			change(w, admin).want(204)
			bob.wantSignedOut()
			stream.wantEnd()
			other.wantSignedOut()
			admin.get("/v2/session").want(200)
			w.bob.get("/v2/user").want(200) // a key that came of no sign-in
		})
	}
}

// A sign-in is over whose provider was removed since, though another one is there: it is told nothing of the first.
func TestASignInIsNotGoneOnWithAtAnotherIssuer(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	g := w.begin("")
	w.operator.delete(w.identity).want(204)
	another := openidtest.NewForger(t, w.clock.Now)
	w.operator.post(w.identity, fields{"issuer": another.URL, "client_id": openidtest.ClientID,
		"client_secret": openidtest.ClientSecret, "domains": []string{"example.com"}}).want(204)
	g.finish().wantError(403, "sign_in_unknown")
	if n := another.Calls(); n != 0 {
		t.Errorf("the other issuer was called %d times", n)
	}
}

// A code that a command line has is good for nothing once the provider is switched off.
func TestACodeEndsWithItsProvider(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	const verifier = "a verifier of forty-three characters, and so on"
	sum := sha256.Sum256([]byte(verifier))
	in := w.begin("?port=4711&state=x&challenge=" + base64.RawURLEncoding.EncodeToString(sum[:])).finish().want(303)
	to, err := url.Parse(in.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	w.operator.post(w.identity, fields{"enabled": false}).want(204)
	w.anyone().post(w.oidc+"/key", fields{"code": to.Query().Get("code"), "code_verifier": verifier,
		"device_id": "laptop"}).wantError(403, "identity_unknown")
}

// Nor does it open anything once the provider has ended the session that it came of.
func TestACodeEndsWithItsSession(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	const verifier = "a verifier of forty-three characters, and so on"
	sum := sha256.Sum256([]byte(verifier))
	code := func(sid string) string {
		t.Helper()
		w.says("alice", "sid", sid)
		in := w.begin("?port=4711&state=x&challenge=" + base64.RawURLEncoding.EncodeToString(sum[:])).finish().want(303)
		to, err := url.Parse(in.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("code")
	}
	exchange := func(code string) *answer {
		t.Helper()
		return w.anyone().post(w.oidc+"/key", fields{"code": code, "code_verifier": verifier, "device_id": "laptop"})
	}
	one, two, three := code("one"), code("two"), code("three")
	for _, claims := range []map[string]any{{"sid": "one"}, {"sid": "four"}} {
		w.anyone().do("POST", w.oidc+"/logout", form("logout_token", w.provider.LogoutToken(claims))).want(204)
	}
	exchange(one).wantError(403, "sign_in_unknown")
	exchange(two).want(200)
	all := w.provider.LogoutToken(map[string]any{"sub": "sub-alice"})
	w.anyone().do("POST", w.oidc+"/logout", form("logout_token", all)).want(204)
	exchange(three).wantError(403, "sign_in_unknown")
	w.clock.Advance(time.Second)
	exchange(code("one")).want(200)
}

// A foreign page signs nobody in to an account that it has chosen: the person goes on from a page of the server's own.
func TestForeignPagesBeginNoSignIn(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	navigates := header("Sec-Fetch-Mode", "navigate")
	for _, site := range []string{"cross-site", "same-site"} {
		from := header("Sec-Fetch-Site", site)
		w.anyone().get(w.oidc, from).wantError(403, "origin_refused")
		a := w.anyone().get(w.oidc+"?return=/console", from, navigates).want(303)
		a.wantHeader("Location", "/console?sign_in=origin_refused")
		if a.Header["Set-Cookie"] != nil {
			t.Error("the browser is known, though nothing was begun")
		}
	}
	w.begin("", header("Sec-Fetch-Site", "same-origin"), navigates)
	g := w.begin("", header("Sec-Fetch-Site", "none"), navigates)
	g.finish(header("Sec-Fetch-Site", "cross-site"), navigates).want(303).wantHeader("Location", "/")
}
