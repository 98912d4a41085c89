// Package conformance is the contract of a store.Engine in executable form, for the
// engine alone: values, statements, transactions, positions, schemas. storetest runs
// the whole store above it.
//
// It owns the cases about an engine, and how a case gets at its database. It knows
// neither which engine runs nor how that keeps its data: whatever differs is a field
// of the Harness, and whatever an engine may answer in two ways is accepted in both.
//
// Nothing is skipped: where an engine cannot do a thing that others can (Nodes),
// the same case runs with what it can do.
package conformance

import (
	"testing"
	"time"

	"signet/internal/store"
)

// Harness is how the cases get at an engine.
type Harness struct {
	// Open makes an empty database of its own for one case, which is gone when
	// the test ends, and returns what opens engines on it.
	Open func(t testing.TB) Opener

	// Nodes is how many engines can be open on one database at the same time; 0
	// is one. The cases about concurrency spread their work over so many.
	Nodes int
}

// Opener opens an engine on a case's database, which takes the present from
// clock. It is called again after the engine was closed, and before that by
// cases that use several nodes. The cases close what they open.
type Opener func(clock func() time.Time) (store.Engine, error)

// Case is one of a suite's.
type Case struct {
	Name string
	Run  func(*testing.T, Harness)
}

// Cases are all that there are about an engine alone.
var Cases = []Case{
	{Name: "Values", Run: values},
	{Name: "Lists", Run: lists},
	{Name: "Statements", Run: statements},
	{Name: "Asking", Run: asking},
	{Name: "Transactions", Run: transactions},
	{Name: "Contexts", Run: contexts},
	{Name: "Closing", Run: closing},
	{Name: "Concurrency", Run: concurrency},
	{Name: "Positions", Run: positions},
	{Name: "PositionsAcrossWriters", Run: positionsAcrossWriters},
	{Name: "Access", Run: access},
	{Name: "Committed", Run: committed},
	{Name: "Schema", Run: schemas},
	{Name: "Shapes", Run: shapes},
	{Name: "ServersBeside", Run: besides},
}

// Play runs these cases side by side, each on a database of its own.
func Play(t *testing.T, h Harness, cases []Case) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, h)
		})
	}
}

// InTurn runs the parts of a case one after the other, each on a database of its own.
func InTurn(t *testing.T, h Harness, parts []Case) {
	for _, p := range parts {
		t.Run(p.Name, func(t *testing.T) { p.Run(t, h) })
	}
}
