package maintain

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/upkeep"
)

// Doomed is what a command would erase for good.
type Doomed = upkeep.Doomed

// CountAccount counts what EraseAccount would remove, and changes nothing.
func CountAccount(ctx context.Context, dir, database, region, address string) (Doomed, error) {
	return count(ctx, dir, database, func(kept *store.Store, e *upkeep.Eraser) (Doomed, error) {
		id, err := findAccount(ctx, kept, region, address)
		if err != nil {
			return Doomed{}, err
		}
		return e.CountAccount(ctx, id)
	})
}

// CountOrganization counts what EraseOrganization would remove, and changes nothing.
func CountOrganization(ctx context.Context, dir, database, organization string, keepAccounts bool) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *upkeep.Eraser) (Doomed, error) {
		return e.CountOrganization(ctx, model.OrganizationID(organization), keepAccounts)
	})
}

// CountHeld counts what is erased once a legal hold is lifted, and changes nothing.
func CountHeld(ctx context.Context, dir, database, organization string) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *upkeep.Eraser) (Doomed, error) {
		return e.CountHeld(ctx, model.OrganizationID(organization))
	})
}

func count(ctx context.Context, dir, database string, how func(*store.Store, *upkeep.Eraser) (Doomed, error)) (d Doomed,
	err error) {
	err = Inspect(ctx, dir, database, func(kept *store.Store) (err error) {
		d, err = how(kept, &upkeep.Eraser{Store: kept, Clock: time.Now})
		return err
	})
	return d, err
}

// findAccount returns the account that an address names.
func findAccount(ctx context.Context, kept *store.Store, region, address string) (model.AccountID, error) {
	return service.FindAccount(ctx, kept, region, address)
}
