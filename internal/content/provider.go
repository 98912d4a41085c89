package content

import (
	"context"
	"fmt"

	"signet/internal/model"
)

// SealClientSecret returns the secret by which an issuer knows the server, as the row of the provider stores it.
func (v *Vault) SealClientSecret(ctx context.Context, leases *Leases, organization model.OrganizationID,
	secret string) ([]byte, error) {
	return v.seal(ctx, leases, secrets, []byte(secret), providerBinding(organization))
}

// OpenClientSecret reads what SealClientSecret made.
func (v *Vault) OpenClientSecret(ctx context.Context, organization model.OrganizationID, sealed []byte) (string,
	error) {
	secret, err := v.open(ctx, sealed, providerBinding(organization))
	if err != nil {
		return "", fmt.Errorf("open the client secret of organization %s: %w", organization, err)
	}
	return string(secret), nil
}
