package service_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/custody"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/sweep"
)

// No transaction writes or reads much, whatever is done to an organization of very many, or to
// somebody whom they all know: whoever sends meanwhile waits for one of them.
func TestNoTransactionIsAboutAllMembers(t *testing.T) {
	const members, most = 1200, 700
	var worker *backlog.Worker
	h := newHouse(t, 3, withWorker(0, &worker))
	operator := actor(t, h.access, "operator", "secret")
	person := h.actors[0].Account
	must(t, h.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range members {
			if err := addMember(tx, h.organization, person, memberOf(i)); err != nil {
				return err
			}
		}
		return nil
	}))
	sweeper := sweep.NewSweeper(sweep.Options{
		Store: h.store, Vault: h.vault, Cases: h.service, Access: h.access, Log: slog.New(slog.DiscardHandler),
		Clock: custody.NewClock(custody.ClockOptions{Store: h.store, Now: time.Now}),
		Audit: audit.NewLog(audit.Options{Store: h.store, Clock: time.Now}),
	})
	worker.Register(sweeper.Eraser().Kinds()...)
	name, text := "Hospital", "in theatre"
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"a status is set", func() error {
			return h.people.UpdateProfile(t.Context(), h.actors[0], "me", people.ProfileCommand{Status: &text})
		}},
		{"the organization is renamed", func() error {
			return h.people.UpdateOrganization(t.Context(), operator, h.organization, people.OrganizationCommand{Name: &name})
		}},
		{"somebody is disabled", func() error { return h.access.SetDisabled(t.Context(), operator, person.String(), true) }},
		{"somebody is erased", func() error {
			return h.people.EraseUser(t.Context(), operator,
				people.EraseCommand{Address: person.String(), Username: "user0"})
		}},
		{"the organization is deleted", func() error {
			return h.people.DeleteOrganization(t.Context(), operator,
				people.DeleteCommand{Organization: h.organization, Name: name})
		}},
	} {
		h.rows.Store(0)
		h.mostRead.Store(0)
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		must(t, worker.Settle(t.Context(), store.FanOut))
		must(t, worker.Settle(t.Context()))
		must(t, sweeper.Sweep(t.Context()))
		if rows, read := h.rows.Load(), h.mostRead.Load(); rows > most || read > most {
			t.Errorf("%s: a transaction writes %d rows and reads %d, more than %d", c.what, rows, read, most)
		}
	}
	// Everybody was told once, of the last two together, and nothing is left.
	must(t, h.store.View(t.Context(), func(tx *store.Tx) error {
		for i := range members {
			if err := wantToldAndOut(tx, memberOf(i)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func memberOf(i int) model.AccountID { return model.AccountID{1, 14: byte(i >> 8), 15: byte(i)} }

// addMember makes a member with a key, who has a conversation with a person and mutes that one.
func addMember(tx *store.Tx, o model.OrganizationID, person, id model.AccountID) error {
	now := time.Now()
	a := model.Account{ID: id, DisplayName: "x", CreatedBy: o, Created: now}
	if err := tx.InsertAccount(&a, ""); err != nil {
		return err
	}
	_, err := tx.PutMembership(model.Membership{Organization: o, Account: id, Joined: now, Since: 1})
	return errors.Join(err, tx.InsertKey(&model.Key{Key: "key of " + id.String(), Account: id, Scope: o}),
		tx.ListConversation(id, o, model.EntityID(person)), tx.ListConversation(person, o, model.EntityID(id)),
		tx.PutMute(id, model.Mute{Organization: o, Entity: model.EntityID(person), Start: now}))
}

// wantToldAndOut asks that an account has one event, of its settings, and nothing else.
func wantToldAndOut(tx *store.Tx, id model.AccountID) error {
	events, err := tx.Events(store.Queue{Account: id, UpTo: store.EndOfQueue, Now: time.Now()}, 10, nil)
	if err != nil {
		return err
	}
	if len(events) != 1 || events[0].Kind != model.EventSettings || events[0].Organization != "" {
		return fmt.Errorf("the queue of %s has %+v", id, events)
	}
	memberships, err := tx.Memberships(id)
	if err != nil {
		return err
	}
	keys, err := tx.Keys(id)
	if err != nil {
		return err
	}
	roster, err := tx.Roster(id)
	if rest := len(memberships) + len(keys) + len(roster); err != nil || rest > 0 {
		return fmt.Errorf("%s has %d rows left (%v)", id, rest, err)
	}
	return nil
}
