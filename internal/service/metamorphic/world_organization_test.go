package metamorphic

import "slices"

// create is call 34, by the operator, who becomes a member.
func (w *world) create(o *organization) {
	w.organizations = append(w.organizations, o)
	w.accounts[0].joined[o] = w.next()
	w.tellSettings(w.accounts[0], o)
}

// join is call 29, by the operator.
func (w *world) join(a *account, o *organization) (code string) {
	if o.deleted {
		return notFound
	}
	if !a.memberOf(o) {
		a.joined[o] = w.next()
		seen := o // where its keys are, while it belongs there
		if a.home != nil && a.memberOf(a.home) {
			seen = a.home
		}
		w.tellSettings(a, seen)
	}
	return fine
}

// leave is call 30, by the operator, who is the only administrator.
func (w *world) leave(a *account, o *organization) (code string) {
	switch {
	case o.deleted || !a.memberOf(o):
		return notFound
	case a.operator:
		return lastAdministrator
	}
	groups := slices.Clone(w.groups)
	slices.SortFunc(groups, func(a, b *group) int { return compareIDs(a.id, b.id) })
	for _, g := range groups {
		if g.organization == o && !g.deleted && g.has(a) {
			w.move(w.accounts[0], g, []*account{a}, nil)
		}
	}
	w.forgetRotas(a, o)
	w.forget(a, o)
	w.tellSettings(a, nil)
	return fine
}

// forget takes all of an organization from an account that is not in it any more.
func (w *world) forget(a *account, o *organization) {
	delete(a.joined, o)
	w.forgetNotes(a, o)
	a.withdraw(func(e *event) bool { return e.organization == o })
	for p, c := range a.roster {
		if p.organization == o {
			c.listed, c.cleared, c.last = false, w.next(), conversation{}.last
		}
	}
}

// end is the deletion of an organization.
func (w *world) end(o *organization) (code string) {
	if o.deleted {
		return notFound
	}
	o.deleted = true
	for _, g := range w.groups {
		if g.organization == o {
			g.deleted, g.rota = true, nil
		}
	}
	for _, a := range w.accounts {
		if a.memberOf(o) {
			w.forget(a, o)
			w.tellSettings(a, nil)
		}
	}
	return fine
}
