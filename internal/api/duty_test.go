package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"signet/internal/store"
)

// handOver does what is due of rotas.
func (s *server) handOver() {
	s.t.Helper()
	if err := s.work.Settle(s.t.Context(), store.HandOver, store.FanOut); err != nil {
		s.t.Fatal(err)
	}
}

// reach lets time pass until a time, and hands over.
func (s *server) reach(at string) {
	s.t.Helper()
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.clock.Advance(t.Sub(s.clock.Now()))
	s.handOver()
}

// turns is a rota of twelve hours each since eight o'clock, before the clock of the tests.
func turns(accounts ...*person) fields {
	var tokens []string
	for _, p := range accounts {
		tokens = append(tokens, p.token)
	}
	return fields{"timezone": "UTC", "rotation": fields{"accounts": tokens, "start": "2026-11-21T08:00:00Z", "hours": 12}}
}

func (p *person) setDuty(group string, f fields) *answer {
	return p.post("/v2/group/"+group+"/duty", f)
}

// wantOnDuty checks who is on duty.
func (p *person) wantOnDuty(when, group string, want ...*person) value {
	p.t.Helper()
	shown := p.get("/v2/group/" + group + "/duty").reply()
	var got, tokens []string
	for _, u := range shown.list("on_duty") {
		got = append(got, u.text("token"))
	}
	for _, w := range want {
		tokens = append(tokens, w.token)
	}
	if !slices.Equal(got, tokens) {
		p.t.Errorf("%s: %v are on duty, want %v", when, got, tokens)
	}
	return shown
}

func TestMembersOfAGroupChangeByItsRota(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	dave := c.mustCreate(c.org, "dave")
	group := c.carl.mustCreateGroup("Cardiology on duty", dave)
	everybody := []*person{c.alice, c.bob, c.carl, dave}
	for _, p := range everybody {
		p.forgetEvents()
	}
	c.carl.setDuty(group, merged(turns(c.alice, c.bob), fields{"always": []string{c.carl.token}})).want(204)
	c.carl.wantMembers("at first", group, c.alice, c.carl)
	c.carl.wantOnDuty("at first", group, c.alice)
	c.carl.get("/v2/group/" + group).reply().wantFields(fields{"duty": true})
	c.alice.wantEvents("friends", "bang", "update")
	dave.wantEvents("friends", "bang")
	c.bob.wantEvents()
	c.alice.mustSend(group, "I am here.")
	for _, p := range everybody {
		p.forgetEvents()
	}

	c.reach("2026-11-21T19:59:59Z")
	c.carl.wantMembers("before the hand-over", group, c.alice, c.carl)
	c.reach("2026-11-21T20:00:00Z")
	c.carl.wantMembers("after the hand-over", group, c.bob, c.carl)
	c.carl.wantOnDuty("after the hand-over", group, c.bob)
	c.alice.wantEvents("friends", "bang")[0].at("friend").wantFields(fields{"action": "del", "token": group})
	came := c.bob.wantEvents("friends", "bang")
	came[0].at("friend").wantFields(fields{"action": "add", "token": group})
	came[1].wantFields(fields{"event": "added"}).at("subject_entity").wantFields(fields{"token": c.bob.token})
	came[1].at("caller_entity").wantFields(fields{"token": c.bob.token})
	told := c.carl.wantEvents("bang", "bang")
	told[0].wantFields(fields{"event": "removed"}).at("subject_entity").wantFields(fields{"token": c.alice.token})
	told[1].wantFields(fields{"event": "added"}).at("subject_entity").wantFields(fields{"token": c.bob.token})
	c.carl.wantNoted("after the hand-over", group, "Carl created Carl Dave Cardiology on duty", "removed Dave",
		"added Alice", "I am here.", "removed Alice", "added Bob")
	c.alice.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing()
	c.bob.mustSend(group, "So am I.")

	// What was missed comes right with the next look, once.
	c.clock.Advance(30*24*time.Hour + 12*time.Hour)
	c.handOver()
	c.handOver()
	c.carl.wantMembers("a month later", group, c.alice, c.carl)
	if jobs := c.countRows("jobs"); jobs != 1 {
		t.Errorf("there are %d jobs, want that of the next hand-over", jobs)
	}
	if counts := c.service.Counts(); counts.HandOvers.Load() != 2 || counts.LateHandOvers.Load() != 1 {
		t.Errorf("%d hand-overs, %d late; want 2 and 1", counts.HandOvers.Load(), counts.LateHandOvers.Load())
	}
}

