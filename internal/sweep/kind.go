package sweep

import (
	"time"

	"signet/internal/backlog"
	"signet/internal/store"
)

const (
	// actLease is for how long no other server does what one is at: where that is killed, it waits
	// so long.
	actLease = 10 * time.Second
	// lookLease is that where a whole table is looked through.
	lookLease = time.Minute
)

// Kinds are the kinds of what is left to be erased. What ended because it was asked for is
// erased while the clock is in doubt, too.
func (e *Eraser) Kinds() []*backlog.Kind {
	return []*backlog.Kind{
		{Number: store.EraseOrganization, Name: "organizations", Step: e.organization},
		{Number: store.EraseAccount, Name: "accounts", Act: e.account, Lease: actLease, Writes: true},
		{Number: store.EraseHeld, Name: "holds", Step: e.released},
		{Number: store.EraseUnreadable, Name: "unreadable", Act: e.unreadable, Lease: actLease, Writes: true},
		{Number: store.Withdraw, Name: "queues", Act: e.withdraw, Lease: actLease, Writes: true},
		{Number: store.EraseNotes, Name: "notes", Step: e.notes},
		{Number: store.EraseTraces, Name: "traces", Act: e.traces, Lease: lookLease, Writes: true},
	}
}
