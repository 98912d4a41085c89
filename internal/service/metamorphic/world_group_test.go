package metamorphic

import (
	"slices"

	"signet/internal/model"
)

// findSubject finds an entity that an account sees in an organization (contract,
// calls 4, 6 and 22).
func (w *world) findSubject(a *account, to *account, g *group, named *organization) (subject, string) {
	if g != nil {
		if !g.seenBy(a) || named != nil && named != g.organization {
			return subject{}, notFound
		}
		return subject{g.organization, model.EntityID(g.id), true}, fine
	}
	common := w.shared(a, to)
	switch {
	case named != nil && slices.Contains(common, named):
		return subject{named, to.entity(), false}, fine
	case named != nil || len(common) == 0:
		return subject{}, notFound
	default:
		return subject{common[0], to.entity(), false}, fine
	}
}

// addToRoster is call 22.
func (w *world) addToRoster(a *account, to *account, g *group, named *organization) (code string) {
	p, code := w.findSubject(a, to, g, named)
	if code != fine {
		return code
	}
	if g != nil && !g.has(a) {
		return notFound
	}
	if c := a.conversation(p); !c.listed {
		c.listed = true
		w.tellFriend(a, p, true)
	}
	return fine
}

// removeFromRoster is call 23. Without a name it is about what the roster lists.
func (w *world) removeFromRoster(a *account, to *account, g *group, named *organization) (code string) {
	if g == nil && named == nil {
		named = w.listedIn(a, to)
	}
	if g == nil && named != nil && a.memberOf(named) && w.removePerson(a, to, named) {
		return fine
	}
	if _, code := w.findSubject(a, to, g, named); code != fine && (g == nil || !w.keeps(a, g, named)) {
		return code
	}
	if g == nil {
		return fine
	}
	left := g.deleted || !g.has(a) // nobody leaves a group that is no more
	if !left && g.rota != nil {
		return dutyFixed
	}
	if !left {
		w.move(a, g, []*account{a}, nil)
	}
	a.withdraw(func(e *event) bool { return e.content && e.message.group == g })
	a.conversation(g.subject()).remove(w.next())
	if left {
		w.tellFriend(a, g.subject(), false)
	}
	return fine
}

// removePerson removes somebody whom the roster lists in an organization, and reports whether it did list them.
func (w *world) removePerson(a, to *account, named *organization) bool {
	p := subject{named, to.entity(), false}
	c := a.roster[p]
	if c == nil || !c.listed {
		return false
	}
	a.withdraw(func(e *event) bool {
		return e.content && e.message.group == nil && e.message.organization == named && e.message.sender == to
	})
	c.remove(w.next())
	w.tellFriend(a, p, false)
	return true
}

// keeps reports whether an account that may see nothing of a group has messages of it, or has
// removed them.
func (w *world) keeps(a *account, g *group, named *organization) bool {
	if named != nil && named != g.organization || !a.memberOf(g.organization) {
		return false
	}
	return len(w.history(a, g.subject())) > 0 || a.conversation(g.subject()).removed > 0
}

// remove takes a conversation out of a roster, with all that it had.
func (c *conversation) remove(now tick) {
	c.listed, c.cleared, c.removed, c.last = false, now, now, conversation{}.last
}

// listedIn is the organization of an entry of a's roster for somebody: of several the
// one that this has belonged to longest, else a itself.
func (w *world) listedIn(a, to *account) (in *organization) {
	for _, o := range append(w.shared(a, to), w.organizationsOf(a)...) {
		if c := a.roster[subject{o, to.entity(), false}]; c != nil && c.listed {
			return o
		}
	}
	return nil
}

// groupPlace is the organization of a group that no call names one for.
func (w *world) groupPlace(a *account, members []*account) *organization {
	own := w.organizationsOf(a)
	if len(own) == 0 || len(members) == 0 {
		return append(own, nil)[0]
	}
	first := w.shared(a, members[0])
	for _, o := range first {
		if allIn(o, members) {
			return o
		}
	}
	return append(first, own...)[0]
}

// createGroup is call 5, with a name.
func (w *world) createGroup(a *account, named *organization, members []*account, replay, public bool) (g *group,
	code string) {
	if named == nil {
		if named = w.groupPlace(a, members); named == nil {
			return nil, organizationRequired
		}
	}
	if named.deleted || !a.operator && !a.memberOf(named) {
		return nil, notFound
	}
	if !allIn(named, members) {
		return nil, membersUnknown
	}
	if !slices.Contains(members, a) && a.memberOf(named) {
		members = append([]*account{a}, members...)
	}
	g = &group{organization: named, creator: a, replay: replay, public: public}
	w.groups = append(w.groups, g)
	g.members = members
	return g, fine
}

// created tells the members of a new group, once it has a token.
func (w *world) created(g *group) {
	w.note(g, model.NoteCreated, g.creator, g.members, g.members)
	for _, member := range g.members {
		w.enter(member, g)
		w.tellBang(member, g, g.creator, member, true)
	}
}

func allIn(o *organization, members []*account) bool {
	return !slices.ContainsFunc(members, func(a *account) bool { return !a.memberOf(o) })
}

func (g *group) subject() subject { return subject{g.organization, model.EntityID(g.id), true} }

// enter puts a group into a new member's roster.
func (w *world) enter(a *account, g *group) {
	a.conversation(g.subject()).listed = true
	w.tellFriend(a, g.subject(), true)
}

