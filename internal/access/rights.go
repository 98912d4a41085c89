package access

import (
	"slices"

	"signet/internal/model"
)

// mayManageKeys: who issues and rotates keys of an account, and sets its password
// (contract, section 1: nobody gains another person's access).
func mayManageKeys(actor *model.Actor, target *model.Account, memberships []model.Membership) error {
	elsewhere := func(m model.Membership) bool { return m.Organization != target.CreatedBy }
	switch {
	case actor.Account == target.ID:
		return nil
	case !actor.MaySee(target.ID, memberships) && !actor.Administers(target.CreatedBy):
		return model.Missing()
	case !actor.Administrative():
		return model.AdministrativeKeyRequired()
	case target.Operator:
		return model.NotAllowed()
	case actor.Operator:
		return nil
	case target.CreatedBy != "" && actor.Administers(target.CreatedBy) && !slices.ContainsFunc(memberships, elsewhere):
		return nil
	default:
		return model.NotAllowed()
	}
}

// mayRevokeKeys: who lists and revokes keys of an account: those who manage them,
// and always the administrators of the organization that created it.
func mayRevokeKeys(actor *model.Actor, target *model.Account, memberships []model.Membership) error {
	if target.CreatedBy != "" && !target.Operator && actor.Administers(target.CreatedBy) {
		return nil
	}
	return mayManageKeys(actor, target, memberships)
}
