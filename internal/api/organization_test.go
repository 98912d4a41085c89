package api_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// setting returns one of an organization's settings.
func (v value) setting(name string) value {
	v.t.Helper()
	for _, s := range v.list("settings") {
		if s.text("name") == name {
			return s.at("value")
		}
	}
	return value{v.t, nil}
}

// A list without a continuation is written as it is read: it may be longer than any answer that is made whole.
func TestALongListOfOrganizationsIsWhole(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	long := strings.Repeat("x", 250<<10)
	for range 36 {
		org := c.mustCreateOrganization("Another")
		c.operator.post("/v2/organization/"+org, fields{"note": long}).want(204)
		c.operator.mustJoin(org, c.alice)
	}
	if got := c.alice.get("/v2/user/me/organization").want(200).reply().list(); len(got) != 37 {
		t.Errorf("%d organizations are listed, want 37", len(got))
	}
}

func TestOrganizationHasEveryField(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.operator.post("/v2/organization", fields{"name": " Clinic "}).want(204).Header.Get("TT-X-Organization-Key")
	if len(org) != 24 || strings.Trim(org, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		t.Errorf("the token is %q, want 24 letters and digits", org)
	}
	s.mustCreate(org, "alice")
	got := s.operator.get("/v2/organization/" + org + "/").reply()
	got.wantFields(fields{"token": org, "name": "Clinic", "members": 2, "ttl": 43200, "dor": false, "pending": false,
		"paid": true, "requests": 0})
	for name, want := range map[string]any{"ttl": 43200, "dor": false, "forward": true, "priority_messaging": true,
		"allow_public_groups": true, "attachments": true} {
		got.setting(name).wantIs(want)
	}
	ofMember := maps.Clone(got.v.(map[string]any)) // administrators alone are told of requests
	delete(ofMember, "requests")
	for _, path := range []string{"/v2/user/me/organization/" + org, "/v2/user/operator/organization/" + org} {
		s.operator.get(path).reply().wantIs(ofMember)
	}
	s.operator.get("/v2/user/me/organization").reply().wantIs([]any{ofMember})
}

func TestOrganizationSettingsInEitherSpelling(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, sent := range map[string]option{
		"snake": jsonBody(fields{"name": "N", "ttl": 60, "dor": true, "max_ttl": 120, "forward": false,
			"priority_messaging": false, "allow_public_groups": false,
			"attachments": false, "autologout_time": 15, "pin_lock": true, "custom_setting": "kept", "lucky": "7"}),
		"camel": jsonBody(fields{"name": "N", "ttl": "60", "dor": "true", "maxTtl": 120, "forward": "false",
			"priorityMessaging": false, "allowPublicGroups": 0,
			"attachments": false, "autologoutTime": 15, "pinLock": true, "custom_setting": "kept", "lucky": "7"}),
		"form": form("name", "N", "ttl", "60", "dor", "1", "max_ttl", "120", "forward", "0", "priorityMessaging", "false",
			"allow_public_groups", "false",
			"attachments", "0", "autologout_time", "15", "pin_lock", "1", "custom_setting", "kept", "lucky", "7"),
	} {
		org := s.operator.do("POST", "/v2/organization", sent).want(204).Header.Get("TT-X-Organization-Key")
		got := s.operator.get("/v2/organization/" + org).reply()
		got.wantFields(fields{"name": "N", "ttl": 60, "dor": true})
		for setting, want := range map[string]any{"ttl": 60, "dor": true, "max_ttl": 120, "forward": false,
			"priority_messaging": false, "allow_public_groups": false,
			"attachments": false, "autologout_time": 15, "pin_lock": true, "custom_setting": "kept", "lucky": "7"} {
			got.setting(setting).wantIs(want)
		}
		if t.Failed() {
			t.Fatalf("as %s: %s", name, got)
		}
	}
	for _, refused := range []fields{{}, {"name": ""}, {"name": "  "}, {"name": nil}, {"name": 5},
		{"name": strings.Repeat("a", 257)}, {"name": "N", "ttl": 0}, {"name": "N", "max_ttl": 525601},
		{"name": "N", "dor": "x"}, {"name": "N", "forward": []bool{}}, {"name": "N", "autologoutTime": -1}} {
		s.operator.post("/v2/organization", refused).want(400)
	}
}

