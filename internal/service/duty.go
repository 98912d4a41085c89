package service

import (
	"context"
	"time"

	"signet/internal/duty"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/rota"
)

// DutyView is a group's rota as its readers see it.
type DutyView struct {
	Group  model.Group // without its members
	Rota   rota.Kept
	On     []model.Entity // who is on duty; none: nobody is
	Shifts []duty.Shift
	People []model.Entity // whom the rota names, but for those who always are in the group
}

// DutyQuery says which shifts are asked for; where a time is zero, these are from now on, and those of
// two weeks.
type DutyQuery struct{ From, To time.Time }

const (
	// dutySpan is how long the span is of which shifts are shown unless a call says so, and
	// longestDutySpan how long one is at most.
	dutySpan        = 14 * 24 * time.Hour
	longestDutySpan = 366 * 24 * time.Hour
)

// span is what a query asks for at a time.
func (q DutyQuery) span(now time.Time) (from, to time.Time, err error) {
	if from = q.From; from.IsZero() {
		from = now
	}
	if to = q.To; to.IsZero() {
		to = from.Add(dutySpan)
	}
	switch {
	case !from.Before(to):
		err = model.Invalidf("time_range_invalid", "to", "`to` is a time after `from`.")
	case to.Sub(from) > longestDutySpan:
		err = model.Invalidf("time_range_invalid", "to", "Shifts of 366 days at most are shown at a time.")
	case from.Year() < 2000 || to.Year() > 2100:
		err = model.Invalidf("time_range_invalid", "from", "Shifts are of the years 2000 to 2100.")
	}
	return from, to, err
}

// Duty shows the rota of a group to its members, to those whom it names, and to those who may change
// it (contract, section 8).
func (s *Service) Duty(ctx context.Context, actor *model.Actor, id model.GroupID, q DutyQuery) (out DutyView,
	err error) {
	now := s.dutyTime()
	from, to, err := q.span(now)
	if err != nil {
		return out, err
	}
	var rights groupRights
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out = DutyView{}
		if out.Group, rights, err = groupOfRota(tx, actor, id); err != nil {
			return err
		}
		if !rights.see && !rights.control {
			return model.Missing()
		}
		var here func(model.AccountID) bool
		if out.Rota, here, err = rotaOf(tx, id); err != nil {
			return err
		}
		out.Shifts = out.Rota.Shifts(from, to, here)
		p := presenter{service: s, tx: tx, actor: actor}
		people := turns(&out.Rota.Rota)
		if err := p.meet(people); err != nil {
			return err
		}
		on := out.Rota.At(now, here).On
		for _, account := range people {
			e, err := p.entity(out.Group.Organization, model.EntityID(account), false)
			if err != nil {
				return err
			}
			out.People = append(out.People, e)
			if account == on {
				out.On = append(out.On, e)
			}
		}
		return nil
	})
	if err == nil && rights.overseen {
		err = s.recordGroupRead(ctx, actor, model.ActionGroupRead, out.Group.Organization, id)
	}
	return out, err
}

// DutyPlaces are where rotas name the actor, in the organizations that its key acts in.
func (s *Service) DutyPlaces(ctx context.Context, actor *model.Actor) ([]rota.Place, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) ([]rota.Place, error) {
		return rota.PlacesOf(tx, actor.Account, actor.Organizations())
	})
}

// turns are the accounts that a rota has on duty at some time, or as the fallback.
func turns(r *duty.Rota) []model.AccountID {
	some := duty.Rota{Rotation: r.Rotation, Overrides: r.Overrides, Fallback: r.Fallback}
	return some.Names()
}

// groupOfRota loads a group that is not deleted, without its members, and what an actor may do with it;
// whom its rota names sees it, too.
func groupOfRota(tx *store.Tx, actor *model.Actor, id model.GroupID) (g model.Group, rights groupRights, err error) {
	g, found, err := tx.Group(id)
	if err == nil && (!found || g.Deleted) {
		err = model.Missing()
	}
	if err != nil {
		return g, rights, err
	}
	if rights, err = rightsInGroup(tx, actor, &g); err != nil || rights.see || !g.Duty || !actor.MemberOf(g.Organization) {
		return g, rights, err
	}
	rights.see, err = rota.Names(tx, id, actor.Account)
	return g, rights, err
}

// rotaOf loads the rota of a group, with its zone, and finds out who of those whom it names is there to be
// on duty: who belongs to the organization, and is not disabled.
func rotaOf(tx *store.Tx, id model.GroupID) (k rota.Kept, here func(model.AccountID) bool, err error) {
	k, found, err := rota.Of(tx, id)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return k, nil, err
	}
	if k.Zone, err = duty.KeptZone(k.Timezone); err != nil {
		return k, nil, err
	}
	here, err = hereOf(tx, &k)
	return k, here, err
}

// hereOf finds out who of those whom a rota names is there to be on duty.
func hereOf(tx *store.Tx, k *rota.Kept) (func(model.AccountID) bool, error) {
	names := k.Names()
	present, err := tx.MembershipsIn(k.Organization, names)
	if err != nil {
		return nil, err
	}
	here := make(map[model.AccountID]bool, len(present))
	for _, m := range present {
		here[m.Account] = true
	}
	disabled, err := tx.DisabledAmong(names)
	if err != nil {
		return nil, err
	}
	for _, account := range disabled {
		delete(here, account)
	}
	return func(account model.AccountID) bool { return here[account] }, nil
}
