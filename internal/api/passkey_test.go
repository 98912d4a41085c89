package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
)

// authenticator is a device with passkeys, and the page on which it is used.
type authenticator struct {
	t *testing.T
	virtualwebauthn.Authenticator
	party   virtualwebauthn.RelyingParty
	passkey virtualwebauthn.Credential // the one that it uses, or is about to make
}

// newAuthenticator makes one that is used on the server's own pages.
func (s *server) newAuthenticator() *authenticator {
	return &authenticator{t: s.t, Authenticator: virtualwebauthn.NewAuthenticator(),
		party:   virtualwebauthn.RelyingParty{ID: s.party.ID, Origin: s.party.Origin},
		passkey: newCredential()}
}

// makes answers what was asked for of a new passkey, which is then its user's.
func (a *authenticator) makes(asked value) json.RawMessage {
	a.t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(asked.String())
	if err != nil {
		a.t.Fatal(err)
	}
	a.Options.UserHandle = []byte(options.UserID)
	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(a.party, a.Authenticator, a.passkey, *options))
}

// signs answers what was asked for of a signature. Its counter goes on, as those of security keys do.
func (a *authenticator) signs(asked value) json.RawMessage {
	a.t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(asked.String())
	if err != nil {
		a.t.Fatal(err)
	}
	a.passkey.Counter++
	return json.RawMessage(virtualwebauthn.CreateAssertionResponse(a.party, a.Authenticator, a.passkey, *options))
}

// code is that of the error; empty: it is none.
func (a *answer) code() string {
	a.t.Helper()
	if a.StatusCode < 400 {
		return ""
	}
	return a.value().text("error", "code")
}

// answered is the body of a finish.
func answered(credential json.RawMessage) fields { return fields{"credential": credential} }

// mustMake makes a passkey in a session, and returns the answer.
func (a *authenticator) mustMake(session *person) *answer {
	a.t.Helper()
	asked := session.post("/v2/user/me/passkey/begin", nil).reply()
	return session.post("/v2/user/me/passkey/finish", merged(answered(a.makes(asked)), fields{"label": "phone"})).want(200)
}

// mustSignIn signs in by the passkey.
func (a *authenticator) mustSignIn(p *person) *person {
	a.t.Helper()
	anyone := p.s.anyone()
	asked := anyone.post("/v2/session/passkey/begin", nil).reply()
	return p.byCookie(anyone.post("/v2/session/passkey/finish", answered(a.signs(asked))).want(204))
}

func TestPasskey(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	session, device := c.alice.mustSignIn(), c.newAuthenticator()
	session.get("/v2/session").reply().wantFields(fields{"has_passkey": false}, "second_factor")
	c.alice.forgetEvents()

	asked := session.post("/v2/user/me/passkey/begin", nil).reply().at("publicKey")
	asked.at("rp").wantFields(fields{"id": "localhost", "name": "Clinics"})
	asked.at("user").wantFields(fields{"name": "alice"})
	asked.at("authenticatorSelection").wantFields(fields{"residentKey": "required", "userVerification": "required"})
	asked.wantFields(fields{"attestation": "none", "timeout": 300000}, "excludeCredentials")

	made := device.mustMake(session)
	key := made.reply()
	key.wantFields(fields{"label": "phone", "synced": false, "relying_party": "localhost",
		"created_time": "2026-11-21T08:15:30.123Z"}, "last_used_time", "organization")
	session = c.alice.byCookie(made)
	c.alice.wantEvents("account:settings") // it is told
	session.get("/v2/session").reply().wantFields(fields{"has_passkey": true}, "second_factor", "elevated_until")
	listed := c.alice.get("/v2/user/me/passkey").reply().list()
	if len(listed) != 1 || listed[0].String() != key.String() {
		t.Errorf("listed are %v, want %s", listed, key)
	}
	asked = session.post("/v2/user/me/passkey/begin", nil).reply().at("publicKey")
	if others := asked.at("excludeCredentials").list(); len(others) != 1 || others[0].text("id") !=
		base64.RawURLEncoding.EncodeToString(device.passkey.ID) {
		t.Errorf("excluded are %v", others)
	}

	c.clock.Advance(time.Hour)
	in := device.mustSignIn(c.alice)
	in.get("/v2/user").reply().wantFields(fields{"token": c.alice.token})
	in.get("/v2/session").reply().wantFields(fields{"has_passkey": true}, "elevated_until")
	c.alice.get("/v2/user/me/passkey").reply().list()[0].wantFields(fields{"last_used_time": "2026-11-21T09:15:30.123Z"})

	// A browser that is signed in asks for passkeys of its account alone, and is elevated.
	asked = in.post("/v2/session/passkey/begin", nil).reply().at("publicKey")
	if allowed := asked.at("allowCredentials").list(); len(allowed) != 1 {
		t.Errorf("allowed are %v", allowed)
	}
	elevated := c.alice.byCookie(in.post("/v2/session/passkey/finish", answered(device.signs(asked))).want(204))
	elevated.get("/v2/session").reply().wantFields(fields{"elevated_until": "2026-11-21T09:30:30.123Z"})
	in.get("/v2/session").reply().wantFields(fields{}, "elevated_until") // with the cookie of before
	for action, detail := range map[string]string{"passkey.make": "", "login": "session, passkey",
		"session.elevate": "passkey", "passkey.list": ""} {
		lines := c.operator.get("/v2/organization/" + c.org + "/audit?action=" + action).reply().list()
		if !slices.ContainsFunc(lines, func(line value) bool {
			return line.text("outcome") == "ok" && (detail == "" || line.text("detail") == detail)
		}) {
			t.Errorf("no line of %s with %q: %v", action, detail, lines)
		}
	}
}

