package store

import (
	"cmp"
	_ "embed" // schema.sql
	"strings"

	"signet/internal/store/schema"
)

// schemaSQL makes all tables of a store. It says of each what a row is.
//
//go:embed schema.sql
var schemaSQL string

// Today is the schema of this program. Nothing has been released, so it is of version 1,
// whatever changes in it: data of an earlier state of it is refused by its shape.
func Today() schema.Schema { return schema.Schema{SQL: schemaSQL} }

// SchemaVersion is that of this program.
func SchemaVersion() int { return Today().Version() }

// Tables lists the tables of the schema but meta, in its order. An engine's own tables
// are not among them.
func Tables() []schema.Table {
	tables, _ := Today().Parse()
	return tables[1:]
}

// render puts the engine's own words into a statement.
func (d Dialect) render(sql string) string {
	text := cmp.Or(d.Text, "TEXT")
	return strings.NewReplacer("{id}", d.ID, "{bytes}", d.Bytes, "{text}", text, "{table}", d.Suffix).Replace(sql)
}

// runAll runs the statements of a schema or of a step.
func (tx *Tx) runAll(sql string) error {
	for _, statement := range schema.Statements(tx.dialect.render(sql)) {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}
