package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestTortureAScreenShowsWhatThereIs: people write, read, take back, remove, enter and leave,
// time passes, the server is killed and connections are cut, at any moment. Clients that
// loaded their conversations once, follow the events, and ask for what came after when a
// stream begins anew, show what the contract says whenever it is calm, and so does the
// server to one that loads everything.
func TestTortureAScreenShowsWhatThereIs(t *testing.T) {
	testenv.Long(t)
	length := 4 * time.Second
	total, whole := testenv.Torture(t)
	if whole {
		length = 30 * time.Second
	}
	for engine, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			// Another stage each time: all that was ever said on one is compared whenever it is calm.
			for began := time.Now(); !t.Failed(); {
				newStage(t, mustBeMortal(t, database(t))).play(length)
				if time.Since(began) >= total {
					break
				}
			}
		})
	}
}

// stage is where people act, one thing after the other.
type stage struct {
	t       *testing.T
	server  *mortal
	ledger  ledger
	people  []*screen // which show what happens; they act by clients of their own
	acting  []*client.Client
	groups  []*gathering
	running context.CancelFunc
	over    sync.WaitGroup
	calm    sync.Mutex // held: nothing is killed or cut
	sent    int
	settled int
}

func newStage(t *testing.T, server *mortal) *stage {
	s := &stage{t: t, server: server}
	ctx := t.Context()
	operator := server.operator()
	organization, err := operator.CreateOrganization(ctx, "Ward", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		made, err := operator.CreateUser(ctx, organization, client.NewUser{Username: fmt.Sprint("user", n), IssueKey: true})
		if err != nil {
			t.Fatal(err)
		}
		s.acting = append(s.acting, server.line().client(made.APIKey, made.APISecret))
		s.people = append(s.people, server.screen(made.Token, made.APIKey, made.APISecret))
	}
	for _, replay := range []bool{true, false} {
		made, err := s.acting[0].CreateGroup(ctx, client.NewGroup{Name: "G", ReplayHistory: replay,
			Members: []string{s.people[1].me}})
		if err != nil {
			t.Fatal(err)
		}
		s.groups = append(s.groups, &gathering{token: made.Token, replay: replay, members: []int{0, 1}})
	}
	for range 20 { // there is something to load
		s.act()
	}
	ctx, s.running = context.WithCancel(ctx)
	for _, p := range s.people {
		s.over.Go(func() { p.run(ctx) })
	}
	return s
}

func (m *mortal) screen(token, key, secret string) *screen {
	line := m.line()
	return m.screenOf(line.client(key, secret), token, line)
}

func (m *mortal) screenOf(c *client.Client, token string, over *line) *screen {
	return &screen{Client: c, me: token, line: over, now: m.now, shown: map[string]*client.Message{},
		taken: map[string]bool{}, after: map[string]int64{}}
}

func (s *stage) play(length time.Duration) {
	defer s.over.Wait()
	defer s.running()
	over := make(chan struct{})
	defer close(over)
	s.over.Go(func() { s.disturb(over) })
	for end := time.Now().Add(length); (time.Now().Before(end) || s.settled < 2 || s.server.lived() < 2) &&
		!s.t.Failed(); {
		for range 25 {
			s.act()
		}
		s.settle()
	}
	s.t.Logf("%d messages, %d times settled, %d lives", s.sent, s.settled, s.server.lived())
}

// disturb kills the server and cuts connections at random moments.
func (s *stage) disturb(over chan struct{}) {
	for {
		select {
		case <-over:
			return
		case <-time.After(rand.N(400 * time.Millisecond)): // not a wait: the torture itself
		}
		s.calm.Lock()
		if rand.IntN(4) > 0 {
			s.people[rand.IntN(len(s.people))].line.cut()
		} else if err := s.server.kill(); err != nil {
			s.t.Errorf("the server does not start again: %v", err)
		}
		s.calm.Unlock()
	}
}

// insist makes a call until it was carried out, or what it is about is gone.
func (s *stage) insist(what string, call func(context.Context) error) {
	s.t.Helper()
	for {
		err := call(s.t.Context())
		if err == nil || isMissing(err) {
			return
		}
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status < 500 || s.t.Context().Err() != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
	}
}

// act does one thing.
func (s *stage) act() {
	s.t.Helper()
	p := rand.IntN(len(s.people))
	other := (p + 1 + rand.IntN(len(s.people)-1)) % len(s.people)
	g := s.groups[rand.IntN(len(s.groups))]
	switch n := rand.IntN(20); {
	case n < 6:
		s.send(p, other, nil)
	case n < 11:
		s.send(g.members[rand.IntN(len(g.members))], 0, g)
	case n < 13:
		s.recall()
	case n < 15:
		if rand.IntN(2) == 0 {
			g = nil
		}
		s.read(p, other, g)
	case n == 15:
		s.insist("remove a conversation", func(ctx context.Context) error {
			return s.acting[p].RemoveFromRoster(ctx, s.people[other].me, client.KindAccount)
		})
		s.ledger.remove(p, other)
	case n < 18 && p != 0: // person 0 moves the others, and stays
		s.move(p, g)
	default:
		s.server.wait(rand.N(40 * time.Second))
	}
}

func (s *stage) send(from, to int, in *gathering) {
	s.t.Helper()
	s.sent++
	m := &spoken{body: strconv.Itoa(s.sent), from: from, to: to, in: in}
	m.dor = rand.IntN(5) == 0 && (in == nil || !in.replay)
	out := client.Outgoing{Recipient: s.people[to].me, Body: m.body, DOR: &m.dor, TTL: rand.IntN(3), Full: true}
	if in != nil {
		out.Recipient = in.token
	}
	s.insist("send", func(ctx context.Context) error {
		sent, err := s.acting[from].Send(ctx, out)
		if err == nil {
			m.id, m.expires = sent.MessageID, sent.Message.ExpiresTime
		}
		return err
	})
	s.ledger.send(m)
}

