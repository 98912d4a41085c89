package trace

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
)

// The attributes that a span may have. There are no others: the exporter leaves out what is
// not among Keys, and docs/operate/tracing.md describes each. Those with a dot that are not
// "signet." are of OpenTelemetry's semantic conventions.
const (
	keyMethod     = "http.request.method"
	keyRoute      = "http.route"
	keyStatus     = "http.response.status_code"
	keyError      = "error.type"
	keySystem     = "db.system.name"
	keyOperation  = "db.operation.name"
	keyStatements = "signet.statements"
	keyTries      = "signet.tries"
	keyFile       = "signet.file.operation"
	keyPlace      = "signet.file.place"
	keyNotice     = "signet.notice"
	keyAccounts   = "signet.accounts"
	keyTask       = "signet.task"
)

// Keys returns the names of all attributes that a span may have, in order.
func Keys() []string {
	keys := []string{keyMethod, keyRoute, keyStatus, keyError, keySystem, keyOperation, keyStatements, keyTries, keyFile,
		keyPlace, keyNotice, keyAccounts, keyTask}
	slices.Sort(keys)
	return keys
}

// Attribute is one of those. Its value is a number, or a word that stands in the program.
type Attribute struct{ of attribute.KeyValue }

// Method is that of a call: one that HTTP has, or "other".
func Method(method string) Attribute { return text(keyMethod, method) }

// Route is the pattern of a call's path, in which parameters have no values.
func Route(pattern string) Attribute { return text(keyRoute, pattern) }

// Status is that of an answer, as in HTTP; 499 for a client that left before it.
func Status(status int) Attribute { return number(keyStatus, status) }

// Refusal is the code with which a call is refused, which is no failure of the server.
func Refusal(code string) Attribute { return text(keyError, code) }

// System is the database: "sqlite" or "postgresql".
func System(name string) Attribute { return text(keySystem, name) }

// Operation is what a transaction does: "read" or "write".
func Operation(name string) Attribute { return text(keyOperation, name) }

// Statements is how many a transaction ran, in all tries.
func Statements(n int64) Attribute { return Attribute{attribute.Int64(keyStatements, n)} }

// Tries is how often a transaction was run until it succeeded, or was given up.
func Tries(n int) Attribute { return number(keyTries, n) }

// File is what is done with a file: "put", "open", "read" or "delete".
func File(operation string) Attribute { return text(keyFile, operation) }

// Place is where files are: "directory" or "s3".
func Place(kind string) Attribute { return text(keyPlace, kind) }

// Notice is the kind of what servers say to each other.
func Notice(kind string) Attribute { return text(keyNotice, kind) }

// Accounts is how many accounts a notice is about.
func Accounts(n int) Attribute { return number(keyAccounts, n) }

func task(name string) Attribute { return text(keyTask, name) }

func text(key, value string) Attribute { return Attribute{attribute.String(key, value)} }

func number(key string, n int) Attribute { return Attribute{attribute.Int(key, n)} }
