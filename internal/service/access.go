package service

import (
	"signet/internal/model"
	"signet/internal/store"
)

// This file decides who may see and do what with groups and messages. What organizations and
// accounts allow, actors and package access say; the authorization matrix of the tests proves
// both.

// groupRights are what an actor may do with a group.
type groupRights struct {
	member  bool
	see     bool // members, administrators; of a public group anyone of the organization
	change  bool // name, members, avatar: members and administrators; of everybody, or by a directory: administrators
	control bool // deletion, publicity, history: creator and administrators; likewise

	overseen bool // it is seen by an administrator alone, which leaves a line in the audit log
	recorded bool // it is changed by an administrator alone, which leaves one too
}

func rightsInGroup(tx *store.Tx, actor *model.Actor, g *model.Group) (groupRights, error) {
	inOrganization := actor.MemberOf(g.Organization)
	administers := actor.Administers(g.Organization)
	if !inOrganization && !administers {
		return groupRights{}, nil
	}
	member, err := tx.IsGroupMember(g.ID, actor.Account)
	member = member && inOrganization
	see := member || administers || g.Public && inOrganization
	if g.Everyone || g.Directory { // only administrators change it
		return groupRights{member: member, see: see || g.Everyone, change: administers, control: administers,
			overseen: administers && !member, recorded: administers}, err
	}
	return groupRights{
		member:  member,
		see:     see,
		change:  member || administers,
		control: administers || g.CreatedBy == actor.Account && inOrganization,

		overseen: administers && !member && !(g.Public && inOrganization),
		recorded: administers && !member,
	}, err
}

// messageAccess is how an actor stands to a message that it may see.
type messageAccess struct {
	sender   bool
	delivery *store.Delivery // its own copy; nil for a sender who is no recipient
}

func (a *messageAccess) any() bool { return a.sender || a.delivery != nil }
