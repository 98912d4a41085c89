package service

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/sweep"
	"signet/internal/testenv"
)

// sweeper is what sweeps the store of a service.
func sweeper(s *Service) *sweep.Sweeper {
	return sweep.NewSweeper(sweep.Options{
		Store: s.store, Vault: s.vault, Clock: s.time, Cases: s, Access: s.access,
		Audit: audit.NewLog(audit.Options{Store: s.store, Clock: s.clock}), Log: s.log, Retention: s.retention,
	})
}

// sweepAll does all that a server of a service does in the background.
func sweepAll(ctx context.Context, s *Service) error {
	w := sweeper(s)
	work := backlog.NewWorker(backlog.Options{Store: s.store, Now: s.clock, Log: s.log})
	work.Register(append(w.Eraser().Kinds(), s.fanout.Kind())...)
	return errors.Join(work.Settle(ctx, store.FanOut), work.Settle(ctx), w.Sweep(ctx))
}

// A message that has ended leaves the store with its many copies, its events and its counts
// in pieces, and with others that have ended.
func TestMessagesWithManyCopiesAreSwept(t *testing.T) {
	testenv.Long(t)
	f := newFixture(t)
	o := f.organization()
	var members []model.AccountID
	for i := range 400 {
		members = append(members, f.named(strconv.Itoa(i), o))
	}
	g, small := f.group(o, "all", false, members...), f.group(o, "few", false, members[:3]...)
	minute := 1
	for _, to := range []model.GroupID{g.ID, small.ID, g.ID} {
		_, err := f.service.Send(t.Context(), f.actor(members[0]),
			SendCommand{Recipient: to.String(), Body: "x", TTL: &minute})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.work.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.now = f.now.Add(2 * time.Minute)
	if err := sweepAll(t.Context(), f.service); err != nil {
		t.Fatal(err)
	}
	f.mustUpdate(func(tx *store.Tx) error {
		for _, member := range []model.AccountID{members[0], members[1], members[399]} {
			unread, _, err := tx.Unread(member, o, f.now)
			if err != nil {
				return err
			}
			events, err := tx.LastPosition(member)
			if unread != 0 || events != 0 {
				t.Errorf("%d messages are unread, and an event is queued at %d", unread, events)
			}
			if err != nil {
				return err
			}
		}
		left, err := tx.EndedMessages(f.now, 10)
		if len(left) != 0 {
			t.Errorf("%d messages are left", len(left))
		}
		return err
	})
}
