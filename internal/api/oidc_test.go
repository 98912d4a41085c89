package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A member signs in with the provider of its organization: the first time by its e-mail address, then by its subject.
// The session is of the organization's scope.
func TestSigningInWithAProvider(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	g := w.begin("?return=/console&login=alice@example.com")
	sent, err := url.Parse(g.to)
	if err != nil || !strings.HasPrefix(g.to, w.provider.URL+"/authorize?") ||
		sent.Query().Get("redirect_uri") != w.url+w.oidc+"/callback" ||
		sent.Query().Get("login_hint") != "alice@example.com" {
		t.Errorf("sent to %s", g.to)
	}
	in := g.finish().want(303).wantHeader("Location", "/console")
	if set := in.Header["Set-Cookie"]; len(set) != 1 || !strings.Contains(set[0], "SameSite=Strict") {
		t.Errorf("set %q", set)
	}
	alice := w.alice.byCookie(in)
	session := alice.get("/v2/session").reply()
	session.at("account").wantFields(fields{"token": w.alice.token})
	session.wantFields(fields{"operator": false, "has_password": false})
	w.alice.get("/v2/user/me/key").want(200)
	w.alice.wantEvents("account:settings") // another way into the account was opened
	w.alice.forgetEvents()

	// The session opens the organization alone.
	elsewhere := w.mustCreateOrganization("Elsewhere")
	w.operator.mustJoin(elsewhere, w.alice)
	alice.get("/v2/user/me/organization").reply().list()
	if n := len(alice.get("/v2/user/me/organization").reply().list()); n != 1 {
		t.Errorf("the session sees %d organizations, want its own", n)
	}

	// From then on the subject counts, whatever else is said.
	w.says("alice", "email", "alice@elsewhere.example", "email_verified", false, "name", "Another")
	again := w.mustSignIn()
	again.get("/v2/session").reply().at("account").wantFields(fields{"token": w.alice.token})
	alice.get("/v2/session").want(200) // of another browser
	again.delete("/v2/session").want(204)
	again.wantSignedOut()
}

// Who has no account is refused, or gets one where the provider's set-up says so.
func TestAccountsAreMadeWhereTheProviderSaysSo(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("dora")
	w.wantRefused("who has no account", "identity_unknown")
	w.operator.post(w.identity, fields{"provision": true}).want(204)
	dora := w.mustSignIn()
	account := dora.get("/v2/session").reply().at("account")
	account.wantFields(fields{"username": "dora", "display_name": "Dora"})
	token := account.text("token")
	user := w.operator.get("/v2/user/" + token).reply()
	user.at("emails", 0).wantFields(fields{"address": "dora@example.com", "verified": true})
	dora.post("/v2/message", fields{"recipient": "bob", "body": "x"}).want(204)
	w.mustSignIn().get("/v2/session").reply().at("account").wantFields(fields{"token": token})

	// A name that somebody has gets a number; what is no name is left out; an address of no confirmed domain, too.
	w.says("bob", "sub", "another bob", "email", "bob@elsewhere.example")
	w.mustSignIn().get("/v2/session").reply().at("account").wantFields(fields{"username": "bob-2"})
	w.says("eve", "email", "eve@elsewhere.example", "preferred_username", "eve adams@elsewhere.example")
	eve := w.mustSignIn().get("/v2/session").reply().at("account")
	eve.wantFields(fields{"username": "eve.adams"})
	if eve.has("emails") && len(eve.list("emails")) > 0 {
		t.Errorf("the address of another domain was taken: %s", eve)
	}
	w.says("fay", "email", "", "preferred_username", "!?")
	w.wantRefused("who has neither a name nor an address", "identity_incomplete")
}

