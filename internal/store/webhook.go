package store

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"time"

	"signet/internal/model"
)

// WebhookRow is a webhook, with what it signs with and how far it has come.
type WebhookRow struct {
	model.Webhook
	Secret        []byte // sealed
	Previous      []byte // the one before the last rotation; sealed
	PreviousUntil time.Time

	Position     int64 // up to which events were delivered, or passed over
	Replay       int64 // up to which those are delivered again that were acknowledged
	Failures     int   // in a row
	FailingSince time.Time
	NextTry      time.Time // while its job waits for it
	LastSuccess  time.Time
	Run          int64 // the one job that delivers; 0: there is none
	Version      int64
}

// webhookFields are the columns that a webhook's code covers.
const webhookFields = `account, webhook, url, events, content, acknowledge, signature, organization, parent, created`

func webhookValues(w *model.Webhook) []any {
	kinds := make([]string, len(w.Events))
	for i, kind := range w.Events {
		kinds[i] = string(kind)
	}
	return []any{w.Account, w.ID[:], w.URL, strings.Join(kinds, ","), w.Full, w.Acknowledge, string(w.Signature), w.Scope,
		w.Parent, Millis(w.Created)}
}

// codedWebhook is a webhook with its code.
type codedWebhook model.Webhook

func (w *codedWebhook) cover(m *mac) {
	m.text("webhook")
	for _, value := range webhookValues((*model.Webhook)(w)) {
		m.value(value)
	}
}

func (w *codedWebhook) name() Forgery {
	return Forgery{"webhook", w.Account.String() + " " + w.ID.String()}
}

const webhookColumns = webhookFields + `, issued_by, noticed, secret, previous, previous_until, enabled, ended,
	position, replay, failures, failing_since, next_try, last_success, run, version, code`

// scanWebhook reads a webhook, and reports whether its code is right.
func (tx *Tx) scanWebhook(row Row, w *WebhookRow) (genuine bool, err error) {
	var kinds, signature, ended string
	var created, previousUntil, failingSince, nextTry, lastSuccess int64
	var code []byte
	if err := row.Scan(&w.Account, &w.ID, &w.URL, &kinds, &w.Full, &w.Acknowledge, &signature, &w.Scope, &w.Parent,
		&created, &w.IssuedBy, &w.Noticed, &w.Secret, &w.Previous, &previousUntil, &w.Enabled, &ended, &w.Position, &w.Replay,
		&w.Failures, &failingSince, &nextTry, &lastSuccess, &w.Run, &w.Version, &code); err != nil {
		return false, err
	}
	for kind := range strings.SplitSeq(kinds, ",") {
		if kind != "" {
			w.Events = append(w.Events, model.EventKind(kind))
		}
	}
	w.Signature, w.Ended = model.WebhookSignature(signature), model.WebhookEnd(ended)
	w.Created, w.PreviousUntil, w.FailingSince = FromMillis(created), FromMillis(previousUntil), FromMillis(failingSince)
	w.NextTry, w.LastSuccess = FromMillis(nextTry), FromMillis(lastSuccess)
	return tx.genuine(code, (*codedWebhook)(&w.Webhook)), nil
}

// webhooks returns those of a selection.
func (tx *Tx) webhooks(where string, args ...any) (out []WebhookRow, err error) {
	query := `SELECT ` + webhookColumns + ` FROM webhooks w WHERE ` + OfStanding + `w.organization)) AND ` + where
	err = tx.Query(query, args, func(row Row) error {
		var w WebhookRow
		genuine, err := tx.scanWebhook(row, &w)
		if err == nil && genuine {
			out = append(out, w)
		}
		return err
	})
	return out, err
}

// Webhooks returns those of an account, the oldest first.
func (tx *Tx) Webhooks(account model.AccountID) ([]WebhookRow, error) {
	return tx.webhooks(`account = ? ORDER BY created, webhook`, account)
}

// Webhook returns a webhook of an account.
func (tx *Tx) Webhook(account model.AccountID, id model.WebhookID) (w WebhookRow, found bool, err error) {
	return tx.webhook(`account = ? AND webhook = ?`, account, id)
}

