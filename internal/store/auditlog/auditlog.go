// Package auditlog keeps the lines of the audit log, in a chain for each organization and one for
// the platform.
//
// It owns audit_entries, audit_names, audit_chains and audit_checkpoints. It does not know how
// lines are hashed and checkpoints signed (package audit).
package auditlog

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Row is a line of the audit log with the hash that ties it to those before.
type Row struct {
	model.AuditEntry
	Hash  []byte
	Names *Names // of a line user.rename, where they are not erased
}

// Renamed returns the names of a line user.rename; nil of another line, and where they are erased.
func (r *Row) Renamed() *model.AuditNames {
	if r.Names == nil {
		return nil
	}
	return &r.Names.AuditNames
}

// Head is where a chain ends: its newest line.
type Head struct {
	Chain  model.OrganizationID
	Number int64 // 0 where the chain has no line yet
	Time   time.Time
	Hash   []byte
}

// LockHead returns where a chain ends, and keeps others from adding to it until
// the transaction ends. It comes last in a transaction (lock.go).
func LockHead(tx *store.Tx, chain model.OrganizationID) (h Head, err error) {
	if err := tx.Post(
		`INSERT INTO audit_chains (chain, number, at, hash) VALUES (?, 0, 0, ?) ON CONFLICT (chain) DO NOTHING`, chain,
		[]byte{}); err != nil {
		return h, err
	}
	var at int64
	_, err = tx.One(`SELECT chain, number, at, hash FROM audit_chains WHERE chain = ? `+tx.Lock(), []any{chain},
		&h.Chain, &h.Number, &at, &h.Hash)
	h.Time = store.FromMillis(at)
	return h, err
}

// Heads returns where each chain ends that has a line.
func Heads(tx *store.Tx) ([]Head, error) {
	return store.List(tx, `SELECT chain, number, at, hash FROM audit_chains WHERE number > 0 ORDER BY chain`,
		nil, (*Head).scan)
}

func (h *Head) scan(row store.Row) error {
	var at int64
	err := row.Scan(&h.Chain, &h.Number, &at, &h.Hash)
	h.Time = store.FromMillis(at)
	return err
}

// End returns the number of a chain's last line; 0 where there is none.
func End(tx *store.Tx, chain model.OrganizationID) (number int64, err error) {
	_, err = tx.One(`SELECT number FROM audit_chains WHERE chain = ?`, []any{chain}, &number)
	return number, err
}

