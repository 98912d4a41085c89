package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/testenv"
)

// page reads messages and notes of a group, each as a short text, and of the last the place.
func (p *person) page(group, query string) (said []string, last int64, more bool) {
	p.t.Helper()
	page := p.get("/v2/conversation/" + group + "/message?notes=true&" + query).reply()
	for _, e := range page.list("results") {
		last = e.int("sort_number")
		said = append(said, saidBy(e))
	}
	return said, last, page.at("metadata", "more").v.(bool)
}

// saidBy is the text of a message, or "caller event subjects name".
func saidBy(e value) string {
	if !e.has("note") {
		return e.text("body")
	}
	n := e.at("note")
	words := []string{n.text("event")}
	if n.has("caller_name") {
		words = append([]string{n.text("caller_name")}, words...)
	}
	for _, s := range n.list("subjects") {
		words = append(words, s.text("name"))
	}
	if n.has("name") {
		words = append(words, n.text("name"))
	}
	return strings.Join(words, " ")
}

// wantNoted checks all that a person sees of a group, the oldest first.
func (p *person) wantNoted(when, group string, want ...string) {
	p.t.Helper()
	got, _, more := p.page(group, "after=0&limit=200")
	if !slices.Equal(got, want) || more {
		p.t.Errorf("%s, %s sees\n%q, want\n%q", when, p.name, got, want)
	}
}

func (p *person) changeGroup(group string, f fields) {
	p.t.Helper()
	p.post("/v2/group/"+group, f).want(204)
}

func (p *person) moveMembers(call, group string, members ...*person) {
	p.t.Helper()
	var tokens []string
	for _, m := range members {
		tokens = append(tokens, m.token)
	}
	p.post("/v2/group/"+group+call, fields{"members": tokens}).want(204)
}

// sortsOfEvents are the numbers of the events of a kind that are queued, which are forgotten.
func (p *person) sortsOfEvents(kind string) (sorts []int64) {
	p.t.Helper()
	for _, e := range ofKind(p.events("limit=1000"), kind) {
		sorts = append(sorts, e.int("sort_number"))
	}
	p.forgetEvents()
	return sorts
}

func TestNotesTellWhatChangesOfAGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	first := c.alice.get("/v2/conversation/" + group + "/message?notes=true").reply().list("results")
	first[0].wantIs(fields{"sort_number": first[0].int("sort_number"), "created_time": first[0].text("created_time"),
		"note": fields{"event": "created", "caller_token": c.alice.token, "caller_name": "Alice", "subjects": []any{
			fields{"token": c.alice.token, "name": "Alice"}, fields{"token": c.bob.token, "name": "Bob"}},
			"num_subjects": 2, "name": "G"}})
	want := []string{"Alice created Alice Bob G"}
	live := c.bob.sortsOfEvents("bang")
	for _, step := range []struct {
		do    func()
		kind  string // of the event that tells it
		noted string
	}{
		{func() { c.bob.moveMembers("/members", group, c.carl) }, "bang", "Bob added Carl"},
		{func() { c.alice.changeGroup(group, fields{"name": "H"}) }, "update", "Alice renamed H"},
		{func() { c.alice.changeGroup(group, fields{"replay_history": true}) }, "update", "Alice history_on"},
		{func() { c.alice.changeGroup(group, fields{"replay_history": false}) }, "update", "Alice history_off"},
		{func() { c.alice.changeGroup(group, fields{"is_public": true}) }, "update", "Alice public"},
		{func() { c.alice.changeGroup(group, fields{"is_public": false}) }, "update", "Alice private"},
		{func() { c.alice.moveMembers("/members/remove", group, c.carl) }, "bang", "Alice removed Carl"},
		{func() { c.bob.moveMembers("/members", group, c.carl) }, "bang", "Bob added Carl"},
		{func() { c.carl.moveMembers("/members/remove", group, c.carl) }, "bang", "Carl left Carl"},
		{func() { c.bob.moveMembers("/members", group, c.carl) }, "bang", "Bob added Carl"},
		{func() { c.carl.delete("/v2/roster/" + group).want(204) }, "bang", "Carl left Carl"},
	} {
		step.do()
		want = append(want, step.noted)
		told := c.bob.sortsOfEvents(step.kind)
		if len(told) != 1 {
			t.Fatalf("%s: %d events of kind %s", step.noted, len(told), step.kind)
		}
		live = append(live, told...)
	}
	c.bob.wantNoted("after all", group, want...)
	var sorts []int64
	for _, e := range c.bob.get("/v2/conversation/" + group + "/message?notes=true&after=0").reply().list("results") {
		sorts = append(sorts, e.int("sort_number"))
	}
	if !slices.Equal(sorts, live) {
		t.Errorf("the notes have the places %v, and the events %v", sorts, live)
	}

	// What changes nothing leaves nothing, and the events of what no note tells have no place.
	c.alice.changeGroup(group, fields{"name": "H", "is_public": false, "replay_history": false})
	c.alice.moveMembers("/members", group, c.bob)
	c.alice.moveMembers("/members/remove", group, c.carl)
	c.alice.changeGroup(group, fields{"description": "new"})
	c.bob.wantNoted("after what changes nothing", group, want...)
	c.bob.wantEvents("update")[0].wantFields(fields{"caller_token": c.alice.token}, "sort_number")

	// They count nowhere, and who does not ask for them sees nothing of them.
	if said, _ := c.bob.history(group, ""); len(said) != 0 {
		t.Errorf("without asking, there are %q", said)
	}
	found := c.bob.conversations("")
	found[0].wantFields(fields{"unread_count": 0, "sort_number": 0}, "last_message")
	c.bob.get("/v2/conversation/"+group+"/message?notes=maybe").wantError(400, "field_invalid").wantField("notes")
	c.bob.mustSend(c.alice.token, "x")
	if said, _, _ := c.bob.page(c.alice.token, ""); !slices.Equal(said, []string{"x"}) {
		t.Errorf("with a person there are %q", said)
	}
	// Who administers sees the group, and nothing that is said.
	if said, _, _ := c.operator.page(group, ""); len(said) != 0 {
		t.Errorf("an administrator who is no member sees %q", said)
	}
	for _, group := range []string{group, randomToken()} { // a stranger gets what it gets today
		c.carl.get("/v2/conversation/" + group + "/message?notes=true").wantMissing()
	}
}

// One call may change several things; each has a note, and the update has the place of the last.
func TestACallThatChangesSeveralThingsLeavesANoteOfEach(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	c.alice.forgetEvents()
	c.alice.changeGroup(group, fields{"name": "H", "members": []string{c.carl.token}, "is_public": true,
		"replay_history": true})
	want := []string{"Alice created Alice Bob G", "Alice removed Bob", "Alice added Carl", "Alice renamed H",
		"Alice history_on", "Alice public"}
	c.alice.wantNoted("after the call", group, want...)
	c.carl.wantNoted("after it was added with the history, which is on since the call", group, want[1:]...)
	_, last, _ := c.alice.page(group, "after=0")
	if told := c.alice.sortsOfEvents("update"); len(told) != 1 || told[0] != last {
		t.Errorf("the updates have the places %v, the last note %d", told, last)
	}
	c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{c.bob.token}}).want(204)
	c.bob.wantNoted("with the history", group, append(want, "Alice added Bob")...)
}

