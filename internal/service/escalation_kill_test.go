package service

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/escalation"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// stepServer is a server of a cluster that does steps of escalations, and can be killed.
type stepServer struct{ kill func() }

// startSteps starts one. The key ring outlives it: it has connections of its own, which a kill leaves open.
func (c *cluster) startSteps(ring *seal.Ring) *stepServer {
	c.t.Helper()
	through, cut := postgrestest.Line(c.t, c.url)
	engine, err := postgres.Open(c.t.Context(), through,
		postgres.Options{Clock: c.clock.Now, Connections: 4, Patience: 50 * time.Millisecond})
	c.must(err)
	kept, err := store.Open(c.t.Context(), engine, store.NewEpoch)
	c.must(err)
	enginetest.Authenticate(kept)
	log := slog.New(slog.DiscardHandler)
	node := newService(Options{Store: kept, Hub: live.NewHub(0), Clock: c.clock.Now, Logger: log,
		Vault: &content.Vault{Store: kept, Ring: ring}})
	worker := backlog.NewWorker(backlog.Options{Store: kept, Log: log, Now: c.clock.Now})
	worker.Register(node.EscalationKind())
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { worker.Run(ctx) })
	s := &stepServer{kill: sync.OnceFunc(func() {
		cut()
		cancel()
		running.Wait()
		_ = kept.Close() // it was cut off
	})}
	c.t.Cleanup(s.kill)
	return s
}

// nextStep is when the next step of all escalations is due.
func (c *cluster) nextStep() (due time.Time, found bool) {
	c.t.Helper()
	err := c.store.View(c.t.Context(), func(tx *store.Tx) (err error) {
		due, found, err = tx.NextDue([]store.JobKind{store.Escalate})
		return err
	})
	c.must(err)
	return due, found
}

// awaitSteps waits until all that is due was done.
func (c *cluster) awaitSteps() {
	c.t.Helper()
	for {
		due, found := c.nextStep()
		if !found || due.After(c.clock.Now()) {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-c.t.Context().Done():
			c.t.Fatal("steps are left")
		}
	}
}

// Three servers do the steps of escalations and are killed in the middle of whatever they do. The clock goes on
// when all that is due was done, so that a step which was left to wait shows: each step is done when it is due,
// once, and its message and the event that tells of it are there once.
func TestTortureStepsHappenOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const steps = 3
	moments, together, minutes := 24, 10, 3
	_, whole := testenv.Torture(t)
	if whole { // more than 10,000, all open when the first step is due, and a kill at each moment when something is
		moments, together, minutes = 600, 17, 250
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	c := newCluster(t, Limits{})
	o := c.organization()
	ann := c.member(o, "ann")
	var others []*model.Actor
	for i := range 4 {
		others = append(others, c.member(o, fmt.Sprint("person", i)))
	}
	var sent []model.MessageID
	for i := range moments * together {
		var asked []model.AskedStep
		after := 0
		for range steps {
			after += 1 + r.IntN(minutes)
			asked = append(asked, model.AskedStep{After: after, To: []string{others[r.IntN(4)].Account.String(),
				others[r.IntN(4)].Account.String()}})
		}
		sent = append(sent, c.mustSend(ann, others[i%4].Account.String(), func(s *SendCommand) {
			s.Escalate = &EscalateCommand{Steps: asked}
		}))
		if i%together == 0 && !whole {
			c.clock.Advance(time.Duration(r.IntN(3)) * 20 * time.Second)
		}
	}
	begun := c.clock.Now() // some steps are due already
	ring := sealtest.OpenShared(t, c.ring, c.master, c.clock.Now)
	servers := []*stepServer{c.startSteps(ring), c.startSteps(ring), c.startSteps(ring)}
	kills := 0
	for {
		due, found := c.nextStep()
		if !found {
			break
		}
		if wait := due.Sub(c.clock.Now()); wait > 0 {
			c.clock.Advance(wait)
		}
		if victim := r.IntN(2 * len(servers)); victim < len(servers) || whole {
			victim %= len(servers)
			servers[victim].kill()
			servers[victim] = c.startSteps(ring)
			kills++
		}
		c.awaitSteps()
	}
	t.Logf("%d kills, %d escalations", kills, len(sent))
	if whole && kills < 500 {
		t.Errorf("only %d kills", kills)
	}
	done := c.stepsOf(ann)
	for _, id := range sent {
		e := view(c, func(tx *store.Tx) (model.Escalation, error) {
			e, _, err := escalation.Of(tx, o, id)
			return e, err
		})
		m, err := c.nodes[0].Message(t.Context(), ann, id)
		c.must(err)
		e.Sent = m.Created
		if e.State != model.EscalationExhausted || e.Done != steps {
			t.Errorf("an escalation is %v after %d steps", e.State, e.Done)
		}
		for i := range e.Steps {
			step := &e.Steps[i]
			want := e.Due(step)
			if want.Before(begun) {
				want = begun.Truncate(time.Millisecond)
			}
			if !step.Done.Equal(want) {
				t.Errorf("a step was due at %v and done at %v", want, step.Done)
			}
		}
		c.wantOnce(done, &e)
	}
}

