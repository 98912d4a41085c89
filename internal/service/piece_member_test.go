package service_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/service"
)

// forgetting is the memory of a directory, and says when that has changed who may send to whom.
type forgetting func()

func (f forgetting) Forget()           {}
func (f forgetting) ForgetRecipients() { f() }

// Whoever leaves an organization is in none of its groups from then on, also where there is more to
// write than a call does at once.
func TestWhoLeavesAnOrganizationLeavesItsGroupsAtOnce(t *testing.T) {
	var worker *backlog.Worker
	h := newHouse(t, 4, withWorker(4, &worker))
	ann, bob := h.actors[0], h.actors[1]
	var last model.GroupID
	for range 3 {
		last = h.mustWard(t, false, h.actors[1:]...)
	}
	must(t, worker.Settle(t.Context()))
	var message model.MessageID
	directory := people.New(people.Options{Store: h.store, Access: h.access, Vault: h.vault, Hub: h.fanout.Hub,
		Fanout: h.fanout, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Memory: forgetting(func() { // before anything is done of what was noted
			sent, err := h.service.Send(t.Context(), ann, service.SendCommand{Recipient: last.String(), Body: "later"})
			must(t, err)
			message = sent.Message
		})})
	operator := actor(t, h.access, "operator", "secret")
	must(t, directory.RemoveMember(t.Context(), operator, bob.Account.String(), h.organization))
	must(t, worker.Settle(t.Context()))
	status, err := h.service.MessageStatus(t.Context(), ann, message)
	must(t, err)
	if len(status.Rows) != 2 {
		t.Errorf("the message was sent to %+v, want the two who are left", status.Rows)
	}
	if got := h.bodies(t, bob); len(got) != 0 {
		t.Errorf("who has left has %v", got)
	}
}

// Whoever leaves a large group and comes back, before a message is queued with it that was sent before, gets
// it once, and has no less unread than nothing.
func TestWhoComesBackGetsOnceWhatWasSentBefore(t *testing.T) {
	for _, history := range []bool{false, true} {
		t.Run(fmt.Sprint("history ", history), func(t *testing.T) {
			var worker *backlog.Worker
			h := newHouse(t, 7, withWorker(8, &worker))
			ann, eve := h.actors[0], h.actors[6]
			g := h.mustWard(t, history, h.actors[1:]...)
			must(t, worker.Settle(t.Context()))
			sent, err := h.service.Send(t.Context(), ann, service.SendCommand{Recipient: g.String(), Body: "before"})
			must(t, err)
			must(t, h.service.RemoveGroupMembers(t.Context(), ann, g, tokens(h.actors[6:])))
			must(t, h.service.AddGroupMembers(t.Context(), ann, g, tokens(h.actors[6:])))
			must(t, worker.Settle(t.Context()))
			if got := h.bodies(t, eve); !slices.Equal(got, []string{"before"}) {
				t.Errorf("she has %v", got)
			}
			must(t, h.service.MarkStatus(t.Context(), eve, service.Marks{Read: []model.MessageID{sent.Message}}))
			unread, err := h.service.Unread(t.Context(), eve, "me")
			must(t, err)
			if unread.Messages != 0 {
				t.Errorf("%d are unread, want 0", unread.Messages)
			}
			must(t, h.service.Recall(t.Context(), ann, sent.Message))
			if got := h.bodies(t, eve); len(got) != 0 {
				t.Errorf("of what was recalled she has %v", got)
			}
		})
	}
}

// Whoever leaves a group while its history still comes keeps what was sent to it as a member, also where
// that was still to be queued with all.
func TestWhoLeavesBeforeTheHistoryHasComeGetsWhatWasSentToIt(t *testing.T) {
	for _, others := range []int{1, 6} {
		t.Run(fmt.Sprint(others, " others"), func(t *testing.T) {
			var worker *backlog.Worker
			h := newHouse(t, 8, withWorker(8, &worker))
			ann, eve := h.actors[0], h.actors[7]
			g := h.mustWard(t, true, h.actors[1:1+others]...)
			for i := range 10 {
				h.mustSend(t, ann, g, fmt.Sprint(i))
			}
			must(t, worker.Settle(t.Context()))
			must(t, h.service.AddGroupMembers(t.Context(), ann, g, tokens(h.actors[7:])))
			want := []string{"first", "second"}
			for _, body := range want {
				h.mustSend(t, ann, g, body)
			}
			must(t, h.service.RemoveGroupMembers(t.Context(), ann, g, tokens(h.actors[7:])))
			h.mustSend(t, ann, g, "without her")
			must(t, worker.Settle(t.Context()))
			if got := h.bodies(t, eve); !slices.Equal(got, want) {
				t.Errorf("she has %v, want %v", got, want)
			}
		})
	}
}

// A conversation that was removed does not come back with the history of its group, which was deleted.
func TestHistoryOfADeletedGroupEndsWithTheConversation(t *testing.T) {
	var worker *backlog.Worker
	h := newHouse(t, 3, withWorker(8, &worker))
	ann, eve := h.actors[0], h.actors[2]
	g := h.mustWard(t, true, h.actors[1])
	for i := range 10 {
		h.mustSend(t, ann, g, fmt.Sprint(i))
	}
	must(t, worker.Settle(t.Context()))
	must(t, h.service.AddGroupMembers(t.Context(), ann, g, tokens(h.actors[2:])))
	h.mustSend(t, ann, g, "last")
	must(t, h.service.DeleteGroup(t.Context(), ann, g))
	must(t, h.service.RemoveFromRoster(t.Context(), eve, g.String(), h.organization))
	must(t, worker.Settle(t.Context()))
	if got := h.bodies(t, eve); len(got) != 0 {
		t.Errorf("she has %v", got)
	}
}

// Of each member who comes everybody is told with a bang, as long as these are not more than 2,000.
func TestEachOfManyWhoComeIsABang(t *testing.T) {
	const before, come = 30, 21
	var worker *backlog.Worker
	h := newHouse(t, before+come, withWorker(0, &worker))
	g := h.mustWard(t, false, h.actors[1:before]...)
	must(t, worker.Settle(t.Context()))
	readers := []*model.Actor{h.actors[0], h.actors[before-1], h.actors[before], h.actors[before+come-1]}
	for _, reader := range readers {
		_, err := h.service.DeleteEvents(t.Context(), reader, false)
		must(t, err)
	}
	must(t, h.service.AddGroupMembers(t.Context(), h.actors[0], g, tokens(h.actors[before:])))
	must(t, worker.Settle(t.Context()))
	for i, reader := range readers {
		events, err := h.service.Poll(t.Context(), reader, service.PollOptions{Limit: service.MaxEvents})
		must(t, err)
		kinds := map[model.EventKind]int{}
		for _, e := range events {
			kinds[e.Kind]++
		}
		if kinds[model.EventBang] != come || kinds[model.EventUpdate] != 0 {
			t.Errorf("reader %d is told with %v, want %d bangs", i, kinds, come)
		}
	}
}
