package people

import (
	"context"
	"maps"
	"slices"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

// ProfileCommand is what an account changes of itself; nil stays.
type ProfileCommand struct {
	FirstName, LastName, DisplayName *string
	Status, DNDText                  *string
	DND                              *bool
	Avatar                           *content.Upload
	AvatarURL                        *string
}

// validate refuses what is too long, or no address of a picture.
func (c *ProfileCommand) validate() error {
	err := namesTooLong(givenName{"first_name", c.FirstName}, givenName{"last_name", c.LastName},
		givenName{"display_name", c.DisplayName})
	if err == nil && c.Status != nil {
		err = model.TooLong("status", *c.Status, model.MaxFreeText)
	}
	if err == nil && c.DNDText != nil {
		err = model.TooLong("dnd_text", *c.DNDText, model.MaxFreeText)
	}
	if err == nil {
		err = model.ValidAvatarURL(c.AvatarURL)
	}
	return err
}

// assignTo gives an account what the command says of it, but for its picture.
func (c *ProfileCommand) assignTo(a *model.Account) {
	assignName(&a.FirstName, c.FirstName)
	assignName(&a.LastName, c.LastName)
	assignName(&a.DisplayName, c.DisplayName)
	assign(&a.Status, c.Status)
	assign(&a.DND, c.DND)
	assign(&a.DNDText, c.DNDText)
	a.DisplayName = a.ComposeDisplayName()
}

// UpdateProfile changes what others see of the actor. Its own streams get account:settings;
// people who share an organization with it an update, live. What it is called is another's to
// change where one of its organizations says so, and is nobody else's name there.
func (p *People) UpdateProfile(ctx context.Context, actor *model.Actor, address string, c ProfileCommand) error {
	if err := c.validate(); err != nil {
		return err
	}
	var t access.Target
	var memberships []model.Membership
	first, salt := audit.NewLine(ctx, p.now(), actor, model.ActionUserRename), audit.NewSalt()
	err := p.store.Update(ctx, p.access.Acting(actor, func(tx *store.Tx) (err error) {
		t, err = p.access.LockedTarget(tx, actor, address, func(t *access.Target) error {
			switch {
			case t.ID == actor.Account:
				return nil
			case actor.MaySee(t.ID, t.Memberships):
				return model.NotAllowed()
			default:
				return model.Missing()
			}
		})
		if err != nil {
			return err
		}
		a, before := &t.Account, t.Account
		if memberships, err = tx.Memberships(a.ID); err != nil {
			return err
		}
		// What others have a key of changes nothing in other organizations.
		if !actor.Key.Covers(a.CreatedBy) && len(actor.Key.Within(memberships)) < len(memberships) {
			return model.NotAllowed()
		}
		c.assignTo(a)
		changed := changedNames(&before, a, salt)
		if changed != nil {
			if err := mayNameItself(tx, a, changed, memberships); err != nil {
				return err
			}
		}
		if err := content.ReplaceAvatar(tx, &a.Avatar, model.EntityID(a.ID), false, c.Avatar, c.AvatarURL); err != nil {
			return err
		}
		if err := tx.UpdateProfile(a); err != nil {
			return err
		}
		for _, m := range memberships {
			if err := search.IndexAccount(tx, a, m); err != nil {
				return err
			}
		}
		if err := tx.QueueSettings(a.ID, ""); err != nil || changed == nil {
			return err
		}
		line := first
		if err := renamed(tx, &line, a, changed); err != nil {
			return err
		}
		return audit.RecordRename(tx, actor, &line, changed)
	}))
	if err != nil {
		c.Avatar.Doubt(err)
		return err
	}
	p.hub.Wake(ctx, t.ID)
	// It is changed, also where the caller has gone.
	if err := p.tellColleagues(context.WithoutCancel(ctx), t.ID, memberships); err != nil {
		p.log.ErrorContext(ctx, "readers are not told of a changed profile", "error", err)
	}
	return nil
}

// tellColleagues tells those who read now, and share an organization with an account, that it
// changed: there are few readers, where an organization may have very many members.
func (p *People) tellColleagues(ctx context.Context, account model.AccountID, memberships []model.Membership) error {
	readers, err := p.streams.Readers(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(readers, readersAtOnce) {
		colleagues := map[model.AccountID]bool{}
		err := p.store.View(ctx, func(tx *store.Tx) error {
			clear(colleagues)
			for _, m := range memberships {
				members, err := tx.MembersAmong(m.Organization, some)
				if err != nil {
					return err
				}
				for _, member := range members {
					colleagues[member] = true
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		delete(colleagues, account)
		p.hub.Signal(ctx, live.Signal{Kind: model.EventUpdate, Account: account}, slices.Collect(maps.Keys(colleagues))...)
	}
	return nil
}

// assignName sets a name that a call gives, without what shows nothing at its ends.
func assignName(field, value *string) {
	if value != nil {
		*field = model.TidyName(*value)
	}
}

// assign sets a field that a call gives.
func assign[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
