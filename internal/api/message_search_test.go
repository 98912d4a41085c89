package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// found looks for messages, page after page, and returns their texts, the newest first.
func (p *person) found(f fields, options ...option) (texts []string) {
	p.t.Helper()
	texts = []string{}
	for ask := merged(fields{}, f); ; {
		page := p.post("/v2/conversation/search", ask, options...).reply()
		for _, hit := range page.list("results") {
			texts = append(texts, hit.text("message", "body"))
		}
		if !page.at("metadata").has("continuation") {
			return texts
		}
		ask["continuation"] = page.text("metadata", "continuation")
	}
}

func (p *person) wantFound(f fields, want ...string) {
	p.t.Helper()
	for _, size := range []int{1, 2, 100} {
		if got := p.found(merged(f, fields{"page_size": size})); !slices.Equal(got, want) {
			p.t.Errorf("%v, in pages of %d: found %q, want %q", f, size, got, want)
		}
	}
}

func TestSearchInMessagesLooksThroughAllConversations(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward", c.bob)
	start := c.clock.Now()
	send := func(from *person, to, text string) {
		c.clock.Advance(time.Minute)
		from.mustSend(to, text)
	}
	send(c.alice, c.bob.token, "Potassium 6.1 in bed 12")
	send(c.bob, c.alice.token, "Ärztin: POTASSIUM again?")
	send(c.bob, group, "O’Brien has potassium 5")
	send(c.alice, c.alice.token, "note: potassium")
	send(c.carl, c.alice.token, "no news, 検査結果は明日")
	send(c.carl, c.bob.token, "potassium, for bob")

	c.alice.wantFound(fields{"text": "potas"}, "note: potassium", "O’Brien has potassium 5", "Ärztin: POTASSIUM again?",
		"Potassium 6.1 in bed 12")
	c.bob.wantFound(fields{"text": "POTAS"}, "potassium, for bob", "O’Brien has potassium 5", "Ärztin: POTASSIUM again?",
		"Potassium 6.1 in bed 12")
	c.carl.wantFound(fields{"text": "potassium"}, "potassium, for bob")
	c.alice.wantFound(fields{"text": "bed pot 12"}, "Potassium 6.1 in bed 12")
	c.alice.wantFound(fields{"text": "arzt"}, "Ärztin: POTASSIUM again?")
	c.alice.wantFound(fields{"text": "obrien"}, "O’Brien has potassium 5")
	c.alice.wantFound(fields{"text": "結果"}, "no news, 検査結果は明日")
	c.alice.wantFound(fields{"text": "otassium"})
	c.alice.wantFound(fields{"text": "potassium", "entity": "bob@example.com"}, "Ärztin: POTASSIUM again?",
		"Potassium 6.1 in bed 12")
	c.alice.wantFound(fields{"text": "potassium", "entity": group}, "O’Brien has potassium 5")
	c.alice.wantFound(fields{"text": "potassium", "entity": "me"}, "note: potassium")
	c.alice.wantFound(fields{"text": "potassium", "sender": "bob"}, "O’Brien has potassium 5", "Ärztin: POTASSIUM again?")
	c.alice.wantFound(fields{"text": "potassium", "sender": "me", "entity": c.bob.token}, "Potassium 6.1 in bed 12")
	at := func(minutes int) string {
		return start.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339Nano)
	}
	c.alice.wantFound(fields{"text": "potassium", "since": at(2)}, "note: potassium", "O’Brien has potassium 5",
		"Ärztin: POTASSIUM again?")
	c.alice.wantFound(fields{"text": "potassium", "until": at(3)}, "Ärztin: POTASSIUM again?", "Potassium 6.1 in bed 12")
	c.alice.wantFound(fields{"text": "potassium", "since": at(2), "until": at(3)}, "Ärztin: POTASSIUM again?")
}

