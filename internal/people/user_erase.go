package people

import (
	"context"
	"strings"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/legalhold"
	"signet/internal/store/searchindex"
)

// EraseCommand names an account to erase. Its username is repeated, or an address of one that has
// none: a command asks for the name itself.
type EraseCommand struct {
	Address  string
	Username string

	// LastAdministrator lets one end without which an organization has no administrator. It is for
	// commands alone.
	LastAdministrator bool
}

// EraseUser ends an account for good: from the answer on nothing opens it, nobody finds it,
// and it is in no organization and no group, whose other members are told. The sweep erases
// what it has left, in pieces, for all readers: what it sent, what was sent to it alone, and
// what others' queues say of it. It is for those who decide about the whole account.
func (p *People) EraseUser(ctx context.Context, actor *model.Actor, command EraseCommand) error {
	t, err := p.access.Ruled(ctx, actor, command.Address)
	if err != nil {
		return err
	}
	if !actor.Command && !p.repeats(&t.Account, command.Username) {
		return model.Invalidf("username_mismatch", "username", "The username must repeat that of the account, or one of its "+
			"addresses if it has none.")
	}
	if err := p.underNoHold(ctx, &t.Account); err != nil {
		return err
	}
	now := p.now()
	var plan *fanout.Plan
	err = p.vault.Noting(ctx, now, func(pen *content.Pen) error {
		return p.access.Act(ctx, actor, model.ActionUserErase, func(tx *store.Tx, line *model.AuditEntry) error {
			if err := pen.Fresh(); err != nil {
				return err
			}
			plan = p.fanout.Plan(tx, now)
			return p.endUser(tx, plan, pen, actor, t.ID, command.LastAdministrator && actor.Command, line)
		})
	})
	if err != nil {
		return err
	}
	p.memory.Forget()
	p.membershipChanged(ctx, t.ID)
	p.hub.CloseAccount(t.ID, live.Revoked)
	p.eraseSoon()
	return p.fanout.Carry(ctx, plan)
}

// EndAccount ends an account of an organization that a command erases.
func (p *People) EndAccount(ctx context.Context, account model.AccountID) error {
	return p.EraseUser(ctx, model.CommandLine(), EraseCommand{Address: account.String(), LastAdministrator: true})
}

// underNoHold refuses an account with messages under a legal hold, also where it is no member any
// more, which takes long to find out. One that is set from now on keeps them.
func (p *People) underNoHold(ctx context.Context, account *model.Account) error {
	return p.store.View(ctx, func(tx *store.Tx) error {
		_, held, err := legalhold.Over(tx, account)
		if err == nil && held {
			err = model.UnderHold()
		}
		return err
	})
}

// repeats reports whether a text is the username of an account, or where it has none another
// address of it.
func (p *People) repeats(a *model.Account, text string) bool {
	if a.Username != "" {
		return model.FoldUsername(strings.TrimSpace(text)) == model.FoldUsername(a.Username)
	}
	return p.access.Names(a, text)
}

// endUser is the part of an erasure that is done at once.
func (p *People) endUser(tx *store.Tx, plan *fanout.Plan, pen *content.Pen, actor *model.Actor, id model.AccountID,
	last bool, line *model.AuditEntry) error {
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
	if err == nil {
		err = mayEnd(tx, &t, last)
	}
	if err != nil {
		return err
	}
	if err := searchindex.RemoveAccount(tx, id); err != nil {
		return err
	}
	counts, err := audit.TakeCounts(tx, id)
	if err != nil {
		return err
	}
	if err := erasure.CloseAccount(tx, id); err != nil {
		return err
	}
	if err := erasure.NoteAccount(tx, id, p.now()); err != nil {
		return err
	}
	by := actor.Account
	if by == id {
		by = model.AccountID{}
	}
	for i := range groups { // what names the account would be erased with it
		g := &groups[i]
		if g.Everyone {
			continue
		}
		sort, err := pen.Write(tx, g, content.Change{Event: model.NoteRemoved, Caller: by, Unnamed: 1})
		if err != nil {
			return err
		}
		staying := fanout.Without(g.Members, []model.AccountID{id})
		if err := plan.Do(g, fanout.Update(g, staying, by, sort)); err != nil {
			return err
		}
	}
	if err := audit.TellOrganizations(tx, actor, line, organizations); err != nil {
		return err
	}
	return audit.RecordMore(tx, line.Time.Time, counts...) // into the chain of the line, whose end is locked
}

// mayEnd refuses an account that has ended already, one without which an organization has no
// administrator, unless that is accepted, and one of an organization under a legal hold.
func mayEnd(tx *store.Tx, t *access.Target, last bool) error {
	if ended, err := erasure.Erases(tx, t.ID); err != nil {
		return err
	} else if ended {
		return model.Missing()
	}
	of := []model.OrganizationID{t.CreatedBy}
	for _, m := range t.Memberships {
		of = append(of, m.Organization)
		if m.Has(model.RoleAdmin) && !last {
			if err := access.NotLastAdministrator(tx, m.Organization, t.ID); err != nil {
				return err
			}
		}
	}
	if held, err := legalhold.HeldAmong(tx, of); err != nil {
		return err
	} else if len(held) > 0 {
		return model.UnderHold()
	}
	return nil
}
