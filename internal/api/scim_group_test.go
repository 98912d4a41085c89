package api_test

import (
	"strings"
	"sync"
	"testing"
)

func TestDirectoriesKeepGroups(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	ann, bob, eve := s.mustCreate(org, "ann"), s.mustCreate(org, "bob"), s.mustCreate(org, "eve")
	stranger := s.mustCreate(s.mustCreateOrganization("Elsewhere"), "stranger")
	own := ann.mustCreateGroup("Ward 3", bob) // of people: not the directory's
	for _, p := range []*person{ann, bob, eve} {
		p.forgetEvents()
	}

	made := d.scim("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"externalId":"G-1",
		"displayName":"Ward 3","members":[{"value":"`+ann.token+`"},{"value":"`+bob.token+`","display":"x"}]}`).want(201)
	id := made.id()
	if id == own {
		t.Fatal("the directory took a group of people")
	}
	made.wantAt("Ward 3", "displayName").wantAt("G-1", "externalId").wantAt(ann.token, "members", 0, "value").
		wantAt("User", "members", 1, "type").wantAt(s.url+"/scim/v2/Groups/"+id, "meta", "location")
	ann.wantEvents("friends", "bang")
	shown := ann.get("/v2/group/" + id).want(200).reply()
	shown.at("directory").wantIs(true)
	shown.at("num_members").wantIs(2)
	ann.mustSend(id, "hello")

	d.scim("POST", "/Groups", `{"displayName":"ward 3"}`).wantError(409, "uniqueness")
	d.scim("POST", "/Groups", `{"displayName":"X","members":[{"value":"`+stranger.token+`"}]}`).wantError(400, "invalidValue")
	d.scim("POST", "/Groups", `{"displayName":"X","members":[{"value":"ann"}]}`).wantError(400, "invalidValue")
	d.scim("POST", "/Groups", `{"displayName":" "}`).wantError(400, "invalidValue")

	path := "/Groups/" + id
	d.scim("PATCH", path, `{"Operations":[{"op":"Remove","path":"members","value":[{"$ref":null,"value":"`+bob.token+`"}]},
		{"op":"Add","path":"members","value":[{"$ref":null,"value":"`+eve.token+`"}]}]}`).want(204)
	s.settle()
	d.wantMembers("after a change", id, ann, eve)
	eve.get("/v2/group/" + id).want(200)
	bob.get("/v2/group/" + id).want(404)
	d.scim("PATCH", path, `{"Operations":[{"op":"remove","path":"members[value eq \"`+eve.token+`\"]"},
		{"op":"replace","value":{"id":"`+id+`","displayName":"Ward 4"}}]}`).want(204)
	got := d.scim("GET", path, "").want(200).wantAt("Ward 4", "displayName").wantAt("Ann", "members", 0, "display")
	if n := len(got.at("members").([]any)); n != 1 {
		t.Errorf("%d are in it: %s", n, got.text)
	}
	d.scim("PUT", path, `{"displayName":"Ward 4","members":[{"value":"`+bob.token+`"}]}`, "If-Match", `W/"old"`).
		wantError(412, "")
	d.scim("PUT", path, `{"displayName":"Ward 4","members":[{"value":"`+bob.token+`"}]}`, "If-Match",
		got.header.Get("ETag")).want(200)
	d.wantMembers("after a replacement", id, bob)
	// A token that is spelled twice is one member, who comes once.
	s.settle()
	eve.forgetEvents()
	twice := d.scim("PUT", path, `{"displayName":"Ward 4","members":[{"value":"`+bob.token+`"},{"value":"`+eve.token+
		`"},{"value":"`+strings.ToUpper(eve.token)+`"}]}`).want(200)
	if tag := d.scim("GET", path, "").want(200).header.Get("ETag"); tag != twice.header.Get("ETag") {
		t.Errorf("the answer has the tag %s, and the group has %s", twice.header.Get("ETag"), tag)
	}
	if n := len(twice.at("members").([]any)); n != 2 {
		t.Errorf("%d are in it: %s", n, twice.text)
	}
	d.scim("PATCH", path, `{"Operations":[{"op":"remove","path":"members","value":[]}]}`).want(204)
	d.wantMembers("after nobody was removed", id, bob, eve)
	d.scim("PUT", path, `{"displayName":"Ward 4","members":[{"value":"`+bob.token+`"}]}`).want(200)
	d.scim("PATCH", path+"?attributes=displayName", `{"Operations":[{"op":"add","path":"members","value":{"value":"`+
		randomToken()+`"}}]}`).wantError(400, "invalidValue")

	d.wantFound("Groups", `displayName eq "Ward 4"`, "Ward 4")
	d.wantFound("Groups", `displayName eq "Ward 3"`)
	d.wantFound("Groups", `members[value eq "`+bob.token+`"]`, "Ward 4")
	d.wantFound("Groups", `id eq "`+id+`" and members eq "`+ann.token+`"`)
	list := d.scim("GET", "/Groups?excludedAttributes=members", "").want(200)
	if list.at("Resources", 0, "members") != nil {
		t.Errorf("members are shown: %s", list.text)
	}
	d.scim("GET", "/Groups/"+own, "").wantError(404, "")
	d.scim("DELETE", "/Groups/"+own, "").wantError(404, "")
	d.scim("DELETE", path, "").want(204)
	d.scim("DELETE", path, "").wantError(404, "")
	bob.get("/v2/group/" + id).want(404)
	ann.get("/v2/group/" + own).want(200)
	d.scim("POST", "/Groups", `{"displayName":"Ward 4"}`).want(201)
	s.mustVerify()
}

func TestMembersLeaveAGroupOfADirectoryAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	ann, bob := s.mustCreate(org, "ann"), s.mustCreate(org, "bob")
	id := d.scim("POST", "/Groups", `{"displayName":"Ward","members":[{"value":"`+ann.token+`"}]}`).want(201).id()
	path := "/v2/group/" + id
	ann.post(path, fields{"name": "Mine"}).wantError(403, "not_allowed")
	ann.post(path+"/members", fields{"members": bob.token}).wantError(403, "not_allowed")
	ann.post(path+"/members/remove", fields{"members": ann.token}).wantError(403, "not_allowed")
	ann.delete(path).wantError(403, "not_allowed")
	ann.delete("/v2/roster/"+id, jsonBody(fields{"type": "tigertext:entity:group"})).wantError(400, "directory_fixed")
	boss := s.mustCreateAdmin(org, "boss")
	boss.post(path+"/duty", fields{"timezone": "UTC", "rotation": fields{"accounts": []string{ann.token},
		"start": "2026-11-02T07:00:00Z", "hours": 12}}).wantError(400, "directory_fixed")
	// Somebody has to help when the directory is away.
	boss.post(path+"/members", fields{"members": bob.token}).want(204)
	d.wantMembers("after an administrator", id, ann, bob)
	d.scim("GET", "/Groups/"+id, "").want(200).wantAt(bob.token, "members", 1, "value")
}

func TestOneOfTheGroupsThatGetANameAtOnceHasIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	atOnce := func(what string, call func(i int) *resource) {
		t.Helper()
		var calls sync.WaitGroup
		answers := make([]*resource, 2)
		for i := range answers {
			calls.Go(func() { answers[i] = call(i) })
		}
		calls.Wait()
		if answers[0].status == 409 {
			answers[0], answers[1] = answers[1], answers[0]
		}
		answers[1].wantError(409, "uniqueness")
		if answers[0].status >= 300 {
			t.Errorf("%s: got %d %s", what, answers[0].status, answers[0].text)
		}
	}
	atOnce("two are made", func(int) *resource { return d.scim("POST", "/Groups", `{"displayName":"Made"}`) })
	d.wantFound("Groups", `displayName eq "MADE"`, "Made")
	ids := []string{d.scim("POST", "/Groups", `{"displayName":"A"}`).want(201).id(),
		d.scim("POST", "/Groups", `{"displayName":"B"}`).want(201).id()}
	atOnce("two are renamed", func(i int) *resource {
		return d.scim("PATCH", "/Groups/"+ids[i], `{"Operations":[{"op":"replace","path":"displayName","value":"Renamed"}]}`)
	})
	d.wantFound("Groups", `displayName eq "renamed"`, "Renamed")
	s.mustVerify()
}

