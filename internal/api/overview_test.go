package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

// pages follows a list page by page to its end, and returns all of it.
func (p *person) pages(path string, size int) (all []value) {
	p.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	path += separator + "page_size=" + number(size)
	next := path
	for range 100 {
		page := p.get(next).reply()
		results := page.list("results")
		if len(results) > size {
			p.t.Fatalf("%s answers %d results", next, len(results))
		}
		all = append(all, results...)
		if !page.at("metadata").has("continuation") {
			return all
		}
		next = path + "&continuation=" + url.QueryEscape(page.text("metadata", "continuation"))
	}
	p.t.Fatalf("%s does not end", path)
	return nil
}

// texts returns a field of each.
func texts(all []value, field string) (out []string) {
	for _, v := range all {
		out = append(out, v.text(field))
	}
	return out
}

// wireTimeOf is a time as answers have it.
func wireTimeOf(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func wantTexts(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// wantPagesRefused asks a list for pages that it has not.
func (p *person) wantPagesRefused(path string) {
	p.t.Helper()
	for _, size := range []string{"0", "201", "-1", "x", "1.5"} {
		p.get(path + "?page_size=" + size).want(400).wantField("page_size")
	}
	for _, bad := range []string{"x", strings.Repeat("A", 100)} {
		p.get(path+"?continuation="+bad).wantError(400, "continuation_invalid").wantField("continuation")
	}
}

func TestOrganizationsAreListedWithTheirCounts(t *testing.T) {
	t.Parallel()
	s := start(t)
	clinic := s.mustCreateOrganization("Harbour Clinic")
	s.mustCreateOrganization("Éclair Hospital")
	s.mustCreateOrganization("general hospital")
	boss := s.mustCreateAdmin(clinic, "boss")
	alice, bob := boss.mustCreate(clinic, "alice"), boss.mustCreate(clinic, "bob")
	alice.mustCreateGroup("Ward", bob)
	gone := alice.mustCreateGroup("Gone", bob)
	alice.delete("/v2/group/" + gone).want(204)
	bob.post("/v2/user/me/organization/"+clinic+"/roles/admin", nil).want(200)
	s.operator.post("/v2/organization/"+clinic+"/hold", nil).want(204)

	all := s.operator.pages("/v2/organization", 2)
	wantTexts(t, "by name", texts(all, "name"), "Éclair Hospital", "general hospital", "Harbour Clinic")
	all[2].wantFields(fields{"token": clinic, "members": 4, "groups": 1, "requests": 1, "paid": true, "legal_hold": true})
	all[0].wantFields(fields{"members": 1, "groups": 0, "requests": 0})
	if got, want := all[2].text("created_time"), wireTimeOf(s.clock.Now()); got != want {
		t.Errorf("made at %s, want %s", got, want)
	}
	wantTexts(t, "some word begins so", texts(s.operator.pages("/v2/organization?name=HOSP", 1), "name"),
		"Éclair Hospital", "general hospital")
	wantTexts(t, "each word does", texts(s.operator.pages("/v2/organization?name=hosp+eclair", 1), "name"),
		"Éclair Hospital")
	wantTexts(t, "none does", texts(s.operator.pages("/v2/organization?name=ospital", 1), "name"))

	wantTexts(t, "an administrator's own", texts(boss.pages("/v2/organization", 50), "name"), "Harbour Clinic")
	second := boss.mustCreateOrganization("A second")
	wantTexts(t, "both", texts(boss.pages("/v2/organization", 1), "name"), "A second", "Harbour Clinic")
	scoped := boss.withKey(boss.post("/v2/user/me/key", fields{"kind": "administrative", "organization": second}).reply())
	wantTexts(t, "of the key's scope", texts(scoped.pages("/v2/organization", 50), "name"), "A second")
	alice.get("/v2/organization").wantError(403, "administrative_key_required")
	s.operator.wantPagesRefused("/v2/organization")

	page := s.operator.get("/v2/organization?page_size=1").reply()
	next := "/v2/organization?page_size=1&continuation=" + url.QueryEscape(page.text("metadata", "continuation"))
	boss.get(next).wantError(400, "continuation_invalid") // it is bound to who asked
	s.operator.get(next+"&name=h").wantError(400, "continuation_invalid")
	s.mustCreateOrganization("A first") // before it: nothing moves
	wantTexts(t, "the next", texts(s.operator.get(next).reply().list("results"), "name"), "Éclair Hospital")
}

// An operator who asks for it sees what each organization has stored. A file that two messages share counts once, and
// nothing counts for another organization.
func TestOrganizationsAreListedWithWhatTheyHaveStored(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustCreateOrganization("Empty")
	want := func(messages, attachments, size int) {
		t.Helper()
		for _, o := range c.operator.pages("/v2/organization?render_usage=true", 1) {
			some := fields{"messages": messages, "attachments": attachments, "attachment_bytes": size}
			if o.text("name") == "Empty" {
				some = fields{"messages": 0, "attachments": 0, "attachment_bytes": 0}
			}
			o.wantFields(fields{"usage": some})
		}
	}
	want(0, 0, 0)
	c.alice.mustSend(c.bob.token, "text")
	file := c.alice.mustAttach(c.bob.token, "labs.pdf", "application/pdf", make([]byte, 1000))
	c.alice.mustAttach(c.bob.token, "note.txt", "text/plain", []byte("bytes"))
	want(3, 2, 1005)
	c.bob.post("/v2/message/"+file+"/forward", fields{"recipient": c.carl.token}).want(204)
	want(4, 2, 1005)
	c.alice.delete("/v2/message/" + file).want(204)
	want(4, 2, 1005) // what was taken back is there until it expires, and the other one has the file
	if o := c.operator.pages("/v2/organization", 50)[0]; o.has("usage") {
		t.Error("the usage is told unasked")
	}
	c.operator.get("/v2/organization?render_usage=perhaps").want(400).wantField("render_usage")
}

func TestMembersAreListedForTheirAdministrators(t *testing.T) {
	t.Parallel()
	s := start(t)
	clinic := s.mustCreateOrganization("Clinic")
	boss := s.mustCreateAdmin(clinic, "boss")
	boss.delete(s.operator.path("/organization/" + clinic)).want(204)
	alice, bob := boss.mustCreate(clinic, "alice"), boss.mustCreate(clinic, "bob")
	titled := fields{"username": "quiet", "title": "Dr.", "department": "Surgery"}
	quiet := boss.post("/v2/user", titled, in(clinic)).reply().text("token")
	elsewhere := s.mustCreateOrganization("Elsewhere")
	stranger := s.mustCreate(elsewhere, "stranger")
	path := "/v2/organization/" + clinic + "/member"
	boss.post(alice.path("/organization/"+clinic+"/roles/help_desk"), nil).want(204)
	bob.post("/v2/user/me/organization/"+clinic+"/roles/admin", nil).want(200)
	used := wireTimeOf(s.clock.Now().Truncate(time.Hour))

	all := boss.pages(path, 3)
	wantTexts(t, "by name", texts(all, "username"), "alice", "bob", "boss", "quiet")
	all[0].wantFields(fields{"token": alice.token, "xmlns": "tigertext:entity:account", "display_name": "Alice",
		"emails": []fields{{"address": "alice@example.com", "verified": false}},
		"roles":  []string{"help_desk"}, "pending_roles": []string{}, "has_keys": true, "organization_key": clinic})
	all[1].wantFields(fields{"roles": []string{}, "pending_roles": []string{"admin"}, "last_seen_time": used})
	all[2].wantFields(fields{"roles": []string{"admin"}})
	all[3].wantFields(fields{"title": "Dr.", "department": "Surgery", "has_keys": false})
	if all[0].has("last_seen_time") || all[3].has("last_seen_time") {
		t.Errorf("who called nothing was seen: %s, %s", all[0], all[3])
	}
	if at := all[3].text("joined_time"); at != all[3].text("created_time") {
		t.Errorf("joined at %s", at)
	}

	filtered := func(query string, want ...string) {
		t.Helper()
		wantTexts(t, query, texts(boss.pages(path+"?"+query, 1), "username"), want...)
	}
	filtered("q=b", "bob", "boss")
	filtered("q=surg", "quiet")
	filtered("q=bob%40example", "bob")
	filtered("role=admin", "boss")
	filtered("without_keys=true", "quiet")
	filtered("without_keys=false&q=q", "quiet")
	filtered("account=alice", "alice")
	filtered("account="+quiet+"&q=b", "quiet")
	filtered("account=alice&role=admin")
	filtered("account=stranger")
	filtered("account=nobody")
	filtered("idle_days=1")
	s.clock.Advance(25 * time.Hour)
	alice.get("/v2/user").want(200)
	filtered("idle_days=1", "bob", "quiet")
	filtered("idle_days=2")
	boss.get(path + "?idle_days=0").want(400).wantField("idle_days")
	boss.get(path + "?without_keys=perhaps").want(400).wantField("without_keys")
	boss.get(path + "?disabled=perhaps").want(400).wantField("disabled")
	boss.post(bob.path("/disable"), nil).want(204)
	filtered("disabled=true", "bob")
	filtered("disabled=false", "alice", "boss", "quiet")
	filtered("disabled=true&q=al")
	filtered("q=b", "bob", "boss")
	boss.post(bob.path("/enable"), nil).want(204)
	filtered("disabled=true")
	boss.wantPagesRefused(path)

	// A key of another scope does not act here.
	other := s.mustCreateOrganization("Other")
	s.operator.mustJoin(other, alice)
	for _, k := range alice.get("/v2/user/me/key").reply().list() {
		s.operator.delete(alice.path("/key/" + k.text("api_key"))).want(204)
	}
	there := alice.withKey(s.operator.post(alice.path("/key"), fields{"organization": other}).reply())
	there.get("/v2/user").want(200)
	filtered("without_keys=true", "alice", "quiet")
	boss.get(path + "?q=alice").reply().list("results")[0].wantFields(fields{"has_keys": false})
	if boss.get(path + "?q=alice").reply().list("results")[0].has("last_seen_time") {
		t.Error("what a key of another scope does is told")
	}

	// An operator sees the names, and the addresses only of whom it shares an organization with.
	seen := s.operator.get(path + "?q=bob").reply().list("results")
	wantTexts(t, "the operator", texts(seen, "username"), "bob")
	seen[0].wantFields(fields{"emails": []any{}})
	stranger.get(path).wantError(403, "administrative_key_required")
	foreign := s.mustCreateAdmin(elsewhere, "foreign")
	wantSameAnswer(foreign.get(path), foreign.get("/v2/organization/"+randomOrganization()+"/member"))
	page := boss.get(path + "?page_size=1&role=admin&q=b").reply()
	if page.at("metadata").has("continuation") {
		t.Error("a continuation behind the last that the filter keeps")
	}
	next := boss.get(path+"?page_size=1").reply().text("metadata", "continuation")
	boss.get(path+"?page_size=1&role=admin&continuation="+next).wantError(400, "continuation_invalid")
}

// An administrator may rename the members whom the organization created and no other has, an
// operator all but other operators.
func TestMembersSayWhetherTheyAreManaged(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.operator.mustJoin(c.mustCreateOrganization("Elsewhere"), c.alice)
	stranger := c.mustCreate(c.mustCreateOrganization("Home"), "stranger")
	boss.mustJoin(c.org, stranger)
	managed := func(by *person, who string) bool {
		t.Helper()
		return by.get("/v2/organization/" + c.org + "/member?account=" + who).reply().list("results")[0].has("managed")
	}
	for who, want := range map[string]bool{"bob": true, "boss": true, "alice": false, "stranger": false} {
		if got := managed(boss, who); got != want {
			t.Errorf("%s managed by the administrator: %t, want %t", who, got, want)
		}
		if !managed(c.operator, who) {
			t.Errorf("%s is not managed by the operator", who)
		}
	}
	if managed(boss, c.operator.token) {
		t.Error("an operator is managed by an administrator")
	}
}

// TestListsOfManyEndTheirPages: a filter that keeps few makes a page short, not slow.
func TestListsOfManyEndTheirPages(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const many = 2300
	err := c.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range many {
			a := model.Account{ID: model.AccountID(randomID()), Username: "extra" + number(i), DisplayName: "Extra " + number(i),
				Created: c.clock.Now()}
			m := model.Membership{Organization: model.OrganizationID(c.org), Account: a.ID, Joined: c.clock.Now()}
			if err := tx.InsertAccount(&a, ""); err != nil {
				return err
			}
			if _, err := tx.PutMembership(m); err != nil {
				return err
			}
			if err := search.IndexAccount(tx, &a, m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path := "/v2/organization/" + c.org + "/member?idle_days=1"
	first := c.operator.get(path + "&page_size=200").reply()
	if n := len(first.list("results")); n != 0 || !first.at("metadata").has("continuation") {
		t.Errorf("the first page has %d", n)
	}
	if all := c.operator.pages(path, 200); len(all) != 0 {
		t.Errorf("got %d in all", len(all))
	}
	c.clock.Advance(48 * time.Hour)
	if all := c.operator.pages("/v2/organization/"+c.org+"/member?without_keys=true", 200); len(all) != many {
		t.Errorf("got %d in all", len(all))
	}
	if all := c.operator.pages("/v2/organization/"+c.org+"/key", 200); len(all) < 3 {
		t.Errorf("got %d keys in all", len(all))
	}
}

func TestGroupsAreListedWithoutTheirMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	private := c.alice.mustCreateGroupAs(fields{"name": "Night shift", "description": "d"}, c.bob)
	c.alice.mustCreateGroupAs(fields{"name": "ältere", "is_public": true})
	c.alice.mustCreateGroupAs(fields{"name": "Zebra"}, c.bob, c.carl)
	gone := c.alice.mustCreateGroup("Gone", c.bob)
	c.alice.delete("/v2/group/" + gone).want(204)
	c.alice.mustSend(private, "secret")
	path := "/v2/organization/" + c.org + "/group"

	for _, size := range []int{1, 2, 50} {
		all := boss.pages(path, size)
		wantTexts(t, "by name", texts(all, "name"), "ältere", "Night shift", "Zebra")
		all[1].wantFields(fields{"token": private, "num_members": 2, "is_public": false, "description": "d",
			"created_by": c.alice.token, "organization_key": c.org, "last_message_time": wireTimeOf(c.clock.Now())})
		for _, g := range all {
			if g.has("members") {
				t.Errorf("members are named: %s", g)
			}
		}
		if all[0].has("last_message_time") {
			t.Error("a group without a message has the time of one")
		}
	}
	wantTexts(t, "some", texts(boss.pages(path+"?q=shi+nig", 1), "name"), "Night shift")
	wantTexts(t, "none", texts(boss.pages(path+"?q=ight", 1), "name"))
	if text := boss.get(path).content; strings.Contains(string(text), "secret") {
		t.Errorf("content: %s", text)
	}
	boss.wantPagesRefused(path)
	c.alice.get(path).wantError(403, "administrative_key_required")

	// What comes before the place of a continuation moves nothing.
	first := boss.get(path + "?page_size=1").reply()
	c.alice.mustCreateGroup("AAA")
	next := boss.get(path + "?page_size=1&continuation=" + first.text("metadata", "continuation")).reply()
	wantTexts(t, "the next", texts(next.list("results"), "name"), "Night shift")
}

func TestRequestsAreListedForThoseWhoDecide(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	path := "/v2/organization/" + c.org + "/request"
	wantTexts(t, "none", texts(c.operator.pages(path, 1), "kind"))
	open := func() int64 {
		t.Helper()
		n := c.operator.get("/v2/organization/" + c.org).reply().int("requests")
		if listed := c.operator.get("/v2/organization").reply().at("results", 0).int("requests"); listed != n {
			t.Errorf("the list of organizations has %d requests, and the organization %d", listed, n)
		}
		return n
	}
	if n := open(); n != 0 {
		t.Errorf("%d requests are open, want none", n)
	}
	var made []string
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		c.clock.Advance(time.Minute)
		made = append(made, wireTimeOf(c.clock.Now()))
		p.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200)
	}
	c.clock.Advance(time.Minute)
	c.alice.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200) // still since then
	if n := open(); n != 3 {
		t.Errorf("%d requests are open, want 3", n)
	}
	all := c.operator.pages(path, 2)
	if len(all) != 3 {
		t.Fatalf("got %v", all)
	}
	for i, p := range []*person{c.alice, c.bob, c.carl} { // their tokens grow
		all[i].wantFields(fields{"kind": "admin", "organization_id": c.org, "role": "admin", "created_time": made[i]})
		all[i].at("account").wantFields(fields{"token": p.token, "username": p.name})
	}
	c.operator.post(c.alice.path("/organization/"+c.org+"/roles/admin"), nil).want(204)
	c.operator.delete(c.bob.path("/organization/" + c.org + "/roles/admin")).want(204)
	left := c.operator.pages(path, 50)
	if len(left) != 1 || left[0].at("account").text("token") != c.carl.token {
		t.Errorf("left are %v", left)
	}
	if n := open(); n != 1 {
		t.Errorf("%d requests are left, want one", n)
	}
	c.bob.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200) // once more, after a refusal
	c.operator.pages(path, 50)[0].wantFields(fields{"created_time": wireTimeOf(c.clock.Now())})
	c.operator.wantPagesRefused(path)
	c.bob.get(path).wantError(403, "administrative_key_required")
}

// The audit log gets one line an hour for each list that somebody reads.
func TestListsForConsolesAreAudited(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	actions := func(chain string) (out []string) {
		for _, e := range c.operator.get("/v2" + chain + "/audit").reply().list() {
			if e.text("account") == boss.token {
				out = append(out, e.text("action"))
			}
		}
		return out
	}
	before := len(actions("/organization/" + c.org))
	for range 2 {
		for _, list := range []string{"/member", "/group", "/request", "/key"} {
			boss.get("/v2/organization/" + c.org + list).want(200)
		}
		boss.get("/v2/organization").want(200)
	}
	got := actions("/organization/" + c.org)
	wantTexts(t, "lines", got[:len(got)-before], "organization.read", "key.list", "role.list", "group.read", "member.list")
}
