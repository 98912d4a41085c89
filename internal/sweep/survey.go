package sweep

import (
	"context"
	"sync"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/overview"
)

const (
	// surveyAge is how old the figures of queues are at most when they are asked for,
	// unless counting takes long.
	surveyAge = time.Minute
	// surveyShare bounds what counting costs: it is done again when it rested so many
	// times as long as it took.
	surveyShare = 100
	// surveyStep is how many queues one snapshot counts.
	surveyStep = 200
	// surveyPatience is how long a request waits for figures that are being counted.
	surveyPatience = time.Second

	// lateAge and lateEvents are what makes an account one that is behind.
	lateAge    = 24 * time.Hour
	lateEvents = 1000
	// stoppedAge is how long a program has been silent, and something has waited for it,
	// when it counts as one that has stopped reading.
	stoppedAge = time.Hour
	// knownAge is how long a program has called before it is expected to go on.
	knownAge = 24 * time.Hour

	// backlogAge is how old the figures of the sweep are at most, and backlogMost where
	// counting ends.
	backlogAge  = 10 * time.Second
	backlogMost = 100_000
)

// Queues are the queues of all accounts, as they were when they were counted.
type Queues struct {
	Counted  time.Time // when; zero: not yet
	Accounts int       // with something queued
	Events   int       // queued, in all
	Old      int       // accounts whose oldest event was queued more than a day ago
	Long     int       // accounts with more than 1,000 events
	Stopped  int       // accounts whose program called for a day, kept up, and is silent for more than an hour
	Oldest   time.Time // when the oldest event of all was queued; zero: there is none
}

// Survey counts what only reading the store tells: when it is asked for, and not
// more often than is good. A server that is not asked counts nothing.
type Survey struct {
	store *store.Store
	clock func() time.Time
	asked chan struct{}

	mu      sync.Mutex // guards all below
	queues  Queues
	due     time.Time     // when queues are counted again, if it is asked for
	counted chan struct{} // closed when the next count has ended

	lookMu  sync.Mutex // guards all below, and makes others wait for the answer
	looked  time.Time
	backlog overview.Backlog
	backup  store.BackupNote
	fault   error
}

// NewSurvey returns one of a store.
func NewSurvey(kept *store.Store, clock func() time.Time) *Survey {
	return &Survey{store: kept, clock: clock, asked: make(chan struct{}, 1), counted: make(chan struct{})}
}

// Run counts queues whenever asked, until ctx ends.
func (v *Survey) Run(ctx context.Context) {
	for {
		select {
		case <-v.asked:
		case <-ctx.Done():
			return
		}
		begun := time.Now()
		queues, err := v.Count(ctx)
		took := time.Since(begun)
		if ctx.Err() != nil {
			return
		}
		v.mu.Lock()
		if err == nil { // else the store is away, which others tell
			v.queues = queues
		}
		v.due = v.clock().Add(max(surveyAge, surveyShare*took))
		close(v.counted)
		v.counted = make(chan struct{})
		v.mu.Unlock()
	}
}

// Queues returns the queues as they were at most a minute ago, or longer where there are
// very many: then they are being counted, at most a hundredth of the time. Until they
// were counted for the first time, ok is false.
func (v *Survey) Queues(ctx context.Context) (q Queues, ok bool) {
	v.mu.Lock()
	counted, now := v.counted, v.clock()
	if now.Before(v.due) && v.due.Sub(now) < 24*time.Hour { // a clock that was put back has it counted
		defer v.mu.Unlock()
		return v.queues, !v.queues.Counted.IsZero()
	}
	v.mu.Unlock()
	select {
	case v.asked <- struct{}{}:
	default:
	}
	patience := time.NewTimer(surveyPatience)
	defer patience.Stop()
	select {
	case <-counted:
	case <-patience.C:
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.queues, !v.queues.Counted.IsZero()
}

// Count reads all queues, some at a time, so that no snapshot lasts.
func (v *Survey) Count(ctx context.Context) (Queues, error) {
	now := v.clock()
	q := Queues{Counted: now}
	var last model.AccountID
	var first int64
	for {
		var uses map[model.AccountID]overview.ReaderUse
		lengths, err := store.Read(ctx, v.store, func(tx *store.Tx) (lengths []overview.QueueLength, err error) {
			if lengths, err = overview.QueueLengths(tx, last, surveyStep); err == nil && len(lengths) > 0 {
				uses, err = overview.ReaderUses(tx, accountsOf(lengths))
			}
			return lengths, err
		})
		if err != nil {
			return q, err
		}
		for _, l := range lengths {
			last = l.Account
			q.Accounts++
			q.Events += l.Events
			if l.First < now.Add(-lateAge).UnixMicro() {
				q.Old++
			}
			if l.Events > lateEvents {
				q.Long++
			}
			if stopped(now, store.TimeOf(l.First), uses[l.Account]) {
				q.Stopped++
			}
			if first == 0 || l.First < first {
				first = l.First
			}
		}
		if len(lengths) < surveyStep {
			break
		}
	}
	if first != 0 {
		q.Oldest = time.UnixMicro(first)
	}
	return q, nil
}

// accountsOf are the accounts whose queues these are.
func accountsOf(lengths []overview.QueueLength) []model.AccountID {
	accounts := make([]model.AccountID, len(lengths))
	for i, l := range lengths {
		accounts[i] = l.Account
	}
	return accounts
}

// stopped reports whether a program has stopped reading its queue, whose oldest event was queued at
// first. Only one counts that called for a day, and kept up: one that sends and never reads left
// something in its queue for longer than an hour before it called last.
func stopped(now, first time.Time, use overview.ReaderUse) bool {
	return use.Last.Sub(use.Since) > knownAge && first.After(use.Last.Add(-stoppedAge)) &&
		now.Sub(use.Last) > stoppedAge && now.Sub(first) > stoppedAge
}

// Look returns what waits for the sweep, and what is known of backups, as they were at
// most ten seconds ago.
func (v *Survey) Look(ctx context.Context) (overview.Backlog, store.BackupNote, error) {
	v.lookMu.Lock()
	defer v.lookMu.Unlock()
	now := v.clock()
	if since := now.Sub(v.looked); !v.looked.IsZero() && since >= 0 && since < backlogAge {
		return v.backlog, v.backup, v.fault
	}
	v.fault = v.store.View(ctx, func(tx *store.Tx) (err error) {
		if v.backlog, err = overview.BacklogAt(tx, now, backlogMost); err == nil {
			v.backup, err = tx.LastBackup()
		}
		return err
	})
	v.looked = now
	return v.backlog, v.backup, v.fault
}
