package store

import (
	"time"

	"signet/internal/model"
)

// Arrival is a message that an account is about to acknowledge, and did not have before.
type Arrival struct {
	Organization model.OrganizationID
	Message      model.MessageID
	Sender       model.AccountID
	Group        bool
	Replayed     bool // it came with a group's history: it counts in no status
	Told         bool // the sender is to be told: it is in the organization still
}

// Arrivals returns what events of an account at these positions bring of messages
// that are New to it and not over, in the order of the queue. It locks the account's copies, and keeps the
// messages from being changed: others may acknowledge theirs meanwhile. keeps says that
// the account has webhooks, for which the events are to be kept: that is part of the one statement, since
// everybody acknowledges and few have webhooks.
// What is in a queue is of an organization that its owner is in, and of a conversation
// that it has not removed since: leaving and removing withdraw it.
func (tx *Tx) Arrivals(account model.AccountID, positions []int64, after int64, now time.Time) (out []Arrival,
	keeps bool, err error) {
	err = tx.lock(`SELECT 1 FROM events e CROSS JOIN messages m CROSS JOIN deliveries d
		WHERE e.account = ? AND e.position IN (?*) AND e.kind IN (1, 2)
		AND m.organization_number = e.organization_number AND m.message = e.message
		AND d.organization_number = e.organization_number AND d.message = e.message AND d.account = e.account
		ORDER BY m.message `+tx.dialect.Share+` OF m `+tx.dialect.Lock+` OF d`, account, positions)
	if err != nil {
		return nil, false, err
	}
	var numbers []int64
	// CROSS JOIN has SQLite begin with the queue. No event is at position 0.
	err = tx.Query(`SELECT e.position AS position, m.organization_number, m.message, m.sender, m.is_group, d.replayed,
		CASE WHEN d.replayed = 0 AND EXISTS (SELECT 1 FROM organization_numbers n CROSS JOIN memberships s
			WHERE n.number = m.organization_number AND s.organization = n.organization AND s.account = m.sender) THEN 1
			ELSE 0 END
		FROM events e CROSS JOIN messages m CROSS JOIN deliveries d
		WHERE e.account = ? AND e.position IN (?*) AND e.position > ? AND e.kind IN (1, 2)
		AND m.organization_number = e.organization_number AND m.message = e.message AND m.ends > ? AND m.recalled = 0
		AND d.organization_number = e.organization_number AND d.message = e.message AND d.account = e.account AND d.status = 0`+
		standing+` UNION ALL SELECT 0, 0, w.webhook, w.account, 0, 0, 0 FROM webhooks w WHERE w.account = ?
		ORDER BY position`,
		[]any{account, positions, after, Millis(now), account, account}, func(row Row) error {
			var a Arrival
			var position, number int64
			err := row.Scan(&position, &number, &a.Message, &a.Sender, &a.Group, &a.Replayed, &a.Told)
			if position == 0 {
				keeps = true
				return err
			}
			out, numbers = append(out, a), append(numbers, number)
			return err
		})
	if err == nil {
		err = tx.NameOrganizations(numbers, func(i int) *model.OrganizationID { return &out[i].Organization })
	}
	return out, keeps, err
}

// Deliver makes an account's copy of a message Delivered, and queues the event that
// tells the sender, at a position, unless it is not to be told.
func (tx *Tx) Deliver(account model.AccountID, a *Arrival, now time.Time, position int64, kind model.EventKind,
	payload []byte) error {
	if !a.Told {
		position = 0
	}
	err := tx.Post(
		`UPDATE deliveries SET status = ?, status_time = ?, status_event = ? WHERE organization_number = ? AND message = ?
			AND account = ?`,
		int(model.Delivered), Millis(now), position, tx.Numbered(a.Organization), a.Message, account)
	if err != nil || !a.Told {
		return err
	}
	if tx.Locks() { // it may have left before its queue was locked, which was after Arrivals
		return tx.InsertEvents([]model.AccountID{a.Sender}, position, a.Organization, kind, a.Message, payload)
	}
	return tx.InsertEvent(a.Sender, position, a.Organization, kind, a.Message, payload)
}