// TestFurtherSettingsAreKeptAsGiven: contract, section 3.
func TestFurtherSettingsAreKeptAsGiven(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	path := "/v2/organization/" + org
	set := func(f fields) *answer {
		t.Helper()
		return s.operator.post(path, f)
	}
	wantSettings := func(want fields) {
		t.Helper()
		got := fields{}
		for _, e := range s.operator.get(path).reply().list("settings")[6:] { // behind those that are known
			got[e.text("name")] = e.at("value").v
		}
		value{t, map[string]any(got)}.wantIs(want)
	}
	kept := fields{"n": 5, "big": json.Number("12345678901234567890"), "part": 1.5, "on": true, "off": false, "text": "5",
		"a_b": 1, "aB": 2}
	set(kept).want(204)
	wantSettings(kept)
	set(fields{"n": "", "on": "", "never_there": "", "text": nil}).want(204) // an empty text removes, null is left out
	delete(kept, "n")
	delete(kept, "on")
	wantSettings(kept)
	s.operator.do("POST", path, form("n", "5", "part", "")).want(204)
	kept["n"] = "5"
	delete(kept, "part")
	wantSettings(kept)

	// Refused, and nothing of it kept.
	for name, bad := range map[string]any{"list": []int{1}, "object": fields{}, strings.Repeat("x", 64): "\x00",
		"a\x00": "b"} {
		set(fields{"good": 1, name: bad}).want(400).wantField(name)
	}
	set(fields{strings.Repeat("x", 65): 1}).wantError(400, "setting_invalid")
	set(fields{"maxTtl": 5, "max_ttl": 6}).wantError(400, "field_repeated")
	set(fields{"name": "a", "Name": "b"}).wantError(400, "field_repeated")
	// What an Organization shows of itself is no setting: all of it may be sent back.
	shown := s.operator.get(path).reply().v.(map[string]any)
	shown["legalHold"] = true
	set(shown).want(204)
	s.operator.get(path).reply().wantFields(fields{"token": org, "members": 1, "pending": false, "paid": true})
	wantSettings(kept)

	many := fields{}
	for i := range 64 - len(kept) {
		many["s"+number(i)] = i
	}
	set(many).want(204)
	set(fields{"one_more": 1}).wantError(400, "settings_too_large")
	set(fields{"one_more": 1, "n": ""}).want(204)
	long := strings.Repeat("x", 200<<10)
	set(fields{"one_more": long}).want(204)
	set(fields{"a_b": long}).wantError(400, "settings_too_large")
	set(fields{"one_more": "", "a_b": long}).want(204)
	tooMany := fields{"name": "N"}
	for i := range 65 {
		tooMany["s"+number(i)] = i
	}
	s.operator.post("/v2/organization", tooMany).wantError(400, "settings_too_large")

	// However many calls it takes, what is kept, and what a member reads, ends at 256 KiB.
	taken := 0
	set(fields{"a_b": ""}).want(204)
	for i := range 8 {
		if set(fields{"s" + number(i): strings.Repeat("y", 100<<10)}).StatusCode == 204 {
			taken++
		}
	}
	if read := s.operator.get("/v2/user/me/organization/" + org); taken != 2 || len(read.content) > 300<<10 {
		t.Errorf("%d of 8 calls were taken, and the organization is %d bytes", taken, len(read.content))
	}
}

func TestOrganizationUpdateIsPartialAndToldToItsMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	c.operator.post("/v2/organization/"+c.org, fields{"ttl": 60, "custom": "a"}).want(204)
	c.operator.post("/v2/organization/"+c.org, fields{"name": "N2", "other": "b"}).want(204)
	got := c.operator.get("/v2/organization/" + c.org).reply()
	got.wantFields(fields{"name": "N2", "ttl": 60})
	got.setting("custom").wantIs("a")
	got.setting("other").wantIs("b")
	for _, e := range c.alice.wantEvents("account:settings", "account:settings") {
		e.wantIs(fields{"token": c.alice.token,
			"services": []fields{{"xmlns": "tigertext:iq:update:org_settings", "account": c.alice.token}}})
	}
	stranger.wantEvents()
	c.operator.post("/v2/organization/"+c.org, fields{"name": ""}).want(400).wantField("name")
	c.operator.post("/v2/organization/"+c.org, fields{"ttl": "never"}).want(400).wantField("ttl")
	c.operator.post("/v2/organization/"+c.org, fields{}).want(204)
}

// POST /organization takes the administrative key of an operator, or of an
// account that is administrator of some organization.
func TestOrganizationIsMadeByWhoAdministersOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	second := admin.mustCreateOrganization("Second")
	admin.get("/v2/organization/" + second).reply().wantFields(fields{"members": 1})
	admin.get("/v2/user/me/organization/" + second +
		"/roles").reply().wantIs(
		fields{"roles": []fields{{"organization": fields{"organization_id": second, "roles": []string{"admin"}}}}})
	// The key of one who administers nothing is administrative in kind only.
	lapsed := c.mustCreateAdmin(c.org, "lapsed")
	c.operator.delete(lapsed.path("/organization/" + c.org + "/roles/admin")).want(204)
	for _, p := range []*person{c.alice, lapsed} {
		p.post("/v2/organization", fields{"name": "N"}).wantError(403, "administrative_key_required")
		p.post("/v2/organization", fields{}).wantError(403, "administrative_key_required")
		p.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
		p.get("/v2/organization/"+randomOrganization()).wantError(403, "administrative_key_required")
	}
	// Of another organization than one's own nothing can be told.
	elsewhere := c.mustCreateOrganization("Elsewhere")
	unknown := admin.get("/v2/organization/" + randomOrganization()).wantMissing()
	wantSameAnswer(admin.get("/v2/organization/"+elsewhere).wantMissing(), unknown)
	wantSameAnswer(admin.post("/v2/organization/"+elsewhere, fields{"name": "x"}).wantMissing(), unknown)
	wantSameAnswer(admin.delete("/v2/organization/"+elsewhere, jsonBody(fields{"name": "Elsewhere"})).wantMissing(),
		unknown)
	c.operator.get("/v2/organization/" + second).want(200) // an operator may use every one
	c.operator.get("/v2/organization/" + randomOrganization()).wantMissing()
}

