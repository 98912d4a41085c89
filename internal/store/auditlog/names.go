package auditlog

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
	"signet/internal/store"
)

// Names are the names that a line user.rename is about. They lie beside the line, which has a
// hash of them and of the salt: so they can be erased, and the chain stays what it was.
type Names struct {
	Account model.AccountID // whose they are
	Salt    []byte
	model.AuditNames
}

// PutNames keeps the names of a line.
func PutNames(tx *store.Tx, chain model.OrganizationID, number int64, n *Names) error {
	text, err := json.Marshal(n.AuditNames)
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO audit_names (chain, number, account, salt, names) VALUES (?, ?, ?, ?, ?)`, chain, number,
		n.Account, n.Salt, string(text))
}

// withNames gives the lines of a chain their names.
func withNames(tx *store.Tx, chain model.OrganizationID, rows []Row, err error) ([]Row, error) {
	place := map[int64]*Row{}
	var numbers []int64
	for i := range rows {
		if rows[i].Action == model.ActionUserRename {
			place[rows[i].Number] = &rows[i]
			numbers = append(numbers, rows[i].Number)
		}
	}
	if err != nil || len(numbers) == 0 {
		return rows, err
	}
	err = tx.Query(`SELECT number, account, salt, names FROM audit_names WHERE chain = ? AND number IN (?*)`,
		[]any{chain, numbers}, func(row store.Row) error {
			var n Names
			var number int64
			var text []byte
			if err := row.Scan(&number, &n.Account, &n.Salt, &text); err != nil {
				return err
			}
			if err := json.Unmarshal(text, &n.AuditNames); err != nil {
				return fmt.Errorf("read names of entry %d: %w", number, err)
			}
			place[number].Names = &n
			return nil
		})
	return rows, err
}

// KeepsNames reports whether an account is there, and is not being erased: then the names of its
// lines are there.
func KeepsNames(tx *store.Tx, account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM accounts WHERE account = ?
		AND NOT EXISTS (SELECT 1 FROM account_erasures WHERE account = ?)`, []any{account, account}, &one)
}
