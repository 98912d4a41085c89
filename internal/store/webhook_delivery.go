package store

import (
	"time"

	"signet/internal/model"
)

// WebhookDelivery is a try to deliver an event to a webhook.
type WebhookDelivery struct {
	Number   int64 // when it began, in microseconds, or later: higher than those of all before
	Position int64 // of the event; 0: it was a test
	Kind     model.EventKind
	Try      int // 1 is the first
	Status   int // of the answer; 0: there was none
	Outcome  string
	Took     time.Duration
}

// PutDeliveries adds tries to those of a webhook, of which the last are kept.
func (tx *Tx) PutDeliveries(account model.AccountID, id model.WebhookID, all []WebhookDelivery) error {
	if len(all) == 0 {
		return nil
	}
	var last int64
	_, err := tx.One(`SELECT number FROM webhook_deliveries WHERE account = ? AND webhook = ?
		ORDER BY number DESC LIMIT 1`, []any{account, id[:]}, &last)
	if err != nil {
		return err
	}
	for _, d := range all[max(len(all)-model.WebhookDeliveries, 0):] {
		last = max(d.Number, last+1)
		if err := tx.Post(`INSERT INTO webhook_deliveries (account, webhook, number, position, kind, try, status, outcome,
			took) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, account, id[:], last,
			d.Position, max(KindNumber(d.Kind), 0), d.Try, d.Status, d.Outcome, d.Took.Milliseconds()); err != nil {
			return err
		}
	}
	return tx.Post(`DELETE FROM webhook_deliveries WHERE account = ? AND webhook = ? AND number <= (SELECT number
		FROM webhook_deliveries WHERE account = ? AND webhook = ? ORDER BY number DESC LIMIT 1 OFFSET ? + 0)`,
		account, id[:], account, id[:], model.WebhookDeliveries)
}

// WebhookDeliveries returns the last tries of a webhook, the newest first.
func (tx *Tx) WebhookDeliveries(account model.AccountID, id model.WebhookID) ([]WebhookDelivery, error) {
	return List(tx, `SELECT number, position, kind, try, status, outcome, took FROM webhook_deliveries
		WHERE account = ? AND webhook = ? ORDER BY number DESC LIMIT ? + 0`,
		[]any{account, id[:], model.WebhookDeliveries}, func(d *WebhookDelivery, row Row) error {
			var kind int
			var took int64
			err := row.Scan(&d.Number, &d.Position, &kind, &d.Try, &d.Status, &d.Outcome, &took)
			d.Kind, _ = KindOf(kind)
			d.Took = time.Duration(took) * time.Millisecond
			return err
		})
}
