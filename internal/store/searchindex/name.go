package searchindex

import (
	"signet/internal/model"
	"signet/internal/store"
)

// ClaimName has others who claim the same display name in the organization wait until the
// transaction ends. Where transactions run one after the other, there is nobody to wait.
func ClaimName(tx *store.Tx, organization model.OrganizationID, key string) error {
	if !tx.Locks() {
		return nil
	}
	// Whoever inserts the row a second time waits for the transaction that has it, and finds none
	// then.
	if err := tx.Post(`INSERT INTO name_claims (organization, display_name) VALUES (?, ?)
		ON CONFLICT (organization, display_name) DO NOTHING`, organization, key); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM name_claims WHERE organization = ? AND display_name = ?`, organization, key)
}

// Named returns up to limit accounts of an organization that the index sorts by this display name,
// the disabled among them, in the order of their identifiers after one.
func Named(tx *store.Tx, organization model.OrganizationID, key string, after model.EntityID,
	limit int) ([]model.EntityID, error) {
	return store.Column[model.EntityID](tx, `SELECT e.entity FROM search_entities e WHERE e.organization = ?
		AND e.kind IN (0, 3) AND e.display_name = ? AND e.entity > ? ORDER BY e.entity LIMIT ? + 0`, organization, key, after,
		limit)
}
