package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
)

func TestNamesThatAdministratorsGive(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.bob)
	for _, wrong := range []any{"nobody", "", 5, true} {
		boss.post("/v2/organization/"+c.org, fields{"display_names": wrong}).want(400).wantField("display_names")
	}
	boss.post("/v2/organization/"+c.org, fields{"displayNames": "administrators"}).want(204)
	boss.get("/v2/organization/" + c.org).reply().setting("display_names").wantIs("administrators")
	for _, field := range []string{"display_name", "first_name", "last_name"} {
		for _, p := range []*person{c.alice, c.bob, boss} { // who is elsewhere besides, and who administers
			p.post("/v2/user/me/settings", fields{field: "New", "status": "s"}).wantError(403, "name_fixed").
				wantField(field)
		}
	}
	c.alice.get("/v2/user").reply().wantFields(fields{"display_name": "Alice", "status": ""})
	// What stays as it is may be sent along.
	c.alice.post("/v2/user/me/settings", fields{"display_name": "Alice", "status": "here"}).want(204)
	boss.post(c.alice.path(""), fields{"display_name": "Alice Ames"}).want(200)
	boss.post("/v2/user/me", fields{"display_name": "The Boss"}).want(200)
	boss.post("/v2/organization/"+c.org, fields{"display_names": "own"}).want(204)
	c.alice.post("/v2/user/me/settings", fields{"display_name": "Alice"}).want(204)
}

func TestNobodyTakesTheNameOfAColleague(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	stranger := c.mustCreateStranger("stranger")
	boss.post(c.bob.path(""), fields{"display_name": "José O’Brien-Łuk"}).want(200)
	take := func(p *person, name string) *answer {
		return p.post("/v2/user/me/settings", fields{"display_name": name})
	}
	for _, name := range []string{"José O’Brien-Łuk", "JOSE OBRIEN-LUK", "jose\u0301 o'brien-luk", "Jose  O’Brien-Luk",
		"Jose\u00a0O’Brien\u2010Luk", "Jo\u200bse O’Brien-Luk", "\u202eJose O’Brien-Luk", "Jose\u3164O’Brien-Luk",
		"Jose O’Bri\u00aden-Luk", "Ｊose O’Brien-Luk"} {
		take(c.alice, name).wantError(400, "name_taken").wantField("display_name")
	}
	// Nor by having it put together of the others.
	c.alice.post("/v2/user/me/settings", fields{"display_name": "", "first_name": "José", "last_name": "O’Brien-Łuk"}).
		wantError(400, "name_taken")
	c.alice.get("/v2/user").reply().wantFields(fields{"display_name": "Alice", "first_name": ""})
	for _, name := range []string{"José O’Brien", "José O’Brien-Łuk 2", "JoséO’Brien-Łuk"} {
		take(c.alice, name).want(204)
	}
	take(stranger, "José O’Brien-Łuk").want(204) // they share no organization
	take(c.bob, "JOSÉ O’Brien-Łuk").want(204)    // its own
	boss.post(c.alice.path(""), fields{"display_name": "jose o'brien-luk"}).want(200)
	take(c.alice, "jose o'brien-luk").want(204) // it is a namesake, and stays what it is called
	take(c.alice, "José O’Brien-Łuk").wantError(400, "name_taken")
	boss.post(boss.path(""), fields{"display_name": "Jose OBrien-Luk"}).want(200)

	// A disabled one has its name; one that was erased, or left, has not.
	boss.post(c.carl.path(""), fields{"display_name": "Carl"}).want(200)
	boss.post(c.carl.path("/disable"), nil).want(204)
	take(c.alice, "carl").wantError(400, "name_taken")
	boss.erase(c.carl).want(204)
	take(c.alice, "carl").want(204)

	// Who joins keeps its name; from then on it is among those.
	boss.post(c.bob.path(""), fields{"display_name": "Bob"}).want(200)
	c.operator.mustJoin(c.org, stranger)
	stranger.get("/v2/user").reply().wantFields(fields{"display_name": "José O’Brien-Łuk"})
	take(c.bob, "Jose OBrien-Luk").wantError(400, "name_taken")
	boss.delete(stranger.path("/organization/" + c.org)).want(204)
	c.mustVerify()
}

// Long names that begin alike, of which the index keeps the beginning, are different.
func TestLongNamesAreComparedToTheirEnd(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	long := strings.Repeat("간호사실", 12)
	take := func(p *person, name string) *answer {
		return p.post("/v2/user/me/settings", fields{"display_name": name})
	}
	take(c.alice, long+" 1").want(204)
	take(c.bob, long+" 2").want(204)
	take(c.carl, long+" 1").wantError(400, "name_taken")
	take(c.carl, long+"  2 ").wantError(400, "name_taken")
	take(c.carl, long).want(204)
}

