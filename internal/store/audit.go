package store

import (
	"time"

	"signet/internal/model"
)

// AuditRow is a line of the audit log with the hash that ties it to those before.
type AuditRow struct {
	model.AuditEntry
	Hash []byte
}

// AuditHead is where a chain ends: its newest line.
type AuditHead struct {
	Chain  model.OrganizationID
	Number int64 // 0 where the chain has no line yet
	Time   time.Time
	Hash   []byte
}

// LockAuditHead returns where a chain ends, and keeps others from adding to it until
// the transaction ends. It comes last in a transaction (lock.go).
func (tx *Tx) LockAuditHead(chain model.OrganizationID) (h AuditHead, err error) {
	if err := tx.Post(
		`INSERT INTO audit_chains (chain, number, at, hash) VALUES (?, 0, 0, ?) ON CONFLICT (chain) DO NOTHING`, chain,
		[]byte{}); err != nil {
		return h, err
	}
	var at int64
	_, err = tx.One(`SELECT chain, number, at, hash FROM audit_chains WHERE chain = ? `+tx.dialect.Lock, []any{chain},
		&h.Chain, &h.Number, &at, &h.Hash)
	h.Time = FromMillis(at)
	return h, err
}

// AuditHeads returns where each chain ends that has a line.
func (tx *Tx) AuditHeads() ([]AuditHead, error) {
	return List(tx, `SELECT chain, number, at, hash FROM audit_chains WHERE number > 0 ORDER BY chain`,
		nil, (*AuditHead).scan)
}

func (h *AuditHead) scan(row Row) error {
	var at int64
	err := row.Scan(&h.Chain, &h.Number, &at, &h.Hash)
	h.Time = FromMillis(at)
	return err
}

// AuditEnd returns the number of a chain's last line; 0 where there is none.
func (tx *Tx) AuditEnd(chain model.OrganizationID) (number int64, err error) {
	_, err = tx.One(`SELECT number FROM audit_chains WHERE chain = ?`, []any{chain}, &number)
	return number, err
}