// Every answer that is not what was asked for is refused, and the challenge is used up with it.
func TestPasskeyThatIsRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	c.mustHavePassword(c.bob)
	alices, bobs := c.newAuthenticator(), c.newAuthenticator()
	alice := c.alice.byCookie(alices.mustMake(c.alice.mustSignIn()))
	bob := c.bob.byCookie(bobs.mustMake(c.bob.mustSignIn()))
	const begin, finish = "/v2/session/passkey/begin", "/v2/session/passkey/finish"
	whole := *alices
	for name, test := range map[string]struct {
		change func(a *authenticator)
		code   string
		makes  bool // a new passkey is refused for it too
	}{
		"a page of another address": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.party.Origin = "http://localhost:1" }},
		"a page of another name": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.party.Origin = "https://localhost.example.com" }},
		"a passkey of another name": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.party.ID = "example.com" }},
		"nobody's user verification": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.Options.UserNotVerified = true }},
		"nobody's presence": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.Options.UserNotPresent = true }},
		"a copy that cannot be": {makes: true, code: "passkey_refused",
			change: func(a *authenticator) { a.Options.BackupState = true }},
		"a passkey that suddenly may be copied": {code: "passkey_refused",
			change: func(a *authenticator) { a.Options.BackupEligible = true }},
		"another key": {code: "passkey_refused", change: func(a *authenticator) {
			id := a.passkey.ID
			a.passkey = newCredential()
			a.passkey.ID, a.passkey.Counter = id, 100
		}},
		"a passkey that nobody has": {code: "passkey_refused",
			change: func(a *authenticator) { a.passkey = newCredential() }},
		"a passkey of somebody else": {code: "passkey_refused",
			change: func(a *authenticator) { a.passkey = bobs.passkey }},
		"the name of somebody else": {code: "passkey_refused",
			change: func(a *authenticator) { a.Options.UserHandle = bobs.Options.UserHandle }},
		"a counter that stands still": {code: "passkey_copied", change: func(a *authenticator) { a.passkey.Counter -= 1 }},
		"a counter that goes back":    {code: "passkey_copied", change: func(a *authenticator) { a.passkey.Counter = 0 }},
	} {
		alices.mustSignIn(c.alice) // it counts on
		whole.passkey.Counter = alices.passkey.Counter
		forged := whole
		test.change(&forged)
		asked := c.anyone().post(begin, nil).reply()
		wrong := answered(forged.signs(asked))
		refused := c.anyone().post(finish, wrong).wantError(401, test.code)
		if set := refused.Header["Set-Cookie"]; set != nil {
			t.Errorf("%s: set %q", name, set)
		}
		whole.passkey.Counter += 10
		c.anyone().post(finish, answered(whole.signs(asked))).wantError(401, "challenge_unknown")
		asked = alice.post(begin, nil).reply()
		alice.post(finish, wrong).wantError(403, "challenge_unknown") // of a challenge that is used up
		forged = whole
		forged.passkey.Counter = alices.passkey.Counter
		test.change(&forged)
		alice.post(finish, answered(forged.signs(asked))).wantError(403, test.code)
		if !test.makes {
			continue
		}
		forged = *c.newAuthenticator()
		test.change(&forged)
		asked = alice.post("/v2/user/me/passkey/begin", nil).reply()
		alice.post("/v2/user/me/passkey/finish", answered(forged.makes(asked))).wantError(400, test.code).
			wantField("credential")
	}
	alices.passkey.Counter += 100
	alices.mustSignIn(c.alice)

	// One authenticator gives an identifier that somebody has.
	copied := c.newAuthenticator()
	copied.passkey.ID = alices.passkey.ID
	for _, session := range []*person{alice, bob} {
		asked := session.post("/v2/user/me/passkey/begin", nil).reply()
		session.post("/v2/user/me/passkey/finish", answered(copied.makes(asked))).wantError(400, "passkey_refused")
	}
	for _, wrong := range []any{"x", 7, fields{}, fields{"id": "AA", "rawId": "AA", "type": "public-key"}} {
		c.anyone().post(finish, fields{"credential": wrong}).want(400)
		alice.post("/v2/user/me/passkey/finish", fields{"credential": wrong}).want(400)
	}
	c.anyone().post(finish, nil).wantError(400, "credential_required").wantField("credential")
}

