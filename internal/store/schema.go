package store

import (
	"cmp"
	_ "embed" // schema.sql
	"strings"
)

// schemaSQL makes all tables of a store. It says of each what a row is.
//
//go:embed schema.sql
var schemaSQL string

// Schema is what a version of the program makes of a store: all tables of a new one,
// and what changes older ones to these.
type Schema struct {
	SQL string // in the form of schema.sql

	// Steps bring version 1 to 2, that to 3, and so on. They are never edited after a
	// release: a change is a new step, and SQL says what comes of it.
	Steps []Migration
}

// Today is the schema of this program. Nothing has been released, so it is of version 1,
// whatever changes in it: data of an earlier state of it is refused by its shape.
func Today() Schema { return Schema{SQL: schemaSQL} }

// Version is the version of the data that a server with the schema writes and reads.
func (s Schema) Version() int { return 1 + len(s.Steps) }

// SchemaVersion is that of this program.
func SchemaVersion() int { return Today().Version() }

// statements splits SQL in the form of schema.sql, without its comments.
func statements(sql string) (out []string) {
	var bare strings.Builder
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		bare.WriteString(strings.TrimRight(code, " \t\n") + "\n")
	}
	for statement := range strings.SplitSeq(bare.String(), ";\n") {
		if statement = strings.TrimSpace(statement); statement != "" {
			out = append(out, statement)
		}
	}
	return out
}

// render puts the engine's own words into a statement.
func (d Dialect) render(sql string) string {
	text := cmp.Or(d.Text, "TEXT")
	return strings.NewReplacer("{id}", d.ID, "{bytes}", d.Bytes, "{text}", text, "{table}", d.Suffix).Replace(sql)
}

// runAll runs the statements of a schema or of a step.
func (tx *Tx) runAll(sql string) error {
	for _, statement := range statements(tx.dialect.render(sql)) {
		if _, err := tx.exec(statement); err != nil {
			return err
		}
	}
	return nil
}
