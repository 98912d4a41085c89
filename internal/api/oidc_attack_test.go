package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"signet/internal/api"
	"signet/internal/openid/openidtest"
)

// What was stolen of a sign-in, or is brought back another time, by another browser or too late, opens nothing, and all
// of it is answered alike.
func TestStolenAndReplayedSignInsAreRefused(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	refused := func(what string, a *answer) {
		t.Helper()
		if a.StatusCode != 403 {
			t.Fatalf("%s: got %d %s %v", what, a.StatusCode, a.content, a.Header)
		}
		a.wantError(403, "sign_in_unknown")
		if a.Header["Set-Cookie"] != nil {
			t.Errorf("%s: a cookie is set", what)
		}
	}
	g := w.begin("")
	g.finish().want(303)
	refused("the same once more", g.finish())

	g = w.begin("")
	refused("in a browser without the cookie", w.anyone().get(g.back))
	refused("once that was tried", g.finish())

	mine, theirs := w.begin(""), w.begin("")
	refused("in another browser", w.anyone().get(mine.back, header("Cookie", theirs.cookie)))
	theirs.finish().want(303)

	g = w.begin("")
	refused("with two cookies", w.anyone().get(g.back, header("Cookie", g.cookie+"; "+g.cookie)))

	g = w.begin("")
	w.clock.Advance(10 * time.Minute)
	refused("after ten minutes", g.finish())

	g = w.begin("")
	refused("with another state",
		w.anyone().get(strings.Replace(g.back, "state=", "state=x", 1), header("Cookie", g.cookie)))
	refused("without a state", w.anyone().get(w.oidc+"/callback?code=x", header("Cookie", g.cookie)))

	// The state of one provider is none of another one's.
	elsewhere := w.mustCreateOrganization("Elsewhere")
	w.operator.post("/v2/organization/"+elsewhere+"/identity", fields{"issuer": w.provider.URL,
		"client_id": openidtest.ClientID, "client_secret": openidtest.ClientSecret}).want(204)
	g = w.begin("")
	refused("at another organization",
		w.anyone().get(strings.Replace(g.back, w.org, elsewhere, 1), header("Cookie", g.cookie)))
	g.finish().want(303)

	// What was begun before the provider was set up anew is over.
	g = w.begin("")
	w.operator.post(w.identity, fields{"client_secret": openidtest.ClientSecret}).want(204)
	refused("with another set-up", g.finish())
}

// A code that somebody else got is good for nothing without the verifier, which stays in the store; one is good once.
func TestAnothersCodeIsRefused(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	victim, attacker := w.begin(""), w.begin("")
	stolen, _ := url.Parse(victim.back)
	own, _ := url.Parse(attacker.back)
	query := own.Query()
	query.Set("code", stolen.Query().Get("code"))
	w.anyone().get(own.Path+"?"+query.Encode(), header("Cookie", attacker.cookie)).wantError(403, "identity_refused")
	victim.finish().wantError(403, "identity_refused") // the provider gave nothing for the code any more
	w.begin("").finish().want(303)
}

// Whatever is wrong with what the provider says, nobody comes in by it.
func TestForgedIdentitiesAreRefused(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"provision": true})
	w.says("alice")
	for what, forge := range map[string]func(jwt.MapClaims) string{
		"alg none":       w.provider.Unsigned,
		"a public key":   w.provider.ByPublicKey,
		"another's key":  w.provider.ByAnother,
		"a wrong nonce":  func(c jwt.MapClaims) string { c["nonce"] = "x"; return w.provider.Sign(c) },
		"another issuer": func(c jwt.MapClaims) string { c["iss"] = "https://other.example"; return w.provider.Sign(c) },
		"an audience":    func(c jwt.MapClaims) string { c["aud"] = "other"; return w.provider.Sign(c) },
		"it is expired":  func(c jwt.MapClaims) string { c["exp"] = c["iat"].(int64) - 1; return w.provider.Sign(c) },
		"of the future":  func(c jwt.MapClaims) string { c["iat"] = c["iat"].(int64) + 600; return w.provider.Sign(c) },
	} {
		w.provider.Forges(func(c jwt.MapClaims) (string, bool) { return forge(c), true })
		w.wantRefused(what, "identity_refused")
	}
	w.provider.Forges(nil)
	g := w.begin("")
	w.anyone().get(g.back+"&iss=https%3A%2F%2Fother.example", header("Cookie", g.cookie)).
		wantError(403, "identity_refused") // a mix-up
	g = w.begin("")
	back, _ := url.Parse(g.back)
	w.anyone().get(back.Path+"?error=access_denied&state="+back.Query().Get("state"), header("Cookie", g.cookie)).
		wantError(403, "identity_refused")
	w.mustSignIn()
}

