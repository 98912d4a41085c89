package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/testenv"
)

// history reads a page of a conversation: the texts, and whether there are more.
func (p *person) history(entity, query string, options ...option) (texts []string, more bool) {
	p.t.Helper()
	page := p.get("/v2/conversation/"+entity+"/message?"+query, options...).reply()
	for _, m := range page.list("results") {
		texts = append(texts, m.text("body"))
	}
	return texts, page.at("metadata", "more").v.(bool)
}

// conversations reads all pages of the list, and returns the entities' tokens.
func (p *person) conversations(query string, options ...option) (entries []value) {
	p.t.Helper()
	for next := ""; ; {
		page := p.get("/v2/conversation?"+query+next, options...).reply()
		entries = append(entries, page.list("results")...)
		if !page.at("metadata").has("continuation") {
			return entries
		}
		next = "&continuation=" + page.text("metadata", "continuation")
	}
}

func entitiesOf(entries []value) (tokens []string) {
	for _, e := range entries {
		tokens = append(tokens, e.text("entity", "token"))
	}
	return tokens
}

func TestConversationsHaveEveryField(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.get("/v2/conversation").reply().wantIs(fields{"results": []any{}, "metadata": fields{}})
	group := c.alice.mustCreateGroup("G", c.bob)
	c.alice.mustSend(c.bob.token, "first")
	c.alice.mustSend(c.carl.token, "to carl")
	last := c.bob.mustSend(c.alice.token, "second", "priority", 1)
	c.alice.post("/v2/mute/p2p", fields{"sender_token": c.bob.token, "duration": 60}).want(204)
	found := c.alice.conversations("")
	if got, want := entitiesOf(found), []string{c.bob.token, c.carl.token, group}; !slices.Equal(got, want) {
		t.Fatalf("the conversations are %v, want %v", got, want)
	}
	message := c.alice.get("/v2/message/" + last).reply()
	found[0].wantFields(fields{"organization_id": c.org, "unread_count": 1, "unread_priority_count": 1, "muted": true,
		"sort_number": message.int("sort_number"), "last_message": message.v})
	found[0].at("entity").wantFields(fields{"type": "tigertext:entity:account", "xmlns": "tigertext:entity:account",
		"display_name": "Bob"})
	found[1].wantFields(fields{"unread_count": 0, "muted": false})
	found[1].at("last_message").wantFields(fields{"body": "to carl", "status": "New"})
	found[2].wantFields(fields{"sort_number": 0, "unread_count": 0}, "last_message")
	found[2].at("entity").wantFields(fields{"type": "tigertext:entity:group", "name": "G",
		"members": []string{c.alice.token, c.bob.token}})
}

