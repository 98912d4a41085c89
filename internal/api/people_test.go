package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/store/auditlog"
	"signet/internal/testenv"
)

// mustCreateMany makes people in one call and returns the results.
func (p *person) mustCreateMany(organization string, users []fields, options ...option) []value {
	p.t.Helper()
	return p.post("/v2/user/bulk", fields{"users": users}, append(options, in(organization))...).want(200).reply().
		list("results")
}

// wantResults checks what became of many people: `made`, `repeated`, or the code of an
// error.
func wantResults(t *testing.T, results []value, want ...string) {
	t.Helper()
	var got []string
	for i, r := range results {
		if n := r.int("index"); n != int64(i) {
			t.Errorf("result %d has the index %d", i, n)
		}
		switch {
		case r.has("error"):
			got = append(got, r.text("error", "code"))
			if r.int("status") != r.int("error", "status") || r.has("user") {
				t.Errorf("result %d is %s", i, r)
			}
		case r.has("repeated"):
			got = append(got, "repeated")
		default:
			got = append(got, "made")
		}
		if !r.has("error") && (r.int("status") != 200 || !r.has("user")) {
			t.Errorf("result %d is %s", i, r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the results are %v, want %v", got, want)
	}
}

// members is how many an organization has.
func (s *server) members(organization string) int64 {
	s.t.Helper()
	return s.operator.get("/v2/organization/" + organization).reply().int("members")
}

// Each result of many people in one call says what a call for that person alone would have
// said: the same people are asked for in two organizations, with other names, once
// together and once one after the other.
func TestManyPeopleAreMadeAsEachAloneWouldBe(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := start(t)
	together, alone := s.mustCreateOrganization("Together"), s.mustCreateOrganization("Alone")
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		var many, each []fields
		for range rapid.IntRange(1, 6).Draw(t, "people") {
			draw := drawPerson(t, round)
			there, here := draw(fmt.Sprint("t", round)), draw(fmt.Sprint("a", round))
			many, each = append(many, there), append(each, here)
		}
		results := s.operator.mustCreateMany(together, many)
		for i, f := range each {
			got := s.operator.post("/v2/user", f, in(alone))
			result := results[i]
			if result.int("status") != int64(got.StatusCode) {
				t.Fatalf("of %v, %v: together %s, alone %d %s", many[i], f, result, got.StatusCode, got.content)
			}
			if got.StatusCode != 200 {
				one := got.value().at("error")
				for _, name := range []string{"code", "message", "field"} {
					if one.has(name) != result.at("error").has(name) ||
						one.has(name) && one.text(name) != result.text("error", name) {
						t.Fatalf("of %v: together %s, alone %s", many[i], result, got.content)
					}
				}
				continue
			}
			one, other := got.reply(), result.at("user")
			names, others := one.names(), other.names()
			slices.Sort(names)
			slices.Sort(others)
			if !slices.Equal(names, others) || one.text("title") != other.text("title") {
				t.Fatalf("of %v: together %s, alone %s", many[i], other, one)
			}
			if one.has("api_key") {
				made := s.operator.withKey(other)
				made.get("/v2/user").want(200)
			}
		}
	})
	if there, here := s.members(together), s.members(alone); there != here {
		t.Errorf("%d were made together, %d alone", there, here)
	}
}

// drawPerson draws a person to be made, and returns what makes it in a world: no two worlds
// share an address.
func drawPerson(t *rapid.T, round int) func(world string) fields {
	name := rapid.SampledFrom([]string{"ann", "bob", "Bob", "carl", "me", "1", "no name", ""})
	username, email := name.Draw(t, "username"), name.Draw(t, "email")
	phone := rapid.SampledFrom([]string{"", "", "none", "555-01"}).Draw(t, "phone")
	password := rapid.SampledFrom([]any{"", "", "short", "long enough", 5}).Draw(t, "password")
	title := rapid.SampledFrom([]string{"Nurse", strings.Repeat("x", 257)}).Draw(t, "title")
	key := rapid.SampledFrom([]any{false, "true", "perhaps"}).Draw(t, "key")
	inList := rapid.Bool().Draw(t, "emails as a list")
	return func(world string) fields {
		f := fields{"title": title, "issue_key": key}
		if username != "" {
			f["username"] = username + world
			if username == "me" || username == "1" {
				f["username"] = username
			}
		}
		if email != "" && inList {
			f["emails"] = []string{email + "@" + world + ".test"}
		} else if email != "" {
			f["email"] = email + "@" + world + ".test"
		}
		if phone != "" {
			f["phone"] = phone
		}
		if phone == "555-01" {
			f["phone"] = fmt.Sprintf("+1%d%07d", 400+int(world[0]), round)
		}
		if password != "" {
			f["password"] = password
		}
		return f
	}
}

func TestTheSameCallMakesNobodyTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	boss, other := s.mustCreateAdmin(org, "boss"), s.mustCreateAdmin(org, "other")
	users := []fields{
		{"username": "ann", "password": "long enough", "issue_key": true},
		{"username": "boss"},
		{"username": "bob", "emails": []string{"bob@example.com", "b@example.com"}},
	}
	first := boss.mustCreateMany(org, users, requestID("r"))
	wantResults(t, first, "made", "address_taken", "made")
	again := boss.mustCreateMany(org, users, requestID("r"))
	wantResults(t, again, "repeated", "address_taken", "repeated")
	for _, i := range []int{0, 2} {
		if was, is := first[i].text("user", "token"), again[i].text("user", "token"); was != is {
			t.Errorf("%d was %s and is %s", i, was, is)
		}
		again[i].at("user").wantFields(fields{}, "api_key", "api_secret")
	}
	// Who was refused is corrected; who was made is not another one.
	users[1]["username"] = "carl"
	wantResults(t, boss.mustCreateMany(org, users, requestID("r")), "repeated", "made", "repeated")
	for _, change := range []fields{{"title": "Nurse"}, {"password": "another one"}, {"issue_key": false}} {
		changed := fields{"username": "ann", "password": "long enough", "issue_key": true}
		for name, v := range change {
			changed[name] = v
		}
		wantResults(t, boss.mustCreateMany(org, []fields{changed}, requestID("r")), "request_id_reused")
	}
	wantResults(t, boss.mustCreateMany(org, []fields{users[2], users[1]}, requestID("r")), "request_id_reused", "repeated")

	// A Request-ID is its account's own, and that of a message is another thing.
	wantResults(t, other.mustCreateMany(org, users, requestID("r")), "address_taken", "address_taken", "address_taken")
	wantResults(t, boss.mustCreateMany(org, users), "address_taken", "address_taken", "address_taken")
	ann := boss.withKey(first[0].at("user"))
	boss.post("/v2/message", fields{"recipient": first[0].text("user", "token"), "body": "x"}, requestID("r")).want(204)
	ann.wantEvents("message")
	s.clock.Advance(24*time.Hour + time.Second)
	wantResults(t, boss.mustCreateMany(org, users, requestID("r")), "address_taken", "address_taken", "address_taken")
	if n := s.members(org); n != 6 {
		t.Errorf("the organization has %d members", n)
	}
}

func TestTheSameCallAtTheSameTimeMakesNobodyTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	var users []fields
	for i := range 20 {
		users = append(users, fields{"username": "user" + number(i), "password": "long enough"})
	}
	var calls []sending
	for range 4 {
		calls = append(calls, s.operator.start("POST", "/v2/user/bulk", jsonBody(fields{"users": users}), in(org),
			requestID("r")))
	}
	tokens := map[string]int{}
	for _, call := range calls {
		for _, r := range call.answer().want(200).reply().list("results") {
			if !r.has("user") {
				t.Fatalf("a result is %s", r)
			}
			tokens[r.text("user", "token")]++
		}
	}
	if n := s.members(org); n != 21 || len(tokens) != 20 {
		t.Errorf("%d are members, and the calls tell of %d", n, len(tokens))
	}
}

func TestDryRunTellsWhatWouldBeRefusedAndMakesNobody(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	boss := s.mustCreateAdmin(org, "boss")
	users := []fields{{"username": "ann"}, {"username": "BOSS"}, {"username": "Ann"}, {"email": "x"}, {"username": "bob"},
		{"username": 5}}
	before := len(s.auditLines())
	for range 2 {
		results := boss.post("/v2/user/bulk", fields{"users": users, "dry_run": "true"}, in(org), requestID("r")).
			want(200).reply().list("results")
		for i, want := range []string{"", "address_taken", "address_taken", "email_invalid", "", "field_invalid"} {
			if want == "" {
				results[i].wantIs(map[string]any{"index": float64(i), "status": 200.0})
			} else if code := results[i].text("error", "code"); code != want {
				t.Errorf("%d: got %s, want %s", i, code, want)
			}
		}
	}
	if n := s.members(org); n != 2 {
		t.Errorf("the organization has %d members", n)
	}
	lines := slices.DeleteFunc(s.auditLines()[before:],
		func(e auditlog.Row) bool { return e.Account.String() != boss.token })
	if len(lines) != 1 || lines[0].Action != model.ActionUserLookup || string(lines[0].Chain) != org {
		t.Errorf("dry runs left %+v", lines)
	}
	wantResults(t, boss.mustCreateMany(org, users, requestID("r")), "made", "address_taken", "address_taken",
		"email_invalid", "made", "field_invalid")
	results := boss.post("/v2/user/bulk", fields{"users": users[:1], "dry_run": true}, in(org), requestID("r")).reply()
	results.at("results", 0).wantFields(fields{"repeated": true})
}

