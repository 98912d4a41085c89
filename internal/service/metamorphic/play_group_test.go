package metamorphic

import (
	"slices"
	"time"

	"signet/internal/people"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// anEntity picks a person or a group, and an organization to name.
func (p *play) anEntity(t *rapid.T, a *account) (to *account, g *group, named *organization, address string) {
	if len(p.world.groups) > 0 && rapid.Bool().Draw(t, "a group") {
		g := p.aGroup(t)
		return nil, g, p.anOrganization(t, []*organization{g.organization}), g.id.String()
	}
	to = p.anybody(t, "entity")
	return to, nil, p.anOrganization(t, p.world.shared(a, to)), to.id.String()
}

func (p *play) addToRoster(t *rapid.T) {
	a := p.anybody(t, "who")
	to, g, named, address := p.anEntity(t, a)
	p.tick()
	err := p.service.AddToRoster(t.Context(), p.actor(t, a), address, named.token())
	agree(t, "add to the roster", err, p.world.addToRoster(a, to, g, named))
}

func (p *play) removeFromRoster(t *rapid.T) {
	a := p.anybody(t, "who")
	to, g, named, address := p.anEntity(t, a)
	p.tick()
	err := p.service.RemoveFromRoster(t.Context(), p.actor(t, a), address, named.token())
	agree(t, "remove from the roster", err, p.world.removeFromRoster(a, to, g, named))
}

func (p *play) createGroup(t *rapid.T) {
	a := p.anybody(t, "who")
	named := p.anOrganization(t, p.world.organizationsOf(a))
	members := some(t, p.world.accounts, 4, "members")
	if named != nil && rapid.IntRange(0, 4).Draw(t, "with strangers") > 0 {
		members = inside(members, named)
	}
	replay, public := rapid.IntRange(0, 3).Draw(t, "replay") > 0, rapid.Bool().Draw(t, "public")
	name := p.name("group")
	p.tick()
	made, err := p.service.CreateGroup(t.Context(), p.actor(t, a), service.GroupCommand{
		CallOrganization: named.token(), Name: &name, Members: addresses(members), ReplayHistory: &replay, Public: &public,
	})
	g, code := p.world.createGroup(a, named, members, replay, public)
	agree(t, "create a group", err, code)
	if code == fine {
		g.id = made.ID
		p.world.created(g)
	}
}

// inside keeps those who belong to an organization.
func inside(accounts []*account, o *organization) []*account {
	out := []*account{}
	for _, a := range accounts {
		if a.memberOf(o) {
			out = append(out, a)
		}
	}
	return out
}

// aChange picks a group, somebody, mostly a member, and members.
func (p *play) aChange(t *rapid.T) (*account, *group, []*account) {
	g := p.aGroup(t)
	a := mostly(t, g.members, p.world.accounts, "who")
	members := some(t, p.world.accounts, 4, "members")
	if rapid.IntRange(0, 4).Draw(t, "with strangers") > 0 {
		members = inside(members, g.organization)
	}
	return a, g, members
}

func (p *play) updateGroup(t *rapid.T) {
	a, g, members := p.aChange(t)
	var c service.GroupCommand
	if rapid.Bool().Draw(t, "members") {
		c.Members = addresses(members)
	} else {
		members = nil
	}
	flags := []*bool{nil, new(bool), new(bool)}
	*flags[2] = true
	c.ReplayHistory, c.Public = pick(t, flags, "replay"), pick(t, flags, "public")
	p.tick()
	_, err := p.service.UpdateGroup(t.Context(), p.actor(t, a), g.id, c)
	agree(t, "update a group", err, p.world.updateGroup(a, g, members, c.ReplayHistory, c.Public))
}

func (p *play) addToGroup(t *rapid.T) {
	a, g, members := p.aChange(t)
	if len(members) == 0 {
		members = []*account{p.anybody(t, "member")}
	}
	p.tick()
	err := p.service.AddGroupMembers(t.Context(), p.actor(t, a), g.id, addresses(members))
	agree(t, "add members", err, p.world.addToGroup(a, g, members))
}

func (p *play) removeFromGroup(t *rapid.T) {
	a, g, members := p.aChange(t)
	if len(members) == 0 {
		members = []*account{mostly(t, g.members, p.world.accounts, "member")}
	}
	p.tick()
	err := p.service.RemoveGroupMembers(t.Context(), p.actor(t, a), g.id, addresses(members))
	agree(t, "remove members", err, p.world.removeFromGroup(a, g, members))
}

func (p *play) deleteGroup(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("groups are to live for a while")
	}
	a, g, _ := p.aChange(t)
	p.tick()
	err := p.service.DeleteGroup(t.Context(), p.actor(t, a), g.id)
	agree(t, "delete a group", err, p.world.deleteGroup(a, g))
}

