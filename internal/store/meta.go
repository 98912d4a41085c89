package store

import "context"

// The names in meta, the table of what there is one of. All values are text; a note that
// says no more than that something is due says "due". A copy of a whole store
// (package tablecopy) knows those with capitals.
const (
	MetaSchema       = "schema"        // the version of the data
	MetaNeeds        = "schema_needs"  // the lowest version that a server has to know which works with it
	metaInstallation = "installation"  // the name that tells the store from others
	MetaEpoch        = "epoch"         // the history that positions belong to
	metaEpochsBefore = "epochs_before" // with blanks between; missing where the store was never set back
	metaSecret       = "secret"        // 256 random bits, in hexadecimal
	metaTurn         = "turn"          // the last turn that the store took with its key ring and files
	metaNextTurn     = "turn_next"     // agreed on by the nodes, and being taken
	metaKeyring      = "keyring"       // the key ring that content is sealed with
	metaRowKey       = "row_key"       // the key of the key ring under which rows that give access have codes
	metaNewest       = "newest_key"    // the key that was made last
	metaMissing      = "keys_missing"  // due: the key ring was found to be older than what is sealed
	MetaAuditKey     = "audit_key"     // signs the audit log's checkpoints
	metaErase        = "erase"         // due: a command beside the server deleted rows, to be erased from the files
	metaBackup       = "backup"        // when the last backups were made (BackupNote)
	metaRestored     = "restored"      // due: the store was set back; then the time at which a server first asked
	metaTerm         = "term"          // how often one server of a pair took over from the other; missing: never
	metaClock        = "clock"         // what is remembered of the clock, in the form of package clock
	MetaCopying      = "copying"       // a transfer into this store that is not finished
	MetaMoved        = "moved"         // the mark of the source of one that is
)

// due is the value of a note that says nothing else.
const due = "due"

// meta returns what is kept under a name; "" where there is nothing.
func (tx *Tx) meta(name string) (value string, err error) {
	_, err = tx.One(`SELECT value FROM meta WHERE name = ?`, []any{name}, &value)
	return value, err
}

// meta returns what is kept under a name, in a transaction of its own.
func (s *Store) meta(ctx context.Context, name string) (string, error) {
	return Read(ctx, s, func(tx *Tx) (string, error) { return tx.meta(name) })
}

// lockMeta is meta, and keeps others from changing the value until the transaction ends.
func (tx *Tx) lockMeta(name string) (value string, err error) {
	_, err = tx.One(`SELECT value FROM meta WHERE name = ? `+tx.dialect.Lock, []any{name}, &value)
	return value, err
}

// putMeta replaces what is kept under a name.
func (tx *Tx) putMeta(name, value string) error {
	return tx.Post(`INSERT INTO meta (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// replaceMeta replaces what is kept under a name where it is still what it was ("":
// nothing), and reports whether it was.
func (tx *Tx) replaceMeta(name, was, value string) (replaced bool, err error) {
	var n int64
	if was == "" {
		n, err = tx.Exec(`INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, name, value)
	} else {
		n, err = tx.Exec(`UPDATE meta SET value = ? WHERE name = ? AND value = ?`, value, name, was)
	}
	return n > 0, err
}

// settle returns what is kept under a name, which is the given value where there was
// nothing. All nodes get the same.
func (tx *Tx) settle(name, value string) (string, error) {
	if replaced, err := tx.replaceMeta(name, "", value); err != nil || replaced {
		return value, err
	}
	return tx.meta(name)
}

// dropMeta removes what is kept under a name, where that is still what it was, and reports
// whether it was.
func (tx *Tx) dropMeta(name, was string) (dropped bool, err error) {
	n, err := tx.Exec(`DELETE FROM meta WHERE name = ? AND value = ?`, name, was)
	return n > 0, err
}

// clearMeta removes what is kept under a name.
func (tx *Tx) clearMeta(name string) error { return tx.Post(`DELETE FROM meta WHERE name = ?`, name) }

// SettleAuditKey returns the key that checkpoints are signed with, which is the given
// one where there was none: for servers that share a database.
func (tx *Tx) SettleAuditKey(text string) (string, error) { return tx.settle(MetaAuditKey, text) }

// AuditKey returns it, or "" where there is none.
func (tx *Tx) AuditKey() (text string, err error) { return tx.meta(MetaAuditKey) }