func TestConversationsComeInPages(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var want []string
	for i := range 5 {
		group := c.alice.mustCreateGroup(fmt.Sprint("G", i), c.bob)
		c.bob.mustSend(group, "x")
		want = append(want, group)
	}
	slices.Reverse(want)
	for _, size := range []int{1, 2, 5, 6} {
		if got := entitiesOf(c.alice.conversations(fmt.Sprint("page_size=", size))); !slices.Equal(got, want) {
			t.Errorf("in pages of %d: got %v, want %v", size, got, want)
		}
	}
	first := c.alice.get("/v2/conversation?page_size=2").reply()
	next := first.text("metadata", "continuation")
	t.Run("what is added meanwhile moves nothing", func(t *testing.T) {
		c.bob.mustSend(want[4], "y") // one of the next page goes to the top
		c.bob.mustSend(c.alice.token, "z")
		got := entitiesOf(c.alice.conversations("page_size=2&continuation=" + next))
		if !slices.Equal(got, want[2:4]) {
			t.Errorf("got %v, want %v", got, want[2:4])
		}
	})
	t.Run("a changed continuation is refused", func(t *testing.T) {
		other := map[bool]string{true: "A", false: "B"}[next[0] != 'A']
		for _, text := range []string{"x", next[1:], other + next[1:], next + "A"} {
			c.alice.get("/v2/conversation?continuation="+text).wantError(400, "continuation_invalid").wantField("continuation")
		}
		c.bob.get("/v2/conversation?continuation="+next).wantError(400, "continuation_invalid")
		c.alice.get("/v2/conversation?continuation="+next, in(c.org)).wantError(400, "continuation_invalid")
	})
	t.Run("sizes", func(t *testing.T) {
		for _, size := range []string{"0", "201", "x", "-1"} {
			c.alice.get("/v2/conversation?page_size=" + size).want(400).wantField("page_size")
		}
	})
	t.Run("the header narrows to one organization", func(t *testing.T) {
		elsewhere := c.mustCreateOrganization("Elsewhere")
		c.operator.mustJoin(elsewhere, c.alice)
		c.operator.mustJoin(elsewhere, c.bob)
		c.bob.mustSend(c.alice.token, "there", "recipient_organization", elsewhere)
		for _, e := range c.alice.conversations("", in(elsewhere)) {
			e.wantFields(fields{"organization_id": elsewhere})
			e.at("last_message").wantFields(fields{"body": "there"})
		}
		if n := len(c.alice.conversations("", in(c.org))); n != 6 {
			t.Errorf("%d conversations in the first organization, want 6", n)
		}
		stranger := c.mustCreateStranger("stranger")
		wantSameAnswer(stranger.get("/v2/conversation", in(c.org)).wantMissing(),
			stranger.get("/v2/conversation", in(randomOrganization())).wantMissing())
	})
}

func TestHistoryComesInPages(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var sorts []int64
	for i := range 5 {
		from, to := c.alice, c.bob
		if i%2 == 1 {
			from, to = to, from
		}
		id := from.mustSend(to.token, fmt.Sprint(i))
		sorts = append(sorts, from.get("/v2/message/"+id).reply().int("sort_number"))
	}
	c.carl.mustSend(c.alice.token, "another conversation")
	if !slices.IsSorted(sorts) {
		t.Errorf("the sort numbers are %v", sorts)
	}
	for query, want := range map[string]string{
		"":                                      "4 3 2 1 0 false",
		"limit=5":                               "4 3 2 1 0 false",
		"limit=2":                               "4 3 true",
		fmt.Sprint("limit=2&before=", sorts[3]): "2 1 true",
		fmt.Sprint("limit=2&before=", sorts[2]): "1 0 false",
		fmt.Sprint("before=", sorts[0]):         "false",
		fmt.Sprint("after=", sorts[1]):          "2 3 4 false",
		fmt.Sprint("limit=2&after=", sorts[1]):  "2 3 true",
		fmt.Sprint("limit=1&after=", sorts[3]):  "4 false",
		fmt.Sprint("after=", sorts[4]):          "false",
		"limit=2&after=0":                       "0 1 true",
	} {
		for _, p := range []*person{c.alice, c.bob} {
			other := map[*person]*person{c.alice: c.bob, c.bob: c.alice}[p]
			for _, address := range []string{other.token, other.name} {
				texts, more := p.history(address, query)
				if got := strings.Join(append(texts, fmt.Sprint(more)), " "); got != want {
					t.Errorf("%s with %q: got %q, want %q", p.name, query, got, want)
				}
			}
		}
	}
	path := "/v2/conversation/" + c.bob.token + "/message?"
	c.alice.get(path+"before=1&after=1").wantError(400, "before_and_after").wantField("after")
	for query, field := range map[string]string{"before=x": "before", "after=-1": "after", "after=1.5": "after",
		"limit=0": "limit", "limit=201": "limit", "before=1&before=2": "before",
		"before=9223372036854775808": "before"} {
		c.alice.get(path + query).want(400).wantField(field)
	}
	// Nothing was marked by all that.
	c.alice.wantEvents("message", "message", "message")
	c.bob.wantEvents("message", "message", "message")
	c.alice.conversations("")[1].wantFields(fields{"unread_count": 2})
}

