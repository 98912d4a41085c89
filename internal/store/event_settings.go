package store

import "signet/internal/model"

// This file is about events that say the same each time: read your settings anew, look at
// the requests. Where other organizations may cause them, one takes the place of an earlier
// one that is still queued: no administrator fills a foreign queue with them.

// ofAccess stands for the organization of events that tell an account of its own access: of
// a key that somebody else issued for it, or another password. Such an event is a notice.
// Keys with a scope see, and take away, only some of them (Queue.Notices): else whoever
// issued a key for somebody could use it to take away the notice of its issue.
const ofAccess = int64(-2)

// QueueSettings tells an account that its settings, or its place in an organization,
// changed. The caller wakes it after the commit.
func (tx *Tx) QueueSettings(account model.AccountID, organization model.OrganizationID) error {
	position, err := tx.Position(1, account)
	if err != nil {
		return err
	}
	return tx.insertSettings(account, position, tx.Existing(organization))
}

// QueueSettingsOnce is QueueSettings in place of an earlier such event that is still queued.
func (tx *Tx) QueueSettingsOnce(account model.AccountID, organization model.OrganizationID) error {
	err := tx.supersede([]model.AccountID{account}, tx.Existing(organization), model.EventSettings, Payload{}.Encode())
	if err != nil {
		return err
	}
	return tx.QueueSettings(account, organization)
}

// QueueNotice tells an account that somebody else changed its access, and returns where in
// its queue.
func (tx *Tx) QueueNotice(account model.AccountID) (position int64, err error) {
	if position, err = tx.Position(1, account); err != nil {
		return 0, err
	}
	return position, tx.insertSettings(account, position, ofAccess)
}

// QueueNoticeOnce is QueueNotice in place of earlier ones that are still queued. Keys and webhooks
// that were to take none of these are to take this one no more.
func (tx *Tx) QueueNoticeOnce(account model.AccountID) (position int64, err error) {
	if position, err = tx.Position(1, account); err != nil {
		return 0, err
	}
	if err := tx.Post(`UPDATE keys SET noticed = CASE WHEN noticed < 0 THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END
		WHERE account = ? AND ABS(noticed) >= (SELECT MIN(position) FROM events
		WHERE account = ? AND kind IN (8, 10) AND organization_number = -2)`, -position, position, account,
		account); err != nil {
		return 0, err
	}
	if err := tx.Post(`UPDATE webhooks SET noticed = ? WHERE account = ? AND noticed >= (SELECT MIN(position) FROM events
		WHERE account = ? AND kind IN (8, 10) AND organization_number = -2)`, position, account, account); err != nil {
		return 0, err
	}
	err = tx.supersede([]model.AccountID{account}, ofAccess, model.EventSettings, Payload{}.Encode())
	if err != nil {
		return 0, err
	}
	return position, tx.insertSettings(account, position, ofAccess)
}

func (tx *Tx) insertSettings(account model.AccountID, position int64, number any) error {
	if err := tx.NoteGrowth(account); err != nil {
		return err
	}
	return tx.insertEvent(account, position, number, KindNumber(model.EventSettings), model.MessageID{},
		Payload{}.Encode())
}

// supersede takes an event that says the same out of the queues of accounts, for another
// one.
func (tx *Tx) supersede(accounts []model.AccountID, number any, kind model.EventKind, payload []byte) error {
	return tx.Post(`DELETE FROM events WHERE account IN (?*) AND kind IN (8, 10) AND organization_number = ? AND kind = ?
		AND payload = ?`, accounts, number, KindNumber(kind), string(payload))
}

// supersedeIn is supersede for events of an organization whose kind asks for it; others stay.
func (tx *Tx) supersedeIn(accounts []model.AccountID, organization model.OrganizationID, kind model.EventKind,
	payload []byte) error {
	switch kind {
	case model.EventAdminRequest:
		return tx.supersede(accounts, tx.Existing(organization), kind, payload)
	case model.EventSettings:
		return tx.supersedeAbroad(accounts, organization, payload)
	default:
		return nil
	}
}

// supersedeAbroad is supersede for the settings of an organization, in the queues of those
// members that another organization created.
func (tx *Tx) supersedeAbroad(accounts []model.AccountID, organization model.OrganizationID, payload []byte) error {
	return tx.Post(`DELETE FROM events WHERE account IN
		(SELECT account FROM accounts WHERE account IN (?*) AND created_by <> ?) AND kind IN (8, 10)
		AND organization_number = ? AND kind = 8 AND payload = ?`, accounts, organization, tx.Existing(organization),
		string(payload))
}

// withdrawNotices takes the account's notices between two positions out of its queue.
func (tx *Tx) withdrawNotices(account model.AccountID, after, upTo int64) error {
	return tx.Post(`DELETE FROM events WHERE account = ? AND position > ? AND position <= ? AND kind IN (8, 10)
		AND organization_number = -2`, account, after, upTo)
}

// NoteNoticed says where the notice of a key's rotation was queued. One that was not noticed
// before had another holder until then, whom the notice is for (model.Key.Noticed).
func (tx *Tx) NoteNoticed(k *model.Key, position int64) error {
	if k.Noticed == 0 {
		position = -position
	}
	return tx.Post(`UPDATE keys SET noticed = ? WHERE api_key = ?`, position, k.Key)
}
