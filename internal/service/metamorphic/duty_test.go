package metamorphic

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// rota is who is on duty for a group, by hours of UTC: what clocks do otherwise, internal/duty compares.
type rota struct {
	turns    []*account // nil: nobody's
	start    time.Time
	hours    int
	always   []*account
	fallback []*account
	vacant   bool // nobody is on duty, which was told
}

const dutyFixed = "duty_fixed"

// setDuty gives a group a rota. Few groups have one, so that the order in which they hand over is that of
// one.
func (p *play) setDuty(t *rapid.T) {
	a, g, members := p.aChange(t)
	for _, other := range p.world.groups {
		if other != g && other.rota != nil && !other.deleted {
			g = other
		}
	}
	turns := append(members, some(t, p.world.accounts, 2, "turns")...)
	if rapid.IntRange(0, 4).Draw(t, "with strangers") > 0 {
		turns = inside(turns, g.organization)
	}
	r := &rota{turns: turns, hours: rapid.IntRange(1, 2).Draw(t, "hours"),
		start:    p.world.now.Truncate(time.Hour).Add(time.Duration(rapid.IntRange(-3, 1).Draw(t, "start")) * time.Hour),
		always:   inside(some(t, p.world.accounts, 2, "always"), g.organization),
		fallback: inside(some(t, p.world.accounts, 2, "fallback"), g.organization)}
	if len(r.turns) == 0 || rapid.IntRange(0, 2).Draw(t, "a gap") == 0 {
		r.turns = append(r.turns, nil)
	}
	c := service.DutyCommand{Timezone: "UTC", Rotation: &service.DutyRotation{Start: r.start, Hours: r.hours},
		Always: addresses(r.always), Fallback: addresses(r.fallback)}
	for _, turn := range r.turns {
		address := ""
		if turn != nil {
			address = turn.id.String()
		}
		c.Rotation.Accounts = append(c.Rotation.Accounts, address)
	}
	p.tick()
	agree(t, "set a rota", p.service.SetDuty(t.Context(), p.actor(t, a), g.id, c), p.world.setDuty(a, g, r))
}

func (p *play) endDuty(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "really") > 0 {
		t.Skip("rotas are to live for a while")
	}
	a, g, _ := p.aChange(t)
	p.tick()
	agree(t, "end a rota", p.service.EndDuty(t.Context(), p.actor(t, a), g.id), p.world.endDuty(a, g))
}

func (p *play) handOver(t *rapid.T) {
	p.tick()
	if err := p.kept.work.Settle(t.Context(), store.HandOver); err != nil {
		t.Fatal(err)
	}
	p.world.handOver()
}

// ruledBy says whether an account may change the rota of a group.
func (g *group) ruledBy(a *account) (code string) {
	named := g.rota != nil && a.memberOf(g.organization) && g.rota.names(a)
	switch {
	case g.deleted, !g.seenBy(a) && !g.controlledBy(a) && !named:
		return notFound
	case !g.controlledBy(a):
		return notAllowed
	}
	return fine
}

func (r *rota) names(a *account) bool {
	return slices.Contains(r.turns, a) || slices.Contains(r.always, a) || slices.Contains(r.fallback, a)
}

func (w *world) setDuty(a *account, g *group, r *rota) (code string) {
	if code := g.ruledBy(a); code != fine {
		return code
	}
	named := slices.DeleteFunc(slices.Clone(r.turns), func(a *account) bool { return a == nil })
	if !allIn(g.organization, named) {
		return membersUnknown
	}
	if g.rota != nil {
		r.vacant = g.rota.vacant
	}
	g.rota = r
	w.enforce(g, true)
	return fine
}

func (w *world) endDuty(a *account, g *group) (code string) {
	if code := g.ruledBy(a); code != fine || g.rota == nil {
		return code
	}
	g.rota = nil
	w.tellUpdate(g)
	return fine
}

// handOver has all groups hold those whom their rotas say.
func (w *world) handOver() {
	for _, g := range w.groups {
		if g.rota != nil && !g.deleted {
			w.enforce(g, false)
		}
	}
}

// onDuty is whose turn it is; nil: nobody's.
func (r *rota) onDuty(now time.Time) *account {
	if now.Before(r.start) {
		return nil
	}
	turn := int(now.Sub(r.start) / (time.Duration(r.hours) * time.Hour))
	return r.turns[turn%len(r.turns)]
}

func (w *world) enforce(g *group, set bool) {
	r := g.rota
	on, was := r.onDuty(w.now), r.vacant
	wanted := r.fallback
	if on != nil {
		wanted = []*account{on}
	}
	r.vacant = on == nil
	members := []*account{}
	for _, a := range slices.Concat(wanted, r.always) {
		if !slices.Contains(members, a) {
			members = append(members, a)
		}
	}
	leaving := slices.DeleteFunc(slices.Clone(g.members), func(a *account) bool { return slices.Contains(members, a) })
	entering := slices.DeleteFunc(members, g.has)
	w.move(nil, g, leaving, entering)
	if set {
		w.tellUpdate(g)
	}
	if r.vacant && !was {
		w.tellVacant(g)
	}
	w.replay(g, entering)
}

// tellUpdate tells the members of a group what it is now.
func (w *world) tellUpdate(g *group) {
	for _, member := range g.members {
		member.withdraw(g.tellsUpdate)
		w.tell(member, event{kind: model.EventUpdate, organization: g.organization, said: said{entity: model.EntityID(g.id)}})
	}
}

// tellVacant tells the administrator and who made the group that nobody is on duty.
func (w *world) tellVacant(g *group) {
	told := []*account{w.accounts[0]}
	if g.creator != told[0] {
		told = append(told, g.creator)
	}
	for _, a := range told {
		if !a.memberOf(g.organization) {
			continue
		}
		a.withdraw(func(e *event) bool {
			return e.kind == model.EventAdminRequest && e.said.entity == model.EntityID(g.id)
		})
		w.tell(a, event{kind: model.EventAdminRequest, organization: g.organization,
			said: said{entity: model.EntityID(g.id)}})
	}
}

// forgetRotas takes an account that has left an organization out of its rotas.
func (w *world) forgetRotas(a *account, o *organization) {
	for _, g := range w.groups {
		if g.rota == nil || g.organization != o {
			continue
		}
		for i, turn := range g.rota.turns {
			if turn == a {
				g.rota.turns[i] = nil
			}
		}
		is := func(other *account) bool { return other == a }
		g.rota.always, g.rota.fallback = slices.DeleteFunc(g.rota.always, is), slices.DeleteFunc(g.rota.fallback, is)
	}
}
