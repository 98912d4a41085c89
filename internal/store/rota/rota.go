// Package rota keeps the rotas of groups: who is on duty when, and who is in the group besides.
//
// It owns rotas and rota_places. It does not know what a rota means (internal/duty), nor who may set
// one and how the members of its group change (service).
package rota

import (
	"time"

	"signet/internal/duty"
	"signet/internal/model"
	"signet/internal/store"
)

// Kept is the rota of a group as it is stored. Its zone is loaded by whoever needs it.
type Kept struct {
	Group        model.GroupID
	Organization model.OrganizationID
	Version      int64  // another one with each change
	Timezone     string // the name of the zone
	Vacant       bool   // nobody is on duty, which administrators were told
	duty.Rota
}

// The parts of a rota, each at the number that is stored for it.
const (
	turns = iota + 1
	overrides
	always
	fallback
)

// Of returns the rota of a group.
func Of(tx *store.Tx, group model.GroupID) (k Kept, found bool, err error) {
	k, found, err = store.First(tx, `SELECT group_token, organization, version, timezone, start, hours, vacant FROM rotas
		WHERE group_token = ?`, []any{group}, func(k *Kept, row store.Row) error {
		var start int64
		err := row.Scan(&k.Group, &k.Organization, &k.Version, &k.Timezone, &start, &k.Rotation.Hours, &k.Vacant)
		if k.Rotation.Hours > 0 {
			k.Rotation.Start = store.FromMillis(start)
		}
		return err
	})
	if err != nil || !found {
		return k, false, err
	}
	err = tx.Query(`SELECT part, account, begins, ends FROM rota_places WHERE group_token = ? ORDER BY part, place`,
		[]any{group}, func(row store.Row) error {
			var part int
			var account model.AccountID
			var begins, ends int64
			if err := row.Scan(&part, &account, &begins, &ends); err != nil {
				return err
			}
			switch part {
			case turns:
				k.Rotation.Accounts = append(k.Rotation.Accounts, account)
			case overrides:
				k.Overrides = append(k.Overrides, duty.Override{From: store.FromMillis(begins), To: store.FromMillis(ends),
					Account: account})
			case always:
				k.Always = append(k.Always, account)
			case fallback:
				k.Fallback = append(k.Fallback, account)
			}
			return nil
		})
	return k, err == nil, err
}

// Put gives a group, whose row is locked, a rota, in place of one that it has.
func Put(tx *store.Tx, k *Kept) error {
	if err := Delete(tx, k.Group); err != nil {
		return err
	}
	err := tx.Post(`INSERT INTO rotas (group_token, organization, version, timezone, start, hours, vacant)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, k.Group, k.Organization, k.Version, k.Timezone, store.Millis(k.Rotation.Start),
		k.Rotation.Hours, k.Vacant)
	if err != nil {
		return err
	}
	for _, list := range []struct {
		part     int
		accounts []model.AccountID
	}{{turns, k.Rotation.Accounts}, {always, k.Always}, {fallback, k.Fallback}} {
		for place, account := range list.accounts {
			if err := putPlace(tx, k, list.part, place, account, time.Time{}, time.Time{}); err != nil {
				return err
			}
		}
	}
	for place, o := range k.Overrides {
		if err := putPlace(tx, k, overrides, place, o.Account, o.From, o.To); err != nil {
			return err
		}
	}
	return setDuty(tx, k.Group, true)
}

func putPlace(tx *store.Tx, k *Kept, part, place int, account model.AccountID, begins, ends time.Time) error {
	return tx.Post(`INSERT INTO rota_places (group_token, part, place, organization, account, begins, ends)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, k.Group, part, place, k.Organization, account, store.Millis(begins),
		store.Millis(ends))
}

func setDuty(tx *store.Tx, group model.GroupID, duty bool) error {
	return tx.Post(`UPDATE groups SET duty = ? WHERE group_token = ?`, duty, group)
}

// Delete takes the rota of a group away. Its members stay who they are.
func Delete(tx *store.Tx, group model.GroupID) error {
	if err := tx.Post(`DELETE FROM rota_places WHERE group_token = ?`, group); err != nil {
		return err
	}
	if err := tx.Post(`DELETE FROM rotas WHERE group_token = ?`, group); err != nil {
		return err
	}
	return setDuty(tx, group, false)
}

// SetVacant notes whether nobody is on duty.
func SetVacant(tx *store.Tx, group model.GroupID, vacant bool) error {
	return tx.Post(`UPDATE rotas SET vacant = ? WHERE group_token = ?`, vacant, group)
}

// Names reports whether the rota of a group names an account.
func Names(tx *store.Tx, group model.GroupID, account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM rota_places WHERE group_token = ? AND account = ? LIMIT 1`, []any{group, account}, &one)
}

// Place is where a rota names an account.
type Place struct {
	Group        model.GroupID
	Organization model.OrganizationID
	Part         string    // rotation, overrides, always, fallback
	From, To     time.Time // of an override
}

// partNames are the names of the parts on the wire, by their numbers.
var partNames = []string{turns: "rotation", overrides: "overrides", always: "always", fallback: "fallback"}

// PlacesOf returns where rotas of organizations name an account.
func PlacesOf(tx *store.Tx, account model.AccountID, organizations []model.OrganizationID) ([]Place, error) {
	return store.List(tx, `SELECT group_token, organization, part, begins, ends FROM rota_places WHERE account = ?
		AND organization IN (?*) ORDER BY group_token, part, place`, []any{account, organizations},
		func(p *Place, row store.Row) error {
			var part int
			var begins, ends int64
			err := row.Scan(&p.Group, &p.Organization, &part, &begins, &ends)
			if part >= turns && part <= fallback {
				p.Part = partNames[part]
			}
			p.From, p.To = store.FromMillis(begins), store.FromMillis(ends)
			return err
		})
}

// NoteAway has the rotas that name an account looked at: it was disabled, or enabled again.
func NoteAway(tx *store.Tx, account model.AccountID) error {
	groups, err := store.Column[model.GroupID](tx, `SELECT DISTINCT group_token FROM rota_places WHERE account = ?`, account)
	if err != nil {
		return err
	}
	return noteLooks(tx, groups)
}

// Leave takes an account out of the rotas of an organization, of all where it is empty, and has these
// looked at. Its turns stay, and are nobody's: else everybody's would move.
func Leave(tx *store.Tx, account model.AccountID, organization model.OrganizationID) error {
	groups, err := store.Column[model.GroupID](tx, `SELECT DISTINCT group_token FROM rota_places WHERE account = ?
		AND (? = '' OR organization = ?)`, account, organization, organization)
	if err != nil || len(groups) == 0 {
		return err
	}
	if err := tx.Post(`DELETE FROM rota_places WHERE part IN (3, 4) AND account = ? AND (? = '' OR organization = ?)`,
		account, organization, organization); err != nil {
		return err
	}
	if err := tx.Post(`UPDATE rota_places SET account = ? WHERE account = ? AND (? = '' OR organization = ?)`,
		model.AccountID{}, account, organization, organization); err != nil {
		return err
	}
	return noteLooks(tx, groups)
}

// noteLooks has the rotas of groups looked at, once and at once.
func noteLooks(tx *store.Tx, groups []model.GroupID) error {
	for _, group := range groups {
		if err := NoteHandOver(tx, group, Turn{}, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}
