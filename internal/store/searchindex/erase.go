package searchindex

import (
	"signet/internal/model"
	"signet/internal/store"
)

// RemoveAccount takes an account out of the indexes of all organizations that it is in.
func RemoveAccount(tx *store.Tx, account model.AccountID) error {
	organizations, err := tx.OrganizationsOf(account)
	for i := 0; i < len(organizations) && err == nil; i++ {
		err = Remove(tx, organizations[i], model.EntityID(account))
	}
	return err
}

// Left is a row of a word of an entity, or of the entity itself where the word is empty.
type Left struct {
	organization model.OrganizationID
	wordRow
}

// LeftOf returns up to limit rows of an entity, in whatever organization. It looks through
// all, and is for what a call has left that had begun before the entity ended.
func LeftOf(tx *store.Tx, entity model.EntityID, limit int) ([]Left, error) {
	return store.List(tx, `SELECT organization, kind, display_name, word FROM search_words WHERE entity = ? `+
		`UNION ALL SELECT organization, 0, '', '' FROM search_entities WHERE entity = ? LIMIT ? + 0`,
		[]any{entity, entity, limit}, func(l *Left, row store.Row) error {
			var kind int
			err := row.Scan(&l.organization, &kind, &l.name, &l.word)
			l.kind = Kind(kind)
			return err
		})
}

// EraseLeft removes rows of an entity.
func EraseLeft(tx *store.Tx, entity model.EntityID, rows []Left) error {
	for _, l := range rows {
		var err error
		if l.word == "" {
			err = tx.Post(`DELETE FROM search_entities WHERE organization = ? AND entity = ?`, l.organization, entity)
		} else {
			err = replaceRows(tx, &Entity{Organization: l.organization, Entity: entity}, []wordRow{l.wordRow}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
