// Package schema reads the tables of a store from the SQL that makes them: which columns,
// keys and indexes they have, and what is missing or too many in a database.
//
// It knows the form of schema.sql and no more of SQL, and neither runs statements nor
// knows what a table is for: that is store's.
package schema

import (
	"slices"
	"strings"
)

// Schema is what a version of the program makes of a store: all tables of a new one,
// and what changes older ones to these.
type Schema struct {
	SQL string // in the form of schema.sql

	// Steps bring version 1 to 2, that to 3, and so on. They are never edited after a
	// release: a change is a new step, and SQL says what comes of it.
	Steps []Migration
}

// Migration is a step from a version of the data to the next, run in one transaction.
type Migration struct {
	SQL string

	// Alone says that servers of the version before cannot work with what the step
	// makes, so that none may run meanwhile, nor afterwards. The other steps only add.
	Alone bool
}

// Version is the version of the data that a server with the schema writes and reads.
func (s Schema) Version() int { return 1 + len(s.Steps) }

// NeededBy is the last version that servers of the one before cannot work with.
func (s Schema) NeededBy() int {
	for i, step := range slices.Backward(s.Steps) {
		if step.Alone {
			return i + 2
		}
	}
	return 1
}

// Statements splits SQL in the form of schema.sql, without its comments.
func Statements(sql string) (out []string) {
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
