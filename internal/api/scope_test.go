package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/testenv"
)

// hijack is an account that one organization made, with access that its administrator
// kept, before another organization added it.
type hijack struct {
	*server
	one, two     string
	admin, other *person // their administrators
	chief        *person // with a key that the first administrator issued
	own          *person // the same with one of the account's own, without a scope
	ben          *person // of the second organization
}

const knownPassword = "a password that is known"

func startHijack(t *testing.T) *hijack {
	t.Helper()
	h := &hijack{server: start(t)}
	h.one, h.two = h.mustCreateOrganization("One"), h.mustCreateOrganization("Two")
	h.admin, h.other = h.mustCreateAdmin(h.one, "admin"), h.mustCreateAdmin(h.two, "other")
	h.ben = h.mustCreate(h.two, "ben")
	made := h.admin.post("/v2/user", fields{"username": "chief", "password": knownPassword, "issue_key": true},
		in(h.one)).reply()
	h.chief = &person{s: h.server, t: t, name: "chief", token: made.text("token")}
	h.chief.useKey(made)
	h.other.mustJoin(h.two, h.chief)
	h.own = h.chief.withKey(h.operator.post(h.chief.path("/key"), nil).reply())
	h.own.forgetEvents()
	return h
}

// signed is who signs in with a password.
func (h *hijack) signed(password, device string) *person {
	h.t.Helper()
	auth := h.signIn("chief", password, device).reply().at("auth")
	return h.chief.with(auth.text("key"), auth.text("secret"))
}

// Keys and a password that an organization kept from before open nothing of another one
// that adds the account later.
func TestAccessThatAnOrganizationKeptStaysThere(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	message := h.ben.mustSend(h.chief.token, "patient 4711")
	group := h.ben.mustCreateGroup("Ward", h.own)
	h.own.post("/v2/roster", fields{"entity": h.ben.token}, in(h.two)).want(204)
	h.own.post("/v2/mute/p2p", fields{"sender_token": h.ben.token, "duration": 60}).want(204)
	signed := h.signed(knownPassword, "d")
	h.other.post(h.chief.path("/organization/"+h.two+"/roles/admin"), nil).want(204)
	elevated := h.chief.withKey(h.chief.post("/v2/user/me/key",
		fields{"kind": "administrative", "password": knownPassword}).reply())
	queued := h.own.events()
	for what, p := range map[string]*person{"key": h.chief, "password": signed, "administrative key": elevated} {
		for _, path := range []string{"/v2/message/" + message, "/v2/message/" + message + "/status", "/v2/group/" + group,
			"/v2/group/" + group + "/members", "/v2/user/" + h.ben.token, "/v2/user/me/organization/" + h.two,
			"/v2/user/me/organization/" + h.two + "/message/unread_count"} {
			p.get(path).wantMissing()
		}
		p.get("/v2/metadata/"+h.ben.token, in(h.two)).wantMissing()
		p.post("/v2/message", fields{"recipient": h.ben.token, "body": "x"}).wantMissing()
		p.post("/v2/message", fields{"recipient": h.ben.token, "body": "x", "sender_organization": h.two}).wantMissing()
		p.post("/v2/group", fields{"name": "N"}, in(h.two)).wantMissing()
		p.post("/v2/roster", fields{"entity": h.ben.token}, in(h.two)).wantMissing()
		p.post("/v2/search", fields{"type": "account", "directory": h.two}).wantError(403, "not_member")
		p.get("/v2/user/me/message/unread_count").reply().wantFields(fields{"unread_count": 0})
		for _, path := range []string{"/v2/roster", "/v2/mute"} {
			if n := len(p.get(path).reply().list()); n != 0 {
				t.Errorf("with the %s %s shows %d entries of another organization", what, path, n)
			}
		}
		if all := p.get("/v2/user/me/organization").reply().list(); len(all) != 1 || all[0].text("token") != h.one {
			t.Errorf("with the %s the account is in %v", what, all)
		}
		if got := ofKind(p.events(), "message"); len(got) != 0 {
			t.Errorf("with the %s the queue shows %v", what, got)
		}
		// Nor does it take away what is there.
		var ids []string
		for _, e := range queued {
			ids = append(ids, e.id)
		}
		p.post("/v2/events/ack", fields{"events": ids}).want(204)
		p.delete("/v2/events").want(200)
		p.delete("/v2/mute").want(204)
	}
	for _, path := range []string{"/v2/organization/" + h.two, "/v2/organization/" + h.two + "/audit"} {
		elevated.get(path).wantError(403, "administrative_key_required")
	}
	h.own.get("/v2/message/" + message).want(200)
	if got := kindsOf(h.own.events()); !slices.Contains(got, "message") || !slices.Contains(got, "bang") {
		t.Errorf("the account's own queue has %v left", got)
	}
	if n := len(h.own.get("/v2/mute").reply().list()); n != 1 {
		t.Errorf("%d mutes are left of the account's own", n)
	}
}