// A challenge is answered once, soon, for what it is, and by whom it was given to.
func TestPasskeyChallenge(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	c.mustHavePassword(c.bob)
	device := c.newAuthenticator()
	alice := c.alice.byCookie(device.mustMake(c.alice.mustSignIn()))
	const begin, finish = "/v2/session/passkey/begin", "/v2/session/passkey/finish"
	ask := func(p *person) value { return p.post(begin, nil).reply() }

	once := answered(device.signs(ask(c.anyone())))
	c.anyone().post(finish, once).want(204)
	c.anyone().post(finish, once).wantError(401, "challenge_unknown")
	once = answered(device.signs(ask(alice)))
	alice.post(finish, once).want(204)
	alice = device.mustSignIn(c.alice)
	alice.post(finish, once).wantError(403, "challenge_unknown")

	other := device.mustSignIn(c.alice)
	for name, test := range map[string]struct{ asks, answers *person }{
		"another session of the account": {alice, other},
		"a browser without one":          {alice, c.anyone()},
		"a session, of a sign-in":        {c.anyone(), alice},
	} {
		got := test.answers.post(finish, answered(device.signs(ask(test.asks))))
		if got.StatusCode != 401 && got.StatusCode != 403 || got.code() != "challenge_unknown" {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.content)
		}
	}
	for _, wait := range []time.Duration{5*time.Minute - time.Millisecond, 5 * time.Minute} {
		late := answered(device.signs(ask(c.anyone())))
		c.clock.Advance(wait)
		if got := c.anyone().post(finish, late); got.StatusCode == 204 != (wait < 5*time.Minute) {
			t.Errorf("after %s: %d %s", wait, got.StatusCode, got.content)
		}
	}

	// What makes a passkey signs nobody in, and the other way round.
	fresh := device.mustSignIn(c.alice)
	made := c.newAuthenticator()
	asked := fresh.post("/v2/user/me/passkey/begin", nil).reply()
	fresh.post(finish, answered(device.signs(asked))).wantError(403, "challenge_unknown")
	fresh.post("/v2/user/me/passkey/finish", answered(made.makes(asked))).wantError(400, "challenge_unknown")
	fresh.post("/v2/user/me/passkey/finish", answered(made.makes(ask(fresh)))).wantError(400, "challenge_unknown")
	asked = fresh.post("/v2/user/me/passkey/begin", nil).reply()
	for _, stranger := range []*person{c.bob.mustSignIn(), device.mustSignIn(c.alice)} {
		again := stranger.post("/v2/user/me/passkey/finish", answered(made.makes(asked)))
		again.wantError(400, "challenge_unknown")
		asked = fresh.post("/v2/user/me/passkey/begin", nil).reply()
	}
	fresh.post("/v2/user/me/passkey/finish", answered(made.makes(asked))).want(200)
}