func TestWithNobodyOnDutyTheFallbackIsAndAdministratorsAreTold(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	dave := c.mustCreate(c.org, "dave")
	group := c.alice.mustCreateGroup("Ward", c.bob)
	c.alice.forgetEvents()
	asked := fields{"account_id": "", "organization_id": c.org, "state": "duty", "group_token": group}
	gap := turns(c.bob)
	gap["rotation"].(fields)["accounts"] = []string{c.bob.token, ""}
	c.alice.setDuty(group, merged(gap, fields{"fallback": []string{dave.token, "carl"}})).want(204)
	c.carl.wantOnDuty("in the first turn", group, c.bob)
	boss.wantEvents()
	c.reach("2026-11-21T20:00:00Z")
	shown := c.carl.wantOnDuty("in a turn of nobody", group)
	if shifts := shown.list("shifts"); len(shifts) != 14 || shifts[0].text("from") != "2026-11-22T08:00:00.000Z" {
		t.Errorf("shifts: %v", shown.at("shifts"))
	}
	dave.wantMembers("in a turn of nobody", group, dave, c.carl)
	for _, p := range []*person{boss, c.alice} { // and who made the group
		ofKind(p.events(), "admin_request")[0].wantFields(asked)
	}
	c.reach("2026-11-22T08:00:00Z")
	c.bob.wantMembers("after it", group, c.bob)
	for _, p := range []*person{boss, c.alice} {
		p.forgetEvents()
	}

	// Somebody who is disabled is not on duty, and again once enabled.
	boss.post(c.bob.path("/disable"), nil).want(204)
	c.handOver()
	dave.wantMembers("while its turn is somebody's who is disabled", group, dave, c.carl)
	boss.wantEvents("admin_request")[0].wantFields(merged(asked, fields{"account_id": c.bob.token}))
	boss.post(c.bob.path("/enable"), nil).want(204)
	c.handOver()
	c.bob.wantMembers("once it is enabled", group, c.bob)
	boss.forgetEvents()

	// The turns of somebody who leaves stay, and are nobody's.
	boss.delete(c.bob.path("/organization/" + c.org)).want(204)
	c.handOver()
	dave.wantMembers("without who has left", group, dave, c.carl)
	dave.get("/v2/group/" + group + "/duty").reply().at("rotation").wantFields(fields{"accounts": []string{"", ""}})
	if len(ofKind(boss.events(), "admin_request")) != 1 {
		t.Error("nobody was told of the turn of somebody who has left")
	}
	c.reach("2026-11-25T08:00:00Z") // it is still nobody: once is enough
	if len(ofKind(boss.events(), "admin_request")) != 1 {
		t.Error("administrators were told again")
	}
}

func TestTheErasedLeaveNoTraceInRotas(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G")
	id := c.bob.id()
	c.alice.setDuty(group, merged(turns(c.bob, c.carl), fields{"always": []string{c.bob.token, c.alice.token},
		"fallback": []string{c.bob.token, c.carl.token}, "overrides": []fields{{"from": "2026-12-01T00:00:00Z",
			"to": "2026-12-02T00:00:00Z", "account": c.bob.token}}})).want(204)
	c.operator.erase(c.bob).want(204)
	c.handOver()
	c.mustSweep()
	c.clock.Advance(time.Second)
	c.mustSweep()
	c.wantNoTrace("an erased account", id, c.bob.token)
	c.alice.wantMembers("after an erasure", group, c.alice, c.carl)
	shown := c.alice.wantOnDuty("after an erasure", group)
	shown.wantFields(fields{"always": []string{c.alice.token}, "fallback": []string{c.carl.token}})
	shown.at("rotation").wantFields(fields{"accounts": []string{"", c.carl.token}})
	shown.at("overrides", 0).wantFields(fields{"account": ""})
	c.alice.setDuty(group, fields{"timezone": "UTC", "rotation": shown.at("rotation").v}).want(204) // as it was read
	c.reach("2026-11-21T20:00:00Z")
	c.carl.wantOnDuty("in the next turn", group, c.carl)
}

