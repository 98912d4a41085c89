package offline

import (
	"context"

	"signet/internal/access"
	"signet/internal/store"
)

// FormerAddress is an address that today's rules would write differently.
type FormerAddress = access.FormerAddress

// FormerAddresses lists the addresses that are stored in a form which is not written any
// more, and changes nothing.
func FormerAddresses(ctx context.Context, dir, database, region string) ([]FormerAddress, error) {
	return inspect(ctx, dir, database, func(kept *store.Store) ([]FormerAddress, error) {
		return access.FormerAddresses(ctx, kept, region)
	})
}
