package service

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// Unread are counts of messages that an account received and did not read.
type Unread struct {
	Messages int
	Priority int
}

// Unread counts an account's unread messages: for itself, administrators of an
// organization that it is in, and operators (contract, call 25).
func (s *Service) Unread(ctx context.Context, actor *model.Actor, address string) (out Unread, err error) {
	err = s.store.ViewTogether(ctx, func(tx *store.Tx) error {
		id, err := s.resolveAccount(tx, actor, address)
		if err != nil {
			return err
		}
		if id != actor.Account {
			t, err := s.target(tx, actor, address)
			if err != nil {
				return err
			}
			if err := mayCountUnread(actor, &t); err != nil {
				return err
			}
		}
		out.Messages, out.Priority, err = tx.Unread(id, "", s.now())
		return err
	})
	return out, err
}

func mayCountUnread(actor *model.Actor, t *target) error {
	if actor.Operator && actor.Administrative() {
		return nil
	}
	for _, m := range t.memberships {
		if actor.Administers(m.Organization) {
			return nil
		}
	}
	if maySeeAccount(actor, t.ID, t.memberships) {
		return notAllowed()
	}
	return model.Missing()
}

// UnreadIn does so within one organization (contract, call 26).
func (s *Service) UnreadIn(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID) (out Unread, err error) {
	err = s.store.ViewTogether(ctx, func(tx *store.Tx) error {
		t, err := s.target(tx, actor, address)
		if err != nil {
			return err
		}
		if _, member := t.membership(organization); !member {
			return model.Missing()
		}
		if t.ID != actor.Account {
			if err := mayAdminister(actor, organization); err != nil {
				return err
			}
		}
		out.Messages, out.Priority, err = tx.Unread(t.ID, organization, s.now())
		return err
	})
	return out, err
}