func TestSearchInMessagesShowsMessageAndConversation(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward", c.bob)
	first := c.alice.post("/v2/message?response_format=message", fields{"recipient": group, "body": "hello bob"}).reply()
	c.clock.Advance(time.Second)
	second := c.bob.mustReply(group, "hello alice", first.text("message_id"))
	page := c.alice.post("/v2/conversation/search", fields{"text": "hello"}).reply()
	hits := page.list("results")
	hits[0].wantFields(fields{"organization_id": c.org, "message": c.alice.get("/v2/message/" + second).reply().v})
	hits[1].wantFields(fields{"message": c.alice.get("/v2/message/" + first.text("message_id")).reply().v})
	hits[0].at("entity").wantFields(fields{"token": group, "name": "Ward", "type": "tigertext:entity:group"})
	page.at("metadata").wantFields(fields{"searched_to": first.text("created_time")}, "continuation")

	nothing := c.alice.post("/v2/conversation/search", fields{"text": "nowhere"}).reply()
	nothing.wantIs(fields{"results": []any{}, "metadata": fields{"searched_to": first.text("created_time")}})
	c.carl.post("/v2/conversation/search", fields{"text": "hello"}).reply().
		wantIs(fields{"results": []any{}, "metadata": fields{}})

	// A group that one has left keeps the name that it had then.
	c.bob.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
	c.alice.post("/v2/group/"+group, fields{"name": "Renamed"}).want(204)
	left := c.bob.post("/v2/conversation/search", fields{"text": "hello"}).reply().list("results")
	left[0].at("entity").wantFields(fields{"token": group, "name": "Ward", "num_members": 0})
}

func TestSearchInMessagesFindsFiles(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	attach := func(name, text string) {
		c.alice.do("POST", "/v2/message", parts(map[string]string{"recipient": c.bob.token, "body": text},
			file{"attachment", name, "text/plain", []byte("what is in it: magnesium")})).want(204)
	}
	attach("Lab report.pdf", "with a name")
	attach("scan.png", "the report")
	c.alice.mustSend(c.bob.token, "a report without")
	c.bob.wantFound(fields{"has": "attachment"}, "the report", "with a name")
	c.bob.wantFound(fields{"text": "report"}, "a report without", "the report", "with a name")
	c.bob.wantFound(fields{"text": "report", "has": "attachment"}, "the report", "with a name")
	c.bob.wantFound(fields{"text": "name pdf"}, "with a name") // one word of the body, one of the file's name
	c.bob.wantFound(fields{"text": "magnesium"})
}

// What is over for the reader is found by nobody, and nothing that goes once it was read.
func TestSearchInMessagesFindsNothingThatIsGone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward", c.bob)
	c.alice.mustSend(group, "secret, before carl")
	c.alice.mustSend(c.bob.token, "secret, expires", "ttl", 1)
	c.alice.mustSend(c.bob.token, "secret, to be read", "dor", true)
	c.alice.delete("/v2/message/" + c.alice.mustSend(c.bob.token, "secret, recalled")).want(204)
	c.alice.mustSend(c.bob.token, "secret, removed")
	secret := fields{"text": "secret"}
	c.bob.wantFound(secret, "secret, removed", "secret, expires", "secret, before carl")
	c.clock.Advance(time.Minute)
	c.bob.wantFound(secret, "secret, removed", "secret, before carl")
	c.bob.delete("/v2/roster/alice").want(204)
	c.bob.wantFound(secret, "secret, before carl")
	c.alice.wantFound(secret, "secret, removed", "secret, before carl")
	c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{c.carl.token}}).want(204)
	c.carl.wantFound(secret)
	c.bob.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
	c.alice.mustSend(group, "secret, after bob")
	c.bob.wantFound(secret, "secret, before carl")
	c.carl.wantFound(secret, "secret, after bob")
	c.mustSweep()
	c.bob.wantFound(secret, "secret, before carl")
	c.operator.delete("/v2/user/"+c.bob.token+"/organization/"+c.org, in(c.org)).want(204)
	c.bob.wantFound(secret)
}

func TestSearchInMessagesRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, test := range []struct {
		ask         fields
		code, field string
	}{
		{fields{}, "text_or_has_required", "text"},
		{fields{"text": ""}, "text_or_has_required", "text"},
		{fields{"text": "?!"}, "text_without_word", "text"},
		{fields{"text": " ", "has": "attachment"}, "text_without_word", "text"},
		{fields{"text": strings.Repeat("ä", 201)}, "too_long", "text"},
		{fields{"text": "x", "has": []string{"x"}}, "field_invalid", "has"},
		{fields{"has": "picture"}, "field_invalid", "has"},
		{fields{"text": "x", "since": "yesterday"}, "field_invalid", "since"},
		{fields{"text": "x", "until": "2026-13-01T00:00:00Z"}, "field_invalid", "until"},
		{fields{"text": "x", "since": "2026-11-02T00:00:00Z", "until": "2026-11-01T00:00:00Z"}, "since_after_until",
			"since"},
		{fields{"text": "x", "page_size": 0}, "field_invalid", "page_size"},
		{fields{"text": "x", "page_size": 101}, "field_invalid", "page_size"},
		{fields{"text": "x", "continuation": "x"}, "continuation_invalid", "continuation"},
		{fields{"text": "x", "continuation": "x", "entity": "nobody"}, "continuation_invalid", "continuation"},
	} {
		c.alice.post("/v2/conversation/search", test.ask).wantError(400, test.code).wantField(test.field)
	}
	c.alice.wantFound(fields{"text": strings.Repeat("ä", 200)})
	c.alice.do("POST", "/v2/conversation/search", form("text", "x", "page_size", "5")).want(200)
}

