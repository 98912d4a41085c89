package postgrestest

import "regexp"

// bytesLiteral is how a literal of bytes begins in SQLite. A text that ends with an x does not.
var bytesLiteral = regexp.MustCompile(`\bx'`)

// FromSQLite returns a statement with its literals of bytes as PostgreSQL writes them.
func FromSQLite(statement string) string {
	return bytesLiteral.ReplaceAllString(statement, `'\x`)
}
