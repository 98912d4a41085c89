package metamorphic

import (
	"maps"
	"net/netip"

	"pgregory.net/rapid"

	"signet/internal/access"
	"signet/internal/model"
)

// scoped is whose key it is, and the one organization that it acts in, since when it is a
// member there: a key may end with a membership.
type scoped struct {
	account      *account
	organization *organization
	joined       tick
}

// compareScopes asks with keys of one organization what each account can see. Such a key
// acts as if its account were a member of the one organization alone; so the world is asked
// with an account that is. The operator's is left out: what an operator may do goes
// beyond its memberships.
func (p *play) compareScopes(t *rapid.T) {
	t.Helper()
	if !p.everything() {
		return
	}
	for _, a := range p.world.accounts[1:] {
		for _, o := range p.world.organizationsOf(a) {
			actor := p.scopedActor(t, scoped{a, o, a.joined[o]})
			p.within(a, o, func() { p.compareReader(t, a, actor) })
		}
	}
}

// within has the world take an account for a member of one organization alone.
func (p *play) within(a *account, o *organization, do func()) {
	joined, queue, roster := a.joined, a.queue, a.roster
	defer func() { a.joined, a.queue, a.roster = joined, queue, roster }()
	a.joined, a.queue, a.roster = map[*organization]tick{o: joined[o]}, nil, maps.Clone(roster)
	for _, e := range queue {
		if e.organization == nil || e.organization == o {
			a.queue = append(a.queue, e)
		}
	}
	maps.DeleteFunc(a.roster, func(at subject, _ *conversation) bool { return at.organization != o })
	do()
}

// scopedActor calls with a key of one organization, which the account issues itself.
func (p *play) scopedActor(t *rapid.T, s scoped) *model.Actor {
	t.Helper()
	key, found := p.scopes[s]
	if !found {
		issued, err := p.service.IssueKey(t.Context(), p.actor(t, s.account),
			access.IssueKeyCommand{Account: "me", Organization: s.organization.id})
		agree(t, "to issue a key of one organization", err, fine)
		key = person{s.account.id, issued.Key.Key, issued.Secret}
		p.scopes[s] = key
	}
	actor, err := p.service.Authenticate(t.Context(), key.key, key.secret, netip.Addr{})
	agree(t, "a key of one organization", err, fine)
	return actor
}
