package content

import (
	"context"
	"fmt"

	"signet/internal/model"
)

// SealSecret returns what a webhook signs with as its row stores it.
func (v *Vault) SealSecret(ctx context.Context, leases *Leases, w *model.Webhook, secret []byte) ([]byte, error) {
	return v.seal(ctx, leases, secrets, secret, secretBinding(w))
}

// OpenSecret reads what SealSecret made, of the secret that a webhook has now or of the one before.
func (v *Vault) OpenSecret(ctx context.Context, w *model.Webhook, sealed []byte) ([]byte, error) {
	secret, err := v.open(ctx, sealed, secretBinding(w))
	if err != nil {
		return nil, fmt.Errorf("open what webhook %s signs with: %w", w.ID, err)
	}
	return secret, nil
}
