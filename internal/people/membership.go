package people

import (
	"context"
	"slices"
	"time"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/piecework"
	"signet/internal/store/provision"
	"signet/internal/store/rota"
	"signet/internal/store/searchindex"
)

// join puts an account into an organization, its search index and its group of everybody. It tells
// nobody but the account of that group. The account is new and has no queue that others lock, or the
// caller has locked the organization, so that nobody holds the group.
func (p *People) join(tx *store.Tx, account *model.Account, m model.Membership) error {
	everyone, err := lockEveryone(tx, m.Organization)
	if err != nil {
		return err
	}
	position, err := tx.Position(1, account.ID)
	if err != nil {
		return err
	}
	m.Since = position
	if _, err := tx.PutMembership(m); err != nil {
		return err
	}
	if err := search.IndexAccount(tx, account, m); err != nil || everyone == nil {
		return err
	}
	return p.fanout.Plan(tx, p.now()).Do(everyone,
		fanout.Friends(everyone, piecework.Enter, true, []model.AccountID{account.ID}, 0))
}

// lockEveryone locks the group that always holds all members of an organization; nil: it has none.
func lockEveryone(tx *store.Tx, organization model.OrganizationID) (*model.Group, error) {
	id, found, err := tx.GroupOfEveryone(organization)
	if err != nil || !found {
		return nil, err
	}
	if err := tx.LockGroup(id); err != nil {
		return nil, err
	}
	g, found, err := tx.Group(id)
	if err != nil || !found || g.Deleted { // it was deleted while this waited
		return nil, err
	}
	return &g, nil
}

// membershipChanged makes a change of memberships or roles hold at once.
func (p *People) membershipChanged(ctx context.Context, accounts ...model.AccountID) {
	p.access.Forget(accounts...)
	p.memory.ForgetRecipients()
	p.hub.Wake(ctx, accounts...)
}

// AddMember adds an existing account to an organization, or changes its title
// and department there. One that another organization created may have to agree, which is
// pending then; the account, and its administrators there, accept with the same call
// (contract, section 1 and call 29).
func (p *People) AddMember(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID,
	title, department *string) (pending bool, err error) {
	if organization == "" {
		return false, model.OrganizationRequired("organization")
	}
	if err := namesTooLong(givenName{"title", title}, givenName{"department", department}); err != nil {
		return false, err
	}
	if !actor.Administers(organization) {
		answered, err := p.answerJoin(ctx, actor, model.ActionMemberAdd, address, organization)
		if err == nil && !answered && !actor.AdministersAny() {
			err = model.AdministrativeKeyRequired()
		}
		if answered || err != nil {
			return false, err
		}
	}
	now := p.now()
	var account model.AccountID
	var told []model.AccountID
	err = p.access.Administer(ctx, actor, model.ActionMemberAdd, organization,
		func(tx *store.Tx, line *model.AuditEntry) error {
			t, home, err := p.joiner(tx, actor, address, p.approveJoins)
			if err != nil {
				return err
			}
			account, line.User = t.ID, t.ID
			told, pending = nil, false
			if _, member := t.In(organization); member {
				changed, err := p.retitle(tx, actor, &t, organization, title, department)
				if err != nil || !changed {
					return err
				}
				return access.TellHome(tx, actor, line, &t.Account)
			}
			m := model.Membership{Organization: organization, Account: t.ID, Joined: now}
			assignName(&m.Title, title)
			assignName(&m.Department, department)
			if p.approveJoins {
				if told, pending, err = p.requestJoin(tx, actor, line, &t, home, m); err != nil || pending {
					return err
				}
			}
			if err := p.enter(tx, actor, &t.Account, m); err != nil {
				return err
			}
			return access.TellHome(tx, actor, line, &t.Account)
		})
	if err != nil {
		return false, err
	}
	if pending {
		p.hub.Wake(ctx, told...)
	} else {
		p.membershipChanged(ctx, account)
	}
	return pending, nil
}

