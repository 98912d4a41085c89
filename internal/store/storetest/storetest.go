// Package storetest is the contract of a store.Engine in executable form: one
// suite that every engine runs, first on the engine alone and then on the whole
// store above it, one file a concern.
//
// It owns the cases and nothing else. It knows neither which engine runs nor how
// that keeps its data: whatever differs is a field of the Harness, and whatever
// an engine may answer in two ways is accepted in both. An engine's own test of
// it is one line:
//
//	func TestConformance(t *testing.T) { storetest.Run(t, storetest.Harness{Open: openTemp}) }
//
// Nothing is skipped: where an engine cannot do a thing that others can (Nodes),
// the same case runs with what it can do.
package storetest

import (
	"testing"
	"time"

	"signet/internal/store"
)

// Harness is how the suite gets at an engine.
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
// cases that use several nodes. The suite closes what it opens.
type Opener func(clock func() time.Time) (store.Engine, error)

type testCase struct {
	name string
	run  func(*testing.T, Harness)
}

// engineCases are about the engine alone, and about what only its size shows. They
// come first, because a failure here explains those of the others.
var engineCases = []testCase{
	{"Values", values},
	{"Lists", lists},
	{"Statements", statements},
	{"Transactions", transactions},
	{"Contexts", contexts},
	{"Closing", closing},
	{"Concurrency", concurrency},
	{"Positions", positions},
	{"PositionsAcrossWriters", positionsAcrossWriters},
	{"Committed", committed},
	{"Schema", schemas},
	{"Shapes", shapes},
	{"ServersBeside", besides},
	{"Reopening", reopening},
	{"LargeBatches", largeBatches},
	{"Erase", erase},
}

// nounCases are about what the store keeps: between them they run every statement.
var nounCases = []testCase{
	{"Accounts", accounts},
	{"Codes", codes},
	{"Addresses", addresses},
	{"Organizations", organizations},
	{"OrganizationNumbers", organizationNumbers},
	{"Memberships", memberships},
	{"JoinRequests", joinRequests},
	{"Roles", roles},
	{"Keys", keys},
	{"Quotas", quotas},
	{"Messages", messages},
	{"MessageEnds", messageEnds},
	{"Deliveries", deliveries},
	{"Arrivals", arrivals},
	{"StatusEvents", statusEvents},
	{"Events", events},
	{"EventKinds", eventKinds},
	{"QueueFilter", queueFilter},
	{"Conversations", conversations},
	{"Threads", threadReads},
	{"Pages of conversations", conversationPages},
	{"UnreadCounters", unreadCounters},
	{"Requests", requests},
	{"Blobs", blobs},
	{"Avatars", avatars},
	{"Groups", groups},
	{"GroupMembers", groupMembers},
	{"Histories", histories},
	{"Pieces", pieces},
	{"RecallsInPieces", recallsInPieces},
	{"Metadata", keptMetadata},
	{"Mutes", mutes},
	{"AccountErasure", accountErasure},
	{"OrganizationErasure", organizationErasure},
	{"ErasureOfQueues", erasureOfQueues},
	{"Departures", departures},
	{"Jobs", jobs},
	{"JobsOfSeveralServers", jobsOfSeveral},
	{"Nodes", nodes},
	{"Streams", streams},
	{"ManyAtOnce", manyAtOnce},
	{"KeyDays", keyDays},
	{"KeyEndings", keyEndings},
	{"Sealing", sealedRows},
	{"Backlog", backlog},
	{"QueueLengths", queueLengths},
	{"Withdrawals", withdrawals},
	{"QueueLimit", queueLimit},
	{"SearchEntities", searchEntities},
	{"Overview", overviews},
	{"SearchWords", searchWords},
}

// Run plays the whole suite against an engine.
func Run(t *testing.T, h Harness) {
	play(t, h, engineCases)
	play(t, h, nounCases)
}

// RunNouns plays only what runs every statement of the store once, for an engine's
// tests that look at the statements.
func RunNouns(t *testing.T, h Harness) { play(t, h, nounCases) }

func play(t *testing.T, h Harness, cases []testCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, h)
		})
	}
}

// inTurn plays the parts of a case one after the other, each on a database of its own.
func inTurn(t *testing.T, h Harness, parts []testCase) {
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(t, h) })
	}
}
