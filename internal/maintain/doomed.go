package maintain

import (
	"context"
	"log/slog"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// Doomed is what a command would erase for good.
type Doomed = service.Doomed

// CountAccount counts what EraseAccount would remove, and changes nothing.
func CountAccount(ctx context.Context, dir, database, region, address string) (Doomed, error) {
	return count(ctx, dir, database, func(kept *store.Store, e *service.Eraser) (Doomed, error) {
		id, err := findAccount(ctx, kept, region, address)
		if err != nil {
			return Doomed{}, err
		}
		return e.CountAccount(ctx, id)
	})
}

// CountOrganization counts what EraseOrganization would remove, and changes nothing.
func CountOrganization(ctx context.Context, dir, database, organization string, keepAccounts bool) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *service.Eraser) (Doomed, error) {
		return e.CountOrganization(ctx, model.OrganizationID(organization), keepAccounts)
	})
}

// CountHeld counts what is erased once a legal hold is lifted, and changes nothing.
func CountHeld(ctx context.Context, dir, database, organization string) (Doomed, error) {
	return count(ctx, dir, database, func(_ *store.Store, e *service.Eraser) (Doomed, error) {
		return e.CountHeld(ctx, model.OrganizationID(organization))
	})
}

func count(ctx context.Context, dir, database string, how func(*store.Store, *service.Eraser) (Doomed, error)) (d Doomed, err error) {
	err = Inspect(ctx, dir, database, func(kept *store.Store) (err error) {
		d, err = how(kept, &service.Eraser{Store: kept, Clock: time.Now})
		return err
	})
	return d, err
}

// findAccount returns the account that an address names.
func findAccount(ctx context.Context, kept *store.Store, region, address string) (model.AccountID, error) {
	hub := live.NewHub(1)
	defer hub.Close()
	cases := service.New(service.Options{Store: kept, Hub: hub, Clock: time.Now, Logger: slog.New(slog.DiscardHandler), DefaultRegion: region})
	return cases.FindAccount(ctx, address)
}