// A passkey is made in a session that somebody has just proven to be whose it is, and outlasts nothing.
func TestWhoMakesAPasskey(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(boss)
	begin := func(p *person, options ...option) *answer {
		return p.post("/v2/user/me/passkey/begin", nil, options...)
	}
	session := boss.mustSignIn()
	c.clock.Advance(15*time.Minute - time.Millisecond)
	begin(session).want(200)
	c.clock.Advance(time.Millisecond)
	begin(session).wantError(403, "recent_sign_in_required")
	session = session.mustElevate()
	begin(session).want(200)
	begin(session, header("Origin", "https://example.com")).wantError(403, "origin_refused")
	begin(session, header("Origin", c.url)).wantError(403, "passkey_address")
	begin(boss).wantError(404, "session_missing")
	begin(c.anyone()).wantError(401, "credentials_missing")

	// What a key with limits opened makes none; of another it has the scope, and ends with it.
	for _, limited := range []fields{{"expires_in": 3600}, {"allowed_networks": []string{"127.0.0.0/8"}}} {
		key := boss.withKey(c.operator.post(boss.path("/key"), limited).reply())
		begin(boss.byCookie(key.post("/v2/session", nil).want(204))).wantError(403, "exceeds_issuer")
	}
	key := boss.withKey(c.operator.post(boss.path("/key"), fields{"organization": c.org}).reply())
	device := c.newAuthenticator()
	of := boss.byCookie(key.post("/v2/session", nil).want(204))
	device.mustMake(of).reply().wantFields(fields{"organization": c.org})
	scoped := device.mustSignIn(boss)
	keys := boss.get("/v2/user/me/key").reply().list()
	if !slices.ContainsFunc(keys, func(k value) bool {
		return k.text("api_key") == scoped.sessionKey() && k.text("organization") == c.org
	}) {
		t.Errorf("the keys are %v", keys)
	}
	asked := session.post("/v2/session/passkey/begin", nil).reply()
	session.post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(403, "exceeds_issuer")
	c.operator.delete(boss.path("/key/" + key.key)).want(204)
	scoped.wantSignedOut()
	asked = c.anyone().post("/v2/session/passkey/begin", nil).reply()
	c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")

	session = boss.byCookie(c.newAuthenticator().mustMake(session))
	for range 19 {
		c.newAuthenticator().mustMake(session)
	}
	begin(session).wantError(400, "too_many_passkeys")
}

// A passkey that is removed opens nothing, and ends what it opened.
func TestPasskeyIsRemoved(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(c.alice)
	device, spare := c.newAuthenticator(), c.newAuthenticator()
	alice := c.alice.byCookie(device.mustMake(c.alice.mustSignIn()))
	spare.mustMake(alice)
	list := c.alice.get("/v2/user/me/passkey").reply().list()
	lost, kept := list[0].text("passkey"), list[1].text("passkey")
	in := device.mustSignIn(c.alice)
	stream := in.openStream("")
	issued := c.alice.withKey(in.post("/v2/user/me/key", nil).reply())
	c.clock.Advance(time.Hour)
	by := spare.mustSignIn(c.alice)
	in.delete("/v2/user/me/passkey/"+lost).wantError(403, "recent_sign_in_required")
	c.alice.delete("/v2/user/me/passkey/"+lost).wantError(403, "recent_sign_in_required")
	c.bob.delete(c.alice.path("/passkey/" + lost)).want(403)
	by.delete("/v2/user/me/passkey/" + lost).want(204)
	by.delete("/v2/user/me/passkey/" + lost).want(404)
	in.wantSignedOut()
	issued.get("/v2/user").want(401)
	stream.drain()
	asked := c.anyone().post("/v2/session/passkey/begin", nil).reply()
	c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")
	by.get("/v2/user").want(200)

	// An administrator who manages the account's keys removes one, and the account is told.
	c.alice.forgetEvents()
	c.mustCreateAdmin(c.mustCreateOrganization("Elsewhere"), "other").delete(c.alice.path("/passkey/" + kept)).want(404)
	boss.delete(c.alice.path("/passkey/" + kept)).want(204)
	c.alice.wantEvents("account:settings")
	by.wantSignedOut()
	if left := boss.get(c.alice.path("/passkey")).reply().list(); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// A disabled account has no passkey that opens it, and one that is erased leaves none.
func TestPasskeyOfAnAccountThatEnds(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(c.alice)
	device := c.newAuthenticator()
	device.mustMake(c.alice.mustSignIn())
	boss.post(c.alice.path("/disable"), nil).want(204)
	asked := c.anyone().post("/v2/session/passkey/begin", nil).reply()
	c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")
	boss.post(c.alice.path("/enable"), nil).want(204)
	device.mustSignIn(c.alice)
	boss.do("DELETE", c.alice.path(""), jsonBody(fields{"username": "alice"})).want(204)
	asked = c.anyone().post("/v2/session/passkey/begin", nil).reply()
	c.anyone().post("/v2/session/passkey/finish", answered(device.signs(asked))).wantError(401, "passkey_refused")
}

// Wrong answers are counted as wrong passwords are, and what nobody who is known asks for is bounded.
func TestPasskeysAreMetered(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) {
		f.api.FailedLoginsPerMinute, f.api.RequestsPerSecond, f.api.Burst = 2, 50, 100
	})
	c.mustHavePassword(c.alice)
	device := c.newAuthenticator()
	device.mustMake(c.alice.mustSignIn())
	wrong := *device
	wrong.passkey = newCredential()
	wrong.passkey.ID = device.passkey.ID
	for _, want := range []string{"passkey_refused", "passkey_refused", "too_many_failures"} {
		asked := c.anyone().post("/v2/session/passkey/begin", nil).reply()
		got := c.anyone().post("/v2/session/passkey/finish", answered(wrong.signs(asked)))
		if got.code() != want {
			t.Errorf("answered is %d %s, want %s", got.StatusCode, got.content, want)
		}
	}
	limited := false
	for range 100 {
		limited = limited || c.anyone().post("/v2/session/passkey/begin", nil).StatusCode == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("one address asks without end")
	}
	metrics := c.gathered("signet_passkeys_total")
	for _, want := range []string{`act="make" outcome="ok" 1`, `act="sign_in" outcome="signature" 2`} {
		if !slices.Contains(metrics, want) {
			t.Errorf("counted are %v, want %s", metrics, want)
		}
	}
}

