package model

import (
	"iter"
	"time"
)

// Actor is the caller: an account through one of its keys, or the command line of the server's
// machine.
type Actor struct {
	Account     AccountID
	Home        OrganizationID // which created the account; empty: there is none any more
	Key         Key
	Issuers     []Key      // that the key ends with: what issued it, and what that ends with
	Secret      SecretMark // with which it came
	Operator    bool
	Elevated    bool // it is a session, and counts as administrative
	Disabled    bool // its account is: nothing opens it
	Command     bool // it is the command line, which no key lets in
	Webhook     bool // it is a webhook: Key stands for it, and no row of keys does
	OneFactor   bool // it gave a password alone, and its organization requires more (access.WantSecondFactor)
	Memberships []Membership

	Read AccessRead // of all of this
}

// AccessRead says when what gives an account access was read, and the number that it had then
// (store.AccessVersion).
type AccessRead struct {
	Number int64 // 0: it is not known
	At     time.Time
}

// CommandLine is who acts by a command on the server's machine. It may do what operators may.
func CommandLine() *Actor { return &Actor{Operator: true, Elevated: true, Command: true} }

// Line yields the key, and what it ends with.
func (a *Actor) Line() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		if !yield(&a.Key) {
			return
		}
		for i := range a.Issuers {
			if !yield(&a.Issuers[i]) {
				return
			}
		}
	}
}

// At returns the actor as it is at a time: a session may be elevated until then. One that
// comes with the secret from before is not: whoever has that gave no password.
func (a *Actor) At(now time.Time) *Actor {
	elevated := a.Key.Session && now.Before(a.Key.Elevated) && !a.Replaced()
	if elevated == a.Elevated {
		return a
	}
	other := *a
	other.Elevated = elevated
	return &other
}

// By returns the actor as it is when it comes with this secret of the key.
func (a *Actor) By(secret SecretMark) *Actor {
	if a.Secret == secret {
		return a
	}
	other := *a
	other.Secret = secret
	return &other
}

// Replaced reports whether the actor came with a secret that a rotation has replaced.
func (a *Actor) Replaced() bool {
	return a.Secret != SecretMark{} && a.Secret != MarkOf(a.Key.SecretHash)
}

// EndOfQueue is a position that no event reaches.
const EndOfQueue = int64(1) << 62

// Notices is the position in its queue past which the actor may see and take away notices:
// events about the account's own access. All are for keys without a scope, and for those that
// the account issued itself. A key of the creating organization's scope that somebody else
// issued, or rotated, passes over the notice of its issue and those before it: perhaps nobody
// else has read them. One of another organization's scope passes over all, and so does what was
// issued with it (contract, section 1).
//
// The notice of a rotation, which Noticed has with a minus where the key had none before, is
// for who has the secret from before it.
func (a *Actor) Notices() (after int64) {
	if a.Key.Scope == "" {
		return 0
	}
	for k := range a.Line() {
		noticed := k.Noticed
		if noticed < 0 {
			if noticed = -noticed; k == &a.Key && a.Replaced() {
				noticed = 0
			}
		}
		switch {
		case k.IssuedBy.IsZero() && k.Noticed == 0:
		case k.Scope != a.Home:
			return EndOfQueue
		default:
			after = max(after, noticed)
		}
	}
	return after
}

// Administrative reports whether the key may be used for administrative calls
// at all; where, the account's roles decide.
func (a *Actor) Administrative() bool { return a.Key.Kind == Administrative || a.Elevated }

// Operates reports whether the actor acts as an operator.
func (a *Actor) Operates() bool { return a.Operator && a.Administrative() }

// Membership returns the actor's place in an organization.
func (a *Actor) Membership(organization OrganizationID) (Membership, bool) {
	return MembershipIn(organization, a.Memberships)
}

// MembershipIn returns the one of an account's memberships that is in an organization.
func MembershipIn(organization OrganizationID, memberships []Membership) (Membership, bool) {
	for _, m := range memberships {
		if m.Organization == organization {
			return m, true
		}
	}
	return Membership{}, false
}

// MemberOf reports whether the actor belongs to the organization.
func (a *Actor) MemberOf(organization OrganizationID) bool {
	_, ok := a.Membership(organization)
	return ok
}

// AdministersAny reports whether the actor's key and roles make it an operator
// or the administrator of at least one organization.
func (a *Actor) AdministersAny() bool {
	if !a.Administrative() {
		return false
	}
	for _, m := range a.Memberships {
		if m.Has(RoleAdmin) {
			return true
		}
	}
	return a.Operator
}

// Administers reports whether the actor acts as an administrator of the
// organization: by its role there, or as an operator.
func (a *Actor) Administers(organization OrganizationID) bool {
	if !a.Administrative() {
		return false
	}
	m, ok := a.Membership(organization)
	return a.Operator || ok && m.Has(RoleAdmin)
}

// AdministratorOf lists the organizations whose administrator the actor is by its role, be
// its key administrative or not.
func (a *Actor) AdministratorOf() []OrganizationID {
	out := []OrganizationID{}
	for _, m := range a.Memberships {
		if m.Has(RoleAdmin) {
			out = append(out, m.Organization)
		}
	}
	return out
}

// MayAdminister lets administrators of the organization and operators through. For any
// other actor an organization that it is not in does not exist.
func (a *Actor) MayAdminister(organization OrganizationID) error {
	switch {
	case a.Administers(organization):
		return nil
	case !a.MemberOf(organization):
		return Missing()
	case !a.Administrative():
		return AdministrativeKeyRequired()
	default:
		return NotAdministrator()
	}
}

// Organizations lists where the actor belongs.
func (a *Actor) Organizations() []OrganizationID {
	out := make([]OrganizationID, len(a.Memberships))
	for i, m := range a.Memberships {
		out[i] = m.Organization
	}
	return out
}

// Shared lists the organizations that the actor and the memberships have in common, in
// the order of the memberships.
func (a *Actor) Shared(memberships []Membership) []OrganizationID {
	var out []OrganizationID
	for _, m := range memberships {
		if a.MemberOf(m.Organization) {
			out = append(out, m.Organization)
		}
	}
	return out
}

// MaySee reports whether the actor may see an account with these memberships: the account
// itself, people who share an organization with it, operators (contract, section 5, call 4).
func (a *Actor) MaySee(account AccountID, memberships []Membership) bool {
	return a.Account == account || a.Operator || len(a.Shared(memberships)) > 0
}

// MaySeeAddresses reports whether the actor may see e-mails and phones of an account: they
// are for the account itself and people who share an organization with it (contract,
// section 3).
func (a *Actor) MaySeeAddresses(account AccountID, memberships []Membership) bool {
	return a.Account == account || len(a.Shared(memberships)) > 0
}