func TestMembersOfAGroupWithARotaAreFixed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "is_public": true}, c.bob)
	c.alice.setDuty(group, turns(c.alice)).want(204)
	path := "/v2/group/" + group
	c.alice.post(path+"/members", fields{"members": "bob"}).wantError(400, "duty_fixed").wantField("members")
	c.bob.post(path+"/members", fields{"members": "me"}).wantError(400, "duty_fixed") // it is public
	c.alice.post(path+"/members/remove", fields{"members": "me"}).wantError(400, "duty_fixed")
	c.alice.post(path, fields{"members": []string{"bob"}}).wantError(400, "duty_fixed").wantField("members")
	c.alice.delete("/v2/roster/"+group).wantError(400, "duty_fixed")
	c.alice.post(path, fields{"name": "H", "is_public": true}).want(204)
	c.bob.wantOnDuty("of a public group", group, c.alice)
	all := boss.mustCreateEveryone(c.org, fields{"name": "All"})
	boss.setDuty(all, turns(c.alice)).wantError(400, "everyone_fixed")

	// Without it, it is an ordinary group of those who are in it.
	c.alice.delete(path + "/duty").want(204)
	c.alice.delete(path + "/duty").want(204)
	c.alice.get(path + "/duty").wantMissing()
	c.alice.get(path).reply().wantFields(fields{"num_members": 1}, "duty")
	c.alice.post(path+"/members", fields{"members": "bob"}).want(204)
	c.reach("2026-11-22T20:00:00Z")
	c.bob.wantMembers("without a rota", group, c.alice, c.bob)
	var acts []string
	for _, line := range c.linesOf(c.alice) {
		if a := string(line.Action); strings.HasPrefix(a, "group.duty") {
			acts = append(acts, a)
		}
	}
	wantTexts(t, "in the audit log", acts, "group.duty.set", "group.duty.end")

	// With the group goes its rota.
	c.alice.setDuty(group, turns(c.alice)).want(204)
	c.alice.delete(path).want(204)
	c.alice.get(path + "/duty").wantMissing()
	c.reach("2026-11-24T20:00:00Z")
	c.mustSweep()
	if rows := c.countRows("rotas") + c.countRows("rota_places") + c.countRows("jobs"); rows > 0 {
		t.Errorf("%d rows are left", rows)
	}
}

func TestARotaOfADeletedOrganizationGoes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G")
	c.alice.setDuty(group, merged(turns(c.alice, c.bob), fields{"always": "carl"})).want(204)
	c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).want(204)
	c.reach("2026-11-24T20:00:00Z")
	c.mustSweep()
	if rows := c.countRows("rotas") + c.countRows("rota_places"); rows > 0 {
		t.Errorf("%d rows are left", rows)
	}
}

func TestWhatIsNoRotaIsRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob)
	good := func() fields { return turns(c.alice) }
	rotation := func(name string, value any) func(fields) {
		return func(f fields) { f["rotation"].(fields)[name] = value }
	}
	field := func(name string, value any) func(fields) { return func(f fields) { f[name] = value } }
	for name, r := range map[string]struct {
		code, field string
		spoil       func(fields)
	}{
		"no time zone":         {"timezone_required", "timezone", func(f fields) { delete(f, "timezone") }},
		"another time zone":    {"timezone_unknown", "timezone", field("timezone", "Mars/Olympus")},
		"neither":              {"rota_invalid", "rotation", func(f fields) { delete(f, "rotation") }},
		"no hours":             {"rota_invalid", "rotation", rotation("hours", nil)},
		"no start":             {"rota_invalid", "rotation", rotation("start", nil)},
		"seconds":              {"rota_invalid", "rotation", rotation("start", "2026-11-21T08:00:01Z")},
		"hours in words":       {"field_invalid", "hours", rotation("hours", "many")},
		"a start in words":     {"field_invalid", "start", rotation("start", "soon")},
		"a rotation of texts":  {"field_invalid", "rotation", field("rotation", "nobody")},
		"overrides of texts":   {"field_invalid", "overrides", field("overrides", []string{"x"})},
		"a stranger":           {"members_unknown", "rotation", rotation("accounts", []string{stranger.token})},
		"nobody at all":        {"members_unknown", "always", field("always", []string{"nobody"})},
		"a fallback of nobody": {"members_unknown", "fallback", field("fallback", []string{randomToken()})},
		"an override backwards": {"rota_invalid", "overrides",
			field("overrides", []fields{override(c.bob, 2, 1)})},
		"an override of nobody": {"rota_invalid", "overrides",
			field("overrides", []fields{merged(override(c.bob, 1, 2), fields{"account": ""})})},
		"very many overrides": {"rota_invalid", "overrides",
			field("overrides", slices.Repeat([]fields{override(c.bob, 1, 2)}, 201))},
		"more overrides than are read": {"rota_invalid", "overrides",
			field("overrides", append(slices.Repeat([]fields{pastOverride(c.bob)}, 260),
				slices.Repeat([]fields{override(c.bob, 1, 2)}, 190)...))},
		"overrides without an end": {"rota_invalid", "overrides",
			field("overrides", slices.Repeat([]fields{merged(override(c.bob, 1, 2), fields{"to": nil})}, 201))},
		"a large group": {"too_many_members", "always", field("always", slices.Repeat([]string{c.bob.token}, 2001))},
	} {
		t.Run(name, func(t *testing.T) {
			f := good()
			r.spoil(f)
			c.alice.setDuty(group, f).wantError(400, r.code).wantField(r.field)
		})
	}
	c.alice.get("/v2/group/"+group).reply().wantFields(fields{"num_members": 2}, "duty")
	c.bob.setDuty(group, good()).wantError(403, "not_allowed")
	c.alice.do("POST", "/v2/group/"+group+"/duty", form("timezone", "UTC", "rotation", `{"accounts": "alice,bob", `+
		`"start": "2026-11-21T09:00:00+01:00", "hours": "12"}`, "overrides", "[]", "always", "carl")).want(204)
	c.alice.wantMembers("by a form", group, c.alice, c.carl)
}

// Overrides that were over long ago leave room for new ones.
func TestOldOverridesAreForgotten(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward")
	old := pastOverride(c.bob)
	late := merged(old, fields{"to": "2026-10-21T08:16:00.000Z"})
	given := append(slices.Repeat([]fields{old}, 199), late)
	f := merged(turns(c.bob), fields{"overrides": given})
	c.alice.setDuty(group, f).want(204)
	path := "/v2/group/" + group + "/duty"
	if kept := c.alice.get(path).reply().list("overrides"); len(kept) != 200 {
		t.Errorf("%d overrides are kept", len(kept))
	}
	next := override(c.carl, 1, 2)
	f["overrides"] = append(given, next)
	c.alice.setDuty(group, f).want(204)
	c.alice.get(path).reply().wantFields(fields{"overrides": []fields{late, next}})
}

// pastOverride ended so long ago that it is forgotten where there are many.
func pastOverride(p *person) fields {
	return fields{"from": "2026-10-01T08:00:00.000Z", "to": "2026-10-21T08:15:00.000Z", "account": p.token}
}

func override(p *person, from, to int) fields {
	at := func(hour int) string { return fmt.Sprintf("2026-11-23T%02d:00:00.000Z", hour) }
	return fields{"from": at(from), "to": at(to), "account": p.token}
}

