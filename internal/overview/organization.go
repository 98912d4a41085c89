package overview

import (
	"cmp"
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// Organization is an organization with its counts and its usage.
type Organization struct {
	model.Organization
	Groups   int    // that are not deleted
	Requests int    // open
	Usage    *Usage // where it was asked for
}

// Usage is what an organization has stored, as far as it is counted.
type Usage = stored.Usage

// What counting costs is bounded: so many organizations in a page, and of each so many messages and attachments.
const (
	usagePage = 20
	usageMost = 100_000
)

// organizationCursor is an organization in the order of their names.
type organizationCursor struct {
	Name string               `json:"n"` // folded
	ID   model.OrganizationID `json:"o"`
}

func (p organizationCursor) compare(o organizationCursor) int {
	return cmp.Or(cmp.Compare(p.Name, o.Name), cmp.Compare(p.ID, o.ID))
}

// Organizations lists those that the actor administers, of operators all, by name: those
// some word of whose name begins with each word of name. Each page reads all their names:
// there are few organizations. With usage a page has 20 at most.
func (c *Overview) Organizations(ctx context.Context, actor *model.Actor, name string, usage bool,
	ask Ask) (out Page[Organization], err error) {
	if usage {
		ask.Size = min(ask.Size, usagePage)
	}
	if !actor.AdministersAny() {
		return out, model.NotAdministrator()
	}
	list := c.list(actor, "organizations", name)
	var from organizationCursor
	if ask.Continuation != "" {
		if err := list.Open(ask.Continuation, &from); err != nil {
			return out, err
		}
	}
	err = c.store.View(ctx, func(tx *store.Tx) error {
		out = Page[Organization]{}
		cursors, err := organizationsNamed(tx, actor, name)
		if err != nil {
			return err
		}
		cursors = slices.DeleteFunc(cursors, func(p organizationCursor) bool { return p.compare(from) <= 0 })
		slices.SortFunc(cursors, organizationCursor.compare)
		if len(cursors) > ask.Size {
			cursors = cursors[:ask.Size]
			if out.Continuation, err = list.Seal(cursors[ask.Size-1]); err != nil {
				return err
			}
		}
		if out.Results, err = organizationsAt(tx, cursors); err != nil || !usage {
			return err
		}
		return countUsage(tx, out.Results)
	})
	if err == nil {
		err = c.record(ctx, actor, model.ActionOrganizationRead)
	}
	return out, err
}

func countUsage(tx *store.Tx, organizations []Organization) error {
	for i := range organizations {
		usage, err := stored.UsageOf(tx, organizations[i].ID, usageMost)
		if err != nil {
			return err
		}
		organizations[i].Usage = &usage
	}
	return nil
}

// organizationsNamed finds what the actor administers, in no order.
func organizationsNamed(tx *store.Tx, actor *model.Actor, name string) (out []organizationCursor, err error) {
	matches := search.Beginnings(name)
	names, err := stored.OrganizationNames(tx)
	for _, o := range names {
		if actor.Administers(o.ID) && matches(o.Name) {
			out = append(out, organizationCursor{search.Fold(o.Name), o.ID})
		}
	}
	return out, err
}

// organizationsAt returns the organizations at cursors, in their order.
func organizationsAt(tx *store.Tx, cursors []organizationCursor) ([]Organization, error) {
	ids := make([]model.OrganizationID, len(cursors))
	for i, p := range cursors {
		ids[i] = p.ID
	}
	out := make([]Organization, 0, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := stored.OrganizationsAmong(tx, ids)
	if err != nil {
		return nil, err
	}
	counts, err := stored.CountsOf(tx, ids)
	if err != nil {
		return nil, err
	}
	byID := byToken(found, func(o *model.Organization) model.OrganizationID { return o.ID })
	for _, id := range ids {
		o, n := *byID[id], counts[id]
		o.Members, o.LegalHold = n.Members, n.Holds > 0
		out = append(out, Organization{Organization: o, Groups: n.Groups, Requests: n.Requests})
	}
	return out, nil
}
