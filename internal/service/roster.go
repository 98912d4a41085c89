package service

import (
	"context"

	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// RosterEntry is a conversation as its owner's list shows it.
type RosterEntry struct {
	Conversation store.Conversation
	Entity       model.Entity
	Muted        bool
	Metadata     map[string]string // nil until DescribeRoster was asked
}

// Roster lists the actor's conversations, the newest first (contract, call 21).
func (s *Service) Roster(ctx context.Context, actor *model.Actor) (out []RosterEntry, err error) {
	err = s.viewCounting(ctx, func(tx *store.Tx) error {
		out = []RosterEntry{}
		conversations, err := tx.Roster(actor.Account)
		if err != nil {
			return err
		}
		now := s.now()
		unswept, err := tx.UnsweptUnread(actor.Account, now)
		if err != nil {
			return err
		}
		muted, err := mutedBy(tx, actor.Account, now)
		if err != nil {
			return err
		}
		p := presenter{service: s, tx: tx, actor: actor}
		if err := p.meet(accountsOf(conversations)); err != nil {
			return err
		}
		for _, c := range conversations {
			if !actor.MemberOf(c.Organization) {
				continue
			}
			for _, u := range unswept {
				if u.Organization == c.Organization && u.Entity == c.Entity {
					c.Unread -= u.Unread
					c.UnreadPriority -= u.UnreadPriority
				}
			}
			entry := RosterEntry{Conversation: c, Muted: muted.covers(c.Organization, c.Entity, now)}
			if entry.Entity, err = p.entity(c.Organization, c.Entity, c.Group); err != nil {
				return err
			}
			if entry.Entity.Gone {
				continue
			}
			out = append(out, entry)
		}
		return nil
	})
	return out, err
}

// DescribeRoster adds the metadata to entries of a roster: none to an entity that the actor may not see any more, such
// as somebody who has left the organization.
func (s *Service) DescribeRoster(ctx context.Context, actor *model.Actor, entries []RosterEntry) error {
	return s.store.View(ctx, func(tx *store.Tx) error {
		for i := range entries {
			c, m := &entries[i].Conversation, map[string]string{}
			seen, err := conversationSubject(tx, actor, c)
			if err == nil {
				m, err = s.getMetadata(ctx, tx, seen.organization, seen.entity)
			}
			if err != nil && !model.IsNotFound(err) {
				return err
			}
			entries[i].Metadata = m
		}
		return nil
	})
}

// NameMembers adds to an entry of a roster the members of a group that has more than events name. It is called for each
// entry as that is written: those of all at once would be too much.
func (s *Service) NameMembers(ctx context.Context, actor *model.Actor, e *RosterEntry) error {
	g := e.Entity.Group
	if g == nil || g.Count == 0 || g.Everyone && g.Count > model.MostMembersShown {
		return nil
	}
	return s.store.View(ctx, func(tx *store.Tx) error {
		now, _, err := groupOf(tx, actor, g.ID)
		if model.IsNotFound(err) { // the actor has left it meanwhile
			now, err = pastGroup(g), nil
		}
		if err == nil {
			e.Entity.Group = &now
		}
		return err
	})
}

// accountsOf returns the accounts that conversations are with.
func accountsOf(conversations []store.Conversation) (out []model.AccountID) {
	for i := range conversations {
		if c := &conversations[i]; !c.Group {
			out = append(out, model.AccountID(c.Entity))
		}
	}
	return out
}

// AddToRoster puts an entity into the actor's roster; repeats are fine
// (contract, call 22).
func (s *Service) AddToRoster(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) error {
	if address == "" {
		return model.Invalidf("entity_required", "entity", "An entity is required.")
	}
	changed := false
	err := s.store.Update(ctx, s.own(actor, func(tx *store.Tx) error {
		changed = false
		p, err := s.subject(tx, actor, address, organization)
		if err != nil {
			return err
		}
		if p.group && !p.rights.member {
			return model.Missing()
		}
		if p.group { // members have it there
			return nil
		}
		c, known, err := tx.Conversation(actor.Account, p.organization, p.entity)
		if err != nil || known && c.Listed {
			return err
		}
		changed = true
		if err := tx.ListConversation(actor.Account, p.organization, p.entity); err != nil {
			return err
		}
		return s.queueFriend(tx, actor.Account, p, "", true)
	}))
	if err == nil && changed {
		s.hub.Wake(ctx, actor.Account)
	}
	return err
}

// own is what an actor does to what is its own. Its queue is locked before the rest, and so where it belongs, which is
// asked after that, stays until the event is queued.
func (s *Service) own(actor *model.Actor, fn func(*store.Tx) error) func(*store.Tx) error {
	acting := s.access.Acting(actor, fn)
	return func(tx *store.Tx) error {
		if err := tx.LockQueues(actor.Account); err != nil {
			return err
		}
		return acting(tx)
	}
}

// RemoveFromRoster takes an entity out of the actor's roster: the actor's copies of the
// conversation's messages are gone for it, and a group it leaves (contract, call 23).
func (s *Service) RemoveFromRoster(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) error {
	var plan *fanout.Plan
	var left *store.Withdrawal
	now := s.now()
	err := s.vault.Noting(ctx, now, func(pen *content.Pen) error {
		return s.onceMoved(ctx, func() (moving *model.Group, err error) {
			err = s.spare(ctx, s.access.Acting(actor, func(tx *store.Tx) error {
				if err := pen.Fresh(); err != nil {
					return err
				}
				plan, left, moving = s.fanout.Plan(tx, now), nil, nil
				p, err := s.rosterSubject(ctx, tx, actor, address, organization)
				if err != nil {
					return err
				}
				if !p.group {
					left, err = s.removeAccount(tx, actor, p)
					return err
				}
				id := model.GroupID(p.entity)
				if err := tx.LockGroup(id); err != nil {
					return err
				}
				if moving, err = groupMoving(tx, id); err != nil || moving != nil {
					return err
				}
				left, err = s.removeGroup(&groupChange{tx, plan, pen, actor}, p)
				return err
			}))
			return moving, err
		})
	})
	if err != nil {
		return err
	}
	s.hub.Wake(ctx, actor.Account)
	if left != nil {
		if err := fanout.Withdraw(ctx, s.store, left); err != nil {
			return err
		}
	}
	return s.fanout.Carry(ctx, plan)
}

// removeAccount removes a conversation one to one. It returns what is left to be withdrawn.
func (s *Service) removeAccount(tx *store.Tx, actor *model.Actor, p subject) (*store.Withdrawal, error) {
	c, _, err := tx.Conversation(actor.Account, p.organization, p.entity)
	if err != nil || !c.Listed {
		return nil, err
	}
	position, left, err := withdrawConversation(tx, actor.Account, p)
	if err != nil {
		return nil, err
	}
	if err := tx.ClearConversation(actor.Account, p.organization, p.entity, position); err != nil {
		return nil, err
	}
	if err := s.queueFriend(tx, actor.Account, p, "", false); err != nil {
		return nil, err
	}
	return left, noteRemoved(tx, p, actor.Account)
}

// removeGroup has the actor leave a group, which is locked, if it is in it, and removes its conversation.
func (s *Service) removeGroup(in *groupChange, p subject) (*store.Withdrawal, error) {
	id, self := model.GroupID(p.entity), in.actor.Account
	g, found, err := in.Group(id)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return nil, err
	}
	member, err := in.IsGroupMember(id, self) // another call may have taken it out before the group was locked
	if err != nil {
		return nil, err
	}
	member = member && !g.Deleted // whose last members are kept
	if member {
		if err := membersFixed(&g, ""); err != nil {
			return nil, err
		}
		if g.Directory {
			return nil, directoryFixed("")
		}
		if g.Members, err = in.GroupMembers(id); err != nil {
			return nil, err
		}
		if err := in.plan.MoveMembers(in.pen, in.actor, &g, []model.AccountID{self}, nil); err != nil {
			return nil, err
		}
	}
	position, left, err := withdrawConversation(in.Tx, self, p)
	if err != nil {
		return nil, err
	}
	if err := in.ClearGroup(self, p.organization, id, position); err != nil {
		return nil, err
	}
	if !member { // whoever leaves is told that
		name, past, err := in.PastGroupName(self, id)
		if err != nil {
			return nil, err
		}
		if !past {
			name = g.Name
		}
		if err := s.queueFriend(in.Tx, self, p, name, false); err != nil {
			return nil, err
		}
	}
	if g.Deleted || member && len(g.Members) == 0 {
		return left, erasure.NoteDeparture(in.Tx, p.organization)
	}
	return left, nil
}

