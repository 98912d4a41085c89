package api_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// Each of these tries to get round one of the rules of contract section 1
// ("Authentication and access"). docs/security/security.md lists all of them with their tests.

// administrativeCalls are the endpoints 27 to 36, and what the contract adds, for an
// account and an organization.
func administrativeCalls(user, organization string) map[string]fields {
	return map[string]fields{
		"GET /v2/user_lookup/" + user:                                              nil,
		"POST /v2/user":                                                            {"username": "intruder"},
		"POST /v2/user/" + user + "/organization":                                  {"organization": organization},
		"DELETE /v2/user/" + user + "/organization/" + organization:                nil,
		"GET /v2/user/" + user + "/organization/" + organization + "/roles":        nil,
		"POST /v2/user/" + user + "/organization/" + organization + "/roles/admin": {},
		"DELETE /v2/user/" + user + "/organization/" + organization + "/roles/x":   nil,
		"POST /v2/organization":                                                    {"name": "Mine"},
		"POST /v2/organization/" + organization:                                    {"name": "Mine"},
		"GET /v2/organization/" + organization:                                     nil,
		"DELETE /v2/organization/" + organization:                                  {"name": "Mine"},
	}
}

// sendCall makes one of them.
func (p *person) sendCall(call string, f fields, more ...option) *answer {
	p.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	if f != nil {
		more = append([]option{jsonBody(f)}, more...)
	}
	return p.do(method, path, more...)
}

func TestRegularKeyOpensNoAdministrativeCallWhateverItNames(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	regular := admin.withKey(admin.post(admin.path("/key"), nil).reply())
	auth := admin.post("/v5/login", fields{"device_id": "d"}).reply().at("auth") // signing in makes a regular one
	signed := admin.with(auth.text("key"), auth.text("secret"))
	query := "?auth_basic=" + base64.URLEncoding.EncodeToString([]byte(admin.key+":"+admin.secret))
	for _, p := range []*person{regular, signed, c.alice} {
		for _, names := range [][2]string{{c.bob.token, c.org}, {c.bob.token, randomOrganization()}, {randomToken(), c.org},
			{"nobody", "nowhere"}} {
			for call, f := range administrativeCalls(names[0], names[1]) {
				p.sendCall(call, f, in(c.org)).wantError(403, "administrative_key_required")
			}
		}
		// Other ways to say the same, or to bring the other key along.
		for _, trick := range []*answer{
			p.get("/v2/organization/" + c.org + "/"),
			p.get("/v2/organization/" + c.org + query),
			p.get("/v2//organization/" + c.org),
			p.get("/v2/user/../organization/" + c.org),
			p.post("/v2/organization/"+c.org, fields{"name": "Mine"}, header("X-HTTP-Method-Override", "GET")),
			p.get("/v2/organization/"+c.org, header("X-Original-URL", "/v2/user")),
		} {
			if trick.StatusCode != 403 && trick.StatusCode != 404 {
				t.Errorf("%s: got %d %s", trick.what, trick.StatusCode, trick.content)
			}
		}
	}
	// Nor does it become one.
	regular.post(admin.path("/key"), fields{"kind": "administrative"}).wantError(403, "administrative_key_required")
	regular.post(admin.path("/key/"+admin.key+"/rotate"), nil).wantError(403, "administrative_key_required")
	admin.get("/v2/organization/" + c.org).want(200)
}

func TestAdministratorHasNoWayIntoAnotherOrganization(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	admin, victim := s.mustCreateAdmin(one, "admin"), s.mustCreateAdmin(two, "victim")
	ann, ben := s.mustCreate(two, "ann"), s.mustCreate(two, "ben")
	message := ann.mustAttach(ben.token, "a.txt", "text/plain", []byte("x"))
	group := ann.mustCreateGroup("G", ben)
	// Whichever organization it names besides, that one does not exist for it.
	for _, organization := range []string{one, two} {
		for call, f := range administrativeCalls(ann.token, two) {
			if strings.HasPrefix(call, "GET /v2/user_lookup/") || call == "POST /v2/organization" || call == "POST /v2/user" {
				continue // these are not about the other organization
			}
			if f != nil {
				f["TT-X-Organization-Key"] = organization
			}
			wantSameAnswer(admin.sendCall(call, f, in(organization)).wantMissing(),
				admin.sendCall(strings.ReplaceAll(call, two, randomOrganization()), f, in(organization)))
		}
	}
	admin.post("/v2/user", fields{"username": "intruder"}, in(two)).wantMissing()
	admin.post("/v2/user", fields{"username": "intruder", "TT-X-Organization-Key": two}).wantMissing()
	for _, path := range []string{"/v2/user/" + ann.token, "/v2/user/" + ann.token + "/message/unread_count",
		"/v2/user/" + ann.token + "/key", "/v2/group/" + group, "/v2/message/" + message,
		"/v2/message/" + message + "/attachment/1", "/v2/message/" + message + "/status",
		"/v2/user/" + ann.token + "/organization"} {
		admin.get(path, in(two)).wantMissing()
	}
	admin.get("/v2/metadata/"+ann.token, in(two)).wantMissing()
	admin.post("/v2/group/"+group, fields{"name": "Mine"}).wantMissing()
	admin.post("/v2/group/"+group+"/members", fields{"members": admin.token}).wantMissing()
	admin.delete("/v2/group/" + group).wantMissing()
	admin.post("/v2/search", fields{"type": "account", "directory": two}).wantError(403, "not_member")
	// It sees of an account what it looks up, and takes it into its own organization;
	// that gives no access to it, and none to where it was.
	admin.get("/v2/user_lookup/" + ann.name).reply().wantFields(fields{"emails": []any{}, "phones": []any{}})
	admin.mustJoin(one, ann)
	wantScoped(t, admin, ann)
	admin.get(ann.path("/organization/" + two + "/roles")).wantMissing()
	admin.delete(ann.path("/organization/" + two)).wantMissing()
	admin.get("/v2/message/" + message).wantMissing()
	ann.get("/v2/message/" + message).want(200)
	victim.get("/v2/organization/" + two).reply().wantFields(fields{"name": "Two"})
}