// Of many who take one name at the same time, one gets it.
func TestOneOfManyGetsAName(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	everybody := append(c.mustCreateAll(c.org, "dora", "eve", "finn", "gus", "hal"), c.alice, c.bob, c.carl)
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.alice)
	c.operator.mustJoin(other, c.bob)
	for round := range 5 {
		name, won := fmt.Sprintf("Name %d", round), make([]int, len(everybody))
		var all sync.WaitGroup
		for i, p := range everybody {
			all.Go(func() {
				won[i] = p.post("/v2/user/me/settings", fields{"display_name": name}).StatusCode
			})
		}
		all.Wait()
		slices.Sort(won)
		if won[0] != 204 || won[1] != 400 || won[len(won)-1] != 400 {
			t.Errorf("of %d at the same time the answers were %v, want one 204 and else 400", len(won), won)
		}
		have := 0
		for _, p := range everybody {
			if p.get("/v2/user").reply().text("display_name") == name {
				have++
			}
		}
		if have != 1 {
			t.Errorf("%d are called %s", have, name)
		}
	}
}

func TestEachChangeOfANameIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.alice.post("/v2/user/me/settings", fields{"first_name": "Al", "display_name": "Alice Ames"}).want(204)
	c.alice.post("/v2/user/me/settings", fields{"first_name": "Al", "status": "x"}).want(204)
	boss.post(c.alice.path(""), fields{"username": "ames", "title": "T", "email": "ames@example.com"}).want(200)
	boss.post(c.alice.path(""), fields{"display_name": "Alice Ames", "title": "U"}).want(200)
	path := "/v2/organization/" + c.org + "/audit?after=0&action=user.rename&action=user.update"
	lines := boss.get(path).reply().list()
	if len(lines) != 3 {
		t.Fatalf("the log has %v", lines)
	}
	lines[0].wantFields(fields{"action": "user.rename", "account": c.alice.token, "on_account": c.alice.token,
		"old": fields{"display_name": "Alice", "first_name": ""},
		"new": fields{"display_name": "Alice Ames", "first_name": "Al"}})
	lines[1].wantFields(fields{"action": "user.rename", "account": boss.token, "on_account": c.alice.token,
		"on_organization": c.org, "old": fields{"username": "alice"}, "new": fields{"username": "ames"}})
	lines[2].wantFields(fields{"action": "user.update", "detail": "title", "on_organization": c.org}, "old", "new")
	if detail := lines[1].text("detail"); !strings.HasPrefix(detail, "username emails title names=") {
		t.Errorf("the detail is %q", detail)
	}
	for _, e := range c.auditLines() {
		if e.Action == model.ActionUserRename && (strings.Contains(e.Detail, "Al") || e.Names == nil || e.Address == "") {
			t.Errorf("a line is %+v", e)
		}
	}
	c.mustVerify()
}

// The names go with the account, and its lines stay and are proven.
func TestNamesInTheAuditLogAreErasedWithTheirAccount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.alice.post("/v2/user/me/settings", fields{"display_name": "Alice Zyxwv"}).want(204)
	boss.post(c.alice.path(""), fields{"display_name": "Alice Qponm"}).want(200)
	c.bob.post("/v2/user/me/settings", fields{"display_name": "Bob Zyxwv"}).want(204)
	found := func() map[string]int {
		return c.traces(mustParseAccount(t, c.alice.token), "Alice Zyxwv")
	}
	if n := found()["audit_names.names"]; n != 2 {
		t.Fatalf("%d lines have the name", n)
	}
	c.mustVerify()
	boss.delete(c.alice.path(""), jsonBody(fields{"username": "alice"})).want(204)
	c.settle()
	c.mustSweep()
	c.clock.Advance(time.Second)
	c.mustSweep()
	traces := found()
	maps.DeleteFunc(traces, func(where string, _ int) bool { return strings.HasPrefix(where, "audit_entries") })
	if len(traces) > 0 {
		t.Errorf("an erased account is still named in %v", traces)
	}
	lines := boss.get("/v2/organization/" + c.org + "/audit?names=true&action=user.rename").reply()
	if n := len(lines.list("results")); n != 3 {
		t.Errorf("%d lines are left", n)
	}
	lines.at("results", 0).wantFields(fields{"on_account": c.bob.token, "new": fields{"display_name": "Bob Zyxwv"}})
	lines.at("results", 1).wantFields(fields{"on_account": c.alice.token}, "old", "new")
	if lines.at("names").has(c.alice.token) {
		t.Error("an erased account has a name")
	}
	c.mustVerify()
}

// Names beside the log that were changed, exchanged or taken away are told.
func TestAuditTellsThatNamesWereTamperedWith(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, p := range []*person{c.alice, c.bob} {
		p.post("/v2/user/me/settings", fields{"display_name": p.name + " Ames"}).want(204)
	}
	c.mustVerify()
	for _, statement := range []string{
		"UPDATE audit_names SET names = replace(names, 'alice', 'mallory')",
		"UPDATE audit_names SET names = '{\"old\":{},\"new\":{}}'",
		"DELETE FROM audit_names",
	} {
		restore := c.mustSaveNames()
		c.mustRun(t, statement)
		c.wantTampered(t, statement)
		restore()
		c.mustVerify()
	}
}

// mustSaveNames keeps what lies beside the log, and returns what brings it back.
func (c *clinic) mustSaveNames() (restore func()) {
	c.t.Helper()
	c.mustRun(c.t, "CREATE TABLE kept_names AS SELECT * FROM audit_names")
	return func() {
		c.mustRun(c.t, "DELETE FROM audit_names", "INSERT INTO audit_names SELECT * FROM kept_names",
			"DROP TABLE kept_names")
	}
}
