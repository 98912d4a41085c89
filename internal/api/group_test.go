package api_test

import (
	"slices"
	"strings"
	"testing"
)

func TestGroupHasEveryField(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	made := c.alice.post("/v2/group?exclude_creator=false&render_entity=true",
		fields{"name": "G1", "members": c.alice.token + "," + c.bob.token, "replay_history": true,
			"is_public": false, "description": "Rounds", "metadata": fields{"k": "v"}, "avatar": "https://example.com/g.png"},
		in(c.org))
	group := made.reply()
	token := group.text("token")
	made.wantHeader("TT-X-Group-Token", token).wantHeader("TT-X-Group-Avatar", "https://example.com/g.png")
	want := fields{
		"token": token, "xmlns": "tigertext:entity:group", "name": "G1", "display_name": "G1", "description": "Rounds",
		"avatar":           "https://example.com/g.png",
		"organization_key": c.org, "members": []string{c.alice.token, c.bob.token}, "num_members": 2,
		"created_by":   c.alice.token,
		"created_time": "2026-11-21T08:15:30.123Z", "replay_history": true, "is_public": false,
	}
	group.wantFields(want)
	c.bob.get("/v2/group/" + token).reply().wantFields(want)
	want["metadata"] = fields{"k": "v"}
	c.bob.get("/v2/group/" + token + "/?render_metadata=true").reply().wantFields(want)
	users := c.bob.get("/v2/group/" + token + "/members").reply().list()
	if len(users) != 2 || users[0].text("token") != c.alice.token || users[1].text("xmlns") != "tigertext:entity:account" {
		t.Errorf("the members are %v", users)
	}
}

func TestGroupIsCreatedInAllContentTypes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, sent := range map[string]option{
		"JSON": jsonBody(fields{"name": "G", "members": []string{c.bob.token, "carl@example.com"},
			"replay_history": "true"}),
		"JSON of texts": jsonBody(fields{"name": "G", "members": "bob, carl", "replay_history": 1}),
		"form":          form("name", "G", "members", c.bob.token+","+c.carl.token, "replay_history", "1"),
		"repeated":      form("name", "G", "members", c.bob.token, "members", c.carl.token, "replay_history", "true"),
		"multipart": parts(map[string]string{"name": "G", "members": "bob,carl,bob", "replay_history": "true",
			"metadata": `{"a":"b"}`}, file{"avatar", "a.png", "image/png", picture}),
	} {
		token := c.alice.do("POST", "/v2/group/", sent).want(204).Header.Get("TT-X-Group-Token")
		c.carl.get("/v2/group/" +
			token).reply().wantFields(fields{"name": "G", "members": []string{c.alice.token, c.bob.token, c.carl.token},
			"replay_history": true})
		if t.Failed() {
			t.Fatalf("as %s", name)
		}
	}
}

func TestGroupMembersAreThoseNamedAndItsCreator(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	dora := c.mustCreate(c.org, "dora")
	members := func(query string, f fields) *answer { return c.alice.post("/v2/group?render_entity=true&"+query, f) }
	// Without a name it is the first three members' display names.
	members("", fields{"members": []string{c.bob.token, c.carl.token, dora.token}}).reply().
		wantFields(fields{"name": "Alice, Bob, Carl", "display_name": "Alice, Bob, Carl", "num_members": 4})
	members("exclude_creator=true", fields{"members": []string{c.carl.token, c.bob.token}, "name": " "}).reply().
		wantFields(fields{"name": "Carl, Bob", "members": []string{c.carl.token, c.bob.token}, "created_by": c.alice.token})
	members("", fields{}).reply().wantFields(fields{"name": "Alice", "members": []string{c.alice.token}})
	members("exclude_creator=true",
		fields{"name": "Empty"}).reply().wantFields(fields{"members": []any{}, "num_members": 0})
	// All must belong to the organization; the error names those who do not.
	far := randomToken()
	refused := members("", fields{"members": []string{c.bob.token, stranger.token, far,
		"nobody@example.com"}}).wantError(400, "members_unknown").wantField("members")
	for _, named := range []string{stranger.token, far, "nobody@example.com"} {
		if !strings.Contains(refused.value().text("error", "message"), named) {
			t.Errorf("%s does not name %s", refused.content, named)
		}
	}
	if strings.Contains(refused.value().text("error", "message"), c.bob.token) {
		t.Errorf("%s names one who belongs", refused.content)
	}
	for _, bad := range []fields{{"members": 5}, {"members": []int{5}}, {"name": 5}, {"name": strings.Repeat("a", 257)},
		{"replay_history": "x"}, {"metadata": "x"},
		{"metadata": fields{"a": 1}}, {"avatar": "data:text/html,x"}, {"description": strings.Repeat("a", 1025)}} {
		members("", bad).want(400)
	}
	// What a form leaves empty, it leaves out.
	for _, empty := range []option{form("name", "G", "metadata", ""),
		parts(map[string]string{"name": "G", "metadata": ""})} {
		if got := c.alice.do("POST", "/v2/group", empty).want(204).Header.Get("TT-X-Group-Token"); got == "" {
			t.Error("the answer names no group")
		}
	}
	c.alice.post("/v2/group?render_entity=perhaps", fields{}).want(400).wantField("render_entity")
	c.bob.wantEvents(slices.Repeat([]string{"friends", "bang"}, 2)...)
}

func TestGroupOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	token := c.alice.post("/v2/group", fields{"name": "G"}, in(second)).want(204).Header.Get("TT-X-Group-Token")
	c.alice.get("/v2/group/" + token).reply().wantFields(fields{"organization_key": second})
	c.alice.post("/v2/group", fields{"name": "G", "members": c.bob.token}, in(second)).wantError(400, "members_unknown")
	wantSameAnswer(c.bob.post("/v2/group", fields{"name": "G"}, in(second)).wantMissing(),
		c.bob.post("/v2/group", fields{"name": "G"}, in(randomOrganization())).wantMissing())
	c.bob.post("/v2/group", fields{"name": "G"}).want(204) // the only one it has
}

func TestGroupIsSeenByMembersAndAdministrators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	plain := admin.withKey(admin.post(admin.path("/key"), nil).reply())
	stranger := c.mustCreateStranger("stranger")
	private := c.alice.mustCreateGroup("Private", c.bob)
	public := c.alice.mustCreateGroupAs(fields{"name": "Public", "is_public": true}, c.bob)
	unknown := stranger.get("/v2/group/" + randomToken()).wantMissing()
	for _, path := range []string{"", "/members"} {
		for _, p := range []*person{c.alice, c.bob, admin, c.operator} {
			p.get("/v2/group/" + private + path).want(200)
			p.get("/v2/group/" + public + path).want(200)
		}
		for _, p := range []*person{c.carl, plain} {
			wantSameAnswer(p.get("/v2/group/"+private+path).wantMissing(), unknown)
			p.get("/v2/group/" + public + path).want(200)
		}
		wantSameAnswer(stranger.get("/v2/group/"+private+path).wantMissing(), unknown)
		wantSameAnswer(stranger.get("/v2/group/"+public+path).wantMissing(), unknown)
	}
	for _, p := range []*person{c.carl, stranger, plain} {
		wantSameAnswer(p.post("/v2/group/"+private, fields{"name": "x"}).wantMissing(), unknown)
		wantSameAnswer(p.delete("/v2/group/"+private).wantMissing(), unknown)
		wantSameAnswer(p.post("/v2/group/"+private+"/members", fields{"members": p.token}).wantMissing(), unknown)
		wantSameAnswer(p.post("/v2/group/"+private+"/members/remove", fields{"members": c.bob.token}).wantMissing(), unknown)
	}
	for _, nothing := range []string{"nonsense", c.bob.token, c.org} {
		c.alice.get("/v2/group/" + nothing).wantMissing()
	}
}

func TestGroupUpdate(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	group := c.alice.mustCreateGroup("G1", c.bob)
	path := "/v2/group/" + group
	for _, p := range []*person{c.alice, c.bob} {
		p.forgetEvents()
	}
	c.bob.post(path, fields{"name": "G2", "description": "new",
		"avatar": "https://example.com/b.png"}).want(204).wantHeader("TT-X-Group-Avatar", "https://example.com/b.png")
	want := fields{"name": "G2", "display_name": "G2", "description": "new", "avatar": "https://example.com/b.png"}
	c.alice.get(path).reply().wantFields(want)
	want["token"], want["type"], want["members"] = group, "tigertext:entity:group", []string{c.alice.token, c.bob.token}
	for _, p := range []*person{c.alice, c.bob} {
		p.wantEvents("update")[0].wantFields(want)
	}
	c.bob.do("POST", path, form("description", "")).want(204)
	c.alice.get(path).reply().wantFields(fields{"name": "G2", "description": ""})
	// Publicity and history: the creator, or an administrator.
	for _, f := range []fields{{"is_public": true}, {"replay_history": true}} {
		c.bob.post(path, f).want(403)
		c.alice.post(path, f).want(204)
	}
	// Whoever made it controls it though it is not in it, and changes nothing else.
	away := "/v2/group/" + c.alice.post("/v2/group?exclude_creator=true", fields{"name": "Away", "is_public": true,
		"members": c.bob.token}).want(204).Header.Get("TT-X-Group-Token")
	c.alice.post(away, fields{"name": "x"}).wantError(403, "not_allowed")
	c.alice.post(away, fields{"is_public": false, "name": "x"}).wantError(403, "not_allowed")
	// Whoever only sees it changes nothing, nor tells its members that anything had changed.
	seer := c.mustCreate(c.org, "seer")
	for field, as := range map[string]bool{"is_public": true, "replay_history": false} {
		seer.post(away, fields{field: as}).wantError(403, "not_allowed")
	}
	c.alice.post(away, fields{"is_public": false}).want(204)
	c.alice.post(away, fields{"replay_history": true}).want(204)
	c.alice.get(away).wantMissing()
	c.alice.post(away, fields{"name": "x"}).wantError(403, "not_allowed")
	c.mustCreate(c.org, "erin").post(away, fields{"replay_history": false}).wantMissing()
	c.bob.get(away).reply().wantFields(fields{"is_public": false, "replay_history": true, "name": "Away"})
	admin.post(path, fields{"is_public": false, "replay_history": "0", "name": "G3"}).want(204)
	c.bob.get(path).reply().wantFields(fields{"is_public": false, "replay_history": false, "name": "G3"})
	for _, bad := range []fields{{"members": 5}, {"is_public": "x"}, {"name": strings.Repeat("a", 257)},
		{"members": "nobody"}, {"avatar": "ftp://x/y"}} {
		c.alice.post(path, bad).want(400)
	}
	c.operator.post("/v2/organization/"+c.org, fields{"allow_public_groups": false}).want(204)
	c.alice.post(path, fields{"is_public": true}).want(400).wantField("is_public")
	c.alice.post("/v2/group", fields{"name": "P", "is_public": true}).want(400).wantField("is_public")
}

func TestGroupUpdateReplacesTheMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	dora := c.mustCreate(c.org, "dora")
	group := c.alice.mustCreateGroup("G", c.bob)
	for _, p := range []*person{c.alice, c.bob} {
		p.forgetEvents()
	}
	c.alice.post("/v2/group/"+group, fields{"members": []string{c.carl.token, dora.token, c.alice.token}}).want(204)
	c.alice.get("/v2/group/" +
		group).reply().wantFields(fields{"members": []string{c.alice.token, c.carl.token, dora.token}})
	c.bob.wantEvents("friends", "bang")
	c.bob.get("/v2/group/" + group).wantMissing()
	c.carl.wantEvents("friends", "bang", "bang", "update")
	for _, e := range ofKind(c.alice.events(), "bang") {
		if e.text("event") == "removed" && e.text("subject_entity", "token") != c.bob.token {
			t.Errorf("the bang is %s", e.value)
		}
	}
	if got := kindsOf(c.alice.events()); !slices.Equal(got, []string{"bang", "bang", "bang", "update"}) {
		t.Errorf("alice is told %v", got)
	}
	// As a published client does: it names the others, and goes on writing.
	c.alice.post("/v2/group/"+group, fields{"name": "G2", "members": c.bob.token}).want(204)
	c.alice.mustSend(group, "still here")
	c.bob.get("/v2/group/" +
		group).reply().wantFields(fields{"name": "G2", "members": []string{c.alice.token, c.bob.token}})
}

func TestGroupDeletion(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	group := c.alice.mustCreateGroup("G", c.bob)
	message := c.alice.mustSend(group, "x")
	for _, p := range []*person{c.alice, c.bob} {
		p.forgetEvents()
	}
	c.bob.delete("/v2/group/" + group).want(403)
	c.alice.delete("/v2/group/" + group).want(204)
	for _, p := range []*person{c.alice, c.bob} {
		gone := p.wantEvents("friends")[0].at("friend")
		gone.wantFields(fields{"action": "del", "token": group, "organization_id": c.org, "xmlns": "tigertext:entity:group"})
		p.delete("/v2/group/" + group).want(204) // again, for who was in it
		p.get("/v2/group/" + group).wantMissing()
		p.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing()
		p.post("/v2/group/"+group, fields{"name": "x"}).wantMissing()
		p.post("/v2/group/"+group+"/members", fields{"members": c.carl.token}).wantMissing()
		p.delete("/v2/message/typing/" + group).want(204)
		for _, entry := range p.get("/v2/roster").reply().list() {
			t.Errorf("%s still has %s in its roster", p.name, entry)
		}
	}
	c.bob.get("/v2/message/" + message).want(200) // what was received stays
	wantSameAnswer(c.carl.delete("/v2/group/"+group).wantMissing(),
		c.carl.delete("/v2/group/"+randomToken()).wantMissing())
	other := c.alice.mustCreateGroup("Other", c.bob)
	admin.delete("/v2/group/" + other).want(204)
	c.bob.get("/v2/group/" + other).wantMissing()
}

func TestRoleGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	got := c.alice.post("/v2/role_group",
		fields{"created_by": c.alice.token, "members": []string{c.bob.token}, "name": "On call", "replay_history": true},
		in(c.org))
	token := got.reply().text("token")
	c.bob.get("/v2/group/" +
		token).reply().wantFields(fields{"name": "On call", "replay_history": true,
		"members": []string{c.alice.token, c.bob.token}})
}
