package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// checkpointEvery is how often the ends of the chains are signed.
const checkpointEvery = time.Minute

// Options are what a server's audit log works with.
type Options struct {
	Store     *store.Store
	Key       *Key          // signs checkpoints; nil: there are none
	Retention time.Duration // how long a line stays; 0: for good
	Clock     func() time.Time
	Warnings  *health.Warnings // nil: none are kept
}

// Log is the audit log of a running server: it takes what was refused, signs the ends
// of the chains, and removes lines that are too old. It is safe for concurrent use.
type Log struct {
	Options
	refusals *refusals
	broken   atomic.Bool  // as the last signing found it
	seen     atomic.Int64 // the end of the platform's chain
	signed   atomic.Int64 // when checkpoints were last made, in milliseconds
}

// NewLog returns the log of a server.
func NewLog(o Options) *Log { return &Log{Options: o, refusals: newRefusals()} }

// now is the time as it is stored: to the millisecond, UTC.
func (l *Log) now() time.Time { return l.Clock().UTC().Truncate(time.Millisecond) }

// Broken reports whether the server found the audit log changed when it last signed it.
func (l *Log) Broken() bool { return l.broken.Load() }

// Sweep writes what was put together of refusals, and once a minute signs the ends of
// chains that have grown.
func (l *Log) Sweep(ctx context.Context) error {
	if err := l.flush(ctx, false); err != nil {
		return err
	}
	now := l.now()
	if age := now.Sub(time.UnixMilli(l.signed.Load())); l.Key == nil || age >= 0 && age < checkpointEvery {
		return nil
	}
	err := errors.Join(l.wantGrown(ctx), Sign(ctx, l.Store, l.Key, now))
	fault := new(Fault)
	switch broken := errors.As(err, &fault); {
	case broken:
		l.broken.Store(true)
		l.Warnings.Set("audit", "the audit log was changed behind the server's back: "+
			"run signet audit verify, which says where, and see docs/operate/audit.md")
	case err == nil:
		l.broken.Store(false)
		l.Warnings.Clear("audit")
	default:
		return err
	}
	l.signed.Store(now.UnixMilli()) // what is wrong stays wrong, and each signing tells it
	return err
}

// wantGrown is a *Fault where the platform's chain has become shorter since this
// server looked at it last: no line ever leaves its end.
func (l *Log) wantGrown(ctx context.Context) error {
	end, err := store.Read(ctx, l.Store, func(tx *store.Tx) (int64, error) { return auditlog.End(tx, "") })
	if err != nil {
		return err
	}
	if seen := l.seen.Load(); end < seen {
		reason := fmt.Sprintf("it is missing: this server has seen entries up to %d", seen)
		return &Fault{Number: end + 1, Reason: reason}
	}
	l.seen.Store(end)
	return nil
}

// Trim removes lines past the retention, the oldest first. A signed checkpoint
// of the last one that went says where each chain begins since.
func (l *Log) Trim(ctx context.Context, now time.Time) error {
	if l.Key == nil || l.Retention == 0 {
		return nil
	}
	for {
		var last auditlog.Head
		var found bool
		err := l.Store.View(ctx, func(tx *store.Tx) (err error) {
			last, found, err = auditlog.Old(tx, now.Add(-l.Retention), batch)
			return err
		})
		if err != nil || !found {
			return err
		}
		note, err := l.Key.Sign(Checkpoint{Chain: last.Chain, Oldest: true, Number: last.Number, Hash: last.Hash,
			Time: now})
		if err != nil {
			return err
		}
		err = l.Store.Update(ctx, func(tx *store.Tx) error {
			if err := auditlog.PutCheckpoint(tx, last.Chain, true, auditlog.Checkpoint{Number: last.Number,
				Note: note}); err != nil {
				return err
			}
			return auditlog.Delete(tx, last.Chain, last.Number)
		})
		if err != nil {
			return err
		}
	}
}

// Refuse writes the line of a call that was refused; describe says within the
// transaction on whom it was. Before it the line names the account that called, or the one
// whose key was tried, and nothing where neither is known. Refuse never fails: what it cannot write now is written
// later, with how often it happened.
func (l *Log) Refuse(
	ctx context.Context, line model.AuditEntry, describe func(tx *store.Tx, line *model.AuditEntry) error,
) {
	originOf(ctx).recorded = true
	if !l.refusals.admit(&line) {
		l.refusals.add(&line)
		return
	}
	err := l.Store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		e := line
		if err := describe(tx, &e); err != nil {
			return err
		}
		return Record(tx, &e)
	})
	if err != nil {
		l.refusals.add(&line)
	}
}

// Flush writes all that was put together of refusals, before the server stops.
func (l *Log) Flush(ctx context.Context) error { return l.flush(ctx, true) }

func (l *Log) flush(ctx context.Context, all bool) error {
	var failures []error
	for pending := range slices.Chunk(l.refusals.take(l.now(), all), batch) {
		err := l.Store.Update(ctx, func(tx *store.Tx) error {
			for _, e := range pending {
				line := *e
				if err := Record(tx, &line); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			continue
		}
		failures = append(failures, err)
		for _, e := range pending {
			l.refusals.add(e)
		}
	}
	return errors.Join(failures...)
}