// Roles follow the groups at each sign-in, and the last administrator stays.
func TestRolesFollowGroups(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"admin_groups": []string{"admins"}})
	administers := func(p *person) int {
		t.Helper()
		return len(p.get("/v2/session").reply().list("administrator_of"))
	}
	w.says("alice", "groups", []string{"staff", "admins"})
	if alice := w.mustSignIn(); administers(alice) != 1 {
		t.Error("a member of the group does not administer")
	}
	w.says("bob", "groups", []string{"staff"})
	if bob := w.mustSignIn(); administers(bob) != 0 {
		t.Error("another one administers")
	}
	w.says("alice", "groups", []string{"staff"})
	if alice := w.mustSignIn(); administers(alice) != 0 {
		t.Error("who left the group still administers")
	}
	w.says("alice", "groups", []string{"admins"})
	w.mustSignIn()
	w.operator.delete(w.operator.path("/organization/" + w.org)).want(204) // alice is the last one now
	w.says("alice")                                                        // without groups
	if alice := w.mustSignIn(); administers(alice) != 1 {
		t.Error("the last administrator is none any more")
	}
	lines := w.operator.get("/v2/organization/" + w.org + "/audit?action=role.grant,role.revoke").reply()
	if n := len(lines.list()); n != 3 {
		t.Errorf("%d lines tell of roles, want 3: %s", n, lines)
	}
}

// TestPasswordsOff: with passwords false, members whom the organization created sign in by the provider only, once an
// administrator has; operators always may by password.
func TestPasswordsOff(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	admin := w.mustCreateAdmin(w.org, "chief")
	guest := w.mustCreateStranger("guest")
	w.operator.mustJoin(w.org, guest)
	for _, p := range []*person{w.alice, admin, guest} {
		w.mustHavePassword(p)
	}
	w.mustName(w.operator, "root@example.com")
	w.operator.post("/v2/user/me/password", fields{"password": password}).want(204)
	signIn := func(p *person) *answer {
		t.Helper()
		return w.anyone().post("/v2/session", fields{"username": p.name, "password": password})
	}
	admin.post(w.identity, fields{"passwords": false}).want(204)
	set := admin.get(w.identity).reply()
	set.wantFields(fields{"passwords": false, "passwords_off": false, "tried": false})
	before := w.alice.byCookie(signIn(w.alice).want(204)) // nobody is locked out by what nobody has tried
	w.says("alice")
	w.mustSignIn() // who is no administrator
	signIn(w.alice).want(204)

	w.says("chief")
	w.mustSignIn()
	admin.get(w.identity).reply().wantFields(fields{"passwords_off": true, "tried": true})
	signIn(w.alice).wantError(403, "passwords_off")
	signIn(admin).wantError(403, "passwords_off")
	w.signIn("alice", password, "phone").wantError(403, "passwords_off")
	w.anyone().post("/v2/session", fields{"username": "alice", "password": "wrong"}).wantError(401, "credentials_invalid")
	signIn(guest).want(204) // whom another organization created
	w.anyone().post("/v2/session", fields{"username": "root@example.com", "password": password}).want(204)
	before.get("/v2/session").want(200) // a session that there was, goes on
	before.post("/v2/session/elevate", fields{"password": password}).wantError(403, "passwords_off")
	w.alice.get("/v2/user").want(200)              // and so does a key
	for _, p := range []*person{before, w.alice} { // which with the password makes none that administers
		p.post("/v2/user/me/key", fields{"kind": "administrative", "password": password}).wantError(403, "passwords_off")
	}

	// With another secret nobody has come in yet.
	w.operator.post(w.identity, fields{"client_secret": "wrong"}).want(204)
	signIn(w.alice).want(204)
	w.begin("").finish().wantError(503, "identity_unavailable")
	w.operator.post(w.identity, fields{"client_secret": "the secret of the client"}).want(204)
	w.says("chief")
	w.mustSignIn()
	signIn(w.alice).wantError(403, "passwords_off")
	w.operator.post(admin.path("/disable"), nil).want(204) // the one who had come by the provider
	signIn(w.alice).want(204)
	w.operator.post(admin.path("/enable"), nil).want(204)
	signIn(w.alice).wantError(403, "passwords_off")
	w.operator.post(w.identity, fields{"enabled": false}).want(204)
	signIn(w.alice).want(204)
}

