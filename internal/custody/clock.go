package custody

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/audit"
	"signet/internal/clock"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

const (
	// MaxClockOffset is by how much a server's clock may differ from its database's.
	MaxClockOffset = 500 * time.Millisecond

	clockTopic = "clock" // of the warning
)

// ClockOptions say which clock it is, and where what is known of it is remembered.
type ClockOptions struct {
	Store    *store.Store
	Ring     *seal.Ring // nil: the store alone remembers
	Now      func() time.Time
	Warnings *health.Warnings // nil: none are kept

	Jump    time.Duration                                // setting expiry.clock_jump; 0: 7 days
	Doubt   time.Duration                                // setting expiry.clock_doubt; 0: 24 hours
	Elapsed func() time.Duration                         // a clock that cannot be set; nil: Now
	Offset  func(context.Context) (time.Duration, error) // by how much the store's clock is ahead; nil: it has none
}

// Clock is the time by which a server erases: by the store's clock, and only while that
// is plausible. It is safe for concurrent use.
type Clock struct {
	ClockOptions

	mu    sync.Mutex // guards watch and ringed
	watch clock.Watch

	ringed bool // the ring was asked what it knows

	offset  atomic.Int64 // of the store's clock, as it was last
	doubted atomic.Bool  // nothing is erased
	highest atomic.Int64 // more than any clock said that was ahead, in microseconds; 0: none was
}

// NewClock returns the clock of a server.
func NewClock(o ClockOptions) *Clock {
	if o.Jump == 0 {
		o.Jump = 7 * 24 * time.Hour
	}
	if o.Doubt == 0 {
		o.Doubt = 24 * time.Hour
	}
	if o.Elapsed == nil {
		o.Elapsed = func() time.Duration { return time.Duration(o.Now().UnixNano()) }
	}
	return &Clock{ClockOptions: o, watch: clock.Watch{Jump: o.Jump, Doubt: o.Doubt}}
}

// InDoubt reports whether nothing is erased because of the clock.
func (c *Clock) InDoubt() bool { return c.doubted.Load() }

// Ahead is by how much the store's clock was ahead of this machine's when it was looked
// at last; 0 where it has none of its own.
func (c *Clock) Ahead() time.Duration { return time.Duration(c.offset.Load()) }

// Measure asks by how much the store's clock is ahead.
func (c *Clock) Measure(ctx context.Context) (offset time.Duration, err error) {
	if c.Offset == nil {
		return 0, nil
	}
	if offset, err = c.Offset(ctx); err == nil {
		c.offset.Store(int64(offset))
	}
	return offset, err
}

// StoreTime is the time by the store's clock, as far as is known, for what servers on
// one store tell each other.
func (c *Clock) StoreTime(now time.Time) time.Time { return now.Add(c.Ahead()) }

// Latest is a time by which no clock was ahead yet, those included that were wrong.
func (c *Clock) Latest(now time.Time) time.Time {
	if highest := time.UnixMicro(c.highest.Load()); highest.After(now) {
		return highest
	}
	return now
}

// EndingTime is the time by which what has ended may be erased, and keys destroyed. It
// is the zero time while the clock is in doubt, or is not the store's: then nothing is.
func (c *Clock) EndingTime(ctx context.Context) (at time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	offset, err := c.Measure(ctx)
	if err != nil {
		return time.Time{}, err
	}
	own := c.Now().UTC().Truncate(time.Millisecond)
	elapsed, now := c.Elapsed(), own.Add(offset)
	text, kept, err := c.kept(ctx)
	if err != nil {
		return time.Time{}, err
	}
	v := c.watch.Look(now, elapsed, kept, own)
	highest := int64(0)
	if !v.Highest.IsZero() {
		highest = v.Highest.UnixMicro()
	}
	c.highest.Store(highest)
	if v.Keep {
		if err := c.keep(ctx, text, v.State); err != nil {
			return time.Time{}, err
		}
	}
	c.doubted.Store(v.Doubt || offset.Abs() > MaxClockOffset)
	if told := tellClock(now, offset, &v, c.Offset != nil); told != "" {
		c.Warnings.Set(clockTopic, told)
	} else {
		c.Warnings.Clear(clockTopic)
	}
	if c.doubted.Load() {
		return time.Time{}, nil
	}
	return now, nil
}