// LockWebhook is Webhook, which nobody else changes until the transaction ends.
func (tx *Tx) LockWebhook(account model.AccountID, id model.WebhookID) (w WebhookRow, found bool, err error) {
	return tx.webhook(`account = ? AND webhook = ? `+tx.dialect.Lock, account, id)
}

func (tx *Tx) webhook(where string, account model.AccountID, id model.WebhookID) (w WebhookRow, found bool, err error) {
	all, err := tx.webhooks(where, account, id[:])
	if err != nil || len(all) == 0 {
		return w, false, err
	}
	return all[0], true, nil
}

// WebhookKey names a webhook.
type WebhookKey struct {
	Account model.AccountID
	ID      model.WebhookID
}

// WebhooksAfter returns up to limit webhooks in the order of their keys, from the one after the given one.
func (tx *Tx) WebhooksAfter(last WebhookKey, limit int) ([]WebhookRow, error) {
	return tx.webhooks(`(account, webhook) > (?, ?) ORDER BY account, webhook LIMIT ? + 0`, last.Account, last.ID[:],
		limit)
}

// InsertWebhook adds a webhook.
func (tx *Tx) InsertWebhook(w *WebhookRow) error {
	code, err := tx.code((*codedWebhook)(&w.Webhook))
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO webhooks (`+webhookColumns+
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(webhookValues(&w.Webhook), w.IssuedBy, w.Noticed, w.Secret, stored(w.Previous), Millis(w.PreviousUntil),
			w.Enabled, string(w.Ended), w.Position, w.Replay, w.Failures, Millis(w.FailingSince), Millis(w.NextTry),
			Millis(w.LastSuccess), w.Run, w.Version, code)...)
}

// ChangeWebhook writes a webhook as a caller has changed it. A job that is at it hears of it when
// it notes how far it has come.
func (tx *Tx) ChangeWebhook(w *WebhookRow) error {
	code, err := tx.code((*codedWebhook)(&w.Webhook))
	if err != nil {
		return err
	}
	w.Version++
	values := webhookValues(&w.Webhook)
	return tx.Post(`UPDATE webhooks SET url = ?, events = ?, content = ?, acknowledge = ?, organization = ?, parent = ?,
		issued_by = ?, noticed = ?, secret = ?, previous = ?, previous_until = ?, enabled = ?, ended = ?, position = ?,
		replay = ?, failures = ?, failing_since = ?, next_try = ?, run = ?, version = ?, code = ?
		WHERE account = ? AND webhook = ?`,
		values[2], values[3], values[4], values[5], w.Scope, w.Parent, w.IssuedBy, w.Noticed, w.Secret, stored(w.Previous),
		Millis(w.PreviousUntil), w.Enabled, string(w.Ended), w.Position, w.Replay, w.Failures, Millis(w.FailingSince),
		Millis(w.NextTry), w.Run, w.Version, code, w.Account, w.ID[:])
}

// AdvanceWebhook notes how far a webhook has come, which was as old says. ok is false, and nothing
// changes, where a caller has changed it since, or another job is at it.
func (tx *Tx) AdvanceWebhook(old, w *WebhookRow) (ok bool, err error) {
	n, err := tx.Exec(`UPDATE webhooks SET enabled = ?, ended = ?, position = ?, failures = ?, failing_since = ?,
		next_try = ?, last_success = ?, run = ?
		WHERE account = ? AND webhook = ? AND run = ? AND version = ? AND position = ?`,
		w.Enabled, string(w.Ended), w.Position, w.Failures, Millis(w.FailingSince), Millis(w.NextTry), Millis(w.LastSuccess),
		w.Run, w.Account, w.ID[:], old.Run, old.Version, old.Position)
	return n > 0, err
}

// DeleteWebhook removes a webhook, and reports whether there was one.
func (tx *Tx) DeleteWebhook(account model.AccountID, id model.WebhookID) (bool, error) {
	if err := tx.Post(`DELETE FROM webhook_deliveries WHERE account = ? AND webhook = ?`, account, id[:]); err != nil {
		return false, err
	}
	n, err := tx.Exec(`DELETE FROM webhooks WHERE account = ? AND webhook = ?`, account, id[:])
	return n > 0, err
}

// WebhookAccounts returns up to limit accounts that have a webhook which is enabled, after one.
func (tx *Tx) WebhookAccounts(after model.AccountID, limit int) ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT DISTINCT account FROM webhooks WHERE account > ? AND enabled = 1
		ORDER BY account LIMIT ? + 0`, after, limit)
}