// Other jobs of a transaction come before what has locked a group or messages, and not behind it: they would lock
// these after queues.
func TestAnEscalationThatLocksIsTheLastOfItsTransaction(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	c.mustSend(ann, bob.Account.String(), func(s *SendCommand) {
		s.Escalate = &EscalateCommand{Steps: []model.AskedStep{ask(5, bob.Account)}}
	})
	c.clock.Advance(5 * time.Minute)
	c.must(c.store.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.DeleteMembership(o, ann.Account); err != nil {
			return err
		}
		jobs, err := tx.DueJobs([]store.JobKind{store.Escalate}, c.clock.Now(), nil, 1)
		if err != nil {
			return err
		}
		next, err := c.nodes[0].escalate(tx, &jobs[0])
		if next.Rows < backlog.Rows {
			t.Errorf("it wrote %d rows, and others follow", next.Rows)
		}
		return err
	}))
}

// stepsDone is what steps have sent, and told a sender, by the message that they send on.
type stepsDone struct {
	sent map[model.MessageID][]model.MessageID
	told map[model.MessageID][]int
}

func (c *cluster) stepsOf(sender *model.Actor) *stepsDone {
	c.t.Helper()
	d := &stepsDone{sent: map[model.MessageID][]model.MessageID{}, told: map[model.MessageID][]int{}}
	for _, m := range view(c, func(tx *store.Tx) ([]store.MessageRow, error) {
		return tx.SelectMessages(`m.sender = ?`, sender.Account)
	}) {
		if e := m.Escalation; e.Step > 0 {
			d.sent[e.Message] = append(d.sent[e.Message], m.ID)
		}
	}
	for after := int64(0); ; {
		events, _, err := c.nodes[0].Events(c.t.Context(), sender, after, store.EndOfQueue, MaxEvents)
		c.must(err)
		if len(events) == 0 {
			return d
		}
		for _, event := range events {
			cursor, _ := model.ParseCursor(event.ID)
			if after = cursor.Position; event.Kind == model.EventEscalated {
				d.told[event.Escalated.Message] = append(d.told[event.Escalated.Message], event.Escalated.Step)
			}
		}
	}
}

// wantOnce compares that with what an escalation says.
func (c *cluster) wantOnce(done *stepsDone, e *model.Escalation) {
	c.t.Helper()
	var want []model.MessageID
	for _, step := range e.Steps {
		for _, to := range step.To {
			want = append(want, to.Sent)
		}
	}
	got := done.sent[e.Message]
	order := func(a, b model.MessageID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(got, want) {
		c.t.Errorf("steps have sent %v, and say %v", got, want)
	}
	if told := done.told[e.Message]; !slices.Equal(told, []int{1, 2, 3, 0}) {
		c.t.Errorf("the sender was told of the steps %v", told)
	}
}