// What is set with a key of one organization, by whoever knows the old password, opens no
// more than that did.
func TestPasswordThatAnAdministratorKnowsNeverBecomesTheAccountsOwn(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	message := h.ben.mustSend(h.chief.token, "patient 4711")
	const second, third = "another that is known", "one of its own"
	h.chief.post("/v2/user/me/password", fields{"old_password": knownPassword, "password": second}).want(204)
	h.signed(second, "d").get("/v2/message/" + message).wantMissing()
	h.own.post("/v2/user/me/password", fields{"old_password": second, "password": third}).want(204)
	h.signed(third, "d").get("/v2/message/" + message).want(200)
	// Of its profile others change nothing, who added it to their organization.
	h.admin.mustJoin(h.one, h.ben)
	borrowed := h.ben.withKey(h.admin.post(h.ben.path("/key"), nil).reply())
	borrowed.post("/v2/user/me/settings", fields{"display_name": "Evil"}).wantError(403, "not_allowed")
	h.ben.post("/v2/user/me/settings", fields{"display_name": "Ben"}).want(204)
}

// A thief with a key or a password issues itself keys, which end with what they came from.
func TestWhatAKeyIssuedEndsWithIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post(c.alice.path("/password"), fields{"password": knownPassword}).want(204)
	issue := func(by *person) *person { return by.withKey(by.post("/v2/user/me/key", nil).reply()) }
	signIn := func() *person {
		auth := c.signIn("alice", knownPassword, "thief").reply().at("auth")
		return c.alice.with(auth.text("key"), auth.text("secret"))
	}
	for what, end := range map[string]func(leaked *person){
		"revocation": func(leaked *person) { c.alice.delete("/v2/user/me/key/" + leaked.key).want(204) },
		"rotation": func(leaked *person) {
			c.alice.post("/v2/user/me/key/"+leaked.key+"/rotate", fields{"grace": 0}).reply()
		},
		"logout": func(leaked *person) { leaked.post("/v2/logout", nil).want(204) },
		"a new password": func(*person) {
			c.alice.post("/v2/user/me/password", fields{"old_password": knownPassword, "password": knownPassword}).want(204)
		},
		"another sign-in of the device": func(*person) { signIn() },
	} {
		leaked := signIn()
		derived := issue(leaked)
		second := issue(derived)
		stream := second.openStream("features=no-offline-messages")
		end(leaked)
		for _, p := range []*person{leaked, derived, second} {
			if got := p.get("/v2/user").StatusCode; got != 401 {
				t.Errorf("after %s a key that came of it answers %d", what, got)
			}
		}
		stream.wantEnd()
	}
	// What asks stays, with what it issued, and what others issued stands on its own.
	leaked := signIn()
	derived := issue(leaked)
	derived.post("/v2/user/me/password", fields{"old_password": knownPassword, "password": knownPassword}).want(204)
	leaked.get("/v2/user").want(401)
	derived.get("/v2/user").want(200)
	given := c.alice.withKey(c.operator.post(c.alice.path("/key"), nil).reply())
	given.delete("/v2/user/me/key/" + c.alice.key).want(204)
	given.get("/v2/user").want(200)
}