// HasAuditChain reports whether there is a chain of this name, with lines.
func (tx *Tx) HasAuditChain(chain model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM audit_chains WHERE chain = ? AND number > 0`, []any{chain}, &one)
}

// AppendAudit adds a line at the end of its chain, which is locked (LockAuditHead).
func (tx *Tx) AppendAudit(e *AuditRow) error {
	if err := tx.Post(`INSERT INTO audit_entries (`+auditColumns+
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Chain, e.Number, millis(e.Time.Time), string(e.Action), e.Outcome, e.Times, e.Account, e.Key, e.Address,
		e.RequestID,
		e.Organization, e.User, e.Group, e.OnKey, e.Detail, e.Hash); err != nil {
		return err
	}
	return tx.Post(`UPDATE audit_chains SET number = ?, at = ?, hash = ? WHERE chain = ?`, e.Number, millis(e.Time.Time),
		e.Hash, e.Chain)
}

const auditColumns = `chain, number, at, action, outcome, times, account, api_key, address, request, organization,
	on_account, on_group, on_key, detail, hash`

// AuditQuery names lines of a chain. The zero value of a field but the chain does
// not restrict.
type AuditQuery struct {
	Chain        model.OrganizationID
	After        int64 // numbers greater than this
	Before       int64 // numbers less than this
	Since, Until time.Time
	Action       model.AuditAction
	Newest       bool // the newest first

	About model.AccountID // only lines by this account, or on it
}

// AuditEntries returns up to limit lines, in the order of their numbers.
func (tx *Tx) AuditEntries(q AuditQuery, limit int) (out []AuditRow, err error) {
	before, until := q.Before, endMillis(q.Until)
	if before == 0 {
		before = never
	}
	order := ""
	if q.Newest {
		order = "DESC"
	}
	return List(tx, `SELECT `+auditColumns+` FROM audit_entries
		WHERE chain = ? AND number > ? AND number < ? AND at >= ? AND at < ? AND (? = '' OR action = ?)
		AND (? + 0 = 0 OR account = ? OR on_account = ?) ORDER BY number `+order+` LIMIT ? + 0`,
		[]any{q.Chain, q.After, before, millis(q.Since), until, string(q.Action), string(q.Action), !q.About.IsZero(),
			q.About, q.About, limit},
		func(e *AuditRow, row Row) error {
			var at int64
			var action string
			err := row.Scan(&e.Chain, &e.Number, &at, &action, &e.Outcome, &e.Times, &e.Account, &e.Key, &e.Address,
				&e.RequestID,
				&e.Organization, &e.User, &e.Group, &e.OnKey, &e.Detail, &e.Hash)
			e.Time, e.Action = model.AuditTime{Time: time.UnixMilli(at).UTC()}, model.AuditAction(action)
			return err
		})
}

// AuditChains lists every chain that anything is left of.
func (tx *Tx) AuditChains() ([]model.OrganizationID, error) {
	return Column[model.OrganizationID](tx,
		`SELECT chain FROM audit_chains UNION SELECT DISTINCT chain FROM audit_entries UNION SELECT chain
			FROM audit_checkpoints ORDER BY 1`)
}

// AuditCheckpoint is a signed statement of what a line's number and hash are: of the
// newest line that was signed, or of the last one that was removed because it was old.
type AuditCheckpoint struct {
	Number int64 // 0 where there is none
	Note   string
}

// AuditCheckpoint returns a chain's checkpoint of its oldest or its newest end.
func (tx *Tx) AuditCheckpoint(chain model.OrganizationID, oldest bool) (c AuditCheckpoint, err error) {
	_, err = tx.One(`SELECT number, note FROM audit_checkpoints WHERE chain = ? AND oldest = ?`, []any{chain, oldest},
		&c.Number, &c.Note)
	return c, err
}

// PutAuditCheckpoint keeps a checkpoint in place of one that reaches no further.
func (tx *Tx) PutAuditCheckpoint(chain model.OrganizationID, oldest bool, c AuditCheckpoint) error {
	return tx.Post(`INSERT INTO audit_checkpoints (chain, oldest, number, note) VALUES (?, ?, ?, ?)
		ON CONFLICT (chain, oldest) DO UPDATE SET number = excluded.number, note = excluded.note
		WHERE audit_checkpoints.number <= excluded.number`,
		chain, oldest, c.Number, c.Note)
}

// UnsignedAuditHeads returns where those chains end that have grown since their last
// checkpoint.
func (tx *Tx) UnsignedAuditHeads() ([]AuditHead, error) {
	return List(tx, `SELECT c.chain, c.number, c.at, c.hash FROM audit_chains c
		LEFT JOIN audit_checkpoints k ON k.chain = c.chain AND k.oldest = 0
		WHERE c.number > COALESCE(k.number, 0) ORDER BY c.chain`, nil, (*AuditHead).scan)
}

// OldAudit returns the last of up to limit lines at the beginning of a chain that
// are older than a time. The newest line of a chain is never one of them.
func (tx *Tx) OldAudit(before time.Time, limit int) (last AuditHead, found bool, err error) {
	var at int64
	found, err = tx.One(`SELECT e.chain, e.number FROM audit_entries e JOIN audit_chains c ON c.chain = e.chain
		WHERE e.at < ? AND e.number < c.number ORDER BY e.chain, e.number LIMIT 1`, []any{millis(before)}, &last.Chain,
		&last.Number)
	if err != nil || !found {
		return last, false, err
	}
	found, err = tx.One(`SELECT e.number, e.at, e.hash FROM audit_entries e JOIN audit_chains c ON c.chain = e.chain
		WHERE e.chain = ? AND e.number < ? AND e.at < ? AND e.number < c.number ORDER BY e.number DESC LIMIT 1`,
		[]any{last.Chain, last.Number + int64(limit), millis(before)}, &last.Number, &at, &last.Hash)
	last.Time = FromMillis(at)
	return last, found, err
}

// DeleteAudit removes a chain's lines up to and with a number. The checkpoint of
// what was the last of them goes into the same transaction.
func (tx *Tx) DeleteAudit(chain model.OrganizationID, upTo int64) error {
	return tx.Post(`DELETE FROM audit_entries WHERE chain = ? AND number <= ?`, chain, upTo)
}

// SettleAuditKey returns the key that checkpoints are signed with, which is the given
// one where there was none: for servers that share a database.
func (tx *Tx) SettleAuditKey(text string) (string, error) { return tx.settle(MetaAuditKey, text) }

// AuditKey returns it, or "" where there is none.
func (tx *Tx) AuditKey() (text string, err error) { return tx.meta(MetaAuditKey) }