func TestOrganizationIsDeletedWithAllItHolds(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	kept := c.mustCreateOrganization("Kept")
	c.operator.mustJoin(kept, c.alice)
	c.operator.mustJoin(kept, c.carl)
	group := c.alice.mustCreateGroupIn("G", c.org, c.bob)
	message := c.alice.mustSend(c.bob.token, "x")
	stays := c.alice.mustSend(c.carl.token, "stays", "sender_organization", kept)
	c.alice.post("/v2/metadata/me", fields{"a": "1"}, in(c.org)).want(204)

	path := "/v2/organization/" + c.org
	admin.delete(path).wantError(400, "name_required").wantField("name")
	admin.delete(path, jsonBody(fields{"name": "clinic"})).wantError(400, "name_mismatch").wantField("name")
	c.alice.delete(path, jsonBody(fields{"name": "Clinic"})).wantError(403, "administrative_key_required")
	admin.delete(path, jsonBody(fields{"name": "Clinic"})).want(204)
	// it administers nothing any more
	admin.delete(path, jsonBody(fields{"name": "Clinic"})).wantError(403, "administrative_key_required")
	c.operator.delete(path, jsonBody(fields{"name": "Clinic"})).wantMissing()
	c.operator.get(path).wantMissing()
	for _, sweep := range []bool{false, true} {
		if sweep {
			c.mustSweep()
		}
		c.alice.get("/v2/message/" + message).wantMissing()
		c.bob.get("/v2/message/" + message).wantMissing()
		c.alice.get("/v2/group/" + group).wantMissing()
		c.alice.delete("/v2/group/" + group).wantMissing()
		c.alice.get(c.bob.path("")).wantMissing()
		c.alice.get("/v2/metadata/me", in(c.org)).wantMissing()
		c.carl.get("/v2/message/" + stays).want(200)
		for _, e := range c.bob.events() {
			if e.kind != "account:settings" {
				t.Errorf("bob still has %s", e.kind)
			}
		}
		if got := c.carl.events(); len(ofKind(got, "message")) != 1 {
			t.Errorf("carl has %v, want its message of the other organization too", kindsOf(got))
		}
		for _, p := range []*person{c.alice, c.bob} {
			for _, entry := range p.get("/v2/roster").reply().list() {
				if entry.text("organization_id") == c.org {
					t.Errorf("the roster still has %s", entry)
				}
			}
		}
		c.bob.get(c.bob.path("/message/unread_count")).reply().wantFields(fields{"unread_count": 0})
	}
	c.operator.post("/v2/user", fields{"username": "late"}, in(c.org)).wantMissing()
}

func TestUserOrganizationsAreForTheAccountAndItsAdministrators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	stranger := c.mustCreateStranger("stranger")
	tokens := func(p *person) (out []string) {
		for _, o := range p.get(c.alice.path("/organization")).reply().list() {
			out = append(out, o.text("token"))
		}
		return out
	}
	if got := tokens(c.alice); len(got) != 2 {
		t.Errorf("alice sees %v", got)
	}
	if got := tokens(admin); len(got) != 1 || got[0] != c.org {
		t.Errorf("the administrator sees %v, want its own organization", got)
	}
	if got := tokens(c.operator); len(got) != 2 {
		t.Errorf("the operator sees %v", got)
	}
	c.bob.get(c.alice.path("/organization")).want(403)
	stranger.get(c.alice.path("/organization")).wantMissing()
	admin.get(c.alice.path("/organization/" + c.org)).reply().wantFields(fields{"token": c.org})
	admin.get(c.alice.path("/organization/" + second)).wantMissing()
	c.bob.get(c.alice.path("/organization/" + c.org)).want(403)
	stranger.get(c.alice.path("/organization/" + c.org)).wantMissing()
	c.alice.get(c.alice.path("/organization/" + randomOrganization())).wantMissing()
	c.bob.get(c.bob.path("/organization/" + second)).wantMissing()
}
