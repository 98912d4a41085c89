package api_test

import (
	"strings"
	"testing"

	"signet/internal/openid/openidtest"
)

// A provider is set up by administrators, without the secret ever being shown, and its domains are an operator's to
// confirm.
func TestAProviderIsSetUp(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "chief")
	path := "/v2/organization/" + c.org + "/identity"
	admin.get(path).wantMissing()
	admin.delete(path).wantMissing()
	for field, f := range map[string]fields{
		"issuer":    {"client_id": "x"},
		"client_id": {"issuer": "https://login.example.com"},
	} {
		admin.post(path, f).wantError(400, field+"_required").wantField(field)
	}
	base := fields{"issuer": "https://login.example.com", "client_id": "signet", "client_secret": "very secret"}
	for code, f := range map[string]fields{
		"issuer_invalid": {"issuer": "login.example.com"},
		"issuer_refused": {"issuer": "https://forbidden.example.com"},
		"domain_invalid": {"domains": []string{"no domain"}},
		"too_long":       {"name": strings.Repeat("x", 257)},
		"field_invalid":  {"claims": []string{"x"}},
	} {
		admin.post(path, merged(base, f)).wantError(400, code)
	}
	admin.post(path, merged(base, fields{"domains": []string{"Example.COM", "example.com", "clinic.example"},
		"claims": fields{"groups": "roles"}, "admin_groups": []string{"a"}})).want(204)
	shown := admin.get(path)
	if strings.Contains(string(shown.content), "very secret") {
		t.Error("the secret is shown")
	}
	set := shown.reply()
	set.wantFields(fields{"id": c.org, "issuer": "https://login.example.com", "client_id": "signet", "has_secret": true,
		"name": "Clinic", "domains": []string{"example.com", "clinic.example"}, "confirmed_domains": []string{},
		"claims": fields{"groups": "roles"}, "admin_groups": []string{"a"}, "provision": false, "passwords": true,
		"enabled": true, "shown": false, "tried": false, "passwords_off": false,
		"redirect_uri":           c.url + "/v2/session/oidc/" + c.org + "/callback",
		"backchannel_logout_uri": c.url + "/v2/session/oidc/" + c.org + "/logout"})

	// What an operator says of domains is confirmed, and what nobody asks for any more is free.
	c.operator.post(path, fields{"domains": []string{"example.com"}}).want(204)
	admin.get(path).reply().wantFields(fields{"domains": []string{"example.com"},
		"confirmed_domains": []string{"example.com"}, "client_id": "signet"})
	elsewhere := "/v2/organization/" + c.mustCreateOrganization("Elsewhere") + "/identity"
	c.operator.post(elsewhere, merged(base, fields{"domains": []string{"example.com"}})).wantError(400, "domain_taken").
		wantField("domains")
	c.operator.get(elsewhere).wantMissing() // none of it was done
	admin.post(path, fields{"domains": []string{"example.com", "new.example"}}).want(204)
	admin.get(path).reply().wantFields(fields{"confirmed_domains": []string{"example.com"}})
	admin.post(path, fields{"domains": []string{}}).want(204)
	c.operator.post(elsewhere, merged(base, fields{"domains": []string{"example.com"}})).want(204)

	// The secret is told to no other issuer than the one that it is of.
	admin.post(path, fields{"issuer": "https://other.example.com"}).wantError(400, "client_secret_required")
	admin.post(path, fields{"issuer": "https://other.example.com", "client_secret": ""}).want(204)
	admin.get(path).reply().wantFields(fields{"has_secret": false, "issuer": "https://other.example.com"})

	admin.delete(path).want(204)
	admin.get(path).wantMissing()
	actions := map[string]int{}
	for _, e := range admin.get("/v2/organization/" + c.org + "/audit?limit=100").reply().list() {
		actions[e.text("action")]++
	}
	if actions["identity.set"] < 4 || actions["identity.remove"] == 0 || actions["identity.read"] == 0 {
		t.Errorf("the audit log has %v", actions)
	}
}