// awaits is the condition of a webhook for which something is queued and which no job delivers.
// Nothing is delivered of an account that is disabled.
const awaits = `w.enabled = 1 AND w.run = 0 AND (EXISTS (SELECT 1 FROM events e WHERE e.account = w.account
	AND e.position > w.position) OR EXISTS (SELECT 1 FROM kept_events e WHERE e.account = w.account
	AND e.position > w.position AND (w.acknowledge = 0 OR e.position <= w.replay)))
	AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.account = w.account AND a.disabled = 1)`

// AwaitedWebhooks returns up to limit accounts, after one, that have a webhook for which something
// is queued and which no job delivers.
func (tx *Tx) AwaitedWebhooks(after model.AccountID, limit int) ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT DISTINCT w.account FROM webhooks w WHERE w.account > ? AND `+awaits+`
		ORDER BY w.account LIMIT ? + 0`, after, limit)
}

// HasAwaited reports whether an account has such a webhook.
func (tx *Tx) HasAwaited(account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM webhooks w WHERE w.account = ? AND `+awaits+` LIMIT 1`, []any{account}, &one)
}

// NoteDeliveries notes jobs that deliver what is queued for an account, to each of its webhooks
// that has none.
func (tx *Tx) NoteDeliveries(account model.AccountID, now time.Time) error {
	idle, err := Column[[]byte](tx, `SELECT w.webhook FROM webhooks w WHERE w.account = ? AND `+awaits+`
		ORDER BY w.webhook`, account)
	for _, webhook := range idle {
		run := newRun()
		n, err := tx.Exec(`UPDATE webhooks SET run = ? WHERE account = ? AND webhook = ? AND enabled = 1 AND run = 0`, run,
			account, webhook)
		if err == nil && n > 0 {
			err = tx.NoteJob(deliveryJob(account, webhook, run, now))
		}
		if err != nil {
			return err
		}
	}
	return err
}

// RunWebhook gives a webhook, which is locked and is about to be written, a job that delivers at
// once. One that waits for its next try is over then.
func (tx *Tx) RunWebhook(w *WebhookRow, now time.Time) error {
	if w.Run != 0 && w.NextTry.IsZero() {
		return nil // it is at work, or about to be
	}
	w.Run, w.NextTry = newRun(), time.Time{}
	return tx.NoteJob(deliveryJob(w.Account, w.ID[:], w.Run, now))
}

func newRun() int64 { return rand.Int64N(1<<62) + 1 }

func deliveryJob(account model.AccountID, webhook []byte, run int64, now time.Time) *Job {
	return &Job{Kind: DeliverWebhook, Subject: append(bytes.Clone(account[:]), webhook...),
		State: binary.BigEndian.AppendUint64(nil, uint64(run)), Noted: now}
}

// DeliveryOf is what a job of the kind DeliverWebhook is about.
func DeliveryOf(j *Job) (account model.AccountID, id model.WebhookID, run int64) {
	n := copy(account[:], j.Subject)
	copy(id[:], j.Subject[n:])
	if len(j.State) == 8 {
		run = int64(binary.BigEndian.Uint64(j.State))
	}
	return account, id, run
}

// checkWebhooks checks the codes of a batch of webhooks.
func (tx *Tx) checkWebhooks(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+webhookColumns+` FROM webhooks WHERE (account, webhook) > (?, ?) ORDER BY account, webhook
		LIMIT ? + 0`, after, func(row Row) error {
		var w WebhookRow
		_, err := tx.scanWebhook(row, &w)
		last, n = []any{w.Account, w.ID[:]}, n+1
		return err
	})
	return last, n, err
}
