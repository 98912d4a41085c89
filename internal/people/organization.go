package people

import (
	"context"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/legalhold"
	"signet/internal/store/overview"
)

// OrganizationCommand is what a call wants an organization to be; nil fields and
// settings that are not there stay as they are.
type OrganizationCommand struct {
	Name     *string
	Settings model.Settings
}

func (c *OrganizationCommand) validate() error {
	if c.Name != nil {
		if model.TidyName(*c.Name) == "" {
			return model.Invalidf("name_required", "name", "An organization needs a name.")
		}
		if err := model.TooLong("name", *c.Name, model.MaxName); err != nil {
			return err
		}
	}
	if err := validLifetime("ttl_invalid", "ttl", c.Settings.TTL); err != nil {
		return err
	}
	if err := validLifetime("max_ttl_invalid", "max_ttl", c.Settings.MaxTTL); err != nil {
		return err
	}
	if t := c.Settings.AutologoutTime; t != nil && *t < 0 {
		return model.Invalidf("autologout_time_invalid", "autologout_time", "The time is 0 minutes or more.")
	}
	return c.Settings.FitWords()
}

func validLifetime(code, field string, minutes *int) error {
	if minutes != nil && !model.ValidTTL(*minutes) {
		return model.Invalidf(code, field, "The lifetime is -1 (never) or 1 to %d minutes.", model.MaxTTL)
	}
	return nil
}

// CreateOrganization makes an organization; its creator becomes its member and
// administrator (contract, call 34).
func (p *People) CreateOrganization(ctx context.Context, actor *model.Actor,
	c OrganizationCommand) (model.OrganizationID, error) {
	if c.Name == nil {
		return "", model.Invalidf("name_required", "name", "An organization needs a name.")
	}
	if err := c.validate(); err != nil {
		return "", err
	}
	if !actor.AdministersAny() {
		return "", model.NotAdministrator()
	}
	now := p.now()
	o := model.Organization{ID: model.OrganizationID(model.RandomText(24)), Name: model.TidyName(*c.Name), Created: now}
	o.Settings.Apply(c.Settings)
	if err := o.Settings.FitOther(); err != nil {
		return "", err
	}
	err := p.access.Act(ctx, actor, model.ActionOrganizationCreate, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, o.ID)
		line.Detail = c.Settings.Changed()
		if err := p.access.StillAdministersAny(tx, actor); err != nil {
			return err
		}
		account, found, err := tx.Account(actor.Account)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if err := tx.InsertOrganization(&o); err != nil {
			return err
		}
		m := model.Membership{Organization: o.ID, Account: actor.Account, Joined: now}
		if err := p.join(tx, &account, m); err != nil {
			return err
		}
		if err := tx.PutRole(o.ID, actor.Account, model.RoleAdmin); err != nil {
			return err
		}
		return tx.QueueSettings(actor.Account, o.ID)
	})
	if err != nil {
		return "", err
	}
	p.membershipChanged(ctx, actor.Account)
	return o.ID, nil
}