// RemoveMember takes an account out of an organization: out of its groups, its
// conversations and its events there. Streams that serve no other organization end at
// once. An account leaves any organization itself but the one that created it, with any
// key, one of the creating organization's scope too. Where the organization only asked for
// the account, that is over (contract, call 30).
func (p *People) RemoveMember(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) error {
	if !actor.Administers(organization) {
		answered, err := p.answerJoin(ctx, actor, model.ActionMemberRemove, address, organization)
		if answered || err != nil {
			return err
		}
	}
	quits := !actor.Administers(organization) && p.access.IsSelf(ctx, actor, address)
	return p.removeMember(ctx, actor, organization, quits, func(tx *store.Tx) (access.Target, error) {
		return p.leaver(tx, actor, address, organization, quits)
	})
}

// removeMember is RemoveMember of whom find finds in the transaction, which is the actor itself where it quits.
func (p *People) removeMember(ctx context.Context, actor *model.Actor, organization model.OrganizationID, quits bool,
	find func(*store.Tx) (access.Target, error)) error {
	var account model.AccountID
	var plan *fanout.Plan
	var left []model.OrganizationID
	asked, now := false, p.now()
	act := p.access.Administer
	if quits {
		act = p.access.Quit
	}
	remove := func(pen *content.Pen) error {
		return act(ctx, actor, model.ActionMemberRemove, organization, func(tx *store.Tx, line *model.AuditEntry) error {
			if err := pen.Fresh(); err != nil {
				return err
			}
			t, err := find(tx)
			if err != nil {
				return err
			}
			account, line.User = t.ID, t.ID
			m, member := t.In(organization)
			if asked = !member; asked {
				return p.endRequest(tx, actor, line, &t.Account, organization)
			}
			if quits && t.CreatedBy == organization {
				return model.NotAllowed()
			}
			if m.Has(model.RoleAdmin) {
				if err := access.NotLastAdministrator(tx, organization, t.ID); err != nil {
					return err
				}
			}
			plan = p.fanout.Plan(tx, now)
			if err := p.leave(tx, plan, pen, actor, &t.Account, organization); err != nil {
				return err
			}
			if left, err = tx.OrganizationsOf(account); err != nil {
				return err
			}
			return access.TellHome(tx, actor, line, &t.Account)
		})
	}
	var likely []model.OrganizationID
	if actor.MemberOf(organization) || actor.Administers(organization) && !actor.Command {
		likely = append(likely, organization)
	}
	if err := p.vault.Noting(ctx, now, remove, likely...); err != nil || asked {
		return err
	}
	p.membershipChanged(ctx, account)
	p.endStreams(account, organization, len(left) > 0)
	return p.fanout.Carry(ctx, plan)
}

// leaver finds who is to leave an organization: whom the address names, or the actor itself, which
// quits.
func (p *People) leaver(tx *store.Tx, actor *model.Actor, address string, organization model.OrganizationID,
	quits bool) (t access.Target, err error) {
	if t, err = p.access.Target(tx, actor, address); err != nil || !quits || actor.MemberOf(organization) {
		return t, err
	}
	if actor.Key.Scope != t.CreatedBy { // whom others draw in has often no other key
		return t, model.Missing()
	}
	t.Memberships, err = tx.Memberships(t.ID)
	return t, err
}

// endStreams ends what an account reads with keys that serve no organization any more
// once it has left this one. What serves others goes on.
func (p *People) endStreams(account model.AccountID, left model.OrganizationID, others bool) {
	if others {
		p.hub.CloseScope(account, left, live.Revoked)
		return
	}
	p.hub.CloseAccount(account, live.Revoked)
}