func TestNamesOfADirectorysGroupsDiffer(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	d.scim("POST", "/Groups", `{"displayName":"Ward 3","externalId":"G-3"}`).want(201)
	id := d.scim("POST", "/Groups", `{"displayName":"Ward 4","externalId":"g-3"}`).want(201).id()
	path, taken := "/Groups/"+id, `{"Operations":[{"op":"replace","path":"displayName","value":"WARD 3"}]}`
	d.scim("PATCH", path, taken).wantError(409, "uniqueness")
	d.scim("PUT", path, `{"displayName":"ward 3"}`).wantError(409, "uniqueness")
	d.scim("PATCH", path, `{"Operations":[{"op":"replace","path":"displayName","value":"WARD 4"}]}`).want(204)
	// Nor do people who administer it give it a name twice; one of theirs may have any.
	boss := s.mustCreateAdmin(org, "boss")
	boss.post("/v2/group/"+id, fields{"name": "Ward 3"}).wantError(400, "scim_name_taken")
	boss.post("/v2/group/"+id, fields{"name": "Ward 5", "description": "x"}).want(204)
	boss.post("/v2/group/"+id, fields{"description": "y"}).want(204)
	boss.mustCreateGroup("Ward 3")

	d.wantFound("Groups", `displayName eq "ward 5"`, "Ward 5")
	d.wantFound("Groups", `displayName eq "WARD 3" and externalId eq "G-3"`, "Ward 3")
	d.wantFound("Groups", `externalId eq "g-3" and displayName sw "ward"`, "Ward 5")
	d.wantFound("Groups", `externalId eq "G-3" and not (displayName eq "ward 3")`)
	d.wantFound("Groups", `displayName eq "ward 3" or displayName eq "ward 5"`, "Ward 3", "Ward 5")
	d.wantFound("Groups", `displayName eq "ward"`)
	d.wantFound("Groups", `id eq "nobody's"`)
	d.scim("DELETE", path, "").want(204)
	d.wantFound("Groups", `displayName eq "ward 5"`)
	d.wantFound("Groups", `id eq "`+id+`"`)
	d.scim("POST", "/Groups", `{"displayName":"Ward 5"}`).want(201)
	s.mustVerify()
}