// kept reads what is remembered of the clock, at the first time in the key ring
// too: a store that was put back to an earlier state knows less.
func (c *Clock) kept(ctx context.Context) (text string, state clock.State, err error) {
	if !c.ringed && c.Ring != nil {
		if c.watch.Ring, err = c.Ring.KnownTime(ctx); err != nil {
			return "", state, err
		}
	}
	c.ringed = true
	if text, err = store.Read(ctx, c.Store, (*store.Tx).Clock); err != nil {
		return "", state, err
	}
	state, err = clock.Parse(text)
	return text, state, err
}

// keep remembers a state, and in the key ring the time that is believed.
func (c *Clock) keep(ctx context.Context, was string, state clock.State) error {
	err := c.Store.Update(ctx, func(tx *store.Tx) error { return tx.ReplaceClock(was, state.String()) })
	if err != nil || state.Departed() || c.Ring == nil {
		return err
	}
	return c.Ring.NoteTime(ctx, state.Known)
}

// tellClock is what the operator has to know of the clock; nothing where it is right.
func tellClock(now time.Time, offset time.Duration, v *clock.Verdict, shared bool) string {
	whose := "the clock"
	if shared {
		whose = "the database's clock"
	}
	says := now.Format(time.DateTime) + " UTC"
	switch {
	case offset.Abs() > MaxClockOffset:
		return ClockOffsetFault(offset).Error()
	case v.Doubt:
		return fmt.Sprintf("%s is in doubt: it says %s, %s after the time that was known; nothing that has ended is "+
			"erased, and no key destroyed, for another %s; set the clock right, or, where it is right, run \"signet clock "+
			"accept\"", whose, says, span(v.Off),
			span(v.Left))
	case v.Back:
		return fmt.Sprintf("%s went back: it says %s, %s before the time that was known; what is sent meanwhile expires "+
			"too early; set the clock right, or, where it is right, run \"signet clock accept\"", whose, says, span(-v.Off))
	}
	return ""
}

// span is a length of time for people, to the minute.
func span(d time.Duration) string {
	d = d.Round(time.Minute)
	if d < 48*time.Hour {
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// ClockOffsetFault says that a server's clock is not the database's, which is ahead of
// it by the offset.
func ClockOffsetFault(offset time.Duration) error {
	how := "behind"
	if offset < 0 {
		how = "ahead of"
	}
	return fmt.Errorf("%w: it is %v %s the database's; set it right; until then this server is not ready, and erases "+
		"nothing",
		errClock, offset.Abs().Round(time.Millisecond), how)
}

var errClock = errors.New("this server's clock is wrong")

// IsClockFault reports whether an error is one of ClockOffsetFault.
func IsClockFault(err error) bool { return errors.Is(err, errClock) }

// ClockReport is what is remembered of the clock, and what it says now.
type ClockReport struct {
	clock.State
	Now time.Time
}

// ReadClock reads what is remembered of the clock, in the store itself. now is what it
// says.
func ReadClock(ctx context.Context, kept *store.Store, now time.Time) (r ClockReport, err error) {
	r.Now = now.UTC()
	text, err := store.Read(ctx, kept, (*store.Tx).Clock)
	if err == nil {
		r.State, err = clock.Parse(text)
	}
	return r, err
}

// AcceptClock notes, for the command line, that the clock is right as it is. It works
// beside servers that use the store, which go on with their next sweep.
func AcceptClock(ctx context.Context, kept *store.Store, now time.Time) (r ClockReport, err error) {
	if r, err = ReadClock(ctx, kept, now); err != nil {
		return r, err
	}
	line := model.AuditEntry{Time: model.AuditTime{Time: r.Now}, Action: model.ActionClockAccept}
	return r, audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, _ *model.AuditEntry) error {
		return tx.SetClock(r.State.Accepted(r.Now).String())
	})
}