// leave takes an account out of an organization.
func (p *People) leave(tx *store.Tx, plan *fanout.Plan, pen *content.Pen, actor *model.Actor, account *model.Account,
	organization model.OrganizationID) error {
	groups, err := tx.GroupsOf(account.ID, organization)
	if err != nil {
		return err
	}
	if err := lockToLeave(tx, groups, account.ID); err != nil {
		return err
	}
	for i := range groups {
		g, leaving := &groups[i], []model.AccountID{account.ID}
		if g.Everyone { // whose others are not told
			err = plan.Do(g, fanout.Friends(g, piecework.Leave, false, leaving, 0))
		} else {
			err = plan.MoveMembers(pen, actor, g, leaving, nil)
		}
		if err != nil {
			return err
		}
	}
	position, err := tx.Position(1, account.ID)
	if err != nil {
		return err
	}
	if err := tx.ClearOrganization(account.ID, organization, position); err != nil {
		return err
	}
	if err := tx.DeleteMutesOf(account.ID, organization); err != nil {
		return err
	}
	if err := tx.WithdrawEventsOf(account.ID, organization, position); err != nil {
		return err
	}
	if err := tx.DeleteMembership(organization, account.ID); err != nil {
		return err
	}
	if err := provision.Leave(tx, organization, account.ID); err != nil {
		return err
	}
	if err := rota.Leave(tx, account.ID, organization); err != nil {
		return err
	}
	if err := searchindex.Remove(tx, organization, model.EntityID(account.ID)); err != nil {
		return err
	}
	if err := erasure.NoteDeparture(tx, organization); err != nil {
		return err
	}
	// The event names no organization: the one it left is none of its any more.
	return access.QueueSettings(tx, actor, account, "")
}

// lockToLeave holds the groups that an account leaves, and the queues of all who
// are told. It notes their members.
func lockToLeave(tx *store.Tx, groups []model.Group, account model.AccountID) error {
	ids := make([]model.GroupID, len(groups))
	for i := range groups {
		ids[i] = groups[i].ID
	}
	if err := tx.LockGroups(ids...); err != nil {
		return err
	}
	concerned := []model.AccountID{account}
	for i := range groups {
		if groups[i].Everyone { // of which nobody is told
			continue
		}
		members, err := tx.GroupMembers(ids[i])
		if err != nil {
			return err
		}
		groups[i].Members = members
		concerned = append(concerned, members...)
	}
	return tx.LockQueues(concerned...)
}

// RolesOf is what roles an account holds in one organization.
type RolesOf struct {
	Organization model.OrganizationID
	Roles        []string
	Pending      []string // that the account asks for
}

