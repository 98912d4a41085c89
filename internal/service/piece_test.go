package service_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/piecework"
	"signet/internal/testenv"
)

// withWorker gives a house a worker, whose transactions write some rows.
func withWorker(rows int, worker **backlog.Worker) func(*service.Options) {
	return func(o *service.Options) {
		*worker = backlog.NewWorker(backlog.Options{Store: o.Store, Now: o.Clock, Log: slog.New(slog.DiscardHandler)})
		o.Fanout = fanout.New(fanout.Options{Store: o.Store, Hub: o.Hub, Clock: o.Clock, Rows: rows})
		(*worker).Register(o.Fanout.Kind())
	}
}

// running runs a worker until the test ends.
func running(t *testing.T, w *backlog.Worker) {
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { w.Run(ctx) })
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
}

func (h *house) mustWard(t *testing.T, replay bool, members ...*model.Actor) model.GroupID {
	t.Helper()
	name := "Ward"
	g, err := h.service.CreateGroup(t.Context(), h.actors[0], service.GroupCommand{
		Name: &name, ReplayHistory: &replay, Members: tokens(members),
	})
	must(t, err)
	return g.ID
}

func (h *house) mustSend(t *testing.T, from *model.Actor, to fmt.Stringer, body string) {
	t.Helper()
	_, err := h.service.Send(t.Context(), from, service.SendCommand{Recipient: to.String(), Body: body})
	must(t, err)
}

func tokens(actors []*model.Actor) (out []string) {
	for _, a := range actors {
		out = append(out, a.Account.String())
	}
	return out
}

// read polls a queue until it has brought so many messages, and returns what these say.
func (h *house) read(t *testing.T, reader *model.Actor, messages int) (bodies []string) {
	t.Helper()
	o := service.PollOptions{Limit: 7, Wait: service.MaxWait}
	for len(bodies) < messages {
		events, err := h.service.Poll(t.Context(), reader, o)
		must(t, err)
		if len(events) == 0 {
			t.Fatalf("the queue has %d messages, and %d were sent: %v", len(bodies), messages, bodies)
		}
		for _, e := range events {
			if e.Message != nil {
				bodies = append(bodies, e.Message.Body)
			}
		}
		o.After = events[len(events)-1].ID
	}
	return bodies
}

// Whoever enters a group reads its history before what is sent to it later, whatever is
// sent meanwhile and however the queue is followed.
func TestHistoryComesBeforeWhatIsSentLater(t *testing.T) {
	testenv.Long(t)
	var worker *backlog.Worker
	h := newHouse(t, 8, withWorker(20, &worker))
	running(t, worker)
	ann, others := h.actors[0], h.actors[2:]
	g := h.mustWard(t, true, h.actors[1])
	const before, during = 60, 60
	var want []string
	for i := range before + during {
		want = append(want, fmt.Sprint(i))
	}
	for _, body := range want[:before] {
		h.mustSend(t, ann, g, body)
	}
	must(t, h.service.AddGroupMembers(t.Context(), ann, g, tokens(others)))
	var readers sync.WaitGroup
	for _, reader := range others {
		readers.Go(func() {
			if got := h.read(t, reader, before+during); !slices.Equal(got, want) {
				t.Errorf("a new member reads %v", got)
			}
		})
	}
	for _, body := range want[before:] {
		h.mustSend(t, ann, g, body)
	}
	readers.Wait()
	for _, reader := range others {
		unread, err := h.service.Unread(t.Context(), reader, "me")
		must(t, err)
		if unread.Messages != before+during {
			t.Errorf("%d are unread, want %d", unread.Messages, before+during)
		}
	}
}

// No transaction writes much, whatever is done to a group of very many.
func TestNoTransactionWritesMuch(t *testing.T) {
	testenv.Long(t)
	const most = 1200 // the copies of a message, and what a call does at once
	var worker *backlog.Worker
	h := newHouse(t, 1000, withWorker(0, &worker))
	ann := h.actors[0]
	var g model.GroupID
	var last model.MessageID
	for _, c := range []struct {
		what string
		most int64
		do   func() error
	}{
		{"a group is made", 500, func() error { g = h.mustWard(t, true, h.actors[1:500]...); return nil }},
		{"messages are sent", most, func() error {
			for range 30 {
				sent, err := h.service.Send(t.Context(), ann, service.SendCommand{Recipient: g.String(), Body: "x"})
				if err != nil {
					return err
				}
				last = sent.Message
			}
			return nil
		}},
		{"members enter", 500, func() error {
			return h.service.AddGroupMembers(t.Context(), ann, g, tokens(h.actors[500:]))
		}},
		{"it is renamed", 500, func() error {
			name := "Ward 8"
			_, err := h.service.UpdateGroup(t.Context(), ann, g, service.GroupCommand{Name: &name})
			return err
		}},
		{"a message is recalled", 500, func() error { return h.service.Recall(t.Context(), ann, last) }},
		{"two leave", 500, func() error {
			return h.service.RemoveGroupMembers(t.Context(), ann, g, tokens(h.actors[998:]))
		}},
		{"most leave", 500, func() error {
			return h.service.RemoveGroupMembers(t.Context(), ann, g, tokens(h.actors[10:]))
		}},
		{"it is deleted", 500, func() error { return h.service.DeleteGroup(t.Context(), ann, g) }},
	} {
		h.rows.Store(0)
		must(t, c.do())
		must(t, worker.Settle(t.Context()))
		if got := h.rows.Load(); got > c.most {
			t.Errorf("%s: a transaction writes %d rows, more than %d", c.what, got, c.most)
		}
	}
}

