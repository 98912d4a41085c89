package service

import (
	"context"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// Shown is a live signal as the actor sees it: what the signal names is read now. seen is
// false where the actor does not see that, or where it is gone by now.
func (s *Service) Shown(ctx context.Context, actor *model.Actor, signal *live.Signal) (e model.Event, seen bool,
	err error) {
	if !signal.Reaches(actor.Key.Scope) {
		return e, false, nil
	}
	e = model.Event{ID: signal.ID, Kind: signal.Kind, Typing: signal.Typing, Presence: signal.Presence}
	switch signal.Kind {
	case model.EventMessage, model.EventGroupMessage:
		var m model.Message
		m, err = s.Message(ctx, actor, signal.Message)
		e.Message = &m
	case model.EventUpdate:
		e.Entity, err = s.changedAccount(ctx, actor, signal)
	}
	switch {
	case model.IsNotFound(err):
		return e, false, nil
	case content.Unreadable(err):
		s.log.ErrorContext(ctx, "a message is not shown to its sender", "error", err)
		return e, false, nil
	}
	return e, err == nil, err
}

// changedAccounts is how many are remembered of the accounts that the latest signals
// named, by the signals' identifiers: all colleagues with an open stream show the same one.
const changedAccounts = 64

func (s *Service) changedAccount(ctx context.Context, actor *model.Actor, signal *live.Signal) (*model.Entity, error) {
	t, known := s.changed.Get(signal.ID)
	if !known {
		version := s.changed.Version()
		err := s.store.View(ctx, func(tx *store.Tx) error {
			account, found, err := tx.Account(signal.Account)
			if err == nil && !found {
				err = model.Missing()
			}
			if err != nil {
				return err
			}
			memberships, err := tx.Memberships(account.ID)
			t = &access.Target{Account: account, Memberships: memberships}
			return err
		}, store.Short)
		if err != nil {
			return nil, err
		}
		s.changed.Put(version, signal.ID, t, 1)
	}
	if !actor.MaySee(t.ID, t.Memberships) {
		return nil, model.Missing()
	}
	return &model.Entity{Account: t.SeenBy(actor, "").Account}, nil
}