// Who could see a message that was sent then sees the note.
func TestNotesAreForThoseWhoCouldSeeAMessage(t *testing.T) {
	t.Parallel()
	for _, history := range []bool{false, true} {
		c := startClinic(t)
		group := c.alice.mustCreateGroupAs(fields{"name": "G", "replay_history": history}, c.bob)
		say := func(text string) {
			c.alice.mustSend(group, text)
			c.alice.changeGroup(group, fields{"name": text + "!"})
		}
		say("one")
		c.alice.moveMembers("/members/remove", group, c.bob)
		say("two")
		c.alice.moveMembers("/members", group, c.bob, c.carl)
		say("three")
		all := []string{"Alice created Alice Bob G", "one", "Alice renamed one!", "Alice removed Bob", "two",
			"Alice renamed two!", "Alice added Bob Carl", "three", "Alice renamed three!"}
		c.alice.wantNoted("as a member", group, all...)
		bob, carl := all, all
		if !history {
			bob, carl = slices.Concat(all[:3], all[6:]), all[6:]
		}
		c.settle()
		c.bob.wantNoted("as a member who was away", group, bob...)
		c.carl.wantNoted("as a member who came later", group, carl...)

		c.alice.moveMembers("/members/remove", group, c.bob)
		say("four")
		c.bob.wantNoted("after leaving", group, bob...)
		c.alice.moveMembers("/members", group, c.bob)
		c.settle()
		c.bob.removeFromRoster(group, c.org)
		c.bob.get("/v2/conversation/" + group + "/message?notes=true").wantMissing()
		c.alice.moveMembers("/members", group, c.bob)
		c.settle()
		got, _, _ := c.bob.page(group, "after=0")
		want := []string{"Alice added Bob"}
		if history { // written while it was no member, after it had removed the rest
			want = []string{"Bob left Bob", "Alice added Bob"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("history %v: after it removed the group, it sees %q, want %q", history, got, want)
		}
	}
}

// Pages of messages and notes, of any size and from any place, neither skip nor repeat.
func TestMessagesAndNotesComeInPages(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	random := rand.New(rand.NewPCG(1, 2))
	group := c.alice.mustCreateGroup("G", c.bob)
	all := []string{"Alice created Alice Bob G"}
	for i := range 40 {
		if random.IntN(2) == 0 {
			c.bob.mustSend(group, fmt.Sprint("m", i))
			all = append(all, fmt.Sprint("m", i))
		} else {
			c.bob.changeGroup(group, fields{"name": fmt.Sprint("n", i)})
			all = append(all, fmt.Sprint("Bob renamed n", i))
		}
	}
	for _, limit := range []int{1, 2, 3, 7, 40, 41, 42, 200} {
		for _, oldest := range []bool{false, true} {
			want, place := slices.Clone(all), "before=9000000000000000"
			if !oldest {
				slices.Reverse(want)
			} else {
				place = "after=0"
			}
			for more := true; more; {
				var said []string
				var last int64
				said, last, more = c.alice.page(group, fmt.Sprintf("limit=%d&%s", limit, place))
				if n := min(limit, len(want)); !slices.Equal(said, want[:n]) || more != (len(want) > n) {
					t.Fatalf("limit %d, %s: got %q and more=%v, want %q", limit, place, said, more, want[:n])
				}
				want = want[len(said):]
				if place = fmt.Sprint("before=", last); oldest {
					place = fmt.Sprint("after=", last)
				}
			}
		}
	}
}

func TestANoteNamesTwentyOfMany(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.rows = 20 }) // they enter in pieces
	var names []string
	for n := range 30 {
		names = append(names, fmt.Sprint("new", n))
	}
	coming := c.mustCreateAll(c.org, names...)
	group := c.alice.mustCreateGroup("G")
	c.alice.moveMembers("/members", group, coming...)
	for _, p := range []*person{c.alice, coming[0], coming[29]} { // who enters last sees it, too
		page := p.get("/v2/conversation/" + group + "/message?notes=true&limit=1").reply().list("results")
		note := page[0].at("note")
		note.wantFields(fields{"event": "added", "num_subjects": 30})
		if subjects := note.list("subjects"); len(subjects) != 20 || subjects[19].text("token") != coming[19].token {
			t.Errorf("%s sees %d subjects", p.name, len(subjects))
		}
	}
	c.alice.moveMembers("/members/remove", group, coming...)
	c.settle()
	c.alice.get("/v2/conversation/" + group + "/message?notes=true&limit=1").reply().list("results")[0].at("note").
		wantFields(fields{"event": "removed", "num_subjects": 30})
}

