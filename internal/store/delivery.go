package store

import (
	"math"
	"time"

	"signet/internal/model"
)

// Delivery is one recipient's copy of a message.
type Delivery struct {
	Message     model.MessageID
	Account     model.AccountID
	Position    int64 // of the message's event in the recipient's queue
	Replayed    bool  // it came with a group's history: it counts in no status
	Status      model.Status
	StatusTime  time.Time
	StatusEvent int64 // position of the last status event in the sender's queue, or 0
}

const deliveryColumns = `d.message, d.account, d.position, d.replayed, d.status, d.status_time, d.status_event`

func scanDelivery(d *Delivery, row Row) error {
	var status int
	var at int64
	if err := row.Scan(&d.Message, &d.Account, &d.Position, &d.Replayed, &status, &at, &d.StatusEvent); err != nil {
		return err
	}
	d.Status, d.StatusTime = model.Status(status), FromMillis(at)
	return nil
}

// InsertDelivery gives one account its copy of a message, queued at a position.
func (tx *Tx) InsertDelivery(m *MessageRow, account model.AccountID, position int64, replayed bool) error {
	return tx.Post(
		`INSERT INTO deliveries (organization_number, message, account, position, replayed, status, status_time, status_event)
		VALUES (?, ?, ?, ?, ?, 0, ?, 0)`, tx.Existing(m.Organization), &m.ID, account, position, replayed, Millis(m.Created))
}

// InsertGroupDeliveries gives every member of the group but the sender its copy.
func (tx *Tx) InsertGroupDeliveries(m *MessageRow) error {
	return tx.Post(
		`INSERT INTO deliveries (organization_number, message, account, position, replayed, status, status_time, status_event)
		SELECT ?, ?, account, ?, 0, 0, ?, 0 FROM group_members WHERE group_token = ? AND account <> ?`,
		tx.Existing(m.Organization), m.ID, m.Sort, Millis(m.Created), m.Recipient, m.Sender)
}

// Delivery returns an account's copy of a message.
func (tx *Tx) Delivery(organization model.OrganizationID, message model.MessageID, account model.AccountID) (Delivery,
	bool, error) {
	return First(tx, `SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.organization_number = ? AND d.message = ? AND d.account = ?`,
		[]any{tx.Numbered(organization), message, account}, scanDelivery)
}

// Deliveries returns the copies of all to whom these messages were sent, without
// those that got them later as a group's history.
func (tx *Tx) Deliveries(organizations []model.OrganizationID, messages ...model.MessageID) ([]Delivery, error) {
	return List(tx, `SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.organization_number IN (?*) AND d.message IN (?*) AND d.replayed = 0`,
		[]any{tx.numberedList(organizations), messages}, scanDelivery)
}

// AskDeliveriesTo asks for an account's copies of these messages.
func (tx *Tx) AskDeliveriesTo(account model.AccountID, organizations []model.OrganizationID,
	messages []model.MessageID, out *[]Delivery) error {
	return AskList(tx, `SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.organization_number IN (?*) AND d.message IN (?*) AND d.account = ?`,
		[]any{tx.numberedList(organizations), messages, account}, out, scanDelivery)
}

// DeliveredTo lists the accounts that have a copy of the message, as history too.
func (tx *Tx) DeliveredTo(organization model.OrganizationID, message model.MessageID) (
	all []model.AccountID, err error) {
	if err = tx.AskDeliveredTo(organization, message, math.MaxInt32, &all); err == nil {
		err = tx.Await()
	}
	return all, err
}

// AskDeliveredTo asks for them, and for limit of them at most.
func (tx *Tx) AskDeliveredTo(organization model.OrganizationID, message model.MessageID, limit int,
	out *[]model.AccountID) error {
	return AskList(tx, `SELECT account FROM deliveries WHERE organization_number = ? AND message = ? LIMIT ? + 0`,
		[]any{tx.Numbered(organization), message, limit}, out,
		func(account *model.AccountID, row Row) error { return row.Scan(account) })
}

// DeleteCopies removes the copies of a message that accounts have.
func (tx *Tx) DeleteCopies(organization model.OrganizationID, message model.MessageID,
	accounts []model.AccountID) error {
	return tx.Post(`DELETE FROM deliveries WHERE organization_number = ? AND message = ? AND account IN (?*)`,
		tx.Numbered(organization), message, accounts)
}

// Statuses are how far a message got with all to whom it was sent: the least and the most advanced, New where
// there is nobody, and when the last of them got there.
type Statuses struct {
	Least, Most model.Status
	Last        time.Time
}

// StatusesOf returns those of a message.
func (tx *Tx) StatusesOf(organization model.OrganizationID, message model.MessageID) (s Statuses, err error) {
	var least, most int
	var at int64
	_, err = tx.One(`SELECT COALESCE(MIN(status), 0), COALESCE(MAX(status), 0), COALESCE(MAX(status_time), 0)
		FROM deliveries WHERE organization_number = ? AND message = ? AND replayed = 0`,
		[]any{tx.Numbered(organization), message}, &least, &most, &at)
	return Statuses{model.Status(least), model.Status(most), FromMillis(at)}, err
}

// ConfirmedBy lists those to whom these messages of an organization were sent and who confirmed them, by message.
func (tx *Tx) ConfirmedBy(organization model.OrganizationID, messages []model.MessageID) (
	map[model.MessageID][]model.AccountID, error) {
	out := map[model.MessageID][]model.AccountID{}
	err := tx.Query(`SELECT message, account FROM deliveries WHERE organization_number = ? AND message IN (?*)
		AND replayed = 0 AND status = ? ORDER BY message, account`,
		[]any{tx.Numbered(organization), messages, int(model.Confirmed)}, func(row Row) error {
			var id model.MessageID
			var account model.AccountID
			err := row.Scan(&id, &account)
			out[id] = append(out[id], account)
			return err
		})
	return out, err
}

// AskAdvance moves a copy's status forward. Moved becomes true, after Await, unless it was there or further already.
func (tx *Tx) AskAdvance(organization model.OrganizationID, message model.MessageID, account model.AccountID,
	status model.Status, at time.Time, moved *bool) error {
	return tx.Ask(
		`UPDATE deliveries SET status = ?, status_time = ? WHERE organization_number = ? AND message = ? AND account = ?
			AND status < ? RETURNING status`,
		[]any{int(status), Millis(at), tx.Numbered(organization), message, account, int(status)}, func(Row) error {
			*moved = true
			return nil
		})
}

// ReplaceStatusEvent queues the event that tells the sender of a status, in
// place of the one before it, if that is still queued.
func (tx *Tx) ReplaceStatusEvent(m *MessageRow, d *Delivery, position int64, kind model.EventKind,
	payload []byte) error {
	if d.StatusEvent != 0 {
		if err := tx.Post(`DELETE FROM events WHERE account = ? AND position = ?`, m.Sender, d.StatusEvent); err != nil {
			return err
		}
	}
	if err := tx.Post(
		`UPDATE deliveries SET status_event = ? WHERE organization_number = ? AND message = ? AND account = ?`,
		position, tx.Numbered(m.Organization), m.ID, d.Account); err != nil {
		return err
	}
	return tx.InsertEvent(m.Sender, position, m.Organization, kind, m.ID, payload)
}
