package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What an administrator sees of keys is what it sees of each account's (contract, section 1).
func TestKeysAreListedByOrganization(t *testing.T) {
	t.Parallel()
	s := start(t)
	clinic, other := s.mustCreateOrganization("Clinic"), s.mustCreateOrganization("Other")
	boss := s.mustCreateAdmin(clinic, "boss")
	own, shared := boss.mustCreate(clinic, "own"), boss.mustCreate(clinic, "shared")
	s.operator.mustJoin(other, shared)
	unscoped := s.operator.post(shared.path("/key"), nil).reply().text("api_key")
	elsewhere := s.operator.post(shared.path("/key"), fields{"organization": other}).reply().text("api_key")
	short := s.operator.post(own.path("/key"), fields{"expires_in": 60}).reply().text("api_key")
	path := "/v2/organization/" + clinic + "/key"
	keys := func(p *person, path string) map[string]value {
		t.Helper()
		out := map[string]value{}
		for _, k := range p.pages(path, 1) {
			if _, twice := out[k.text("api_key")]; twice {
				t.Errorf("%s is listed twice", k)
			}
			out[k.text("api_key")] = k
		}
		return out
	}
	wantKeys := func(what string, got map[string]value, want ...string) {
		t.Helper()
		for _, name := range want {
			if _, there := got[name]; !there {
				t.Errorf("%s: %s is missing", what, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %v, want %q", what, got, want)
		}
	}
	own.get("/v2/user").want(200)
	got := keys(boss, path)
	// The operator, who is a member, has a key without a scope, which the administrator does not see.
	regular := keyOf(got, "boss", "regular") // it came with the account
	wantKeys("an administrator", got, boss.key, regular, own.key, shared.key, unscoped, short)
	got[own.key].wantFields(fields{"account_id": own.token, "username": "own", "kind": "regular", "organization": clinic,
		"issued_by": boss.token, "last_used_time": wireTimeOf(s.clock.Now())})
	got[boss.key].wantFields(fields{"kind": "administrative"}, "organization")
	got[unscoped].wantFields(fields{"issued_by": s.operator.token, "username": "shared"}, "last_used_time", "expires_time")
	wantKeys("an operator", keys(s.operator, path), boss.key, regular, own.key, shared.key, unscoped, short,
		s.operator.key)
	all := keys(s.operator, "/v2/key")
	wantKeys("all", all, boss.key, own.key, shared.key, unscoped, short, elsewhere, s.operator.key,
		regular)

	wantKeys("of a kind", keys(boss, path+"?kind=administrative"), boss.key)
	wantKeys("of an account", keys(boss, path+"?account=own"), own.key, short)
	wantKeys("of nobody", keys(boss, path+"?account=nobody"))
	wantKeys("of a stranger", keys(boss, path+"?account="+s.operator.token))
	s.clock.Advance(25 * time.Hour)
	boss.get("/v2/user").want(200)
	wantKeys("that live", keys(boss, path), boss.key, regular, own.key, shared.key, unscoped)
	wantKeys("idle", keys(boss, path+"?idle_days=1"), regular, own.key, shared.key)
	boss.get(path + "?kind=odd").want(400).wantField("kind")
	boss.wantPagesRefused(path)
	boss.get("/v2/key").want(403)
	own.get(path).wantError(403, "administrative_key_required")
	for _, text := range []string{"secret", "hash"} {
		if content := boss.get(path).content; strings.Contains(string(content), text) {
			t.Errorf("%s in %s", text, content)
		}
	}
}

// keyOf is the one key of a kind that a user has in a list.
func keyOf(all map[string]value, username, kind string) string {
	for name, k := range all {
		if k.text("username") == username && k.text("kind") == kind {
			return name
		}
	}
	return ""
}

// What is looked for is what the list shows: of a key that one does not manage, its name and whose
// it is.
func TestKeysAreFoundByLabelOwnerAndName(t *testing.T) {
	t.Parallel()
	s := start(t)
	clinic, other := s.mustCreateOrganization("Clinic"), s.mustCreateOrganization("Other")
	boss := s.mustCreateAdmin(clinic, "boss")
	jurgen, guest := boss.mustCreate(clinic, "j.muller"), s.mustCreate(other, "guest")
	boss.post(jurgen.path(""), fields{"display_name": "Jürgen Müller"}).want(200)
	s.operator.mustJoin(clinic, guest)
	display := boss.post(jurgen.path("/key"), fields{"label": "Anzeige für Station Ödland"}).reply().text("api_key")
	hidden := guest.post("/v2/user/me/key", fields{"label": "Anzeige at home"}).reply().text("api_key")
	browser := jurgen.byCookie(jurgen.post("/v2/session", nil).want(204)).sessionKey()
	guest.post("/v2/session", nil).want(204)
	path := "/v2/organization/" + clinic + "/key"
	found := func(by *person, query string) []string {
		t.Helper()
		return texts(by.pages(path+"?"+query, 1), "api_key")
	}
	want := func(query string, keys ...string) {
		t.Helper()
		got := found(boss, query)
		slices.Sort(got)
		slices.Sort(keys)
		if !slices.Equal(got, keys) {
			t.Errorf("%s: got %q, want %q", query, got, keys)
		}
	}
	want("q=station", display)
	want("q=ANZEIGE+odl", display) // accents and case are ignored
	want("q=anzeige+nobody")
	want("q=jurgen+mu", jurgen.key, display, browser)
	want("q=J.Muller+anz", display)
	want("q="+strings.ToLower(display[:9]), display)
	want("q=" + display[1:])
	want("q=guest+"+hidden[:9], hidden) // and not its label, which is not shown
	want("q=-", found(boss, "")...)     // without a word it is no condition
	want("q=mull&session=true", browser)
	want("q=mull&session=false", jurgen.key, display)
	want("session=true", browser)
	for _, k := range boss.pages(path+"?q=guest&session=false", 50) { // of which it is not told
		k.wantFields(fields{"username": "guest", "display_name": "Guest"}, "label", "session", "managed")
	}
	want("q=guest&session=false", found(boss, "q=guest")...)
	boss.pages(path+"?q=odland", 50)[0].wantFields(fields{"label": "Anzeige für Station Ödland", "username": "j.muller",
		"display_name": "Jürgen Müller", "account_id": jurgen.token, "managed": true})
	if keys := texts(s.operator.pages("/v2/key?q=anzeige&session=false", 50), "label"); len(keys) != 2 {
		t.Errorf("the operator finds %q", keys)
	}
	boss.get(path + "?session=maybe").want(400).wantField("session")
	boss.wantPagesRefused(path)

	// A continuation goes on with what it was asked for.
	first := boss.get(path+"?q=muller&page_size=1").reply().text("metadata", "continuation")
	boss.get(path+"?q=mull&page_size=1&continuation="+first).wantError(400, "continuation_invalid")
	boss.get(path+"?q=muller&session=false&page_size=1&continuation="+first).wantError(400, "continuation_invalid")
}