func TestManyPeopleThatCannotBeMadeAtAll(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	many := func(n int) (users []fields) {
		for i := range n {
			users = append(users, fields{"username": "user" + number(i), "title": strings.Repeat("t", 256),
				"emails": []string{"user" + number(i) + "@example.com"}, "first_name": strings.Repeat("ä", 256),
				"last_name": strings.Repeat("b", 256), "department": strings.Repeat("d", 256)})
		}
		return users
	}
	for what, c := range map[string]struct {
		users any
		code  string
	}{
		"none":       {nil, "users_required"},
		"an empty":   {[]any{}, "users_required"},
		"too many":   {many(501), "too_many_users"},
		"an object":  {fields{"username": "ann"}, "field_invalid"},
		"a text":     {"ann", "field_invalid"},
		"a number":   {5, "field_invalid"},
		"texts":      {[]string{"ann"}, "field_invalid"},
		"lists":      {[]any{fields{"username": "ann"}, []any{}}, "field_invalid"},
		"null in it": {[]any{nil}, "field_invalid"},
	} {
		got := s.operator.post("/v2/user/bulk", fields{"users": c.users}, in(org)).wantError(400, c.code)
		if field := got.value().text("error", "field"); field != "users" {
			t.Errorf("%s: the field is %q", what, field)
		}
	}
	s.operator.post("/v2/user/bulk", fields{"users": many(1)}).wantError(400, "organization_required").
		wantField("TT-X-Organization-Key")
	s.operator.post("/v2/user/bulk", fields{"users": many(1), "dry_run": "maybe"}, in(org)).
		wantError(400, "field_invalid").wantField("dry_run")
	s.operator.post("/v2/user/bulk", fields{"users": many(1)}, in(org), requestID(strings.Repeat("x", 129))).
		wantError(400, "request_id_invalid")
	if n := s.members(org); n != 1 {
		t.Errorf("the organization has %d members", n)
	}
	// 500 of them fit into a body, and those of a form are the same.
	for i, r := range s.operator.mustCreateMany(org, many(500), requestID(strings.Repeat("x", 128))) {
		if !r.has("user") {
			t.Fatalf("%d: %s", i, r)
		}
	}
	s.operator.post("/v2/user/bulk", fields{"users": many(500), "x": strings.Repeat("x", 1<<20)}, in(org)).
		wantError(413, "body_too_large")
	got := s.operator.do("POST", "/v2/user/bulk", form("users", `[{"username":"in_a_form"}]`), in(org))
	wantResults(t, got.want(200).reply().list("results"), "made")
}

// Each person counts as a call, and leaves a line of its own.
func TestManyPeopleCountAndLeaveALineEach(t *testing.T) {
	t.Parallel()
	s := start(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 10, 100 })
	org := s.mustCreateOrganization("Clinic")
	s.clock.Advance(time.Minute)
	users := []fields{{"username": "operator2"}, {"username": "ann"}, {"username": "ann"}, {"username": "bob"}}
	for i := range 8 {
		users = append(users, fields{"username": "user" + number(i)})
	}
	before := len(s.auditLines())
	answer := s.operator.post("/v2/user/bulk", fields{"users": users}, in(org)).want(200)
	answer.wantHeader("RateLimit-Remaining", number(100-len(users)))
	outcomes := map[string]int{}
	lines := s.auditLines()
	slices.SortFunc(lines, func(a, b auditlog.Row) int { return a.Time.Compare(b.Time.Time) })
	for _, e := range lines[before:] {
		if e.Action != model.ActionUserCreate || string(e.Organization) != org && e.Outcome == model.AuditOK ||
			e.Account.String() != s.operator.token {
			t.Errorf("the call left %+v", e.AuditEntry)
		}
		outcomes[e.Outcome]++
	}
	if outcomes[model.AuditOK] != len(users)-1 || outcomes["address_taken"] != 1 {
		t.Errorf("the lines are %v", outcomes)
	}
}

// Somebody may be called as the segment of a path is.
func TestAUserMayBeCalledBulk(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	bulk := s.mustCreate(org, "bulk")
	s.operator.get("/v2/user/bulk").reply().wantFields(fields{"token": bulk.token})
	bulk.get("/v2/user/bulk/organization").want(200)
	bulk.do("PUT", "/v2/user/bulk").want(405).wantHeader("Allow", "POST")
}
