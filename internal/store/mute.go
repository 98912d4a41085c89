package store

import (
	"time"

	"signet/internal/model"
)

// PutMute mutes a conversation, or a whole organization where the entity is zero.
func (tx *Tx) PutMute(account model.AccountID, m model.Mute) error {
	return tx.Post(`INSERT INTO mutes (account, organization, entity, is_group, minutes, started) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, organization, entity) DO UPDATE
		SET is_group = excluded.is_group, minutes = excluded.minutes, started = excluded.started`,
		account, m.Organization, m.Entity, m.Group, m.Minutes, Millis(m.Start))
}

// DeleteMute ends one mute.
func (tx *Tx) DeleteMute(account model.AccountID, organization model.OrganizationID, entity model.EntityID) error {
	return tx.Post(`DELETE FROM mutes WHERE account = ? AND organization = ? AND entity = ?`, account, organization,
		entity)
}

// DeleteMutesOf ends all mutes of an account in an organization.
func (tx *Tx) DeleteMutesOf(account model.AccountID, organization model.OrganizationID) error {
	return tx.Post(`DELETE FROM mutes WHERE account = ? AND organization = ?`, account, organization)
}

// DeleteMutes ends all mutes of an account.
func (tx *Tx) DeleteMutes(account model.AccountID) error {
	return tx.Post(`DELETE FROM mutes WHERE account = ?`, account)
}

// Mutes lists what an account has muted and that has not run out by then.
func (tx *Tx) Mutes(account model.AccountID, now time.Time) ([]model.Mute, error) {
	return List(tx, `SELECT organization, entity, is_group, minutes, started FROM mutes m
		WHERE account = ? AND started + minutes * 60000 > ? AND `+OfStanding+`m.organization))
		ORDER BY started, organization, entity`,
		[]any{account, Millis(now)}, func(m *model.Mute, row Row) error {
			var started int64
			err := row.Scan(&m.Organization, &m.Entity, &m.Group, &m.Minutes, &started)
			m.Start = FromMillis(started)
			return err
		})
}