// UpdateOrganization changes name and settings of an organization; its members
// are told (contract, call 35).
func (p *People) UpdateOrganization(ctx context.Context, actor *model.Actor, id model.OrganizationID,
	c OrganizationCommand) error {
	if err := c.validate(); err != nil {
		return err
	}
	if err := actor.MayAdminister(id); err != nil {
		return err
	}
	members, err := store.Read(ctx, p.store, func(tx *store.Tx) (int, error) { return tx.CountMembers(id) })
	if err != nil {
		return err
	}
	var plan *fanout.Plan
	factors := false // another second factor is required
	err = p.access.Administer(ctx, actor, model.ActionOrganizationUpdate, id,
		func(tx *store.Tx, line *model.AuditEntry) error {
			line.Detail = c.Settings.Changed()
			o, found, err := tx.Organization(id)
			if err != nil {
				return err
			}
			if !found {
				return model.Missing()
			}
			if c.Name != nil {
				o.Name = model.TidyName(*c.Name)
			}
			before := o.Settings.RequiresSecondFactor()
			o.Settings.Apply(c.Settings)
			if factors = before != o.Settings.RequiresSecondFactor(); factors {
				if err := tx.NoteAccessOfAll(); err != nil { // of those whom it created, who are perhaps very many
					return err
				}
			}
			if err := o.Settings.FitOther(); err != nil {
				return err
			}
			if err := tx.UpdateOrganization(&o); err != nil {
				return err
			}
			plan = p.fanout.Plan(tx, p.now())
			return plan.TellMembers(id, model.EventSettings, store.Payload{}.Encode(), members)
		})
	if err != nil {
		return err
	}
	p.memory.ForgetRecipients()
	if factors {
		p.access.FactorsChanged()
	}
	p.hub.Forget(actor.Account) // other nodes forget what organizations allow
	return p.fanout.Carry(ctx, plan)
}

// Administered is an organization as its administrators see it.
type Administered struct {
	model.Organization
	Requests int // open
}

// Organization shows an organization to its administrators (contract, call 36).
func (p *People) Organization(ctx context.Context, actor *model.Actor, id model.OrganizationID) (o Administered,
	err error) {
	if err := actor.MayAdminister(id); err != nil {
		return o, err
	}
	err = p.access.Act(ctx, actor, model.ActionOrganizationRead, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, id)
		if o.Organization, err = organization(tx, actor, id); err != nil {
			return err
		}
		o.Requests, err = overview.RequestsIn(tx, id)
		return err
	})
	return o, err
}

// organization reads an organization that the actor may see. Whether it is under a legal
// hold is for its administrators.
func organization(tx *store.Tx, actor *model.Actor, id model.OrganizationID) (model.Organization, error) {
	o, found, err := tx.Organization(id)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return o, err
	}
	if actor.Administers(id) {
		if o.LegalHold, err = legalhold.Held(tx, id); err != nil {
			return o, err
		}
	}
	o.Members, err = tx.CountMembers(id)
	return o, err
}

// OrganizationsOf shows the organizations of an account to itself, and to their
// administrators those that they administer.
func (p *People) OrganizationsOf(ctx context.Context, actor *model.Actor, address string) (out []model.Organization,
	err error) {
	var t access.Target
	err = p.store.View(ctx, func(tx *store.Tx) error {
		out = nil
		if t, err = p.access.Target(tx, actor, address); err != nil {
			return err
		}
		if !actor.MaySee(t.ID, t.Memberships) {
			return model.Missing()
		}
		for _, m := range t.Memberships {
			if t.ID != actor.Account && !actor.Administers(m.Organization) {
				continue
			}
			o, err := organization(tx, actor, m.Organization)
			if err != nil {
				return err
			}
			out = append(out, o)
		}
		if t.ID != actor.Account && !actor.AdministersAny() {
			return model.NotAllowed()
		}
		return nil
	})
	if err == nil && t.ID != actor.Account {
		err = p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionOrganizationRead, User: t.ID})
	}
	return out, err
}

// OrganizationOf shows one of them.
func (p *People) OrganizationOf(ctx context.Context, actor *model.Actor, address string,
	id model.OrganizationID) (o model.Organization, err error) {
	var t access.Target
	err = p.store.View(ctx, func(tx *store.Tx) error {
		if t, err = p.access.Target(tx, actor, address); err != nil {
			return err
		}
		if _, member := t.In(id); !member {
			return model.Missing()
		}
		if t.ID != actor.Account {
			if err := actor.MayAdminister(id); err != nil {
				return err
			}
		}
		o, err = organization(tx, actor, id)
		return err
	})
	if err == nil && t.ID != actor.Account {
		err = p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionOrganizationRead, Chain: id,
			Organization: id, User: t.ID})
	}
	return o, err
}
