// Package schema reads the tables of a store from the SQL that makes them: which columns,
// keys and indexes they have, and what is missing or too many in a database.
//
// It knows the form of schema.sql and no more of SQL, and neither runs statements nor
// knows what a table is for: that is store's.
package schema

import "strings"

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

	// Contract says that the step removes what servers of the version before know, and no
	// longer use: they may run beside it, and those before them may not. So a change of form
	// takes two releases: one adds the new form and leaves the old one, the next removes it.
	Contract bool
}

// OnlyFrom is the earliest version of the data whose servers may run while the step that
// makes version is taken, and afterwards.
func (m Migration) OnlyFrom(version int) int {
	switch {
	case m.Alone:
		return version
	case m.Contract:
		return version - 1
	}
	return 1
}

// Version is the version of the data that a server with the schema writes and reads.
func (s Schema) Version() int { return 1 + len(s.Steps) }

// NeededBy is the earliest version whose servers can work with the data: with those of an
// earlier one, a step has done away with what they use.
func (s Schema) NeededBy() int {
	needs := 1
	for i, step := range s.Steps {
		needs = max(needs, step.OnlyFrom(i+2))
	}
	return needs
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
