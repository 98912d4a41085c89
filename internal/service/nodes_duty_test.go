package service

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/custody"
	"signet/internal/duty"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/notes"
	"signet/internal/store/rota"
	"signet/internal/testenv"
)

// Of rotas whose hand-overs are due together, each is done once, on whichever node, whatever calls do
// meanwhile.
func TestNodesHandOverOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	maker := c.member(o, "maker")
	var people []*model.Actor
	for i := range 4 {
		people = append(people, c.member(o, fmt.Sprint("person", i)))
	}
	workers := make([]*backlog.Worker, len(c.nodes))
	for i, node := range c.nodes {
		workers[i] = backlog.NewWorker(backlog.Options{Store: node.store, Now: c.clock.Now,
			Log: slog.New(slog.DiscardHandler)})
		workers[i].Register(node.HandOvers())
	}
	start := c.clock.Now().UTC().Truncate(time.Hour)
	groups := make([]model.GroupID, 12)
	for i := range groups {
		name := fmt.Sprint("Ward ", i)
		g, err := c.nodes[0].CreateGroup(t.Context(), maker, GroupCommand{Name: &name, ExcludeCreator: true})
		c.must(err)
		groups[i] = g.ID
		rotation := &DutyRotation{Start: start, Hours: 1}
		for j := range people {
			rotation.Accounts = append(rotation.Accounts, people[(i+j)%len(people)].Account.String())
		}
		c.must(c.nodes[i%2].SetDuty(t.Context(), maker, g.ID, DutyCommand{Timezone: "UTC", Rotation: rotation,
			Always: []string{maker.Account.String()}}))
	}
	for hour := 1; hour <= 6; hour++ {
		c.clock.Set(start.Add(time.Duration(hour) * time.Hour))
		c.atOnce(6, func(i int, node *Service) error {
			if i < len(workers) {
				return workers[i].Settle(context.Background(), store.HandOver)
			}
			_, err := c.send(node, maker, groups[rand.IntN(len(groups))].String())
			return err
		})
		for i, group := range groups {
			members := view(c, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(group) })
			if want := people[(i+hour)%len(people)].Account; len(members) != 2 || !slices.Contains(members, want) {
				t.Errorf("hour %d: %v are in group %d, want %v", hour, members, i, want)
			}
			noted := view(c, func(tx *store.Tx) ([]notes.Row, error) {
				return notes.Read(tx, &notes.Part{Group: group, Spans: []notes.Span{{From: 0, To: store.EndOfQueue}},
					Before: store.EndOfQueue}, 100)
			})
			if want := 2 + 2*hour; len(noted) != want { // made, filled, and each time one who goes and one who comes
				t.Errorf("hour %d: group %d has %d notes, want %d", hour, i, len(noted), want)
			}
		}
	}
	done := c.nodes[0].counts.HandOvers.Load() + c.nodes[1].counts.HandOvers.Load()
	if want := int64(6 * len(groups)); done != want {
		t.Errorf("%d hand-overs, want %d", done, want)
	}
}

// A job that failed, or whose server was killed after the transaction, is done again and changes nothing.
func TestAHandOverThatIsDoneAgainChangesNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	name := "Ward"
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{Name: &name})
	c.must(err)
	start := c.clock.Now().UTC().Truncate(time.Hour)
	c.must(c.nodes[0].SetDuty(t.Context(), ann, g.ID, DutyCommand{Timezone: "Europe/Berlin", Rotation: &DutyRotation{
		Accounts: []string{"ann", "bob"}, Start: start, Hours: 24}}))
	c.clock.Set(start.Add(24 * time.Hour))
	jobs := view(c, func(tx *store.Tx) ([]store.Job, error) {
		return tx.DueJobs([]store.JobKind{store.HandOver}, c.clock.Now(), nil, 10)
	})
	if len(jobs) != 1 {
		t.Fatalf("%d jobs are due, want 1", len(jobs))
	}
	for round := range 3 {
		j := jobs[0]
		j.State = slices.Clone(j.State)
		_, err := c.nodes[round%2].handOver(t.Context(), &j)
		c.must(err)
	}
	members := view(c, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(g.ID) })
	if !slices.Equal(members, []model.AccountID{bob.Account}) {
		t.Errorf("%v are in the group, want %v", members, bob.Account)
	}
	if done := c.nodes[0].counts.HandOvers.Load() + c.nodes[1].counts.HandOvers.Load(); done != 1 {
		t.Errorf("%d hand-overs, want 1", done)
	}
}

// Who is on duty is a matter of the store's clock. A server that is behind hands over when that is due, and does not
// take the hand-over back when it looks at the rota again.
func TestAServerThatIsBehindHandsOverInTime(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	name := "Ward"
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{Name: &name})
	c.must(err)
	const late = 2 * time.Minute
	own := func() time.Time { return c.clock.Now().Add(-late) }
	clock := custody.NewClock(custody.ClockOptions{Store: c.store, Now: own,
		Offset: func(context.Context) (time.Duration, error) { return late, nil }})
	_, err = clock.Measure(t.Context())
	c.must(err)
	behind := newService(Options{Store: c.store, Vault: c.nodes[0].vault, Hub: live.NewHub(0), Clock: own, Time: clock,
		Logger: slog.New(slog.DiscardHandler)})
	worker := backlog.NewWorker(backlog.Options{Store: c.store, Now: c.clock.Now, Log: slog.New(slog.DiscardHandler)})
	worker.Register(behind.HandOvers())
	start := c.clock.Now().UTC().Truncate(time.Hour)
	c.must(c.nodes[0].SetDuty(t.Context(), ann, g.ID, DutyCommand{Timezone: "UTC", Rotation: &DutyRotation{
		Accounts: []string{"ann", "bob"}, Start: start, Hours: 24}}))
	for _, at := range []time.Duration{0, 30 * time.Second} {
		c.clock.Set(start.Add(24*time.Hour + at))
		if at > 0 {
			c.must(c.store.Update(t.Context(), func(tx *store.Tx) error {
				return rota.NoteHandOver(tx, g.ID, rota.Turn{}, time.Time{})
			}))
		}
		c.must(worker.Settle(t.Context(), store.HandOver))
		members := view(c, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(g.ID) })
		if !slices.Equal(members, []model.AccountID{bob.Account}) {
			t.Errorf("%s after the hand-over %v are in the group, want %v", at, members, bob.Account)
		}
	}
	if n := behind.counts.LateHandOvers.Load(); n != 0 {
		t.Errorf("%d hand-overs count as late", n)
	}
}

func TestTheNextLookIsWithinADay(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	zone, err := duty.LoadZone("UTC")
	if err != nil {
		t.Fatal(err)
	}
	r := duty.Rota{Zone: zone, Overrides: []duty.Override{{From: now.Add(time.Hour), To: now.Add(72 * time.Hour)}}}
	for _, c := range []struct {
		at           time.Time
		planned, due time.Time
		more         bool
	}{
		{now, now.Add(time.Hour), now.Add(time.Hour), true},
		{now.Add(time.Hour), time.Time{}, now.Add(25 * time.Hour), true},
		{now.Add(49 * time.Hour), now.Add(72 * time.Hour), now.Add(72 * time.Hour), true},
		{now.Add(72 * time.Hour), time.Time{}, time.Time{}, false},
	} {
		planned, due, more := nextLook(&r, c.at)
		if !planned.Equal(c.planned) || !due.Equal(c.due) || more != c.more {
			t.Errorf("at %s: %s, %s, %t; want %s, %s, %t", c.at, planned, due, more, c.planned, c.due, c.more)
		}
	}
}