// The sign-in page shows what the domain of an e-mail address uses, and tells of nobody.
func TestProvidersOfAnAddress(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"name": "The Clinic"})
	list := func(query string) []value { return w.anyone().get("/v2/session/providers" + query).reply().list() }
	for _, login := range []string{"alice@example.com", "nobody@EXAMPLE.com", " x@example.com"} {
		got := list("?login=" + url.QueryEscape(login))
		if len(got) != 1 {
			t.Fatalf("%q: got %v", login, got)
		}
		got[0].wantIs(fields{"id": w.org, "name": "The Clinic"})
	}
	for _, login := range []string{"alice", "alice@elsewhere.example", "@", "example.com"} {
		if got := list("?login=" + login); len(got) != 0 {
			t.Errorf("%q: got %v", login, got)
		}
	}
	if got := list(""); len(got) != 0 {
		t.Errorf("without an address: got %v", got)
	}
	admin := w.mustCreateAdmin(w.org, "chief")
	admin.post(w.identity, fields{"shown": true}).want(403)
	w.operator.post(w.identity, fields{"shown": true}).want(204)
	if got := list(""); len(got) != 1 {
		t.Errorf("without an address: got %v, want what an operator shows", got)
	}
	w.operator.post(w.identity, fields{"enabled": false}).want(204)
	if got := append(list(""), list("?login=alice@example.com")...); len(got) != 0 {
		t.Errorf("while it is not enabled: got %v", got)
	}
	w.anyone().get(w.oidc).wantError(404, "not_found")
}

// A command line exchanges the code that a browser brings it: once, within a minute, with its verifier.
func TestACommandLineSignsIn(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	w.says("alice")
	const verifier = "a verifier of forty-three characters, and so on"
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	arrive := func() string {
		t.Helper()
		in := w.begin("?port=4711&state=its-own&challenge=" + challenge).finish().want(303)
		if set := in.Header["Set-Cookie"]; set != nil {
			t.Errorf("the browser is signed in, too: %q", set)
		}
		to, err := url.Parse(in.Header.Get("Location"))
		if err != nil || to.Scheme+"://"+to.Host+to.Path != "http://127.0.0.1:4711/" || to.Query().Get("state") != "its-own" {
			t.Fatalf("sent to %s", in.Header.Get("Location"))
		}
		return to.Query().Get("code")
	}
	exchange := func(code, verifier string) *answer {
		return w.anyone().post(w.oidc+"/key", fields{"code": code, "code_verifier": verifier, "device_id": "laptop"})
	}
	got := exchange(arrive(), verifier).reply()
	got.at("user").wantFields(fields{"token": w.alice.token})
	alice := w.alice.with(got.text("auth", "key"), got.text("auth", "secret"))
	alice.get("/v2/user").want(200)
	if n := len(alice.get("/v2/user/me/organization").reply().list()); n != 1 {
		t.Errorf("the key opens %d organizations", n)
	}
	code := arrive()
	exchange(code, "another").wantError(403, "sign_in_unknown")
	exchange(code, verifier).wantError(403, "sign_in_unknown") // it was used up
	code = arrive()
	w.clock.Advance(time.Minute + time.Millisecond)
	exchange(code, verifier).wantError(403, "sign_in_unknown")
	exchange("", verifier).wantError(400, "code_required")
	for query, code := range map[string]string{"?port=0&state=a&challenge=" + challenge: "port_invalid",
		"?port=4711&state=a&challenge=short":            "challenge_invalid",
		"?port=4711&state=&challenge=" + challenge:      "state_invalid",
		"?port=4711&state=a%22b&challenge=" + challenge: "state_invalid"} {
		w.anyone().get(w.oidc+query).wantError(400, code)
	}
}