// Names stay as they were, and a note goes after a year, with its key, or with its group.
func TestNotesLastAYearOrAsLongAsTheGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group, other := c.alice.mustCreateGroup("G", c.bob), c.alice.mustCreateGroup("O", c.bob)
	c.bob.post("/v2/user/me/settings", fields{"display_name": "Robert"}).want(204)
	c.bob.changeGroup(group, fields{"name": "H"})
	c.alice.wantNoted("after a new name", group, "Alice created Alice Bob G", "Robert renamed H")
	c.alice.changeGroup(other, fields{"name": "P"})

	c.alice.delete("/v2/group/" + other).want(204)
	c.mustSweep()
	if n := c.countRows("notes"); n != 2 {
		t.Errorf("after a group was deleted there are %d notes", n)
	}
	c.clock.Advance(model.NoteLife - time.Second)
	c.alice.wantNoted("a second before their end", group, "Alice created Alice Bob G", "Robert renamed H")
	c.clock.Advance(time.Second)
	c.alice.wantNoted("at their end", group)
	c.mustKeepHouse()
	if notes, names := c.countRows("notes"), c.countRows("note_names"); notes+names != 0 {
		t.Errorf("after their end there are %d notes and %d names", notes, names)
	}
	c.clock.Advance(2 * oneDay)
	c.mustKeepHouse()
	c.mustVerify()

	c.alice.changeGroup(group, fields{"name": "I"})
	c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).want(204)
	c.mustSweep()
	if notes, names := c.countRows("notes"), c.countRows("note_names"); notes+names != 0 {
		t.Errorf("of a deleted organization there are %d notes and %d names", notes, names)
	}
}

// How members end otherwise: by leaving the organization, and by an erasure, after which nothing
// names the erased.
func TestNotesOfThoseWhoLeaveTheOrganizationOrAreErased(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir, f.unsealed = dir, true })
	dave := c.mustCreate(c.org, "dave")
	group := c.alice.mustCreateGroup("G", c.bob, c.carl, dave)
	c.operator.delete(dave.path("/organization/" + c.org)).want(204)
	c.bob.post("/v2/user/me/settings", fields{"display_name": "Needle in hay"}).want(204)
	c.bob.changeGroup(group, fields{"name": "H"})
	other := c.alice.mustCreateGroup("O", c.bob, c.carl)
	c.carl.forgetEvents()
	c.bob.changeGroup(other, fields{"name": "P"})
	c.bob.moveMembers("/members/remove", other, c.bob)
	c.alice.moveMembers("/members/remove", group, c.bob)
	c.alice.moveMembers("/members", group, c.bob)
	root := c.operator.get("/v2/user").reply().text("display_name")
	c.alice.wantNoted("before the erasure", group, "Alice created Alice Bob Carl Dave G", root+" removed Dave",
		"Needle in hay renamed H", "Alice removed Needle in hay", "Alice added Needle in hay")
	if !enginetest.OnPostgres() && len(filesHolding(t, dir, "Needle in hay")) == 0 { // its files are elsewhere
		t.Error("the name is not found: the search finds nothing")
	}
	c.operator.erase(c.bob).want(204)
	want := []string{"Alice created Alice Carl Dave G", root + " removed Dave", "renamed H", "Alice removed",
		"Alice added", root + " removed"}
	c.alice.wantNoted("right after the erasure", group, want...)
	c.alice.get("/v2/conversation/" + group + "/message?notes=true&limit=1").reply().list("results")[0].at("note").
		wantFields(fields{"event": "removed", "num_subjects": 1, "subjects": []any{}})
	c.settle()
	c.mustSweep()
	c.clock.Advance(time.Second)
	c.mustSweep()
	c.alice.wantNoted("after the erasure", group, want...)
	c.wantNoTrace("an erased account", mustParseAccount(t, c.bob.token), "Needle in hay")
	if found := filesHolding(t, dir, "Needle in hay"); len(found) > 0 {
		t.Errorf("the name is still in %v", found)
	}
	updates := ofKind(c.carl.events("limit=1000"), "update") // what the erased did is told still, but not by whom
	if len(updates) != 2 {
		t.Fatalf("%d updates are left, want 2", len(updates))
	}
	updates[0].wantFields(fields{"token": other, "name": "P"}, "caller_token")
	updates[1].wantFields(fields{"token": group, "caller_token": c.operator.token})
	c.carl.wantNoted("of the other group", other, "Alice created Alice Carl O", "renamed P", "left")
}

// countRows counts the rows of a table.
func (s *server) countRows(table string) (n int) {
	s.t.Helper()
	err := s.engine.View(s.t.Context(), func(session store.Session) error {
		return session.Query(`SELECT COUNT(*) FROM `+table, nil, func(row store.Row) error { return row.Scan(&n) })
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}