// Whoever has the secret of before a rotation gets no lasting access by it.
func TestReplacedSecretChangesNoAccess(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post(c.alice.path("/password"), fields{"password": knownPassword}).want(204)
	owner := c.alice.withKey(c.alice.post("/v2/user/me/key/"+c.alice.key+"/rotate", nil).reply())
	for what, a := range map[string]*answer{
		"issue":   c.alice.post("/v2/user/me/key", nil),
		"rotate":  c.alice.post("/v2/user/me/key/"+c.alice.key+"/rotate", fields{"grace": 0}),
		"revoke":  c.alice.delete("/v2/user/me/key/" + c.alice.key),
		"sign in": c.alice.post("/v5/login", fields{"device_id": "d"}),
		"set the password": c.alice.post("/v2/user/me/password",
			fields{"old_password": knownPassword, "password": "another password"}),
	} {
		t.Log(what)
		a.wantError(403, "secret_replaced")
	}
	c.alice.get("/v2/user").want(200)
	owner.post("/v2/user/me/key", nil).reply()
	admin := c.mustCreateAdmin(c.org, "admin")
	admin.post("/v2/user/me/key/"+admin.key+"/rotate", nil).reply()
	admin.post("/v2/user", fields{"username": "x", "issue_key": true}, in(c.org)).wantError(403, "secret_replaced")
	admin.post("/v2/user", fields{"username": "x", "password": knownPassword}, in(c.org)).wantError(403, "secret_replaced")
	admin.post("/v2/user", fields{"username": "x"}, in(c.org)).want(200)
}

func TestAnAccountHasAHundredKeys(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	for range 99 { // with the one that it has
		c.alice.post("/v2/user/me/key", nil).reply()
	}
	c.alice.post("/v2/user/me/key", nil).wantError(400, "too_many_keys")
	c.alice.post("/v5/login", fields{"device_id": "d"}).wantError(400, "too_many_keys") // none came of a sign-in
	// One organization does not use up what another one needs.
	admin := c.mustCreateAdmin(c.org, "admin")
	admin.post(c.alice.path("/key"), nil).reply()

	login := func(device string) *person {
		auth := c.bob.post("/v5/login", fields{"device_id": device}).reply().at("auth")
		return c.bob.with(auth.text("key"), auth.text("secret"))
	}
	first := login("first")
	c.clock.Advance(time.Second)
	for i := range 98 {
		login(number(i))
	}
	first.get("/v2/user").want(200)
	login("one more")
	first.get("/v2/user").want(401)
	if n := len(c.bob.get("/v2/user/me/key").reply().list()); n != 100 {
		t.Errorf("there are %d keys", n)
	}
	// Those that have ended count for nothing.
	brief := c.mustCreate(c.org, "brief")
	for range 99 {
		brief.post("/v2/user/me/key", fields{"expires_in": 1}).reply()
	}
	brief.post("/v2/user/me/key", nil).wantError(400, "too_many_keys")
	c.clock.Advance(2 * time.Second)
	brief.post("/v2/user/me/key", nil).reply()
}

