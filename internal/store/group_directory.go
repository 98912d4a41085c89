package store

import "signet/internal/model"

// This file is about the groups that the directory of an organization keeps by SCIM. No two of them in an
// organization have one name, whatever its case.

// directoryName is the form in which the name of a group is compared with those of others: none, where no directory
// keeps it.
func directoryName(g *model.Group) string {
	if !g.Directory {
		return ""
	}
	return model.FoldName(g.Name)
}

// putGroup writes a group. Where its name may be taken, the answer is waited for, so that whoever asks is told.
func (tx *Tx) putGroup(g *model.Group, query string, args ...any) error {
	if !g.Directory {
		return tx.Post(query, args...)
	}
	_, err := tx.Exec(query, args...)
	return err
}

const ofDirectory = `g.organization = ? AND g.directory = 1 AND g.deleted = 0`

// DirectoryGroups lists the groups of an organization that a directory keeps, in the order of their tokens.
func (tx *Tx) DirectoryGroups(organization model.OrganizationID) ([]model.Group, error) {
	return tx.groups(ofDirectory+` ORDER BY g.group_token`, organization)
}

// DirectoryGroupNamed lists that of them which has a name, whatever its case: one, or none.
func (tx *Tx) DirectoryGroupNamed(organization model.OrganizationID, name string) ([]model.Group, error) {
	return tx.groups(ofDirectory+` AND g.folded = ?`, organization, model.FoldName(name))
}

// ExternalGroups lists those of them that a directory calls so, in the order of their tokens: one, if the
// directory is in order.
func (tx *Tx) ExternalGroups(organization model.OrganizationID, id string) ([]model.Group, error) {
	return tx.groups(ofDirectory+` AND g.external_id = ? ORDER BY g.group_token`, organization, id)
}
