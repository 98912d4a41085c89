package people

import (
	"context"
	"slices"
	"strings"
	"time"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// EraseUser ends an account for good: from the answer on nothing opens it, nobody finds it,
// and it is in no organization and no group, whose other members are told. The sweep erases
// what it has left, in pieces, for all readers: what it sent, what was sent to it alone, and
// what others' queues say of it. It is for those who decide about the whole account. The
// username must be repeated, or an address of an account that has none.
func (p *People) EraseUser(ctx context.Context, actor *model.Actor, address, username string) error {
	t, err := p.access.Ruled(ctx, actor, address)
	if err != nil {
		return err
	}
	if !p.repeats(&t.Account, username) {
		return model.Invalidf("username_mismatch", "username", "The username must repeat that of the account, or one of its "+
			"addresses if it has none.")
	}
	// Whether it has messages under a hold where it is no member any more, which takes long to
	// find out. One that is set from now on keeps them.
	err = p.store.View(ctx, func(tx *store.Tx) error {
		_, held, err := tx.HoldOver(&t.Account)
		if err == nil && held {
			err = model.UnderHold()
		}
		return err
	})
	if err != nil {
		return err
	}
	now := p.now()
	var plan *fanout.Plan
	err = p.access.Act(ctx, actor, model.ActionUserErase, func(tx *store.Tx, line *model.AuditEntry) error {
		plan = p.fanout.Plan(tx, now)
		return p.endUser(tx, plan, actor, t.ID, now, line)
	})
	if err != nil {
		return err
	}
	p.memory.Forget()
	p.membershipChanged(t.ID)
	p.hub.CloseAccount(t.ID, live.Revoked)
	p.eraseSoon()
	return p.fanout.Carry(ctx, plan)
}

// repeats reports whether a text is the username of an account, or where it has none another
// address of it.
func (p *People) repeats(a *model.Account, text string) bool {
	if a.Username != "" {
		return model.FoldUsername(strings.TrimSpace(text)) == model.FoldUsername(a.Username)
	}
	return p.access.Names(a, text)
}

// endUser is what of that is done at once.
func (p *People) endUser(tx *store.Tx, plan *fanout.Plan, actor *model.Actor, id model.AccountID, now time.Time,
	line *model.AuditEntry) error {
	if err := access.LockOrganizationsOf(tx, id); err != nil {
		return err
	}
	organizations, err := tx.OrganizationsOf(id)
	if err != nil {
		return err
	}
	var groups []model.Group
	for _, organization := range organizations {
		more, err := tx.GroupsOf(id, organization)
		if err != nil {
			return err
		}
		groups = append(groups, more...)
	}
	if err := lockToLeave(tx, groups, id); err != nil {
		return err
	}
	t, err := p.access.StillRules(tx, actor, id, line)
	if err != nil {
		return err
	}
	if ended, err := tx.Erases(id); err != nil {
		return err
	} else if ended {
		return model.Missing()
	}
	for _, m := range t.Memberships {
		if m.Has(model.RoleAdmin) {
			if err := access.NotLastAdministrator(tx, m.Organization, id); err != nil {
				return err
			}
		}
	}
	for _, organization := range append(slices.Clip(organizations), t.CreatedBy) {
		if held, err := tx.Held(organization); err != nil {
			return err
		} else if held {
			return model.UnderHold()
		}
	}
	if err := searchindex.RemoveAccount(tx, id); err != nil {
		return err
	}
	if _, err := tx.CloseAccount(id); err != nil {
		return err
	}
	if err := tx.NoteErasureOf(id, now); err != nil {
		return err
	}
	for i := range groups { // what names the account would be erased with it
		staying := fanout.Without(groups[i].Members, []model.AccountID{id})
		if err := plan.Do(&groups[i], fanout.Update(&groups[i], staying)); err != nil {
			return err
		}
	}
	return audit.TellOrganizations(tx, actor, line, organizations)
}