// tellBang tells that somebody came or went; a nil caller is nobody, in whose place the subject stands.
func (w *world) tellBang(to *account, g *group, caller, subject *account, added bool) {
	if caller == nil {
		caller = subject
	}
	w.tell(to, event{kind: model.EventBang, organization: g.organization,
		said: said{added: added, entity: model.EntityID(g.id), caller: caller.id, account: subject.id, time: w.now}})
}

// move takes members out of a group, and adds those who are not in it.
func (w *world) move(caller *account, g *group, leaving, entering []*account) {
	w.noteMoves(caller, g, leaving, entering)
	before := g.members
	g.members = slices.DeleteFunc(slices.Clone(before), func(a *account) bool { return slices.Contains(leaving, a) })
	g.members = append(g.members, entering...)
	for _, a := range leaving {
		a.withdraw(g.tellsUpdate)
		w.exit(a, g)
	}
	for _, a := range entering {
		w.enter(a, g)
	}
	for _, a := range leaving {
		for _, member := range before {
			w.tellBang(member, g, caller, a, false)
		}
	}
	for _, a := range entering {
		for _, member := range g.members {
			w.tellBang(member, g, caller, a, true)
		}
	}
}

// replay gives a group's earlier messages to those who entered it.
func (w *world) replay(g *group, entering []*account) {
	if !g.replay {
		return
	}
	w.replayNotes(g, entering)
	for _, a := range entering {
		for _, m := range w.messages {
			if m.group == g && m.replay && !m.recalled && !m.ended(w.now) && m.sender != a && m.copies[a] == nil {
				w.deliver(m, a, true)
			}
		}
	}
}

// exit takes a group out of a roster: what was not read of it counts no more.
func (w *world) exit(a *account, g *group) {
	c := a.conversation(g.subject())
	c.listed, c.cleared, c.last = false, w.next(), conversation{}.last
	w.tellFriend(a, g.subject(), false)
}

// tellsUpdate reports whether an event says what the group is now.
func (g *group) tellsUpdate(e *event) bool {
	return e.kind == model.EventUpdate && e.said.entity == model.EntityID(g.id)
}

// addToGroup is call 9.
func (w *world) addToGroup(a *account, g *group, members []*account) (code string) {
	switch {
	case !g.seenBy(a):
		return notFound
	case g.rota != nil:
		return dutyFixed
	case !allIn(g.organization, members):
		return membersUnknown
	case !g.changedBy(a) && !(g.public && len(members) == 1 && members[0] == a):
		return notAllowed
	}
	entering := slices.DeleteFunc(slices.Clone(members), g.has)
	w.move(a, g, nil, entering)
	w.replay(g, entering)
	return fine
}

// removeFromGroup is call 10.
func (w *world) removeFromGroup(a *account, g *group, members []*account) (code string) {
	switch {
	case !g.seenBy(a):
		return notFound
	case g.rota != nil:
		return dutyFixed
	case !g.changedBy(a):
		return notAllowed
	}
	w.move(a, g, slices.DeleteFunc(slices.Clone(members), func(m *account) bool { return !g.has(m) }), nil)
	return fine
}

// mayUpdate is the code of a refusal to change a group so. Its creator may change from outside what only those who
// control it change.
func (g *group) mayUpdate(a *account, members []*account, replay, public *bool) (code string) {
	controls := g.controlledBy(a)
	flags := replay != nil || public != nil
	changes := replay != nil && *replay != g.replay || public != nil && *public != g.public
	switch {
	case g.deleted, !g.seenBy(a) && !controls:
		return notFound
	case !g.changedBy(a) && (!controls || members != nil || !flags), changes && !controls:
		return notAllowed
	case members != nil && g.rota != nil:
		return dutyFixed
	case members != nil && !allIn(g.organization, members):
		return membersUnknown
	}
	return fine
}

// updateGroup is call 7; nil leaves a thing as it is.
func (w *world) updateGroup(a *account, g *group, members []*account, replay, public *bool) (code string) {
	if code := g.mayUpdate(a, members, replay, public); code != fine {
		return code
	}
	wasReplay, wasPublic := g.replay, g.public
	if replay != nil {
		g.replay = *replay
	}
	if public != nil {
		g.public = *public
	}
	var entering []*account
	if members != nil {
		if g.has(a) && !slices.Contains(members, a) {
			members = append(slices.Clone(members), a)
		}
		before := slices.Clone(g.members)
		entering = slices.DeleteFunc(slices.Clone(members), func(m *account) bool { return slices.Contains(before, m) })
		w.move(a, g,
			slices.DeleteFunc(slices.Clone(before), func(m *account) bool { return slices.Contains(members, m) }), entering)
	}
	w.noteFlags(a, g, wasReplay, wasPublic)
	w.tellUpdate(g)
	w.replay(g, entering)
	return fine
}

// deleteGroup is call 8.
func (w *world) deleteGroup(a *account, g *group) (code string) {
	switch {
	case g.deleted && (g.controlledBy(a) || g.changedBy(a)) && !g.organization.deleted:
		return fine
	case g.deleted, !g.seenBy(a) && !g.controlledBy(a):
		return notFound
	case !g.controlledBy(a):
		return notAllowed
	}
	g.deleted, g.rota = true, nil
	for _, member := range g.members {
		w.exit(member, g)
	}
	return fine
}