// Nobody leaves an organization without an administrator who can sign in: an operator may, who always can.
func TestAdministratorsAreNotLockedOut(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"admin_groups": []string{"admins"}})
	w.says("alice", "groups", []string{"admins"})
	alice := w.mustSignIn()
	w.operator.delete(w.operator.path("/organization/" + w.org)).want(204)
	elevated := func(p *person) *person {
		t.Helper()
		a := p.post(w.oidc+"/elevate", nil).want(200)
		return p.byCookie(w.goTo(a, a.reply().text("url")).finish().want(303))
	}
	alice = elevated(alice) // who has no password, and no other key
	for what, change := range map[string]func() *answer{
		"another client": func() *answer { return alice.post(w.identity, fields{"client_id": "other"}) },
		"another secret": func() *answer { return alice.post(w.identity, fields{"client_secret": "other"}) },
		"off":            func() *answer { return alice.post(w.identity, fields{"enabled": false}) },
		"none":           func() *answer { return alice.delete(w.identity) },
	} {
		if got := change(); got.StatusCode != 400 {
			t.Errorf("%s: got %d %s", what, got.StatusCode, got.content)
		} else {
			got.wantError(400, "administrators_locked_out")
		}
	}
	alice.post(w.identity, fields{"name": "Another name", "passwords": false}).want(204)
	w.operator.post(w.identity, fields{"client_id": "other"}).want(204)
	w.operator.post(w.identity, fields{"client_id": openidtest.ClientID}).want(204)
	w.mustHavePassword(w.alice) // which ends the session
	alice = elevated(w.mustSignIn())
	alice.post(w.identity, fields{"enabled": false}).want(204)
	alice.delete(w.identity).want(204)
}

// A provider is tried before it is switched on, by an administrator in its own browser, whom that signs in nowhere.
func TestAProviderIsTried(t *testing.T) {
	t.Parallel()
	w := startWard(t, fields{"enabled": false, "admin_groups": []string{"admins"}})
	chief := w.mustCreateAdmin(w.org, "chief")
	w.mustHavePassword(chief)
	session := chief.mustSignIn()
	session = session.byCookie(session.post("/v2/session/elevate", fields{"password": password}).want(204))
	try := func() (begun *going, result string) {
		t.Helper()
		a := session.post(w.identity+"/test", fields{"return": "/console"}).want(200)
		reply := a.reply()
		return w.goTo(a, reply.text("url")), w.identity + "/test/" + reply.text("test")
	}
	w.says("chief", "groups", []string{"staff", "admins"})
	g, result := try()
	session.get(result).reply().wantFields(fields{"state": "waiting"})
	got := g.finish().want(303).wantHeader("Location", "/console")
	if got.Header["Set-Cookie"] != nil {
		t.Error("a test signs in")
	}
	session.get(result).reply().wantFields(fields{"state": "passed", "subject": "sub-chief", "email": "chief@example.com",
		"email_verified": true, "username": "chief", "groups": []string{"staff", "admins"}, "administrator": true,
		"outcome": "linked", "account": chief.token})
	session.get(w.identity).reply().wantFields(fields{"tried": true, "enabled": false})
	w.operator.get(result).reply().wantFields(fields{"state": "waiting"}) // it is not the operator's

	w.says("dora")
	g, result = try()
	g.finish().want(303)
	session.get(result).reply().wantFields(fields{"state": "failed", "code": "identity_unknown",
		"email": "dora@example.com"})
	w.says("bob")
	g, result = try()
	g.finish().want(303)
	session.get(result).reply().wantFields(fields{"state": "passed", "outcome": "linked", "account": w.bob.token})
	w.provider.Says(nil)
	g, result = try()
	g.finish().want(303)
	failed := session.get(result).reply()
	failed.wantFields(fields{"state": "failed", "code": "identity_refused"})
	if failed.text("problem") == "" {
		t.Error("why is not told")
	}
	w.says("chief")
	g, result = try()
	w.provider.Down(true)
	g.finish().want(303)
	session.get(result).reply().wantFields(fields{"state": "failed", "code": "identity_unavailable"})
	w.provider.Down(false)
	if n := w.server.identity.Counts.Unreachable.Load(); n != 0 {
		t.Errorf("a test counts as %d sign-ins to which the provider gave no answer", n)
	}
	session.post(w.identity+"/test", fields{"return": "//evil.example"}).wantError(400, "return_invalid")
	w.alice.post(w.identity+"/test", nil).want(403)
	chief.post(w.identity+"/test", nil, header("Sec-Fetch-Site", "cross-site")).wantError(403, "origin_refused")
	w.says("bob") // whom the test did not link
	w.operator.post(w.identity, fields{"enabled": true}).want(204)
	if n := len(w.bob.events()); n != 0 {
		t.Errorf("bob was told of %d changes by the test of another", n)
	}
}
