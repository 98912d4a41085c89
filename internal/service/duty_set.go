package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/duty"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store/rota"
)

// DutyCommand is what a call wants the rota of a group to be. Accounts are addresses; an empty one in
// a rotation is nobody's turn.
type DutyCommand struct {
	Timezone  string
	Rotation  *DutyRotation // nil: there is none
	Overrides []DutyOverride
	Always    []string
	Fallback  []string
}

// DutyRotation is a rotation as a call names it.
type DutyRotation struct {
	Accounts []string
	Start    time.Time
	Hours    int
}

// DutyOverride is an override as a call names it.
type DutyOverride struct {
	From, To time.Time
	Account  string
}

// SetDuty gives a group a rota, in place of one that it has: from the answer on its members are those
// on duty, and change by themselves. It is for the group's creator and administrators (contract,
// section 8).
func (s *Service) SetDuty(ctx context.Context, actor *model.Actor, id model.GroupID, c DutyCommand) error {
	zone, err := duty.LoadZone(c.Timezone)
	if err != nil {
		return err
	}
	c.forgetOld(s.dutyTime())
	if err := c.withinLimits(); err != nil { // before each address is looked for
		return err
	}
	return s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, err := groupToRule(in, id)
		if err != nil {
			return err
		}
		if g.Everyone {
			return everyoneFixed("")
		}
		if g.Directory {
			return directoryFixed("")
		}
		before, _, err := rota.Of(in.Tx, id)
		if err != nil {
			return err
		}
		now := s.dutyTime()
		k := rota.Kept{Group: id, Organization: g.Organization, Timezone: c.Timezone,
			Version: max(before.Version+1, now.UnixMilli()), Vacant: before.Vacant}
		if k.Rota, err = s.rotaNamed(in, g.Organization, &c); err != nil {
			return err
		}
		k.Zone = zone
		if err := k.Validate(); err != nil {
			return err
		}
		here, err := hereOf(in.Tx, &k)
		if err != nil {
			return err
		}
		g.Duty = true
		if _, err := in.enforce(&g, &k, here, now, true); err != nil {
			return err
		}
		if err := rota.Put(in.Tx, &k); err != nil {
			return err
		}
		if planned, due, more := nextLook(&k.Rota, now); more {
			turn := rota.Turn{Version: k.Version, Planned: planned}
			if err := rota.NoteHandOver(in.Tx, id, turn, due); err != nil {
				return err
			}
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupDutySet, g.Organization, id)
	})
}

// EndDuty takes its rota from a group, whose members stay who they are; without a rota nothing
// happens.
func (s *Service) EndDuty(ctx context.Context, actor *model.Actor, id model.GroupID) error {
	return s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, err := groupToRule(in, id)
		if err != nil || !g.Duty {
			return err
		}
		if err := rota.Delete(in.Tx, id); err != nil {
			return err
		}
		if err := in.plan.Do(&g, fanout.Update(&g, g.Members, in.actor.Account, 0)); err != nil {
			return err
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupDutyEnd, g.Organization, id)
	})
}

// groupToRule loads a group of which the actor may change the rota, with its members.
func groupToRule(in *groupChange, id model.GroupID) (model.Group, error) {
	g, rights, err := groupOfRota(in.Tx, in.actor, id)
	switch {
	case err != nil:
		return g, err
	case !rights.see && !rights.control:
		return g, model.Missing()
	case !rights.control:
		return g, model.NotAllowed()
	}
	g.Members, err = in.GroupMembers(id)
	return g, err
}

// forgetOld drops overrides that are over for long, where there are more than a rota has: nobody would have room
// for another one. One without an end stays, to be refused.
func (c *DutyCommand) forgetOld(now time.Time) {
	if len(c.Overrides) > duty.MostOverrides {
		c.Overrides = slices.DeleteFunc(slices.Clone(c.Overrides), func(o DutyOverride) bool {
			return !o.To.IsZero() && now.Sub(o.To) > duty.OverridesAge
		})
	}
}