// An administrator manages the keys of its organization, and sees which others there are.
func TestAdministratorManagesKeysOfItsOrganization(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	issued := h.other.post(h.chief.path("/key"), nil).reply()
	issued.wantFields(fields{"organization": h.two})
	h.other.post(h.chief.path("/key"), fields{"organization": h.one}).wantMissing()
	mine := h.chief.withKey(issued)
	mine.get("/v2/user/" + h.ben.token).want(200)
	mine.get("/v2/user/me/organization/" + h.one).wantMissing()
	seen := map[string]value{}
	for _, k := range h.other.get(h.chief.path("/key")).reply().list() {
		seen[k.text("api_key")] = k
	}
	if _, foreign := seen[h.chief.key]; foreign || len(seen) != 2 {
		t.Fatalf("%d keys are listed", len(seen))
	}
	seen[mine.key].wantFields(fields{"organization": h.two, "issued_by": h.other.token})
	seen[h.own.key].wantFields(fields{"kind": "regular", "issued_by": h.operator.token})
	h.other.delete(h.chief.path("/key/"+h.own.key)).wantError(403, "not_allowed")
	label := fields{"label": "Ward 3"}
	h.other.post(h.chief.path("/key/"+h.own.key), label).wantError(403, "not_allowed")
	h.other.post(h.chief.path("/key/"+mine.key), label).want(204)
	wantSameAnswer(h.other.post(h.chief.path("/key/"+h.chief.key), label).wantMissing(),
		h.other.post(h.chief.path("/key/"+random("key")), label))
	wantSameAnswer(h.other.delete(h.chief.path("/key/"+h.chief.key)).wantMissing(),
		h.other.delete(h.chief.path("/key/"+random("key"))))
	mine = mine.withKey(h.other.post(h.chief.path("/key/"+mine.key+"/rotate"), nil).reply())
	// With a key of a scope one manages those of the scope, and asks for no other.
	mine.delete("/v2/user/me/key/" + h.own.key).wantMissing()
	mine.post("/v2/user/me/key/"+h.own.key, label).wantMissing()
	mine.post("/v2/user/me/key", fields{"organization": h.one}).wantError(403, "exceeds_issuer")
	mine.post("/v2/user/me/key", nil).reply().wantFields(fields{"organization": h.two})
	h.own.post("/v2/user/me/key", fields{"organization": h.one}).reply().wantFields(fields{"organization": h.one})
	h.own.post("/v2/user/me/key", fields{"organization": randomOrganization()}).wantMissing()
	h.other.delete(h.chief.path("/key/" + mine.key)).want(204)
	mine.get("/v2/user").want(401)
}

// Streams go on where an organization that added an account removes it again.
func TestStreamsOutliveAMembershipThatOthersMade(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	h.admin.mustJoin(h.one, h.ben)
	stream := h.ben.openStream("features=no-offline-messages")
	borrowed := h.ben.withKey(h.admin.post(h.ben.path("/key"), nil).reply())
	theirs := borrowed.openStream("features=no-offline-messages")
	borrowed.delete("/v2/events?connections_only=true").want(200)
	theirs.wantEnd()
	theirs = borrowed.openStream("features=no-offline-messages")
	h.admin.delete(h.ben.path("/organization/" + h.one)).want(204)
	for range theirs.lines { // what came before its end
	}
	h.own.mustSend(h.ben.token, "still here", "sender_organization", h.two)
	for e := stream.next(); e.kind != "message"; e = stream.next() {
	}
	h.other.delete(h.ben.path("/organization/" + h.two)).want(204)
	for range stream.lines {
	}
}

// The keys that act in an organization alone end with it like revoked ones, also those of
// accounts that left it.
func TestKeysOfAnOrganizationEndWithIt(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	mine := h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply())
	issued := mine.withKey(mine.post("/v2/user/me/key", nil).reply())
	auth := issued.post("/v5/login", fields{"device_id": "d"}).reply().at("auth")
	signed := issued.with(auth.text("key"), auth.text("secret"))
	h.admin.mustJoin(h.one, h.ben)
	h.operator.mustJoin(h.two, h.admin)
	former := h.admin.withKey(h.other.post(h.admin.path("/key"), nil).reply())
	h.other.delete(h.admin.path("/organization/" + h.two)).want(204)
	ended := []*person{mine, issued, signed, former}
	streams := []*stream{h.own.openStream("features=no-offline-messages")}
	for _, p := range ended {
		streams = append(streams, p.openStream("features=no-offline-messages"))
	}
	h.operator.do("DELETE", "/v2/organization/"+h.two, jsonBody(fields{"name": "Two"})).want(204)
	for i, p := range ended {
		p.get("/v2/user").want(401)
		for range streams[i+1].lines { // what came before its end
		}
	}
	h.own.get("/v2/user").want(200)
	h.chief.get("/v2/user/me/organization/" + h.one).want(200)
	h.ben.mustSend(h.own.token, "still here")
	for e := streams[0].next(); e.kind != "message"; e = streams[0].next() {
	}
}
