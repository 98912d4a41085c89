package offline

import (
	"context"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/sweep"
)

// Doomed is what a command would erase for good.
type Doomed = sweep.Doomed

// CountAccount counts what EraseAccount would remove, and changes nothing.
func CountAccount(ctx context.Context, dir, database, region, address string) (Doomed, error) {
	return count(ctx, dir, database, func(kept *store.Store, e *sweep.Eraser) (Doomed, error) {
		id, err := access.FindAccount(ctx, kept, region, address)
		if err != nil {
			return Doomed{}, err
		}
		return e.CountAccount(ctx, id)
	})
}

// CountOrganization counts what EraseOrganization would remove, and changes nothing.
func CountOrganization(ctx context.Context, dir, database, organization string, keepAccounts bool) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *sweep.Eraser) (Doomed, error) {
		return e.CountOrganization(ctx, model.OrganizationID(organization), keepAccounts)
	})
}

// CountHeld counts what is erased once a legal hold is lifted, and changes nothing.
func CountHeld(ctx context.Context, dir, database, organization string) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *sweep.Eraser) (Doomed, error) {
		return e.CountHeld(ctx, model.OrganizationID(organization))
	})
}

func count(ctx context.Context, dir, database string, how func(*store.Store, *sweep.Eraser) (Doomed, error)) (Doomed,
	error) {
	return inspect(ctx, dir, database, func(kept *store.Store) (Doomed, error) {
		return how(kept, &sweep.Eraser{Store: kept, Clock: time.Now})
	})
}