func (p *play) createOrganization(t *rapid.T) {
	if len(p.world.organizations) == 3 {
		t.Skip("there are enough")
	}
	o := &organization{name: p.name("organization"), dor: rapid.Bool().Draw(t, "dor"),
		forward: rapid.IntRange(0, 3).Draw(t, "forward") > 0}
	lifetimes := []*int{nil, new(int), new(int)}
	*lifetimes[1], *lifetimes[2] = 90, model.NoTTL
	o.ttl = pick(t, lifetimes, "ttl")
	if rapid.Bool().Draw(t, "with max ttl") {
		o.maxTTL = new(int)
		*o.maxTTL = 100
	}
	p.tick()
	operator := p.world.accounts[0]
	id, err := p.service.CreateOrganization(t.Context(), p.actor(t, operator), people.OrganizationCommand{
		Name: &o.name, Settings: model.Settings{TTL: o.ttl, MaxTTL: o.maxTTL, DOR: &o.dor, Forward: &o.forward},
	})
	agree(t, "create an organization", err, fine)
	o.id = id
	p.world.create(o)
	// It starts with somebody in it, or little would happen there.
	for _, a := range some(t, p.world.accounts[1:], 3, "first members") {
		p.tick()
		_, err := p.service.AddMember(t.Context(), p.actor(t, operator), a.id.String(), o.id, nil, nil)
		agree(t, "add to an organization", err, p.world.join(a, o))
	}
}

func (p *play) deleteOrganization(t *rapid.T) {
	o := pick(t, p.world.organizations, "organization")
	if rapid.IntRange(0, 7).Draw(t, "really") > 0 {
		t.Skip("organizations are to live for a while")
	}
	p.tick()
	err := p.service.DeleteOrganization(t.Context(), p.actor(t, p.world.accounts[0]),
		people.DeleteCommand{Organization: o.id, Name: o.name})
	agree(t, "delete an organization", err, p.world.end(o))
}

func (p *play) join(t *rapid.T) {
	a, o := p.anybody(t, "who"), pick(t, p.world.organizations, "organization")
	p.tick()
	_, err := p.service.AddMember(t.Context(), p.actor(t, p.world.accounts[0]), a.id.String(), o.id, nil, nil)
	agree(t, "add to an organization", err, p.world.join(a, o))
}

func (p *play) leave(t *rapid.T) {
	if rapid.IntRange(0, 1).Draw(t, "really") > 0 {
		t.Skip("people are to stay for a while")
	}
	a, o := p.anybody(t, "who"), pick(t, p.world.organizations, "organization")
	p.tick()
	err := p.service.RemoveMember(t.Context(), p.actor(t, p.world.accounts[0]), a.id.String(), o.id)
	agree(t, "remove from an organization", err, p.world.leave(a, o))
}

func (p *play) waitALittle(t *rapid.T) {
	p.wait(t, pick(t, []time.Duration{900 * time.Millisecond, 30 * time.Second, model.ReadGrace}, "how long"))
}

func (p *play) waitLong(t *rapid.T) {
	long := []time.Duration{2 * time.Hour, 25 * time.Hour} // after which little is left
	p.wait(t, mostly(t, []time.Duration{5 * time.Minute, time.Hour}, long, "how long"))
}

// wait lets time pass, to a millisecond before or after something may happen.
func (p *play) wait(t *rapid.T, d time.Duration) {
	p.world.now = p.world.now.Add(d - time.Duration(rapid.IntRange(0, 3).Draw(t, "less"))*time.Millisecond)
}

func (p *play) sweep(t *rapid.T) {
	p.sweepBoth(t)
	if rapid.Bool().Draw(t, "keep house") {
		if err := p.kept.sweeper.KeepHouse(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// sweepBoth has both sides do all that is left to be done.
func (p *play) sweepBoth(t *rapid.T) {
	t.Helper()
	p.tick()
	if err := p.kept.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.world.handOver()
	// What nobody has any more is gone with a sweep, and is not sent on.
	for _, e := range p.world.escalations {
		seen := func(a *account) bool { return p.world.sees(a, e.message) }
		if !slices.ContainsFunc(p.world.accounts, seen) && len(p.storedEscalation(t, e).Steps) == 0 {
			e.end(model.EscalationCancelled)
		}
	}
}