func TestDemotedAdministratorKeepsNothingOfIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	role := c.alice.path("/organization/" + c.org + "/roles/admin")
	// It asked, and was approved.
	c.alice.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200)
	c.operator.post(role, nil).want(204)
	key := c.alice.withKey(c.operator.post(c.alice.path("/key"), fields{"kind": "administrative"}).reply())
	second := c.alice.withKey(key.post(key.path("/key"), fields{"kind": "administrative"}).reply())
	key.get("/v2/organization/" + c.org).want(200)
	dora := key.mustCreate(c.org, "dora")
	group := c.bob.mustCreateGroup("G", c.carl)
	stream := key.openStream("features=no-offline-messages")

	c.operator.delete(role).want(204)
	for _, p := range []*person{key, second} {
		for call, f := range administrativeCalls(c.bob.token, c.org) {
			p.sendCall(call, f, in(c.org)).wantError(403, "administrative_key_required")
		}
		// Not even of what it made.
		wantAll(t, manage, p, dora, 403)
		wantAll(t, oversee, p, dora, 403)
		p.get("/v2/group/" + group).wantMissing()
		p.delete("/v2/group/" + group).wantMissing()
		p.get(c.bob.path("/message/unread_count")).want(403)
		p.post("/v2/metadata/"+c.bob.token, fields{"a": "b"}, in(c.org)).want(403)
	}
	// It may ask again, and does not approve itself.
	for range 2 {
		key.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).reply().wantIs(fields{"state": "pending"})
	}
	key.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	// What it was asked for while it was one is not for its stream.
	c.carl.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200)
	c.bob.mustSend(c.alice.token, "the end")
	for {
		e := stream.next()
		if e.kind == "admin_request" {
			t.Errorf("the demoted administrator is told %s", e.value)
		}
		if e.kind == "message" {
			break
		}
	}
}

func TestRemovedAdministratorHasNoWayBack(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	message := admin.mustAttach(c.bob.token, "a.txt", "text/plain", []byte("x"))
	group := c.bob.mustCreateGroupAs(fields{"name": "Open", "is_public": true}, c.carl)
	dora := admin.mustCreate(c.org, "dora")
	c.operator.delete(admin.path("/organization/" + c.org)).want(204)

	for call, f := range administrativeCalls(c.bob.token, c.org) {
		admin.sendCall(call, f, in(c.org)).wantError(403, "administrative_key_required")
	}
	admin.post(admin.path("/organization"), fields{"organization": c.org}).wantError(403, "administrative_key_required")
	admin.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).wantMissing()
	admin.post("/v2/group/"+group+"/members", fields{"members": admin.token}).wantMissing()
	admin.post("/v2/group", fields{"name": "N", "members": c.bob.token}, in(c.org)).wantMissing()
	for _, path := range []string{"/v2/message/" + message, "/v2/message/" + message + "/attachment/1",
		"/v2/message/" + message + "/status", "/v2/group/" + group, c.bob.path(""), dora.path("/key")} {
		admin.get(path, in(c.org)).wantMissing()
	}
	admin.post("/v2/message/"+message+"/forward", fields{"recipient": admin.token}).wantMissing()
	admin.post("/v2/message", fields{"recipient": c.bob.token, "body": "x"}).wantMissing()
	admin.post("/v2/search", fields{"type": "account", "directory": c.org}).wantError(403, "not_member")
	wantAll(t, manage, admin, dora, 404)
	wantAll(t, oversee, admin, dora, 404)
	// Its own access goes on being its own, and sees nothing of there.
	admin.get("/v2/user/me/organization").reply().wantIs([]fields{})
	admin.get("/v2/roster").reply().wantIs([]fields{})
}

func TestOperatorReadsNoMessageThatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	message := c.alice.mustAttach(c.bob.token, "a.txt", "text/plain", []byte("x"))
	group := c.alice.mustCreateGroup("G", c.bob)
	inGroup := c.alice.mustSend(group, "to the group")
	c.operator.forgetEvents()
	for _, id := range []string{message, inGroup} {
		for _, path := range []string{"", "/status", "/attachment/1"} {
			c.operator.get("/v2/message/"+id+path, in(c.org)).wantMissing()
		}
		c.operator.delete("/v2/message/" + id).wantMissing()
		c.operator.post("/v2/message/"+id+"/forward", fields{"recipient": c.operator.token}).wantMissing()
		c.operator.post("/v2/get_bulk_message_status",
			fields{"messages": []string{id}}).reply().wantIs(fields{"bulk_message_statuses": []any{}})
		c.operator.post("/v2/message/status", fields{"read": []string{id}}).want(204) // which changes nothing
	}
	c.alice.get("/v2/message/" + message +
		"/status").reply().wantFields(fields{"statuses": []fields{{"account_id": c.bob.token, "status": "New",
		"timestamp": "2026-11-21T08:15:30.123Z"}}})
	c.operator.wantEvents()
	// It may join a group, which its members are told; what was said before stays theirs.
	c.bob.forgetEvents()
	c.operator.post("/v2/group/"+group+"/members", fields{"members": c.operator.token}).want(204)
	c.bob.wantEvents("bang")
	c.operator.get("/v2/message/" + inGroup).wantMissing()
	for _, e := range c.operator.events() {
		if strings.Contains(e.kind, "message") {
			t.Errorf("the operator is told %s %s", e.kind, e.value)
		}
	}
	// History that was on is given to new members, and then it is one of them.
	c.clock.Advance(time.Second)
	c.operator.post("/v2/group/"+group, fields{"replay_history": true}).want(204)
	c.operator.post("/v2/group/"+group+"/members/remove", fields{"members": c.operator.token}).want(204)
	c.operator.post("/v2/group/"+group+"/members", fields{"members": c.operator.token}).want(204)
	c.operator.get("/v2/message/" + inGroup).wantMissing() // it was sent before
}

func TestKeyActsAsItsAccountOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	message := c.alice.mustSend(c.bob.token, "to bob")
	own := c.alice.path("")
	// Whatever a call names, it is the key's owner who makes it.
	sent := c.alice.post("/v2/message?response_format=message",
		fields{"recipient": c.bob.token, "body": "x", "sender": c.bob.token, "sender_token": c.bob.token}).reply()
	sent.wantFields(fields{"sender_token": c.alice.token})
	c.alice.post(c.bob.path("/settings"), fields{"display_name": "Alice"}).want(403)
	c.alice.post(c.bob.path("/password"), fields{"password": "a new password", "old_password": "x"}).want(403)
	c.alice.delete("/v2/events?user=" + c.bob.token).want(200)
	c.alice.post("/v2/message/status", fields{"read": message, "account_id": c.bob.token}).want(204)
	c.bob.get("/v2/message/" + message).reply().wantFields(fields{"status": "New"})
	for _, key := range []*person{c.alice.with(c.bob.key, c.alice.secret), c.alice.with(c.alice.key, c.bob.secret),
		c.alice.with(c.alice.token, c.alice.secret), c.alice.with("alice", c.alice.secret)} {
		key.get(own).want(401)
	}
	c.bob.get("/v2/user").reply().wantFields(fields{"token": c.bob.token, "display_name": "Bob"})
}

// Whoever administers one organization learns of no account of others that it is there, but
// by the calls that look for one on the whole platform: 27, 28 and 29.
func TestAdministratorsCannotTellWhoIsElsewhere(t *testing.T) {
	t.Parallel()
	s := start(t)
	theirs, mine, joined := s.mustCreateOrganization("Theirs"), s.mustCreateOrganization("Mine"),
		s.mustCreateOrganization("Joined")
	admin, hidden := s.mustCreateAdmin(mine, "admin"), s.mustCreate(theirs, "hidden")
	s.operator.mustJoin(joined, admin) // as a plain member
	for _, organization := range []string{theirs, mine, joined, randomOrganization()} {
		at := "/organization/" + organization
		for _, call := range []string{"DELETE " + at, "GET " + at + "/roles", "POST " + at + "/roles/reporting",
			"POST " + at + "/roles/admin", "DELETE " + at + "/roles/reporting", "GET " + at,
			"GET " + at + "/message/unread_count", "POST /organization", "GET /organization", "GET /message/unread_count",
			"GET ", "GET /key", "POST /key", "POST /key ", "DELETE /key/" + hidden.key,
			"POST /key/" + hidden.key + "/rotate", "POST /password", "POST /settings"} {
			if organization == mine && call == "POST /organization" {
				continue // call 29
			}
			ask := func(token string) *answer {
				method, path, _ := strings.Cut(call, " ")
				f := fields{"organization": organization, "password": knownPassword}
				if path, scoped := strings.CutSuffix(path, " "); scoped {
					return admin.do(method, "/v2/user/"+token+path, jsonBody(fields{"kind": "administrative"}))
				}
				return admin.do(method, "/v2/user/"+token+path, jsonBody(f))
			}
			got := ask(hidden.token)
			if got.StatusCode < 400 {
				t.Errorf("%s answers %d", got.what, got.StatusCode)
			}
			wantSameAnswer(got, ask(randomToken()))
			wantSameAnswer(ask("hidden"), ask("nobody"))
		}
	}
}