// gathered are the values above 0 of a counter, with its labels.
func (s *server) gathered(name string) (out []string) {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() != name || m.GetCounter().GetValue() == 0 {
				continue
			}
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			out = append(out, strings.Join(labels, " ")+fmt.Sprintf(" %g", m.GetCounter().GetValue()))
		}
	}
	return out
}

// Where the server does not know its public address by a name there are no passkeys, and it says why.
func TestNoPasskeysWithoutAnAddress(t *testing.T) {
	t.Parallel()
	for address, why := range map[string]string{
		"https://192.0.2.1": "no name", "http://chat.example.com": "not https", "https://*.example.com": "no name",
	} {
		c := startClinic(t, func(f *figures) { f.passkeysAt = address })
		c.mustHavePassword(c.alice)
		session := c.alice.mustSignIn()
		for _, got := range []*answer{session.post("/v2/user/me/passkey/begin", nil),
			c.anyone().post("/v2/session/passkey/begin", nil)} {
			got.wantError(403, "passkeys_off")
			text := got.value().text("error", "message")
			if !strings.Contains(text, why) || !strings.Contains(text, "base_url") {
				t.Errorf("%s: one is told %q", address, text)
			}
		}
		c.operator.post("/v2/organization/"+c.org, fields{"second_factor": "required"}).wantError(400, "passkeys_off").
			wantField("second_factor")
		c.operator.post("/v2/organization/"+c.org, fields{"second_factor": "optional"}).want(204)
	}
}

// Two calls at once with the same count of signatures are not both let in.
func TestPasskeyIsUsedOnceByCount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	device := c.newAuthenticator()
	device.mustMake(c.alice.mustSignIn())
	one := device.signs(c.anyone().post("/v2/session/passkey/begin", nil).reply())
	device.passkey.Counter--
	other := device.signs(c.anyone().post("/v2/session/passkey/begin", nil).reply())
	var calls []sending
	for _, sent := range []json.RawMessage{one, other} {
		calls = append(calls, c.anyone().start("POST", "/v2/session/passkey/finish", jsonBody(answered(sent))))
	}
	got := []int{calls[0].answer().StatusCode, calls[1].answer().StatusCode}
	if !slices.Contains(got, 204) || !slices.Contains(got, 401) {
		t.Errorf("answered are %v", got)
	}
}

// newCredential makes a passkey. The library writes coordinates of keys without the zeros at their beginning, which no
// authenticator leaves out: it makes another one then, as of 1 key in 128.
func newCredential() virtualwebauthn.Credential {
	const whole = 77 // bytes of a public key
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}