// A stranger learns of nobody by naming it.
func TestSearchInMessagesTellsAStrangerNothing(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("Ward", c.bob)
	c.alice.mustSend(c.bob.token, "secret")
	ask := func(f fields, options ...option) *answer {
		return stranger.post("/v2/conversation/search", merged(fields{"text": "secret"}, f), options...)
	}
	for _, entity := range []string{c.bob.token, "bob", "bob@example.com", group} {
		wantSameAnswer(ask(fields{"entity": entity}).wantMissing(), ask(fields{"entity": randomToken()}).wantMissing())
	}
	for _, sender := range []string{c.bob.token, "bob", "bob@example.com", group} {
		wantSameAnswer(ask(fields{"sender": sender}).want(200), ask(fields{"sender": "nobody"}).want(200))
	}
	wantSameAnswer(ask(nil, in(c.org)).wantMissing(), ask(nil, in(randomOrganization())).wantMissing())
	if got := stranger.found(fields{"text": "secret"}); len(got) > 0 {
		t.Errorf("a stranger finds %v", got)
	}
}

func TestSearchInMessagesGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.mustCreateGroup("Another conversation")
	for i := range 5 {
		c.alice.mustSend(c.bob.token, fmt.Sprint("hello ", i))
	}
	ask := fields{"text": "hello", "page_size": 2}
	next := c.alice.post("/v2/conversation/search", ask).reply().text("metadata", "continuation")
	c.bob.mustSend(c.alice.token, "hello, which came meanwhile")
	on := merged(ask, fields{"continuation": next})
	if got := c.alice.found(on); !slices.Equal(got, []string{"hello 2", "hello 1", "hello 0"}) {
		t.Errorf("it goes on with %v", got)
	}
	if got := c.alice.found(merged(on, fields{"page_size": 100})); len(got) != 3 {
		t.Errorf("with larger pages it goes on with %v", got)
	}
	other := map[bool]string{true: "A", false: "B"}[next[0] != 'A']
	for _, text := range []string{next[1:], other + next[1:], next + "A",
		c.alice.get("/v2/conversation?page_size=1").reply().text("metadata", "continuation")} {
		c.alice.post("/v2/conversation/search", merged(ask, fields{"continuation": text})).
			wantError(400, "continuation_invalid")
	}
	for _, change := range []fields{{"text": "hell"}, {"has": "attachment"}, {"entity": "bob"}, {"sender": "me"},
		{"since": "2026-01-01T00:00:00Z"}, {"until": "2027-01-01T00:00:00Z"}} {
		c.alice.post("/v2/conversation/search", merged(on, change)).wantError(400, "continuation_invalid")
	}
	c.alice.post("/v2/conversation/search", on, in(c.org)).wantError(400, "continuation_invalid")
	c.bob.post("/v2/conversation/search", on).wantError(400, "continuation_invalid")
}

// The header, and the scope of a key, narrow it to one organization.
func TestSearchInMessagesOfOneOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	elsewhere := c.mustCreateOrganization("Elsewhere")
	c.operator.mustJoin(elsewhere, c.alice)
	c.operator.mustJoin(elsewhere, c.bob)
	c.bob.mustSend(c.alice.token, "hello here")
	c.bob.mustSend(c.alice.token, "hello there", "recipient_organization", elsewhere)
	c.alice.wantFound(fields{"text": "hello"}, "hello there", "hello here")
	for organization, want := range map[string]string{c.org: "hello here", elsewhere: "hello there"} {
		for _, ask := range []fields{{"text": "hello"}, {"text": "hello", "entity": "bob"}} {
			if got := c.alice.found(ask, in(organization)); !slices.Equal(got, []string{want}) {
				t.Errorf("%v in one organization finds %v, want %s", ask, got, want)
			}
		}
	}
}
