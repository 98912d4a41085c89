package sweep

import (
	"time"

	"signet/internal/backlog"
	"signet/internal/store"
)

const (
	// actTime is for how long a job erases before others have their turn.
	actTime = 2 * time.Second
	// actLease is for how long no other server does what one is at: where that is killed, it waits
	// so long.
	actLease = 10 * time.Second
)

// Kinds are the kinds of what calls leave to be erased. What ended because it was asked for is
// erased while the clock is in doubt, too.
func (w *Sweeper) Kinds() []*backlog.Kind {
	return []*backlog.Kind{
		{Number: store.EraseOrganization, Name: "organizations", Step: w.eraseOrganization},
		{Number: store.EraseAccount, Name: "accounts", Act: w.eraseAccount, Lease: actLease, Writes: true},
		{Number: store.EraseHeld, Name: "holds", Step: w.eraseHeld},
		{Number: store.EraseUnreadable, Name: "unreadable", Act: w.eraseUnreadable, Lease: actLease, Writes: true},
		{Number: store.Withdraw, Name: "queues", Act: w.withdraw, Lease: actLease, Writes: true},
	}
}