// TestHistoryIsForThoseInIt: to everybody else an entity with messages is like none.
func TestHistoryIsForThoseInIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob)
	c.alice.mustSend(group, "x")
	c.alice.mustSend(c.bob.token, "y")
	for _, p := range []*person{stranger, c.carl} {
		for _, path := range []string{"/message", "/message?after=0"} {
			wantSameAnswer(p.get("/v2/conversation/"+group+path).wantMissing(),
				p.get("/v2/conversation/"+randomToken()+path).wantMissing())
		}
		wantSameAnswer(p.post("/v2/conversation/"+group+"/read", fields{"up_to": 1}).wantMissing(),
			p.post("/v2/conversation/"+randomToken()+"/read", fields{"up_to": 1}).wantMissing())
	}
	for _, address := range []string{c.bob.token, c.bob.name, "bob@example.com"} {
		stranger.get("/v2/conversation/" + address + "/message").wantMissing()
		stranger.get("/v2/conversation/"+address+"/message", in(c.org)).wantMissing()
	}
	if texts, _ := c.carl.history(c.bob.token, ""); len(texts) != 0 {
		t.Errorf("a colleague reads %v", texts)
	}
	if texts, _ := c.operator.history(c.bob.token, ""); len(texts) != 0 {
		t.Errorf("an operator reads %v", texts)
	}
}

// TestHistoryOfAScopedKey: it sees its organization, and no other.
func TestHistoryOfAScopedKey(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	h.ben.mustSend(h.chief.token, "patient 4711")
	group := h.ben.mustCreateGroup("Ward", h.own)
	h.ben.mustSend(group, "patient 4712")
	if n := len(h.own.conversations("")); n != 2 {
		t.Fatalf("the account has %d conversations, want 2", n)
	}
	if n := len(h.chief.conversations("")); n != 0 {
		t.Errorf("the scoped key sees %d conversations of another organization", n)
	}
	h.chief.get("/v2/conversation", in(h.two)).wantMissing()
	for _, entity := range []string{h.ben.token, group, "ben"} {
		for _, options := range [][]option{nil, {in(h.two)}} {
			h.chief.get("/v2/conversation/"+entity+"/message", options...).wantMissing()
			h.chief.post("/v2/conversation/"+entity+"/read", fields{"up_to": 1 << 60}, options...).wantMissing()
		}
	}
	h.own.conversations("")[0].wantFields(fields{"unread_count": 1})
}

