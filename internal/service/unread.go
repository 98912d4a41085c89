package service

import (
	"context"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
)

// Unread are counts of messages that an account received and did not read.
type Unread struct {
	Messages int
	Priority int
}

// Unread counts an account's unread messages: for itself and operators all, for
// administrators those of the organizations that they administer (contract, call 25).
func (s *Service) Unread(ctx context.Context, actor *model.Actor, address string) (out Unread, err error) {
	var id model.AccountID
	err = s.viewCounting(ctx, func(tx *store.Tx) error {
		out = Unread{}
		entity, _, _, err := s.access.Resolve(tx, actor, address, false)
		if err != nil {
			return err
		}
		id = model.AccountID(entity)
		organizations := []model.OrganizationID{actor.Key.Scope} // none named: all
		if id != actor.Account {
			t, err := s.access.Target(tx, actor, address)
			if err != nil {
				return err
			}
			if organizations, err = mayCountUnread(actor, &t); err != nil {
				return err
			}
		}
		for _, organization := range organizations {
			messages, priority, err := tx.Unread(id, organization, s.now())
			if err != nil {
				return err
			}
			out.Messages += messages
			out.Priority += priority
		}
		return nil
	}, store.Short)
	if err == nil && id != actor.Account {
		err = s.reads.Record(ctx, s.now(), actor, model.AuditEntry{Action: model.ActionUnreadRead, User: id})
	}
	return out, err
}

// mayCountUnread returns in which organizations of another account the actor may count;
// the empty one is all.
func mayCountUnread(actor *model.Actor, t *access.Target) (in []model.OrganizationID, err error) {
	if actor.Operates() {
		return []model.OrganizationID{""}, nil
	}
	for _, m := range t.Memberships {
		if actor.Administers(m.Organization) {
			in = append(in, m.Organization)
		}
	}
	switch {
	case len(in) > 0:
		return in, nil
	case actor.MaySee(t.ID, t.Memberships):
		return nil, model.NotAllowed()
	default:
		return nil, model.Missing()
	}
}

// UnreadIn counts what an account has not read within one organization (contract, call 26).
func (s *Service) UnreadIn(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (out Unread, err error) {
	var t access.Target
	err = s.viewCounting(ctx, func(tx *store.Tx) error {
		if t, err = s.access.Target(tx, actor, address); err != nil {
			return err
		}
		if _, member := t.In(organization); !member {
			return model.Missing()
		}
		if t.ID != actor.Account {
			if err := actor.MayAdminister(organization); err != nil {
				return err
			}
		}
		out.Messages, out.Priority, err = tx.Unread(t.ID, organization, s.now())
		return err
	}, store.Short)
	if err == nil && t.ID != actor.Account {
		err = s.reads.Record(ctx, s.now(), actor, model.AuditEntry{Action: model.ActionUnreadRead, Chain: organization,
			Organization: organization, User: t.ID})
	}
	return out, err
}