// withdrawConversation withdraws what is queued of a conversation, up to the position that it
// returns.
func withdrawConversation(tx *store.Tx, account model.AccountID,
	p subject) (position int64, left *store.Withdrawal, err error) {
	if position, err = tx.Position(1, account); err != nil {
		return 0, nil, err
	}
	left, err = tx.WithdrawConversation(account, p.organization, p.entity, position)
	return position, left, err
}

// queueFriend tells an account that its roster changed, or that what it kept of a group is gone, which had
// this name when the account was in it.
func (s *Service) queueFriend(tx *store.Tx, account model.AccountID, p subject, name string, added bool) error {
	position, err := tx.Position(1, account)
	if err != nil {
		return err
	}
	change := store.Payload{Added: added, Entity: p.entity, Group: p.group, Name: name}
	return tx.InsertEvent(account, position, p.organization, model.EventFriends, model.MessageID{}, change.Encode())
}

// noteRemoved notes that a one-to-one conversation which an account has removed may have
// no reader left: the other account has removed it too, or is gone.
func noteRemoved(tx *store.Tx, p subject, account model.AccountID) error {
	other := model.AccountID(p.entity)
	c, _, err := tx.Conversation(other, p.organization, model.EntityID(account))
	if err != nil {
		return err
	}
	if c.Cleared == 0 {
		memberships, err := tx.MembershipsIn(p.organization, []model.AccountID{other})
		if err != nil || len(memberships) > 0 {
			return err
		}
	}
	return erasure.NoteDeparture(tx, p.organization)
}
