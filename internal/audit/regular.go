package audit

import (
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
)

// regularLines is how many lines of acts that succeed a regular key may leave on a day
// (UTC), together with the keys that count with it. The rest is one line with their
// number, once the day is over (contract, section 1, limits).
const regularLines = 1000

// counterKind tells the counters of these lines from those of messages.
const counterKind = "audit"

// RecordOf adds the line of what an actor did, as Record does. What was done with a regular
// key, or a password, is only counted where the day's lines are used up.
func RecordOf(tx *store.Tx, actor *model.Actor, line *model.AuditEntry) error {
	if actor.Administrative() {
		return Record(tx, line)
	}
	counter := actor.Key.Counter
	if counter == "" { // it signs in with its password
		counter = quota.CounterOf(actor.Account)
	}
	n, err := quota.CountMessage(tx, quota.Counter(line.Account, counterKind, counter), quota.DayOf(line.Time.Time))
	if err != nil || n > regularLines {
		return err
	}
	return Record(tx, line)
}
