package service

import (
	"context"
	"slices"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// This file decides who may see and do what. The use cases ask here and nowhere
// else; the authorization matrix of the tests proves it.

// refusals that may admit that the target exists.
func administrativeKeyRequired() *model.Error {
	return model.Forbiddenf("administrative_key_required", "The API key does not have access: it takes an "+
		"administrative key.")
}

func notAdministrator() *model.Error {
	return model.Forbiddenf("not_administrator", "The API key does not have access: its account is no administrator of "+
		"the organization.")
}

func notAllowed() *model.Error {
	return model.Forbiddenf("not_allowed", "The API key does not have access.")
}

// mayAdminister lets administrators of the organization and operators through.
// For any other actor an organization that it is not in does not exist.
func mayAdminister(actor *model.Actor, organization model.OrganizationID) error {
	switch {
	case actor.Administers(organization):
		return nil
	case !actor.MemberOf(organization):
		return model.Missing()
	case !actor.Administrative():
		return administrativeKeyRequired()
	default:
		return notAdministrator()
	}
}

// administer is act for a call that takes an administrator of the organization. The
// right is checked before, and once more with the organization locked.
func (s *Service) administer(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	if err := mayAdminister(actor, organization); err != nil {
		return err
	}
	return s.act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, organization)
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
		if err := s.stillAdministers(tx, actor, organization); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// stillAdministers asks inside a transaction whether the actor's right to
// administer the organization holds.
func (s *Service) stillAdministers(tx *store.Tx, actor *model.Actor, organization model.OrganizationID) error {
	if err := stillOpens(tx, &actor.Key, s.now()); err != nil {
		return err
	}
	if actor.Operator {
		_, found, err := tx.Organization(organization)
		if err == nil && !found {
			err = model.Missing()
		}
		return err
	}
	memberships, err := tx.MembershipsIn(organization, []model.AccountID{actor.Account})
	if err != nil {
		return err
	}
	current := *actor
	current.Memberships = memberships
	return mayAdminister(&current, organization)
}

// stillAdministersAny asks inside a transaction whether the actor is still an operator,
// or the administrator of some organization, which stays so until it ends.
func (s *Service) stillAdministersAny(tx *store.Tx, actor *model.Actor) error {
	if err := stillOpens(tx, &actor.Key, s.now()); err != nil || actor.Operator {
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
		if current := (model.Actor{Key: actor.Key, Memberships: memberships}); current.Administers(id) {
			return nil
		}
	}
	return notAdministrator()
}

// shared lists the organizations that the actor and the memberships have in common.
func shared(actor *model.Actor, memberships []model.Membership) []model.OrganizationID {
	var out []model.OrganizationID
	for _, m := range memberships {
		if actor.MemberOf(m.Organization) {
			out = append(out, m.Organization)
		}
	}
	return out
}

// maySeeAccount: the account itself, people who share an organization with it,
// operators (contract, section 5, call 4).
func maySeeAccount(actor *model.Actor, account model.AccountID, memberships []model.Membership) bool {
	return actor.Account == account || actor.Operator || len(shared(actor, memberships)) > 0
}

// maySeeAddresses: e-mails and phones are for the account itself and people who
// share an organization with it (contract, section 3).
func maySeeAddresses(actor *model.Actor, account model.AccountID, memberships []model.Membership) bool {
	return actor.Account == account || len(shared(actor, memberships)) > 0
}

// groupRights are what an actor may do with a group.
type groupRights struct {
	member  bool
	see     bool // members, administrators; of a public group anyone of the organization
	change  bool // name, members, avatar: members and administrators
	control bool // deletion, publicity, history: creator and administrators
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
	}, err
}

// stillActs returns the actor as it is inside a transaction, and refuses one whose key
// has ended: a key or a role that another node just ended changes no access.
func (s *Service) stillActs(tx *store.Tx, actor *model.Actor) (*model.Actor, error) {
	if err := stillOpens(tx, &actor.Key, s.now()); err != nil {
		return nil, err
	}
	current := *actor
	var err error
	current.Memberships, err = tx.Memberships(actor.Account)
	return &current, err
}

// mayManageKeys decides who issues and rotates keys of an account, and sets its password
// (contract, section 1: nobody gains another person's access).
func mayManageKeys(actor *model.Actor, target *model.Account, memberships []model.Membership) error {
	elsewhere := func(m model.Membership) bool { return m.Organization != target.CreatedBy }
	switch {
	case actor.Account == target.ID:
		return nil
	case !maySeeAccount(actor, target.ID, memberships) && !actor.Administers(target.CreatedBy):
		return model.Missing()
	case !actor.Administrative():
		return administrativeKeyRequired()
	case target.Operator:
		return notAllowed()
	case actor.Operator:
		return nil
	case target.CreatedBy != "" && actor.Administers(target.CreatedBy) && !slices.ContainsFunc(memberships, elsewhere):
		return nil
	default:
		return notAllowed()
	}
}

// mayRevokeKeys decides who lists and revokes keys of an account: those who manage
// them, and always the administrators of the organization that created it.
func mayRevokeKeys(actor *model.Actor, target *model.Account, memberships []model.Membership) error {
	if target.CreatedBy != "" && !target.Operator && actor.Administers(target.CreatedBy) {
		return nil
	}
	return mayManageKeys(actor, target, memberships)
}

// messageAccess is how an actor stands to a message that it may see.
type messageAccess struct {
	sender   bool
	delivery *store.Delivery // its own copy; nil for a sender who is no recipient
}

func (a *messageAccess) any() bool { return a.sender || a.delivery != nil }
