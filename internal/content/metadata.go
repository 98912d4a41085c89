package content

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"signet/internal/model"
)

// SealMetadata returns an entity's metadata as the store keeps it.
func (v *Vault) SealMetadata(ctx context.Context, leases *Leases, organization model.OrganizationID,
	entity model.EntityID,
	m map[string]string) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return v.seal(ctx, leases, metadataKey(organization), text, metadataBinding(organization, entity))
}

// OpenMetadata reads what SealMetadata made.
func (v *Vault) OpenMetadata(ctx context.Context, organization model.OrganizationID, entity model.EntityID,
	sealed []byte) (m map[string]string, err error) {
	text, err := v.open(ctx, sealed, metadataBinding(organization, entity))
	if err != nil {
		return nil, fmt.Errorf("open metadata of %s: %w", entity, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read metadata of %s: %w", entity, err)
	}
	return m, nil
}

// SealFingerprint seals what tells a request of an account from another one under the
// same Request-ID: from it alone somebody could try what the content may have been.
func (v *Vault) SealFingerprint(ctx context.Context, leases *Leases, account model.AccountID, request string,
	now time.Time,
	fingerprint []byte) ([]byte, error) {
	return v.seal(ctx, leases, requestKey(now), fingerprint, requestBinding(account, request))
}

// OpenFingerprint reads what SealFingerprint made.
func (v *Vault) OpenFingerprint(ctx context.Context, account model.AccountID, request string, sealed []byte) ([]byte,
	error) {
	return v.open(ctx, sealed, requestBinding(account, request))
}
