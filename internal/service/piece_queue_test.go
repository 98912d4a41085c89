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
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/sweep"
	"signet/internal/testenv"
)

// sweeper is what sweeps the store of a house, as if it were some time later.
func (h *house) sweeper(later time.Duration) *sweep.Sweeper {
	now := func() time.Time { return time.Now().Add(later) }
	return sweep.NewSweeper(sweep.Options{
		Store: h.store, Vault: h.vault, Cases: h.service, Access: h.access, Log: slog.New(slog.DiscardHandler),
		QueueMax: 1000, Retention: time.Hour,
		Clock: custody.NewClock(custody.ClockOptions{Store: h.store, Now: now}),
		Audit: audit.NewLog(audit.Options{Store: h.store, Clock: now}),
	})
}

// mustQueueOther queues so many events besides messages with somebody.
func (h *house) mustQueueOther(t *testing.T, reader *model.Actor, n int) {
	t.Helper()
	for range n / 100 {
		must(t, h.store.Update(t.Context(), func(tx *store.Tx) error {
			position, err := tx.Position(100, reader.Account)
			for i := range int64(100) {
				if err == nil {
					err = tx.InsertEvent(reader.Account, position+i, h.organization, model.EventAdminRequest, model.MessageID{},
						store.Payload{Account: reader.Account, State: "pending"}.Encode())
				}
			}
			return err
		}))
	}
}

// mustPutOldRequests notes so many requests that are too old to be repeated.
func (h *house) mustPutOldRequests(t *testing.T, sender *model.Actor, n int) {
	t.Helper()
	for i := range n {
		r := store.Request{Account: sender.Account, ID: fmt.Sprint(i), Fingerprint: []byte{}, Organization: h.organization,
			Message: model.MessageID{1}, Created: time.Now().Add(-2 * model.RepeatWindow)}
		must(t, h.store.Update(t.Context(), func(tx *store.Tx) error { return tx.PutRequest(&r, r.Created) }))
	}
}

// wantNoOldRequests returns an error where one of them is left.
func (h *house) wantNoOldRequests(t *testing.T, sender *model.Actor, n int) error {
	t.Helper()
	return h.store.View(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			if _, found, err := tx.Request(sender.Account, fmt.Sprint(i), time.Time{}); err != nil || found {
				return fmt.Errorf("request %d is there: %v, error %w", i, found, err)
			}
		}
		return nil
	})
}

// No transaction writes much, whatever a call does to a long queue or to many messages, and
// whatever the sweep finds of it.
func TestNoTransactionWritesMuchToAQueue(t *testing.T) {
	testenv.Long(t)
	const most = fanout.Rows
	var worker *backlog.Worker
	h := newHouse(t, 3, withWorker(0, &worker))
	h.store.LimitQueues(1000)
	ann, bob := h.actors[0], h.actors[1]
	operator := actor(t, h.access, "operator", "secret")
	send := func(n int) (ids []model.MessageID) {
		for i := range n {
			sent, err := h.service.Send(t.Context(), ann, service.SendCommand{Recipient: bob.Account.String(),
				Body: fmt.Sprint(i)})
			must(t, err)
			ids = append(ids, sent.Message)
		}
		return ids
	}
	queued := func() (ids []string) {
		events, err := h.service.Poll(t.Context(), bob, service.PollOptions{Limit: service.MaxEvents})
		must(t, err)
		for i := range events {
			ids = append(ids, events[i].ID)
		}
		return ids
	}
	worker.Register(h.sweeper(0).Eraser().Kinds()...)
	sweep := func(later time.Duration) error { return h.sweeper(later).Sweep(t.Context()) }
	var messages []model.MessageID
	var events []string
	for _, c := range []struct {
		what    string
		prepare func()
		do      func() error
		left    int // events that its reader finds
	}{
		{"500 are marked Delivered", func() { messages = send(500) },
			func() error { return h.service.MarkStatus(t.Context(), bob, service.Marks{Delivered: messages}) }, 500},
		{"500 are marked Read", func() {},
			func() error { return h.service.MarkStatus(t.Context(), bob, service.Marks{Read: messages}) }, 500},
		{"1,000 are acknowledged", func() { send(500); events = queued() },
			func() error { return h.service.Acknowledge(t.Context(), bob, events) }, 0},
		{"1,000 are read and acknowledged", func() { send(1000) }, func() error {
			_, err := h.service.Poll(t.Context(), bob, service.PollOptions{Limit: 1000, AutoAck: true})
			return err
		}, 0},
		{"a conversation is removed", func() { send(900) },
			func() error {
				return h.service.RemoveFromRoster(t.Context(), bob, ann.Account.String(), h.organization)
			}, 1},
		{"a queue is emptied", func() { h.mustQueueOther(t, bob, 900) }, func() error {
			deleted, err := h.service.DeleteEvents(t.Context(), bob, false)
			if err == nil && deleted.Events != 901 {
				err = fmt.Errorf("%d events were deleted, want 901", deleted.Events)
			}
			return err
		}, 0},
		{"that is swept", func() {}, func() error { return sweep(0) }, 0},
		{"a queue is too long", func() { h.mustQueueOther(t, bob, 2500) }, func() error { return sweep(0) }, 1000},
		{"its events are too old", func() {}, func() error { return h.sweeper(2 * time.Hour).KeepHouse(t.Context()) }, 0},
		{"requests are too old to be repeated", func() { h.mustPutOldRequests(t, ann, 900) }, func() error {
			return errors.Join(h.sweeper(0).KeepHouse(t.Context()), h.wantNoOldRequests(t, ann, 900))
		}, 0},
		{"somebody leaves the organization", func() { h.mustQueueOther(t, bob, 900) }, func() error {
			return h.people.RemoveMember(t.Context(), operator, bob.Account.String(), h.organization)
		}, 1},
	} {
		c.prepare()
		h.rows.Store(0)
		must(t, c.do())
		must(t, worker.Settle(t.Context()))
		if got := h.rows.Load(); got > most || got == 0 {
			t.Errorf("%s: a transaction writes %d rows, more than %d", c.what, got, most)
		}
		if got := len(queued()); got != c.left {
			t.Errorf("%s: %d events are queued, want %d", c.what, got, c.left)
		}
	}
}
