package service

import (
	"context"
	"slices"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// This file decides who may see and do what. The use cases ask here and nowhere
// else; the authorization matrix of the tests proves it.

// administeredTarget finds the account that a call about an organization is about: for the
// account itself, and for administrators of the organization. It answers others alike
// whether or not there is such an account.
func (s *Service) administeredTarget(tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (access.Target, error) {
	t, err := s.access.Target(tx, actor, address)
	if (err == nil || model.IsNotFound(err)) && (err != nil || t.ID != actor.Account) {
		if refused := actor.MayAdminister(organization); refused != nil {
			return access.Target{}, refused
		}
	}
	return t, err
}

// administer is act for a call that takes an administrator of the organization. The
// right is checked before, and once more with the organization locked.
func (s *Service) administer(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	if err := actor.MayAdminister(organization); err != nil {
		return err
	}
	return s.actOn(ctx, actor, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := s.access.StillAdministers(tx, actor, organization); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// quit is act for a call by which an account leaves the organization itself. Whether it is
// a member is for fn to find out, with the organization locked: a key with a scope may be
// one of the creating organization's.
func (s *Service) quit(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	if !actor.MemberOf(organization) && actor.Key.Scope == "" {
		return model.Missing()
	}
	return s.actOn(ctx, actor, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := s.access.StillOpens(tx, actor); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// actOn is act on an organization, which is locked.
func (s *Service) actOn(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	return s.act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, organization)
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// stillAdministersAny asks inside a transaction whether the actor is still an operator,
// or the administrator of some organization, which stays so until it ends.
func (s *Service) stillAdministersAny(tx *store.Tx, actor *model.Actor) error {
	if err := s.access.StillOpens(tx, actor); err != nil || actor.Operator {
		return err
	}
	organizations := actor.Organizations()
	slices.Sort(organizations)
	for _, id := range organizations {
		if !actor.Administers(id) {
			continue
		}
		if err := tx.ShareOrganization(id); err != nil {
			return err
		}
		memberships, err := tx.MembershipsIn(id, []model.AccountID{actor.Account})
		if err != nil {
			return err
		}
		current := *actor
		if current.Memberships = memberships; current.Administers(id) {
			return nil
		}
	}
	return model.NotAdministrator()
}

// acting is what an actor does in a transaction, while what it came with opens still.
func (s *Service) acting(actor *model.Actor, fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		if err := s.access.StillCalls(tx, actor); err != nil {
			return err
		}
		return fn(tx)
	}
}

// groupRights are what an actor may do with a group.
type groupRights struct {
	member  bool
	see     bool // members, administrators; of a public group anyone of the organization
	change  bool // name, members, avatar: members and administrators
	control bool // deletion, publicity, history: creator and administrators

	overseen bool // it is seen by an administrator alone, which leaves a line in the audit log
}

func rightsInGroup(tx *store.Tx, actor *model.Actor, g *model.Group) (groupRights, error) {
	inOrganization := actor.MemberOf(g.Organization)
	administers := actor.Administers(g.Organization)
	if !inOrganization && !administers {
		return groupRights{}, nil
	}
	member, err := tx.IsGroupMember(g.ID, actor.Account)
	member = member && inOrganization
	return groupRights{
		member:  member,
		see:     member || administers || g.Public && inOrganization,
		change:  member || administers,
		control: administers || g.CreatedBy == actor.Account && inOrganization,

		overseen: administers && !member && !(g.Public && inOrganization),
	}, err
}

// messageAccess is how an actor stands to a message that it may see.
type messageAccess struct {
	sender   bool
	delivery *store.Delivery // its own copy; nil for a sender who is no recipient
}

func (a *messageAccess) any() bool { return a.sender || a.delivery != nil }