// Of the updates of a group that a member has not read there is one, the last.
func TestUpdatesOfAGroupAreOneEvent(t *testing.T) {
	testenv.Long(t)
	var worker *backlog.Worker
	h := newHouse(t, 300, withWorker(0, &worker))
	ann := h.actors[0]
	g := h.mustWard(t, false, h.actors[1:]...)
	for i := range 5 {
		name := fmt.Sprint("Ward ", i)
		_, err := h.service.UpdateGroup(t.Context(), ann, g, service.GroupCommand{Name: &name})
		must(t, err)
		if i == 2 { // of the others nothing was queued yet
			must(t, worker.Settle(t.Context()))
		}
	}
	must(t, worker.Settle(t.Context()))
	for _, reader := range []*model.Actor{ann, h.actors[299]} {
		events, err := h.service.Poll(t.Context(), reader, service.PollOptions{Limit: service.MaxEvents})
		must(t, err)
		updates := 0
		for _, e := range events {
			if e.Kind == model.EventUpdate {
				updates++
			}
		}
		last := events[len(events)-1]
		if updates != 1 || last.Kind != model.EventUpdate || last.Entity.Group.Name != "Ward 4" {
			t.Errorf("there are %d updates, the last event is %+v", updates, last)
		}
	}
}

// What one server noted and did not do, another one does.
func TestWorkOfAServerThatIsGoneIsDoneByAnother(t *testing.T) {
	testenv.Long(t)
	var gone *backlog.Worker
	h := newHouse(t, 30, withWorker(4, &gone)) // which never runs
	ann := h.actors[0]
	g := h.mustWard(t, true, h.actors[1:3]...)
	for i := range 10 {
		h.mustSend(t, ann, g, fmt.Sprint(i))
	}
	must(t, h.service.AddGroupMembers(t.Context(), ann, g, tokens(h.actors[3:])))
	if bodies := h.bodies(t, h.actors[5]); len(bodies) != 0 {
		t.Fatalf("before anything was done a new member has %v", bodies)
	}
	// Members are there when the call is answered: that did not wait for a worker.
	in, err := h.service.Group(t.Context(), h.actors[5], g)
	must(t, err)
	if len(in.Members) != 30 {
		t.Errorf("the group has %d members, want 30", len(in.Members))
	}
	other := backlog.NewWorker(backlog.Options{Store: h.store, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	other.Register(fanout.New(fanout.Options{Store: h.store, Hub: live.NewHub(0), Clock: time.Now}).Kind())
	running(t, other)
	want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	for _, reader := range []*model.Actor{h.actors[1], h.actors[5], h.actors[29]} {
		for !slices.Equal(h.bodies(t, reader), want) {
			if t.Context().Err() != nil {
				t.Fatalf("a member has %v", h.bodies(t, reader))
			}
		}
	}
}

// Whoever takes a large group from its roster while an earlier call still takes that account out of it leaves it once.
func TestWhoIsBeingTakenOutOfAGroupLeavesItOnce(t *testing.T) {
	h := newHouse(t, 2)
	bob := h.actors[1]
	g := h.mustWard(t, false, bob)
	h.mustSend(t, h.actors[0], g, "hello") // which those who leave keep
	must(t, h.store.Update(t.Context(), func(tx *store.Tx) error {
		leaving := fanout.Friends(&model.Group{ID: g}, piecework.Leave, false, []model.AccountID{bob.Account}, 0)
		leaving.Organization, leaving.Group = h.organization, g
		return piecework.NotePiece(tx, &leaving)
	}))
	must(t, h.service.RemoveFromRoster(t.Context(), bob, g.String(), h.organization))
	must(t, h.store.View(t.Context(), func(tx *store.Tx) error {
		var notes int
		if _, err := tx.One(`SELECT COUNT(*) FROM notes`, nil, &notes); err != nil {
			return err
		}
		member, err := tx.IsGroupMember(g, bob.Account)
		if notes != 1 || member {
			t.Errorf("there are %d notes, want that of the creation; the account is in the group: %t", notes, member)
		}
		return err
	}))
}

// bodies are the messages of a queue, as it is.
func (h *house) bodies(t *testing.T, reader *model.Actor) (bodies []string) {
	t.Helper()
	events, err := h.service.Poll(t.Context(), reader, service.PollOptions{Limit: service.MaxEvents})
	must(t, err)
	for _, e := range events {
		if e.Message != nil {
			bodies = append(bodies, e.Message.Body)
		}
	}
	return bodies
}

// Whoever recalls a message again, since the first call was not answered, is answered when all readers
// have lost it.
func TestARepeatedRecallIsAnsweredWhenItIsDone(t *testing.T) {
	var worker *backlog.Worker // which runs when the test says so
	ctx, giveUp := context.WithCancel(t.Context())
	h := newHouse(t, 6, withWorker(8, &worker), func(o *service.Options) { o.EraseSoon = giveUp })
	ann, last := h.actors[0], h.actors[5]
	g := h.mustWard(t, false, h.actors[1:]...)
	must(t, worker.Settle(t.Context()))
	sent, err := h.service.Send(t.Context(), ann, service.SendCommand{Recipient: g.String(), Body: "x"})
	must(t, err)
	must(t, worker.Settle(t.Context()))
	if err := h.service.Recall(ctx, ann, sent.Message); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first recall ended with %v", err)
	}
	must(t, h.service.Recall(t.Context(), ann, sent.Message))
	must(t, h.store.View(t.Context(), func(tx *store.Tx) error {
		waits, err := piecework.HasPieces(tx, h.organization, g, piecework.Recall)
		if waits {
			t.Error("some of its readers have it still")
		}
		return err
	}))
	unread, err := h.service.Unread(t.Context(), last, "me")
	must(t, err)
	if unread.Messages != 0 {
		t.Errorf("%d are unread, want 0", unread.Messages)
	}
}