// An e-mail address counts where it is verified, of a domain that is the organization's, and of a member; and once.
func TestOnlyConfirmedAddressesLeadToAnAccount(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	stranger := w.mustCreateStranger("stranger") // stranger@example.com, of another organization
	elsewhere := w.mustCreateOrganization("Northern")
	w.operator.post("/v2/organization/"+elsewhere+"/identity", fields{"issuer": w.provider.URL,
		"client_id": openidtest.ClientID, "domains": []string{"north.example"}}).want(204)

	w.says("alice", "email_verified", false)
	w.wantRefused("an address that is not verified", "identity_unknown")
	w.says("alice", "email_verified", nil)
	w.wantRefused("an address of which nothing is said", "identity_unknown")
	w.says("alice", "email", "alice@unconfirmed.example")
	w.wantRefused("an address of a domain that nobody confirmed", "identity_unknown")
	w.operator.post(w.alice.path(""), fields{"emails": []string{"alice@north.example"}}).want(200)
	w.says("alice", "email", "alice@north.example")
	w.wantRefused("an address of another organization's domain", "identity_unknown")
	w.operator.post(w.identity, fields{"provision": true}).want(204)
	w.wantRefused("the same, where accounts are made", "identity_unknown")
	w.says("stranger")
	w.wantRefused("who is no member", "identity_unknown")
	w.operator.post(stranger.path("/organization"), fields{"organization": w.org}).want(204)
	w.wantRefused("a member whom another organization made, which has a way into the account", "identity_unknown")
	stranger.get("/v2/user").want(200)
	w.operator.post(w.bob.path("/disable"), nil).want(204)
	w.says("bob")
	w.wantRefused("who is disabled", "identity_unknown")
	w.operator.post(w.bob.path("/enable"), nil).want(204)
	w.mustSignIn()
	w.says("bob", "sub", "who got the address of bob later")
	w.wantRefused("who got the address of somebody else", "identity_unknown")
	w.operator.post(w.identity, fields{"forget": w.bob.token}).want(204)
	w.mustSignIn().get("/v2/session").reply().at("account").wantFields(fields{"token": w.bob.token})
}

// Administrators of an organization get no operator's access by a provider of their own.
func TestNoProviderVouchesForOperators(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.mustName(w.operator, "root@example.com")
	w.says("root")
	w.wantRefused("an operator", "identity_unknown")
}

// Nobody is sent elsewhere than to a page of the server's own.
func TestOpenRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	for _, to := range []string{"//evil.example", "https://evil.example", `/\evil.example`, "javascript:x", "///evil.example",
		"evil.example"} {
		w.anyone().get(w.oidc+"?return="+url.QueryEscape(to)).wantError(400, "return_invalid")
	}
	w.anyone().get(w.oidc+"?return=/%09/evil.example").wantError(400, "text_invalid")
	w.begin("?return="+url.QueryEscape("/console#/people?x=1")).finish().want(303).
		wantHeader("Location", "/console#/people?x=1")
	w.begin("").finish().want(303).wantHeader("Location", "/")
}

// A browser is told on a page why it was not signed in, and everybody else by the answer.
func TestABrowserIsSentToThePageThatSaysWhy(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	navigates := header("Sec-Fetch-Mode", "navigate")
	w.says("nobody")
	w.begin("?return="+url.QueryEscape("/console?a=b#/x")).finish(navigates).want(303).
		wantHeader("Location", "/console?a=b&sign_in=identity_unknown#/x")
	g := w.begin("?return=/console")
	w.anyone().get(g.back, navigates).want(303).wantHeader("Location", "/?sign_in=sign_in_unknown")
	w.provider.Down(true)
	w.clock.Advance(time.Hour)
	w.anyone().get(w.oidc, navigates).want(303).wantHeader("Location", "/?sign_in=identity_unavailable")
	w.anyone().get(w.oidc).wantError(503, "identity_unavailable")
}

// Without HTTPS, but on the machine itself, nobody signs in; with it the cookies have names that a browser guards.
func TestSigningInTakesHTTPS(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil, func(f *figures) { f.way = func(*http.Request) api.Way { return api.Plain } })
	w.anyone().get(w.oidc).wantError(403, "https_required")
	w.anyone().get(w.oidc+"/callback?state=x&code=y").wantError(403, "https_required")
	secure := startWard(t, nil, func(f *figures) { f.tls = true })
	secure.says("alice")
	begun := secure.anyone().get(secure.oidc).want(302).Cookies()
	if len(begun) != 1 || !strings.HasPrefix(begun[0].Name, "__Host-signet-oidc") || !begun[0].Secure ||
		begun[0].SameSite != http.SameSiteLaxMode {
		t.Errorf("set %v", begun)
	}
}
