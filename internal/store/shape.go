package store

import (
	"errors"
	"fmt"
	"strings"

	"signet/internal/store/schema"
)

// ErrShape says that the tables are not those of their version.
var ErrShape = errors.New("the tables of the data are not those of its version")

// wantShape compares the tables, columns and indexes that are there with those of a
// schema. Tables and indexes of others are theirs.
func (tx *Tx) wantShape(wanted schema.Schema) error {
	columns, err := tx.columns()
	if err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	there := map[string]*schema.Index{}
	err = tx.Query(tx.dialect.Indexes, nil, func(row Row) error {
		var name, table, column string
		err := row.Scan(&name, &table, &column)
		if there[name] == nil {
			there[name] = &schema.Index{Name: name, Table: table}
		}
		there[name].Columns = append(there[name].Columns, column)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the indexes: %w", err)
	}
	if wrong := wanted.Wrong(columns, there); len(wrong) > 0 {
		return fmt.Errorf("%w, %d: %s. A build of the program between two releases made them, or somebody changed them: "+
			"nothing was changed; restore a backup, or make them as they should be (docs/operate/operations.md, "+
			"\"Tables that are not those of their version\")",
			ErrShape, wanted.Version(), strings.Join(wrong, ", "))
	}
	return nil
}

// columns returns the columns that are there, by table.
func (tx *Tx) columns() (map[string][]string, error) {
	columns := map[string][]string{}
	err := tx.Query(tx.dialect.Columns, nil, func(row Row) error {
		var table, column string
		err := row.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	return columns, err
}
