package access

import (
	"slices"

	"signet/internal/model"
)

// reach is which keys of an account an actor manages (contract, section 1: nobody gains
// another person's access).
type reach struct {
	self     bool
	all      bool                   // of whatever scope
	scopes   []model.OrganizationID // of these scopes
	unscoped bool                   // of no scope: only where all is not set
}

// reachOf fails where there is none.
func reachOf(actor *model.Actor, target *model.Account, memberships []model.Membership) (r reach, err error) {
	if actor.Account == target.ID {
		r.self = true
		if r.all = actor.Key.Scope == ""; !r.all {
			r.scopes = append(r.scopes, actor.Key.Scope)
		}
		return r, nil
	}
	switch {
	case !actor.MaySee(target.ID, memberships) && !actor.Administers(target.CreatedBy):
		return r, model.Missing()
	case !actor.Administrative():
		return r, model.AdministrativeKeyRequired()
	case target.Operator && !actor.Command:
		return r, model.NotAllowed()
	case actor.Operator:
		return reach{all: true}, nil
	}
	elsewhere := false
	for _, m := range memberships {
		if actor.Administers(m.Organization) {
			r.scopes = append(r.scopes, m.Organization)
		}
		elsewhere = elsewhere || m.Organization != target.CreatedBy
	}
	if target.CreatedBy != "" && actor.Administers(target.CreatedBy) && !elsewhere {
		r.unscoped, r.scopes = true, []model.OrganizationID{target.CreatedBy}
	}
	if len(r.scopes) == 0 {
		return r, model.NotAllowed()
	}
	return r, nil
}

// manages reports whether a key is within reach.
func (r *reach) manages(k *model.Key) bool {
	return r.all || k.Scope == "" && r.unscoped || slices.Contains(r.scopes, k.Scope)
}

// sees reports whether a key is listed: an organization sees who may read it.
func (r *reach) sees(k *model.Key) bool {
	return r.manages(k) || k.Scope == "" && !r.self
}

// refuses is why a key is not managed: where it is not even seen, it does not exist.
func (r *reach) refuses(k *model.Key) error {
	switch {
	case r.manages(k):
		return nil
	case r.sees(k):
		return model.NotAllowed()
	default:
		return model.Missing()
	}
}

// scope is that of a key that is issued: the one asked for, or else the one of the call
// where the actor gives keys of some scopes only, or the first of these.
func (r *reach) scope(asked, call model.OrganizationID, memberships []model.Membership) (model.OrganizationID, error) {
	if r.all {
		if _, member := model.MembershipIn(asked, memberships); asked != "" && !member {
			return "", model.Missing()
		}
		return asked, nil
	}
	switch {
	case asked == "" && slices.Contains(r.scopes, call):
		return call, nil
	case asked == "":
		return r.scopes[0], nil
	case slices.Contains(r.scopes, asked):
		return asked, nil
	case r.self:
		return "", exceedsIssuer()
	default:
		return "", model.Missing()
	}
}

// secretReplaced answers what takes the present secret of a key.
func secretReplaced() *model.Error {
	return model.Forbiddenf("secret_replaced",
		"The secret was replaced by a rotation: it opens for a while yet, and changes no key and no password.")
}

// MayGiveAccess refuses an actor that came with a secret which was replaced.
func MayGiveAccess(actor *model.Actor) error {
	if actor.Replaced() {
		return secretReplaced()
	}
	return nil
}
