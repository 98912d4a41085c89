package people

import (
	"context"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
)

// This file is about accounts that an organization wants as members and another one
// created: where the settings say so, the account or an administrator of the creating
// organization agrees.

// mayAnswer reports whether the actor may accept or refuse what organizations ask of an
// account: the account itself and the administrators of the organization that created it,
// with a key that acts there.
func mayAnswer(actor *model.Actor, account *model.Account) bool {
	scope := actor.Key.Scope
	return account.ID == actor.Account && (scope == "" || scope == account.CreatedBy) ||
		account.CreatedBy != "" && actor.Administers(account.CreatedBy)
}

// joiner is the account that an organization wants; agreed asks for the administrators of
// the one that created it, too. The queues of them all are locked: so neither its
// memberships nor their roles change until the transaction ends.
func (p *People) joiner(tx *store.Tx, actor *model.Actor, address string, agreed bool) (t access.Target,
	home []model.AccountID, err error) {
	if !agreed {
		t, err = p.access.LockedTarget(tx, actor, address, func(*access.Target) error { return nil })
		return t, nil, err
	}
	if t, err = p.access.Target(tx, actor, address); err != nil {
		return t, nil, err
	}
	if home, err = tx.Holders(t.CreatedBy, model.RoleAdmin); err != nil {
		return t, nil, err
	}
	if err = tx.LockQueues(append([]model.AccountID{t.ID}, home...)...); err != nil {
		return t, nil, err
	}
	t, err = p.access.Target(tx, actor, address)
	return t, home, err
}

// requestJoin notes that the organization of an administrator wants an account, and tells
// the account and the administrators of the organization that created it. It reports false,
// and does nothing, where nobody has to agree.
func (p *People) requestJoin(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, t *access.Target,
	home []model.AccountID, m model.Membership) (told []model.AccountID, pending bool, err error) {
	actor, err = p.access.StillActs(tx, actor)
	if err != nil || actor.Administers(t.CreatedBy) {
		return nil, false, err
	}
	line.Detail = "pending"
	added, err := tx.PutJoinRequest(store.JoinRequest{Organization: m.Organization, Account: t.ID, Title: m.Title,
		Department: m.Department, Created: m.Joined})
	if err != nil || !added {
		return nil, true, err
	}
	// Neither event is one of the organization that asks, in which they are not members.
	if err := access.QueueSettings(tx, actor, &t.Account, ""); err != nil {
		return nil, true, err
	}
	if len(home) > 0 {
		position, err := tx.Position(1, home...)
		if err != nil {
			return nil, true, err
		}
		request := store.Payload{Account: t.ID, Organization: m.Organization, State: "join"}
		if err := tx.InsertEvents(home, position, t.CreatedBy, model.EventAdminRequest, model.MessageID{},
			request.Encode()); err != nil {
			return nil, true, err
		}
	}
	told = append([]model.AccountID{t.ID}, home...)
	return told, true, access.TellHome(tx, actor, line, &t.Account)
}

// answerJoin accepts or refuses what an organization asked of an account. It reports false,
// and does nothing, where it asked for nothing or the actor has no say in it.
func (p *People) answerJoin(ctx context.Context, actor *model.Actor, action model.AuditAction, address string,
	organization model.OrganizationID) (answered bool, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		t, err := p.access.Target(tx, actor, address)
		if err != nil || !mayAnswer(actor, &t.Account) {
			answered = false
			return err
		}
		_, answered, err = tx.JoinRequest(organization, t.ID)
		return err
	})
	if model.IsNotFound(err) {
		return false, nil
	}
	if err != nil || !answered {
		return false, err
	}
	var account model.AccountID
	err = p.access.ActOn(ctx, actor, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		t, _, err := p.joiner(tx, actor, address, true)
		if err != nil {
			return err
		}
		account, line.User = t.ID, t.ID
		current, err := p.access.StillActs(tx, actor)
		if err != nil {
			return err
		}
		r, found, err := tx.JoinRequest(organization, t.ID)
		if err != nil {
			return err
		}
		if !found || !mayAnswer(current, &t.Account) {
			return model.Missing()
		}
		if action == model.ActionMemberRemove {
			return p.endRequest(tx, actor, line, &t.Account, organization)
		}
		if err := p.enter(tx, actor, &t.Account, model.Membership{Organization: organization, Account: t.ID, Title: r.Title,
			Department: r.Department, Joined: p.now()}); err != nil {
			return err
		}
		return access.TellHome(tx, actor, line, &t.Account)
	})
	if err == nil && action == model.ActionMemberAdd {
		p.membershipChanged(ctx, account)
	}
	return true, err
}

// endRequest refuses or withdraws what an organization asked of an account.
func (p *People) endRequest(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, account *model.Account,
	organization model.OrganizationID) error {
	found, err := tx.DeleteJoinRequest(organization, account.ID)
	if err != nil {
		return err
	}
	if !found {
		return model.Missing()
	}
	line.Detail = "pending"
	return access.TellHome(tx, actor, line, account)
}

// enter makes an account a new member, whether or not it was asked, and tells it.
func (p *People) enter(tx *store.Tx, actor *model.Actor, account *model.Account, m model.Membership) error {
	if err := p.join(tx, account, m); err != nil {
		return err
	}
	if _, err := tx.DeleteJoinRequest(m.Organization, account.ID); err != nil {
		return err
	}
	// Of the creating organization's scope may be all keys that the account has.
	seen := m.Organization
	home, err := tx.IsMember(account.CreatedBy, account.ID)
	if home {
		seen = account.CreatedBy
	}
	if err != nil {
		return err
	}
	return access.QueueSettings(tx, actor, account, seen)
}