// HasChain reports whether there is a chain of this name, with lines.
func HasChain(tx *store.Tx, chain model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM audit_chains WHERE chain = ? AND number > 0`, []any{chain}, &one)
}

// Append adds a line at the end of its chain, which is locked (LockHead).
func Append(tx *store.Tx, e *Row) error {
	if err := tx.Post(`INSERT INTO audit_entries (`+columns+
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Chain, e.Number, store.Millis(e.Time.Time), string(e.Action), e.Outcome, e.Times, e.Account, e.Key, e.Address,
		e.RequestID,
		e.Organization, e.User, e.Group, e.OnKey, e.Detail, e.Hash); err != nil {
		return err
	}
	return tx.Post(`UPDATE audit_chains SET number = ?, at = ?, hash = ? WHERE chain = ?`, e.Number, store.Millis(e.Time.Time),
		e.Hash, e.Chain)
}

const columns = `chain, number, at, action, outcome, times, account, api_key, address, request, organization,
	on_account, on_group, on_key, detail, hash`

// Query names lines of a chain. The zero value of a field but the chain does
// not restrict.
type Query struct {
	Chain        model.OrganizationID
	After        int64 // numbers greater than this
	Before       int64 // numbers less than this
	Since, Until time.Time

	About model.AccountID // only lines by this account, or on it
}

// Entries returns up to limit lines, in the order of their numbers.
func Entries(tx *store.Tx, q Query, limit int) (out []Row, err error) {
	before, until := q.Before, store.EndMillis(q.Until)
	if before == 0 {
		before = store.Never
	}
	out, err = store.List(tx, `SELECT `+columns+` FROM audit_entries
		WHERE chain = ? AND number > ? AND number < ? AND at >= ? AND at < ?
		AND (? + 0 = 0 OR account = ? OR on_account = ?) ORDER BY number LIMIT ? + 0`,
		[]any{q.Chain, q.After, before, store.Millis(q.Since), until, !q.About.IsZero(), q.About, q.About, limit}, scanRow)
	return withNames(tx, q.Chain, out, err)
}

func scanRow(e *Row, row store.Row) error {
	var at int64
	var action string
	err := row.Scan(&e.Chain, &e.Number, &at, &action, &e.Outcome, &e.Times, &e.Account, &e.Key, &e.Address, &e.RequestID,
		&e.Organization, &e.User, &e.Group, &e.OnKey, &e.Detail, &e.Hash)
	e.Time, e.Action = model.AuditTime{Time: time.UnixMilli(at).UTC()}, model.AuditAction(action)
	return err
}

// Chains lists every chain that anything is left of.
func Chains(tx *store.Tx) ([]model.OrganizationID, error) {
	return store.Column[model.OrganizationID](tx,
		`SELECT chain FROM audit_chains UNION SELECT DISTINCT chain FROM audit_entries UNION SELECT chain
			FROM audit_checkpoints ORDER BY 1`)
}

// CheckpointOf is a signed statement of what a line's number and hash are: of the
// newest line that was signed, or of the last one that was removed because it was old.
type Checkpoint struct {
	Number int64 // 0 where there is none
	Note   string
}

// CheckpointOf returns a chain's checkpoint of its oldest or its newest end.
func CheckpointOf(tx *store.Tx, chain model.OrganizationID, oldest bool) (c Checkpoint, err error) {
	_, err = tx.One(`SELECT number, note FROM audit_checkpoints WHERE chain = ? AND oldest = ?`, []any{chain, oldest},
		&c.Number, &c.Note)
	return c, err
}

// PutCheckpoint keeps a checkpoint in place of one that reaches no further.
func PutCheckpoint(tx *store.Tx, chain model.OrganizationID, oldest bool, c Checkpoint) error {
	return tx.Post(`INSERT INTO audit_checkpoints (chain, oldest, number, note) VALUES (?, ?, ?, ?)
		ON CONFLICT (chain, oldest) DO UPDATE SET number = excluded.number, note = excluded.note
		WHERE audit_checkpoints.number <= excluded.number`,
		chain, oldest, c.Number, c.Note)
}

// UnsignedHeads returns where those chains end that have grown since their last
// checkpoint.
func UnsignedHeads(tx *store.Tx) ([]Head, error) {
	return store.List(tx, `SELECT c.chain, c.number, c.at, c.hash FROM audit_chains c
		LEFT JOIN audit_checkpoints k ON k.chain = c.chain AND k.oldest = 0
		WHERE c.number > COALESCE(k.number, 0) ORDER BY c.chain`, nil, (*Head).scan)
}

// Old returns the last of up to limit lines at the beginning of a chain that
// are older than a time. The newest line of a chain is never one of them.
func Old(tx *store.Tx, before time.Time, limit int) (last Head, found bool, err error) {
	var at int64
	found, err = tx.One(`SELECT e.chain, e.number FROM audit_entries e JOIN audit_chains c ON c.chain = e.chain
		WHERE e.at < ? AND e.number < c.number ORDER BY e.chain, e.number LIMIT 1`, []any{store.Millis(before)}, &last.Chain,
		&last.Number)
	if err != nil || !found {
		return last, false, err
	}
	found, err = tx.One(`SELECT e.number, e.at, e.hash FROM audit_entries e JOIN audit_chains c ON c.chain = e.chain
		WHERE e.chain = ? AND e.number < ? AND e.at < ? AND e.number < c.number ORDER BY e.number DESC LIMIT 1`,
		[]any{last.Chain, last.Number + int64(limit), store.Millis(before)}, &last.Number, &at, &last.Hash)
	last.Time = store.FromMillis(at)
	return last, found, err
}

// Delete removes a chain's lines up to and with a number, and their names. The checkpoint of
// what was the last of them goes into the same transaction.
func Delete(tx *store.Tx, chain model.OrganizationID, upTo int64) error {
	if err := tx.Post(`DELETE FROM audit_names WHERE chain = ? AND number <= ?`, chain, upTo); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM audit_entries WHERE chain = ? AND number <= ?`, chain, upTo)
}