// Roles shows the roles of an account to itself and to administrators. To the
// account itself, an organization that it is not in stands for all of its own
// (contract, call 31).
func (p *People) Roles(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (out []RolesOf, err error) {
	on := model.AuditEntry{Action: model.ActionRoleList}
	err = p.store.View(ctx, func(tx *store.Tx) error {
		out = nil
		t, err := p.access.AdministeredTarget(tx, actor, address, organization)
		if err != nil {
			return err
		}
		on.User = t.ID
		m, member := t.In(organization)
		switch {
		case member:
			audit.OnOrganization(&on, organization)
			t.Memberships = []model.Membership{m}
		case t.ID != actor.Account:
			return model.Missing()
		}
		for _, m := range t.Memberships {
			of := RolesOf{Organization: m.Organization, Roles: m.Roles}
			asked, err := tx.PendingRole(m.Organization, t.ID, model.RoleAdmin)
			if err != nil {
				return err
			}
			if asked {
				of.Pending = []string{model.RoleAdmin}
			}
			out = append(out, of)
		}
		return nil
	})
	if err == nil {
		err = p.reads.Record(ctx, p.now(), actor, on)
	}
	return out, err
}

// GrantRole gives an account a role. A member who asks for `admin` for itself is
// told that this is pending, and the administrators are asked (contract, call 32).
func (p *People) GrantRole(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID,
	role string) (pending bool, err error) {
	if !model.ValidRole(role) {
		return false, model.Invalidf("role_invalid", "role", "A role has 1 to 64 characters of a-z, 0-9 and _.")
	}
	var account model.AccountID
	var told []model.AccountID
	err = p.access.Act(ctx, actor, model.ActionRoleGrant, func(tx *store.Tx, line *model.AuditEntry) error {
		pending, told = false, nil
		audit.OnOrganization(line, organization)
		line.Detail = "role=" + role
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
		t, err := p.access.AdministeredTarget(tx, actor, address, organization)
		if err != nil {
			return err
		}
		account, line.User = t.ID, t.ID
		m, member := t.In(organization)
		self := t.ID == actor.Account
		if self && member && role == model.RoleAdmin && !actor.Administers(organization) {
			pending = !m.Has(role)
			if !pending {
				return nil
			}
			line.Detail += " pending"
			told, err = requestAdmin(tx, &t.Account, organization, line.Time.Time)
			return err
		}
		if err := actor.MayAdminister(organization); err != nil {
			return err
		}
		if err := p.access.StillAdministers(tx, actor, organization); err != nil {
			return err
		}
		if !member {
			return model.Missing()
		}
		if m.Has(role) {
			return nil
		}
		if err := tx.PutRole(organization, t.ID, role); err != nil {
			return err
		}
		told = []model.AccountID{t.ID}
		if err := access.QueueSettings(tx, actor, &t.Account, organization); err != nil {
			return err
		}
		return access.TellHome(tx, actor, line, &t.Account)
	})
	if err != nil {
		return false, err
	}
	if !pending {
		p.membershipChanged(ctx, account)
	}
	p.hub.Wake(ctx, told...)
	return pending, nil
}

// requestAdmin notes that an account asks to become an administrator, and asks
// those who are.
func requestAdmin(tx *store.Tx, account *model.Account, organization model.OrganizationID,
	now time.Time) ([]model.AccountID, error) {
	asked, err := tx.PendingRole(organization, account.ID, model.RoleAdmin)
	if err != nil || asked {
		return nil, err
	}
	if err := tx.AskForRole(organization, account.ID, model.RoleAdmin, now); err != nil {
		return nil, err
	}
	admins, err := tx.Holders(organization, model.RoleAdmin)
	if err != nil || len(admins) == 0 {
		return nil, err
	}
	position, err := tx.Position(1, admins...)
	if err != nil {
		return nil, err
	}
	request := store.Payload{Account: account.ID, State: "pending"}
	return admins, tx.InsertEvents(admins, position, organization, model.EventAdminRequest, model.MessageID{},
		request.Encode())
}

// RevokeRole takes a role away, or refuses one that was asked for. One that the
// account does not hold is fine (contract, call 33).
func (p *People) RevokeRole(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID,
	role string) error {
	if !model.ValidRole(role) {
		return model.Invalidf("role_invalid", "role", "A role has 1 to 64 characters of a-z, 0-9 and _.")
	}
	var account model.AccountID
	err := p.access.Administer(ctx, actor, model.ActionRoleRevoke, organization,
		func(tx *store.Tx, line *model.AuditEntry) error {
			line.Detail = "role=" + role
			t, err := p.access.Target(tx, actor, address)
			if err != nil {
				return err
			}
			account, line.User = t.ID, t.ID
			m, member := t.In(organization)
			if !member {
				return model.Missing()
			}
			if role == model.RoleAdmin && slices.Contains(m.Roles, role) {
				if err := access.NotLastAdministrator(tx, organization, t.ID); err != nil {
					return err
				}
			}
			if err := tx.DeleteRole(organization, t.ID, role); err != nil || !m.Has(role) {
				return err
			}
			if err := access.QueueSettings(tx, actor, &t.Account, organization); err != nil {
				return err
			}
			return access.TellHome(tx, actor, line, &t.Account)
		})
	if err != nil {
		return err
	}
	p.membershipChanged(ctx, account)
	return nil
}
