package api_test

import (
	"fmt"
	"math/rand/v2"
	"signet/internal/testenv"
	"testing"
	"time"
)

// past is a history that chance writes, of three people and their groups.
type past struct {
	*clinic
	chance   *rand.Rand
	people   []*person
	groups   []string
	messages []string
}

func (h *past) pick(from ...*person) *person { return from[h.chance.IntN(len(from))] }

// happen does something. What the server refuses, such as from somebody who has left,
// changes nothing.
func (h *past) happen() {
	by, to := h.pick(h.people...), h.pick(h.people...)
	group := h.groups[h.chance.IntN(len(h.groups))]
	recipient := to.token
	if h.chance.IntN(2) == 0 {
		recipient = group
	}
	message := randomToken()
	if len(h.messages) > 0 {
		message = h.messages[h.chance.IntN(len(h.messages))]
	}
	switch n := h.chance.IntN(20); {
	case n < 8:
		said := fields{"recipient": recipient, "body": fmt.Sprint("message ", len(h.messages)),
			"dor": h.chance.IntN(4) == 0, "ttl": []int{-1, 1, 5, 60}[h.chance.IntN(4)], "priority": h.chance.IntN(2)}
		if sent := by.post("/v2/message", said); sent.StatusCode == 204 {
			h.messages = append(h.messages, sent.Header.Get("TT-X-Message-Id"))
		}
	case n == 8:
		sent := by.do("POST", "/v2/message", parts(map[string]string{"recipient": recipient, "ttl": "5"},
			file{"attachment", "a.bin", "", []byte(fmt.Sprint("file ", len(h.messages)))}))
		if sent.StatusCode == 204 {
			h.messages = append(h.messages, sent.Header.Get("TT-X-Message-Id"))
		}
	case n < 12:
		by.post("/v2/message/status", fields{[]string{"read", "delivered"}[n%2]: []string{message}})
	case n == 12:
		by.delete("/v2/message/" + message)
	case n == 13:
		by.delete("/v2/roster/"+recipient, in(h.org))
	case n == 14:
		by.post("/v2/group/"+group+"/members/remove", fields{"members": by.token})
	case n == 15:
		h.operator.post("/v2/group/"+group+"/members", fields{"members": by.token})
	case n == 16 && h.chance.IntN(4) == 0:
		h.operator.delete("/v2/group/" + group)
	case n == 17 && h.chance.IntN(3) == 0: // out of sight is what came before
		h.operator.delete(by.path("/organization/" + h.org))
		h.operator.mustJoin(h.org, by)
	case n == 18:
		h.clock.Advance(time.Duration(h.chance.IntN(90)) * time.Second)
	case n == 19:
		h.mustSweep()
	}
	h.settle()
}

// Whatever has happened, an archive has the messages that history shows the person then,
// with what call 12 says of each, and no others.
func TestArchiveHasTheMessagesThatHistoryShows(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	shown := 0
	for seed := range uint64(6) {
		h := &past{clinic: &c, chance: rand.New(rand.NewPCG(seed, 1))}
		for _, name := range []string{"a", "b", "d"} {
			h.people = append(h.people, c.mustCreate(c.org, fmt.Sprint(name, seed)))
		}
		for _, name := range []string{"shown", "hidden"} {
			h.groups = append(h.groups,
				h.people[0].mustCreateGroupAs(fields{"name": name, "replay_history": name == "shown"}, h.people[1:]...))
		}
		for range 4 {
			for range 30 {
				h.happen()
			}
			for _, p := range h.people {
				shown += h.compare(fmt.Sprintf("seed %d, %s", seed, p.name), p)
			}
		}
	}
	if shown < 300 {
		t.Errorf("there were %d messages to compare: this test looks at too little", shown)
	}
}

// compare returns how many messages an archive has.
func (h *past) compare(what string, p *person) int {
	h.t.Helper()
	history := map[string]value{}
	for _, conversation := range p.conversations("") {
		path := "/v2/conversation/" + conversation.text("entity", "token") + "/message?limit=200"
		page := p.get(path, in(h.org)).reply()
		if page.at("metadata", "more").v == true {
			h.t.Fatal("a conversation has more messages than a page")
		}
		for _, m := range page.list("results") {
			history[m.text("message_id")] = m
		}
	}
	o := p.mustExport("me")
	kept := o.lines("messages.jsonl")
	last := map[string]int64{}
	files := 0
	for _, m := range kept {
		id := m.text("message_id")
		want, there := history[id]
		if !there {
			h.t.Errorf("%s: the archive has %s, which history does not show", what, m)
			continue
		}
		delete(history, id)
		for name := range want.v.(map[string]any) {
			if m.at(name).String() != want.at(name).String() {
				h.t.Errorf("%s: %s of a message is %s in the archive, want %s", what, name, m.at(name), want.at(name))
			}
		}
		if one := p.get("/v2/message/" + id).reply(); one.String() != want.String() {
			h.t.Errorf("%s: call 12 answers %s, history %s", what, one, want)
		}
		m.at("statuses").wantIs(p.get("/v2/message/" + id + "/status").reply().at("statuses").v)
		talk := m.text("recipient_token")
		if !m.has("group_token") && talk == p.token {
			talk = m.text("sender_token")
		}
		if sort := m.int("sort_number"); sort <= last[talk] {
			h.t.Errorf("%s: %s comes after a later message", what, m)
		} else {
			last[talk] = sort
		}
		if m.has("file") {
			files++
			want := p.get("/v2/message/" + id + "/attachment/1").want(200)
			if string(o.files[m.text("file")]) != string(want.content) {
				h.t.Errorf("%s: the file of %s is %q", what, m, o.files[m.text("file")])
			}
		}
	}
	for _, m := range history {
		h.t.Errorf("%s: the archive lacks %s", what, m)
	}
	o.object("manifest.json").wantFields(fields{"attachments": files, "attachments_lost": fields{"missing": 0,
		"damaged": 0}})
	return len(kept)
}
