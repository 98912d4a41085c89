package service_test

import (
	"log/slog"
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
