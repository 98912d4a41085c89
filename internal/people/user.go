package people

import (
	"context"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// User shows an account to one who may see it (contract, call 4).
func (p *People) User(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (e model.Entity, err error) {
	var t access.Target
	err = p.store.View(ctx, func(tx *store.Tx) error {
		if t, err = p.access.Target(tx, actor, address); err != nil {
			return err
		}
		if !actor.MaySee(t.ID, t.Memberships) {
			return model.Missing()
		}
		e = t.SeenBy(actor, organization)
		return nil
	}, store.Short)
	if err == nil && !actor.MaySeeAddresses(t.ID, t.Memberships) {
		err = p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionUserRead, User: t.ID})
	}
	return e, err
}

// LookupUser finds an account on the whole platform by its exact address, for
// administrators (contract, call 27).
func (p *People) LookupUser(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (e model.Entity, err error) {
	if !actor.AdministersAny() {
		return e, model.NotAdministrator()
	}
	err = p.access.Act(ctx, actor, model.ActionUserLookup, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := p.access.StillAdministersAny(tx, actor); err != nil {
			return err
		}
		t, err := p.access.Target(tx, actor, address)
		if err != nil {
			return err
		}
		e = t.SeenBy(actor, organization)
		line.User = t.ID
		// It says what the actor did, and is for the actor's own organization.
		self, _, err := tx.Account(actor.Account)
		if err != nil {
			return err
		}
		return audit.AtHome(tx, line, &self)
	})
	return e, err
}
