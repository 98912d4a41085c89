package offline

import (
	"context"

	"signet/internal/access"
	"signet/internal/config"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// EraseAccount removes every trace of an account that an address names. Unless last is
// set, it refuses one without which an organization has no administrator.
func EraseAccount(ctx context.Context, dir, database, region, address string, last bool) error {
	return erase(ctx, dir, database, func(c *cases) error {
		id, err := access.FindAccount(ctx, c.store, region, address)
		if err != nil {
			return err
		}
		// One that was ended before is gone on with.
		ended, err := store.Read(ctx, c.store, func(tx *store.Tx) (bool, error) { return erasure.Erases(tx, id) })
		if err != nil || ended {
			return err
		}
		return c.people.EraseUser(ctx, model.CommandLine(),
			people.EraseCommand{Address: id.String(), LastAdministrator: last})
	})
}

// EraseOrganization removes every trace of an organization, and of the accounts that
// it created and that are in no other one, unless they are kept.
func EraseOrganization(ctx context.Context, cfg *config.Config, organization string, keepAccounts bool) error {
	id := model.OrganizationID(organization)
	return erase(ctx, cfg.Data, cfg.Database, func(c *cases) error {
		return withCodes(ctx, cfg, c.store, func(kept *store.Store) error {
			ended, err := store.Read(ctx, kept, func(tx *store.Tx) (bool, error) { return erasure.BeingErased(tx, id) })
			if err == nil && ended {
				return kept.Update(ctx, func(tx *store.Tx) error { return erasure.NoteTraces(tx, id, keepAccounts) })
			}
			if err != nil {
				return err
			}
			return c.people.DeleteOrganization(ctx, model.CommandLine(),
				people.DeleteCommand{Organization: id, Traces: true, KeepAccounts: keepAccounts})
		})
	})
}