func TestReadingAConversation(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	read := func(p *person, entity string, upTo int64) {
		t.Helper()
		p.post("/v2/conversation/"+entity+"/read", fields{"up_to": upTo}).want(204)
	}
	var ids []string
	var sorts []int64
	for i := range 3 {
		id := c.alice.mustSend(c.bob.token, fmt.Sprint(i))
		ids = append(ids, id)
		sorts = append(sorts, c.alice.get("/v2/message/"+id).reply().int("sort_number"))
	}
	own := c.bob.mustSend(c.alice.token, "own")
	other := c.carl.mustSend(c.bob.token, "of another conversation")
	c.alice.forgetEvents()
	read(c.bob, c.alice.token, sorts[1])
	for i, e := range c.alice.wantEvents("message:status", "message:status") {
		e.wantFields(fields{"client_id": ids[i], "status": "Read", "account_id": c.bob.token})
	}
	for i, want := range []string{"Read", "Read", "New"} {
		c.bob.get("/v2/message/" + ids[i]).reply().wantFields(fields{"status": want})
	}
	c.bob.get("/v2/message/" + other).reply().wantFields(fields{"status": "New"})
	c.bob.get("/v2/message/" + own).reply().wantFields(fields{"status": "New"})
	c.bob.get("/v2/user/me/message/unread_count").reply().wantFields(fields{"unread_count": 2})
	read(c.bob, c.alice.token, sorts[1])
	c.alice.wantEvents("message:status", "message:status") // again changes nothing
	read(c.bob, "alice", 1<<62)
	c.alice.wantEvents("message:status", "message:status", "message:status")

	path := "/v2/conversation/" + c.alice.token + "/read"
	c.bob.post(path, fields{}).wantError(400, "up_to_required").wantField("up_to")
	c.bob.post(path, fields{"up_to": "x"}).want(400).wantField("up_to")
	c.bob.post(path, fields{"up_to": -1}).want(400).wantField("up_to")
	c.bob.do("POST", path, form("up_to", "1")).want(204)
	c.bob.post("/v2/conversation/"+randomToken()+"/read", fields{"up_to": 1}).wantMissing()

	t.Run("of a group, also after leaving it", func(t *testing.T) {
		group := c.alice.mustCreateGroup("G", c.bob, c.carl)
		c.alice.mustSend(group, "one")
		c.bob.mustSend(group, "two")
		c.alice.forgetEvents()
		c.bob.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
		c.alice.forgetEvents()
		read(c.bob, group, 1<<62)
		c.alice.wantEvents("group:message:status")
		read(c.carl, group, 1<<62)
		c.alice.wantEvents("group:message:status", "group:message:status")
		c.carl.get("/v2/user/me/message/unread_count").reply().wantFields(fields{"unread_count": 0})
	})
	t.Run("of very many messages", func(t *testing.T) {
		const many = 230 // more than are marked in one transaction
		for i := range many {
			c.carl.mustSend(c.alice.token, fmt.Sprint(i))
		}
		c.carl.forgetEvents()
		read(c.alice, c.carl.token, 1<<62)
		c.alice.get("/v2/user/me/message/unread_count").reply().wantFields(fields{"unread_count": 2})
		if n := len(c.carl.get("/v2/events?limit=1000").reply().list()); n != many {
			t.Errorf("the sender has %d events, want %d", n, many)
		}
	})
}

// TestHistoryAndCallTwelveAgree: a message is in the history of its conversation if, and only
// if, GET /message/:id answers it, and both show it alike, after all that can become of it.
func TestHistoryAndCallTwelveAgree(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	plain := c.alice.mustCreateGroup("plain", c.bob)
	open := c.alice.mustCreateGroupAs(fields{"name": "open", "replay_history": true}, c.bob)
	var ids []string
	place := map[string][2]string{} // of a message: the entity for its sender, and for others
	send := func(from *person, to, other string, more ...any) string {
		t.Helper()
		id := from.mustSend(to, fmt.Sprint(len(ids)), more...)
		ids = append(ids, id)
		place[id] = [2]string{to, other}
		return id
	}
	sender := map[string]*person{}
	people := []*person{c.alice, c.bob, c.carl}
	check := func(what string) {
		t.Helper()
		for _, p := range people {
			seen := map[string][]string{}
			for _, id := range ids {
				entity := place[id][1]
				if sender[id] == p {
					entity = place[id][0]
				}
				found := p.get("/v2/message/" + id)
				if _, known := seen[entity]; !known {
					seen[entity] = []string{}
					a := p.get("/v2/conversation/"+entity+"/message?limit=200", in(c.org))
					if a.StatusCode == 200 {
						for _, m := range a.reply().list("results") {
							seen[entity] = append(seen[entity], m.text("message_id"))
							p.get("/v2/message/" + m.text("message_id")).reply().wantIs(m.v)
						}
					} else {
						a.wantMissing()
					}
				}
				if got := slices.Contains(seen[entity], id); got != (found.StatusCode == 200) {
					t.Errorf("%s: message %s of %s: GET answers %d, its history has it: %v", what, id, p.name,
						found.StatusCode, got)
				}
			}
		}
	}
	all := func() {
		for _, more := range [][]any{nil, {"ttl", 1}, {"dor", true}} {
			for _, from := range []*person{c.alice, c.bob} {
				other := c.bob
				if from == c.bob {
					other = c.alice
				}
				sender[send(from, other.token, from.token, more...)] = from
				for _, group := range []string{plain, open} {
					sender[send(from, group, group, more...)] = from
				}
			}
		}
	}
	all()
	check("at first")
	c.alice.post("/v2/group/"+plain+"/members", fields{"members": c.carl.token}).want(204)
	c.alice.post("/v2/group/"+open+"/members", fields{"members": c.carl.token}).want(204)
	c.settle()
	check("when one has joined")
	all()
	c.alice.delete("/v2/message/" + ids[0]).want(204)
	c.bob.delete("/v2/message/" + ids[4]).want(204)
	check("after recalls")
	c.bob.post("/v2/conversation/"+c.alice.token+"/read", fields{"up_to": 1 << 62}).want(204)
	c.bob.post("/v2/conversation/"+open+"/read", fields{"up_to": 1 << 62}).want(204)
	check("when it is read")
	c.clock.Advance(time.Minute)
	check("when some have ended")
	c.mustSweep()
	check("when they are swept")
	c.bob.delete("/v2/roster/"+open, in(c.org)).want(204)
	c.bob.delete("/v2/roster/"+c.alice.token, in(c.org)).want(204)
	all2 := func() {
		sender[send(c.alice, open, open)] = c.alice
		sender[send(c.alice, c.bob.token, c.alice.token)] = c.alice
	}
	all2()
	check("when one has left and removed")
	c.alice.post("/v2/group/"+open+"/members", fields{"members": c.bob.token}).want(204)
	c.settle()
	all2()
	check("when it is back")
	c.alice.delete("/v2/group/" + plain).want(204)
	check("when a group is deleted")
	c.operator.delete(c.bob.path("/organization/" + c.org)).want(204)
	check("when one has left the organization")
	c.operator.mustJoin(c.org, c.bob)
	check("when it is in it again")
}