// withinLimits refuses lists of addresses that are too long.
func (c *DutyCommand) withinLimits() error {
	r := duty.Rota{Overrides: make([]duty.Override, len(c.Overrides)), Fallback: make([]model.AccountID, len(c.Fallback))}
	for i, o := range c.Overrides {
		r.Overrides[i].From, r.Overrides[i].To = o.From, o.To
	}
	if c.Rotation != nil {
		r.Rotation = duty.Rotation{Accounts: make([]model.AccountID, len(c.Rotation.Accounts)), Start: c.Rotation.Start,
			Hours: c.Rotation.Hours}
		if r.Rotation.Hours == 0 {
			r.Rotation.Hours = -1 // none that there may be
		}
	}
	return r.Validate()
}

// rotaNamed is the rota that a call asks for, without its zone. All whom it names belong to the
// organization.
func (s *Service) rotaNamed(in *groupChange, organization model.OrganizationID, c *DutyCommand) (r duty.Rota,
	err error) {
	if c.Rotation != nil {
		r.Rotation = duty.Rotation{Start: c.Rotation.Start.UTC(), Hours: c.Rotation.Hours}
		if r.Rotation.Accounts, err = s.place(in, organization, "rotation", c.Rotation.Accounts); err != nil {
			return r, err
		}
	}
	named := make([]string, len(c.Overrides))
	for i, o := range c.Overrides {
		if named[i] = o.Account; o.Account == "" {
			return r, model.Invalidf("rota_invalid", "overrides", "An override has an `account`.")
		}
	}
	accounts, err := s.place(in, organization, "overrides", named)
	if err != nil {
		return r, err
	}
	for i, o := range c.Overrides {
		r.Overrides = append(r.Overrides, duty.Override{From: o.From.UTC(), To: o.To.UTC(), Account: accounts[i]})
	}
	if err := s.withinGroupLimit(len(c.Always) + max(1, len(c.Fallback))); err != nil {
		return r, blamed(err, "always")
	}
	if r.Always, err = s.placeOnce(in, organization, "always", c.Always); err != nil {
		return r, err
	}
	r.Fallback, err = s.placeOnce(in, organization, "fallback", c.Fallback)
	return r, err
}

// blamed is an error that a field is at fault for.
func blamed(err error, field string) error {
	if told, ok := errors.AsType[*model.Error](err); ok {
		other := *told
		other.Field = field
		return &other
	}
	return err
}

// place returns the accounts that addresses name, each in its place; an empty one names nobody.
func (s *Service) place(in *groupChange, organization model.OrganizationID, field string,
	addresses []string) ([]model.AccountID, error) {
	var asked []string
	for _, address := range addresses {
		if address != "" && !slices.Contains(asked, address) {
			asked = append(asked, address)
		}
	}
	accounts, err := s.accountsNamed(in.Tx, in.actor, organization, asked)
	if err != nil {
		return nil, blamed(err, field)
	}
	out := make([]model.AccountID, len(addresses))
	for i, address := range addresses {
		if at := slices.Index(asked, address); at >= 0 {
			out[i] = accounts[at]
		}
	}
	return out, nil
}

// placeOnce is place of a list in which nobody is twice.
func (s *Service) placeOnce(in *groupChange, organization model.OrganizationID, field string,
	addresses []string) ([]model.AccountID, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	accounts, err := s.membersNamed(in.Tx, in.actor, organization, addresses)
	if err != nil {
		return nil, blamed(err, field)
	}
	return accounts, nil
}

// nextLook returns when somebody else may be on duty, and when it is looked at who is; more is false where
// nothing changes any more. That is once a day at least: states change their clocks, and machines learn
// of it.
func nextLook(r *duty.Rota, now time.Time) (planned, due time.Time, more bool) {
	planned, more = r.Next(now)
	if due = planned; more && planned.Sub(now) > lookLongest {
		planned, due = time.Time{}, now.Add(lookLongest)
	}
	return planned, due, more
}

const lookLongest = 24 * time.Hour
