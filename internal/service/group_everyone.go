package service

import (
	"math"

	"signet/internal/model"
	"signet/internal/store"
)

// An organization has one group of everybody at most. Package people puts whoever joins the organization
// into it, and takes out whoever leaves, without telling the others: with each of a thousand people who
// are imported, a thousand would be told of one.

// fillWithEveryone puts all members of an organization, which is locked, into a new group.
func fillWithEveryone(tx *store.Tx, actor *model.Actor, g *model.Group, o *model.Organization,
	c *GroupCommand) error {
	if err := actor.MayAdminister(o.ID); err != nil {
		return err
	}
	if len(c.Members) > 0 {
		return everyoneFixed("members")
	}
	if c.ExcludeCreator {
		return everyoneFixed("exclude_creator")
	}
	if g.Public {
		return everyoneFixed("is_public")
	}
	_, found, err := tx.GroupOfEveryone(o.ID)
	if err != nil {
		return err
	}
	if found {
		return model.Invalidf("everyone_exists", "everyone", "The organization has a group of everybody already.")
	}
	if g.Members, err = tx.MembersAfter(o.ID, model.AccountID{}, math.MaxInt32); err != nil {
		return err
	}
	assign(&g.Description, c.Description)
	if g.Name = o.Name; c.Name != nil && model.TidyName(*c.Name) != "" {
		g.Name = model.TidyName(*c.Name)
	}
	return nil
}

// everyoneFixed refuses what would have a group of everybody hold others than everybody; field is what asks
// for it.
func everyoneFixed(field string) *model.Error {
	return model.Invalidf("everyone_fixed", field,
		"A group of everybody always has all members of the organization, and is not public.")
}

// dutyFixed refuses what would have a group with a rota hold others than that says.
func dutyFixed(field string) *model.Error {
	return model.Invalidf("duty_fixed", field, "The members of a group with a rota are those whom the rota says.")
}

// directoryFixed refuses what would have a group that a directory keeps hold others than that says.
func directoryFixed(field string) *model.Error {
	return model.Invalidf("directory_fixed", field, "The directory of the organization says who is in the group.")
}

// membersFixed refuses a change of the members of a group where others than callers say who they are.
func membersFixed(g *model.Group, field string) error {
	switch {
	case g.Everyone:
		return everyoneFixed(field)
	case g.Duty:
		return dutyFixed(field)
	}
	return nil
}

// keepsEveryone refuses a change of a group that would make or unmake it one of everybody, or change the
// members of one with a rota.
func (c *GroupCommand) keepsEveryone(g *model.Group) error {
	switch {
	case g.Duty && c.Members != nil:
		return dutyFixed("members")
	case c.Everyone != nil && *c.Everyone != g.Everyone:
		return everyoneFixed("everyone")
	case g.Everyone && c.Members != nil:
		return everyoneFixed("members")
	case g.Everyone && c.Public != nil && *c.Public:
		return everyoneFixed("is_public")
	}
	return nil
}

// writesToEveryone reports whether an actor may write to a group of everybody in an organization:
// administrators may, with any key. An answer of anybody would go to all.
func writesToEveryone(actor *model.Actor, organization model.OrganizationID) bool {
	m, member := actor.Membership(organization)
	return member && (m.Has(model.RoleAdmin) || actor.Administers(organization))
}

func onlyAdministratorsWrite() *model.Error {
	return model.Forbiddenf("administrators_write", "Only administrators of the organization write to this group.")
}
