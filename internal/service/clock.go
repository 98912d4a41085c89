package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/audit"
	"signet/internal/clock"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// MaxClockOffset is by how much a server's clock may differ from its database's.
	MaxClockOffset = 500 * time.Millisecond

	clockTopic = "clock" // of the warning
)

// ClockOptions say how the time is watched by which is erased. The zero value is a
// working choice, for who has one clock only.
type ClockOptions struct {
	Jump    time.Duration                                    // setting expiry.clock_jump; 0: 7 days
	Doubt   time.Duration                                    // setting expiry.clock_doubt; 0: 24 hours
	Elapsed func() time.Duration                             // a clock that nobody sets; nil: the service's own
	Offset  func(ctx context.Context) (time.Duration, error) // by how much the store's clock is ahead; nil: it has none
}

// timekeeper knows whether the clock is to be believed.
type timekeeper struct {
	ClockOptions

	mu    sync.Mutex // guards watch and ringed
	watch clock.Watch

	ringed bool // the ring was asked what it knows

	offset  atomic.Int64 // of the store's clock, as it was last
	doubted atomic.Bool  // nothing is erased
	highest atomic.Int64 // more than any clock said that was ahead, in microseconds; 0: none was
}

func newTimekeeper(o ClockOptions, now func() time.Time) *timekeeper {
	if o.Jump == 0 {
		o.Jump = 7 * 24 * time.Hour
	}
	if o.Doubt == 0 {
		o.Doubt = 24 * time.Hour
	}
	if o.Elapsed == nil {
		o.Elapsed = func() time.Duration { return time.Duration(now().UnixNano()) }
	}
	return &timekeeper{ClockOptions: o, watch: clock.Watch{Jump: o.Jump, Doubt: o.Doubt}}
}

// ClockInDoubt reports whether nothing is erased because of the clock.
func (s *Service) ClockInDoubt() bool { return s.time.doubted.Load() }

// ClockOffset is by how much the store's clock was ahead of this machine's when it was
// looked at last; 0 where it has none of its own.
func (s *Service) ClockOffset() time.Duration { return time.Duration(s.time.offset.Load()) }

// MeasureClock asks by how much the store's clock is ahead.
func (s *Service) MeasureClock(ctx context.Context) (offset time.Duration, err error) {
	if s.time.Offset == nil {
		return 0, nil
	}
	if offset, err = s.time.Offset(ctx); err == nil {
		s.time.offset.Store(int64(offset))
	}
	return offset, err
}

// StoreTime is the time by the store's clock, as far as is known, for what servers on
// one store tell each other.
func (s *Service) StoreTime(now time.Time) time.Time { return now.Add(s.ClockOffset()) }

// latest is a time by which no clock was ahead yet, those included that were wrong.
func (s *Service) latest(now time.Time) time.Time {
	if highest := time.UnixMicro(s.time.highest.Load()); highest.After(now) {
		return highest
	}
	return now
}

// endingTime is the time by which what has ended may be erased, and keys destroyed. It
// is the zero time while the clock is in doubt, or is not the store's: then nothing is.
func (s *Service) endingTime(ctx context.Context) (at time.Time, err error) {
	t := s.time
	t.mu.Lock()
	defer t.mu.Unlock()
	offset, err := s.MeasureClock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	own := s.now()
	elapsed, now := t.Elapsed(), own.Add(offset)
	text, kept, err := s.keptClock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	v := t.watch.Look(now, elapsed, kept, own)
	highest := int64(0)
	if !v.Highest.IsZero() {
		highest = v.Highest.UnixMicro()
	}
	t.highest.Store(highest)
	if v.Keep {
		if err := s.keepClock(ctx, text, v.State); err != nil {
			return time.Time{}, err
		}
	}
	t.doubted.Store(v.Doubt || offset.Abs() > MaxClockOffset)
	if told := tellClock(now, offset, &v, t.Offset != nil); told != "" {
		s.warnings.Set(clockTopic, told)
	} else {
		s.warnings.Clear(clockTopic)
	}
	if t.doubted.Load() {
		return time.Time{}, nil
	}
	return now, nil
}

// keptClock reads what is remembered of the clock, at the first time in the key ring
// too: a store that was put back to an earlier state knows less.
func (s *Service) keptClock(ctx context.Context) (text string, kept clock.State, err error) {
	t := s.time
	if !t.ringed && s.vault.Ring != nil {
		if t.watch.Ring, err = s.vault.Ring.KnownTime(ctx); err != nil {
			return "", kept, err
		}
	}
	t.ringed = true
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		text, err = tx.Clock()
		return err
	})
	if err != nil {
		return "", kept, err
	}
	kept, err = clock.Parse(text)
	return text, kept, err
}

// keepClock remembers a state, and in the key ring the time that is believed.
func (s *Service) keepClock(ctx context.Context, was string, state clock.State) error {
	err := s.store.Update(ctx, func(tx *store.Tx) error { return tx.ReplaceClock(was, state.String()) })
	if err != nil || state.Departed() || s.vault.Ring == nil {
		return err
	}
	return s.vault.Ring.NoteTime(ctx, state.Known)
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
		return fmt.Sprintf("%s is in doubt: it says %s, %s after the time that was known; nothing that has ended is erased, and no key destroyed, "+
			"for another %s; set the clock right, or, where it is right, run \"signet clock accept\"", whose, says, span(v.Off), span(v.Left))
	case v.Back:
		return fmt.Sprintf("%s went back: it says %s, %s before the time that was known; what is sent meanwhile expires too early; "+
			"set the clock right, or, where it is right, run \"signet clock accept\"", whose, says, span(-v.Off))
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
	return fmt.Errorf("%w: it is %v %s the database's; set it right; until then this server is not ready, and erases nothing", errClock, offset.Abs().Round(time.Millisecond), how)
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
	err = kept.View(ctx, func(tx *store.Tx) error {
		text, err := tx.Clock()
		if err == nil {
			r.State, err = clock.Parse(text)
		}
		return err
	})
	return r, err
}

// AcceptClock notes, for who runs the server, that the clock is right as it is. It works
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
