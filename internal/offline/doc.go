// Package offline is what commands do beside a server, or where none runs: backups and
// restores, keys, the audit log, legal holds and erasures, operators, the move to
// PostgreSQL, and what an operator wants to know of an installation.
//
// Each function opens the store of a data directory, or the database where one is named,
// does its work and closes it again. Inspect and Change say what may run meanwhile. What
// changes something leaves an entry in the audit log.
//
// What callers do, too, it does through the use cases, with the command line as the actor.
// The package must not know how a server runs, nor what a command prints.
package offline
