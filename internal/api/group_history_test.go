package api_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testenv"
)

// Those who come into a group at the same time, by several calls and while messages are
// sent, read its history before what is sent later: on streams that were open before, on
// ones that are opened meanwhile, and when they poll.
func TestStreamsOfNewMembersBringHistoryFirst(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.rows = 20 })
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { c.work.Run(ctx) })
	defer work.Wait()
	defer stop()
	const before, during = 30, 30
	group := c.alice.mustCreateGroupAs(fields{"name": "Ward", "replay_history": true, "members": []string{c.bob.token}})
	var want []string
	for n := range before + during {
		want = append(want, fmt.Sprint(n))
	}
	for _, body := range want[:before] {
		c.alice.mustSend(group, body)
	}
	var names []string
	for n := range 9 {
		names = append(names, fmt.Sprint("new", n))
	}
	coming := c.mustCreateAll(c.org, names...)
	streams := make([]*stream, len(coming))
	for i, p := range coming {
		if i%3 == 0 {
			streams[i] = p.openStream("")
		}
	}
	var calls sync.WaitGroup
	for some := range slices.Chunk(coming, 3) {
		calls.Go(func() {
			var tokens []string
			for _, p := range some {
				tokens = append(tokens, p.token)
			}
			c.alice.post("/v2/group/"+group+"/members", fields{"members": tokens}).want(204)
		})
	}
	calls.Wait() // members get what is sent from now on, behind their history
	for i, body := range want[before:] {
		c.alice.mustSend(group, body)
		if i == during/2 {
			for j, p := range coming {
				if j%3 == 1 {
					streams[j] = p.openStream("")
				}
			}
		}
	}
	for i, p := range coming {
		got := p.readPolling
		if st := streams[i]; st != nil {
			got = st.readMessages
		}
		if got := got(len(want)); !slices.Equal(got, want) {
			t.Errorf("%s reads %v", p.name, got)
		}
	}
}

// readMessages returns the texts of so many of a group's messages.
func (st *stream) readMessages(n int) (texts []string) {
	for len(texts) < n {
		texts = append(texts, st.nextOf("group_message").text("body"))
	}
	return texts
}

// readPolling returns as many by polling, a few events at a time.
func (p *person) readPolling(n int) (texts []string) {
	p.t.Helper()
	for after := ""; len(texts) < n; {
		query := []string{"wait=60", "limit=7"}
		if after != "" {
			query = append(query, "after="+after)
		}
		events := p.events(query...)
		if len(events) == 0 {
			p.t.Fatalf("%s polls, and has %d messages", p.name, len(texts))
		}
		for _, e := range ofKind(events, "group_message") {
			texts = append(texts, e.text("body"))
		}
		after = events[len(events)-1].id
	}
	return texts
}

// Members of a group stand in the order in which they came, whatever their queues' last
// positions are.
func TestMembersStandInTheOrderInWhichTheyCame(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.rows = 2 }) // entering and telling the others are separate writes
	group := c.alice.mustCreateGroup("G")
	bob, _ := model.ParseAccountID(c.bob.token)
	if err := c.store.Update(t.Context(), func(tx *store.Tx) error { // as if its queue were far ahead of the clock
		_, err := tx.Position(3_600_000_000, bob)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*person{c.bob, c.carl} {
		c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{p.token}}).want(204)
	}
	var members []string
	for _, v := range c.alice.get("/v2/group/" + group).reply().list("members") {
		members = append(members, v.text())
	}
	if want := []string{c.alice.token, c.bob.token, c.carl.token}; !slices.Equal(members, want) {
		t.Errorf("the members are %v, want %v", members, want)
	}
}
