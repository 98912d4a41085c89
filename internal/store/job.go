package store

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// JobKind is what a job does. Its number is stored.
type JobKind int

// The kinds.
const (
	FanOut            JobKind = iota + 1 // what calls left to be done to a group, or to tell an organization's members
	EraseOrganization                    // what a deleted organization held
	EraseAccount                         // what an account that ended has left
	EraseHeld                            // what was kept for a hold that was lifted
	EraseUnreadable                      // messages of an organization that nobody can read any more
	Withdraw                             // what was taken out of an account's long queue
	EraseTraces                          // what accounts keep of a deleted organization, and those that it made
	EraseNotes                           // notes of a deleted group
	CountHour                            // figures of an hour, out of those of its minutes
	PushMessage                          // a message, to browsers of those who got it
	DeliverWebhook                       // events of an account to its webhook
	EraseKept                            // events that were kept for an account's webhooks long enough
	Escalate                             // the next step of an escalation
	HandOver                             // who is in a group by its rota
)

// Job is something that is to be done about a subject after the transaction that noted it, and
// not before it is due. Several jobs of one kind may be about one subject: whoever does one
// finds what is left to do there.
type Job struct {
	Kind     JobKind
	Subject  []byte // what it is about, in the form of its kind
	State    []byte // how far it has come, in the form of its kind
	Due      time.Time
	Noted    time.Time
	Failures int // in a row

	number JobNumber
}

// JobNumber tells a job from all others, and what was noted earlier by one server from what it noted
// later. It stays the same until the job is over.
type JobNumber [16]byte

// Number is the job's.
func (j *Job) Number() JobNumber { return j.number }

// lastNoted is when the last job was noted, in microseconds, or a little later.
var lastNoted atomic.Int64

func newJobNumber() (n JobNumber) {
	for {
		last := lastNoted.Load()
		now := max(time.Now().UnixMicro(), last+1)
		if lastNoted.CompareAndSwap(last, now) {
			binary.BigEndian.PutUint64(n[:8], uint64(now))
			binary.BigEndian.PutUint64(n[8:], rand.Uint64())
			return n
		}
	}
}

// NoteJob notes a job, by the store's time; its due time zero is at once. It is done by whichever
// server finds it first, once this transaction is on disk.
func (tx *Tx) NoteJob(j *Job) error { return tx.NoteJobWhere(j, "") }

// NoteJobWhere is NoteJob where a clause finds something.
func (tx *Tx) NoteJobWhere(j *Job, where string, args ...any) error {
	j.number = newJobNumber()
	tx.jobDue(j.Due)
	return tx.Post(`INSERT INTO jobs (due, number, claimed, kind, subject, state, noted, failures)
		SELECT ?, ?, 0, ?, ?, ?, ?, ? `+where, append([]any{Millis(j.Due), j.number[:], int(j.Kind), stored(j.Subject),
		stored(j.State), Millis(j.Noted), j.Failures}, args...)...)
}

// stored is the stored form of bytes, which is never NULL.
func stored(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// DueJobs returns up to limit jobs of these kinds that are due by a time, in the order in which
// they are due, after the one that is given; nil: from the first. Others do not get them until
// the transaction ends.
func (tx *Tx) DueJobs(kinds []JobKind, by time.Time, after *Job, limit int) ([]Job, error) {
	due, number := int64(-1), JobNumber{}
	if after != nil {
		due, number = Millis(after.Due), after.number
	}
	return List(tx, `SELECT due, number, kind, subject, state, noted, failures FROM jobs
		WHERE due <= ? AND (due, number) > (?, ?) AND kind IN (?*) ORDER BY due, number LIMIT ? + 0 `+tx.dialect.Skip,
		[]any{Millis(by), due, number[:], numbersOf(kinds), limit}, func(j *Job, row Row) error {
			var due, noted int64
			var kind int
			var number []byte
			err := row.Scan(&due, &number, &kind, &j.Subject, &j.State, &noted, &j.Failures)
			copy(j.number[:], number)
			j.Kind, j.Due, j.Noted = JobKind(kind), FromMillis(due), FromMillis(noted)
			return err
		})
}

// NextDue returns when the next job of these kinds is due; zero: at once.
func (tx *Tx) NextDue(kinds []JobKind) (due time.Time, found bool, err error) {
	var at int64
	found, err = tx.One(`SELECT due FROM jobs WHERE kind IN (?*) ORDER BY due, number LIMIT 1`, []any{numbersOf(kinds)},
		&at)
	return FromMillis(at), found, err
}

func numbersOf(kinds []JobKind) []int64 {
	out := make([]int64, len(kinds))
	for i, kind := range kinds {
		out[i] = int64(kind)
	}
	return out
}

// DeleteJob forgets a job, and reports whether it was there as it is given.
func (tx *Tx) DeleteJob(j *Job) (bool, error) {
	n, err := tx.Exec(`DELETE FROM jobs WHERE due = ? AND number = ?`, Millis(j.Due), j.number[:])
	return n > 0, err
}

// PutOffJob has a job done at another time, with its state and failures as they are given, and
// reports whether it was there: a claim that ended may have been another server's since. The job
// has that time then.
func (tx *Tx) PutOffJob(j *Job, due time.Time) (bool, error) { return tx.moveJob(j, due, 0) }

// ClaimJob keeps a job from others until a time: longer than this transaction lasts.
func (tx *Tx) ClaimJob(j *Job, until time.Time) (bool, error) { return tx.moveJob(j, until, 1) }

func (tx *Tx) moveJob(j *Job, due time.Time, claimed int) (bool, error) {
	n, err := tx.Exec(`UPDATE jobs SET due = ?, claimed = ?, state = ?, failures = ? WHERE due = ? AND number = ?`,
		Millis(due), claimed, stored(j.State), j.Failures, Millis(j.Due), j.number[:])
	if err != nil || n == 0 {
		return false, err
	}
	j.Due = due
	tx.jobDue(due)
	return true, nil
}

// FreeJobs ends all claims, for a server that is alone on the store and has just started: who
// made them is gone.
func (tx *Tx) FreeJobs() error {
	return tx.Post(`UPDATE jobs SET due = 0, claimed = 0 WHERE claimed = 1`)
}

// jobDue notes when a job is due, for who does jobs.
func (tx *Tx) jobDue(due time.Time) {
	if at := Millis(due); tx.due == nil || at < *tx.due {
		tx.due = &at
	}
}

// OnJobs has noted called with the earliest time at which one is due of the jobs that a
// transaction of this store noted or put off, once that is on disk; zero: at once. noted must not
// wait for anything.
func (s *Store) OnJobs(noted func(due time.Time)) { s.noted.Store(&noted) }

// Alone reports whether nobody else uses the store.
func (s *Store) Alone() bool { return s.engine.Dialect().Alone }

// tellJobs tells who does jobs of those that a transaction has noted.
func (s *Store) tellJobs(tx *Tx) {
	if noted := s.noted.Load(); noted != nil && tx.due != nil {
		(*noted)(FromMillis(*tx.due))
	}
}