// recall takes a recent message back. Its sender knows by the answer, and needs no event.
func (s *stage) recall() {
	all := s.ledger.messages[max(0, len(s.ledger.messages)-12):]
	if len(all) == 0 {
		return
	}
	m := all[rand.IntN(len(all))]
	if gone, sure := m.ended(m.from, s.server.now()); gone || !sure || m.hidden[m.from] {
		return
	}
	s.insist("recall", func(ctx context.Context) error { return s.acting[m.from].Recall(ctx, m.id) })
	m.recalled = true
	s.people[m.from].recalled(m.id)
}

func (s *stage) read(p, other int, in *gathering) {
	entity := s.people[other].me
	if in != nil {
		entity = in.token
	}
	before := s.server.now()
	s.insist("read", func(ctx context.Context) error { return s.acting[p].ReadConversation(ctx, entity, 1<<62) })
	s.ledger.read(p, other, in, before, s.server.now())
}

// move has somebody enter a group, or leave it.
func (s *stage) move(p int, g *gathering) {
	s.t.Helper()
	if slices.Contains(g.members, p) {
		s.insist("leave", func(ctx context.Context) error {
			return s.acting[0].RemoveMembers(ctx, g.token, s.people[p].me)
		})
		s.ledger.leave(p, g)
		return
	}
	before := s.server.now()
	s.insist("enter", func(ctx context.Context) error { return s.acting[0].AddMembers(ctx, g.token, s.people[p].me) })
	s.ledger.join(p, g, before)
	// The history comes soon after the answer; what is done to it meanwhile could go either way.
	s.want(fmt.Sprintf("user%d has the history", p), func(ctx context.Context) string {
		return s.differs(ctx, s.loaded(ctx, p), p, 0, g)
	})
}

// settle waits until every screen shows what the ledger says, while nothing is disturbed.
func (s *stage) settle() {
	s.t.Helper()
	s.calm.Lock()
	defer s.calm.Unlock()
	s.settled++
	for p, screen := range s.people {
		s.want(fmt.Sprintf("user%d sees what there is", p), func(ctx context.Context) string {
			anew := s.loaded(ctx, p)
			for other := range s.people {
				if wrong := s.both(ctx, screen, anew, p, other, nil); other != p && wrong != "" {
					return wrong
				}
			}
			for _, g := range s.groups {
				if wrong := s.both(ctx, screen, anew, p, 0, g); wrong != "" {
					return wrong
				}
			}
			return s.wrongList(ctx, p)
		})
	}
}

func (s *stage) both(ctx context.Context, screen, anew *screen, p, other int, in *gathering) string {
	if wrong := s.differs(ctx, screen, p, other, in); wrong != "" {
		return "it follows: " + wrong
	}
	if wrong := s.differs(ctx, anew, p, other, in); wrong != "" {
		return "loaded anew: " + wrong
	}
	return ""
}

// loaded is a screen that has loaded all there is, and follows nothing.
func (s *stage) loaded(ctx context.Context, p int) *screen {
	anew := s.server.screenOf(s.acting[p], s.people[p].me, nil)
	anew.fails = anew.load(ctx)
	return anew
}

// want waits until nothing is wrong.
func (s *stage) want(what string, wrong func(context.Context) string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for last := ""; ; {
		found := wrong(ctx)
		if found == "" {
			return
		}
		if ctx.Err() == nil {
			last = found
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("not within 30 s: %s: %s", what, last)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// differs says how a screen differs from what there is in a conversation.
func (s *stage) differs(ctx context.Context, on *screen, p, other int, in *gathering) string {
	entity := s.people[other].me
	if in != nil {
		entity = in.token
	}
	want, _, unsure := s.ledger.seen(p, other, in, s.server.now())
	got, err := on.showing(ctx, entity)
	if err != nil {
		return err.Error()
	}
	got = slices.DeleteFunc(got, func(l lineShown) bool { return slices.Contains(unsure, l.id) })
	if !slices.Equal(got, want) {
		return fmt.Sprintf("of %s it shows %v, want %v\n%s", entity, got, want, s.ledger.tell(p, got, want))
	}
	return ""
}

// wrongList says what is wrong in the list of conversations.
func (s *stage) wrongList(ctx context.Context, p int) (wrong string) {
	listed := map[string]client.Conversation{}
	err := s.loaded(ctx, p).each(ctx, func(c *client.Conversation) error {
		listed[c.Entity.Token()] = *c
		return nil
	})
	if err != nil {
		return err.Error()
	}
	check := func(entity string, other int, in *gathering) {
		want, unread, unsure := s.ledger.seen(p, other, in, s.server.now())
		c, found := listed[entity]
		switch {
		case len(unsure) > 0 || wrong != "":
		case found != (len(want) > 0):
			wrong = fmt.Sprintf("the list has %s: %v, want %v", entity, found, len(want) > 0)
		case found && (c.LastMessage.MessageID != want[len(want)-1].id || c.UnreadCount != unread):
			wrong = fmt.Sprintf("the list has %+v, want %v last and %d unread", c, want[len(want)-1], unread)
		}
	}
	for other := range s.people {
		if other != p {
			check(s.people[other].me, other, nil)
		}
	}
	for _, g := range s.groups {
		check(g.token, 0, g)
	}
	return wrong
}