func TestShiftsAreShownAndRead(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward, 7; ☃", c.bob)
	f := merged(turns(c.bob, c.carl), fields{"overrides": []fields{override(c.alice, 10, 12)}})
	c.alice.setDuty(group, f).want(204)
	span := "?from=2026-11-23T00:00:00Z&to=2026-11-23T12:00:00Z"
	shown := c.carl.get("/v2/group/" + group + "/duty" + span).reply()
	want := []fields{
		{"from": "2026-11-22T20:00:00.000Z", "to": "2026-11-23T08:00:00.000Z", "account": c.carl.token, "override": false},
		{"from": "2026-11-23T08:00:00.000Z", "to": "2026-11-23T10:00:00.000Z", "account": c.bob.token, "override": false},
		{"from": "2026-11-23T10:00:00.000Z", "to": "2026-11-23T12:00:00.000Z", "account": c.alice.token, "override": true}}
	shown.at("shifts").wantIs(want)
	shown.wantFields(fields{"timezone": "UTC", "overrides": f["overrides"], "always": []any{}, "fallback": []any{}})
	if people := shown.list("people"); len(people) != 3 {
		t.Errorf("%d people", len(people))
	}
	if shifts := c.carl.get("/v2/group/" + group + "/duty").reply().list("shifts"); len(shifts) != 14*2+1+2 {
		t.Errorf("%d shifts in two weeks", len(shifts))
	}

	a := c.carl.get("/v2/group/"+group+"/duty.ics"+span).want(200).wantHeader("Content-Type",
		"text/calendar; charset=utf-8")
	calendar, err := ics.ParseCalendar(bytes.NewReader(a.content))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{c.alice.token: "Alice", c.bob.token: "Bob", c.carl.token: "Carl"}
	for i, event := range calendar.Events() {
		begins, _ := event.GetStartAt()
		ends, _ := event.GetEndAt()
		summary := ics.FromText(event.GetProperty(ics.ComponentPropertySummary).Value)
		got := fields{"from": begins.Format("2006-01-02T15:04:05.000Z"), "to": ends.Format("2006-01-02T15:04:05.000Z")}
		if got["from"] != want[i]["from"] || got["to"] != want[i]["to"] ||
			summary != "Ward, 7; ☃: "+names[want[i]["account"].(string)] {
			t.Errorf("event %d: %v %q, want %v", i, got, summary, want[i])
		}
	}
	if len(calendar.Events()) != len(want) {
		t.Errorf("%d events, want %d", len(calendar.Events()), len(want))
	}

	for query, field := range map[string]string{"from=soon": "from",
		"from=2026-11-23T00:00:00Z&to=2026-11-23T00:00:00Z": "to",
		"from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00Z": "to", "from=2150-01-01T00:00:00Z": "from"} {
		c.carl.get("/v2/group/" + group + "/duty?" + query).want(400).wantField(field)
	}
}

// A large group moves in pieces, as it does with calls.
func TestARotaOfALargeGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.rows = 20 })
	many := c.mustFillOrganization(c.org, 120)
	group := c.alice.mustCreateGroup("G")
	c.alice.setDuty(group, merged(turns(c.bob, c.carl), fields{"always": append(many, c.alice.token)})).want(204)
	c.handOver()
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"num_members": 122})
	c.reach("2026-11-21T20:00:00Z")
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"num_members": 122})
	c.carl.wantOnDuty("in the next turn", group, c.carl)
	c.alice.delete("/v2/group/" + group + "/duty").want(204)
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"num_members": 122})
}

func TestANewRotaTakesThePlaceOfTheOldOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G")
	for range 5 {
		c.alice.setDuty(group, turns(c.alice, c.bob)).want(204)
	}
	c.alice.setDuty(group, turns(c.bob, c.alice, c.carl)).want(204)
	c.alice.wantOnDuty("at once", group, c.bob)
	c.reach("2026-11-21T20:00:00Z")
	c.alice.wantMembers("at the hand-over", group, c.alice)
	if jobs := c.countRows("jobs"); jobs != 1 {
		t.Errorf("%d jobs are left, want one", jobs)
	}
}
