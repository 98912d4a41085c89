package store

import "signet/internal/model"

// DeleteOrganization removes an organization with its memberships, roles, index and the
// keys of its scope, and notes the rest for erasure.
func (tx *Tx) DeleteOrganization(id model.OrganizationID) error {
	for _, table := range []string{"organizations", "memberships", "join_requests", "roles", "metadata", "metadata_sizes",
		"search_words", "search_entities"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE organization = ?`, id); err != nil {
			return err
		}
	}
	if err := tx.Post(`DELETE FROM keys WHERE organization = ? AND organization <> ''`, id); err != nil {
		return err
	}
	if err := tx.Post(`UPDATE groups SET deleted = 1 WHERE organization = ?`, id); err != nil {
		return err
	}
	return tx.Post(`INSERT INTO organization_erasures (organization) VALUES (?)`, id)
}

// DeleteConversationsOf removes an account's conversations and mutes in an organization.
func (tx *Tx) DeleteConversationsOf(account model.AccountID, organization model.OrganizationID) error {
	if err := tx.DeleteMutesOf(account, organization); err != nil {
		return err
	}
	if err := tx.deletePastMember(account, organization); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM conversations WHERE account = ? AND organization = ?`, account, organization)
}

// OrganizationErasure returns a deleted organization of which something is left
// and that no other node is erasing.
func (tx *Tx) OrganizationErasure() (id model.OrganizationID, found bool, err error) {
	found, err = tx.One(`SELECT organization FROM organization_erasures LIMIT 1 `+tx.dialect.Skip, nil, &id)
	return id, found, err
}

// MessagesOf returns up to limit messages of an organization, ended or not, for the
// transaction to delete.
func (tx *Tx) MessagesOf(organization model.OrganizationID, limit int) ([]MessageRow, error) {
	return tx.messages(`m.organization_number = ? LIMIT ? + 0 `+tx.dialect.Lock, tx.Numbered(organization), limit)
}

// FinishErasure removes the groups and pictures of a deleted organization, when
// its messages are gone, and lets its keys go.
func (tx *Tx) FinishErasure(id model.OrganizationID) error {
	groups, err := tx.GroupsIn(id)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := tx.releaseAvatarOf(g.Entity()); err != nil {
			return err
		}
		if err := tx.Post(`DELETE FROM group_members WHERE group_token = ?`, g.ID); err != nil {
			return err
		}
		if err := tx.Post(`DELETE FROM groups WHERE group_token = ?`, g.ID); err != nil {
			return err
		}
	}
	if err := tx.Post(`DELETE FROM organization_erasures WHERE organization = ?`, id); err != nil {
		return err
	}
	return tx.NoteKeyEnding(id, KeyDay{Day: allDays})
}

func (tx *Tx) releaseAvatarOf(entity model.EntityID) error {
	var blob model.BlobID
	found, err := tx.One(`SELECT blob FROM avatars WHERE entity = ?`, []any{entity}, &blob)
	if err != nil || !found {
		return err
	}
	if err := tx.DeleteAvatar(blob); err != nil {
		return err
	}
	return tx.DropReference(blob)
}