// TestHistoryPagesWhileOthersAct: what is there all the while comes exactly once.
func TestHistoryPagesWhileOthersAct(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	r := rand.New(rand.NewPCG(1, 2))
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	type sent struct {
		id    string
		sort  int64
		short bool
	}
	var all []sent
	send := func() {
		from := []*person{c.alice, c.bob, c.carl}[r.IntN(3)]
		short := r.IntN(4) == 0
		more := []any{}
		if short {
			more = append(more, "ttl", 1)
		}
		id := from.mustSend(group, "x", more...)
		all = append(all, sent{id, from.get("/v2/message/" + id).reply().int("sort_number"), short})
		if r.IntN(6) == 0 {
			from.delete("/v2/message/" + id).want(204)
		}
	}
	for range 5 {
		for range 30 {
			send()
		}
		begun := slices.Clone(all)
		for _, oldest := range []bool{false, true} {
			var got []string
			last := int64(-1)
			for {
				query := fmt.Sprint("limit=", 1+r.IntN(7))
				if oldest {
					query += fmt.Sprint("&after=", max(last, 0))
				} else if last >= 0 {
					query += fmt.Sprint("&before=", last)
				}
				page := c.bob.get("/v2/conversation/" + group + "/message?" + query).reply()
				for _, m := range page.list("results") {
					got = append(got, m.text("message_id"))
					last = m.int("sort_number")
				}
				if page.at("metadata", "more").v == false {
					break
				}
				if len(all) < len(begun)+40 {
					send()
				}
				c.clock.Advance(time.Duration(r.IntN(3)) * time.Second)
				if r.IntN(5) == 0 {
					c.mustSweep()
				}
			}
			for i, id := range got {
				if slices.Contains(got[i+1:], id) {
					t.Fatalf("message %s came twice", id)
				}
			}
			for _, m := range begun {
				if !m.short && !slices.Contains(got, m.id) {
					t.Fatalf("message %s did not come", m.id)
				}
			}
		}
		c.clock.Advance(time.Minute)
	}
}
