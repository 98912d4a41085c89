package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// RetryPolicy says how failed attempts are repeated. A Retry-After of the server
// is honoured in place of the computed delay.
type RetryPolicy struct {
	Attempts int           // in all, the first one included; 1 or less: no repeat
	MinDelay time.Duration // before the second attempt, on average; it doubles with each
	MaxDelay time.Duration // no computed delay is longer
	MaxWait  time.Duration // a Retry-After longer than this ends the call at once with the error
}

// DefaultRetry makes up to four attempts, about 0.2, 0.4 and 0.8 seconds apart,
// and honours a Retry-After of up to 30 seconds.
func DefaultRetry() RetryPolicy {
	return RetryPolicy{Attempts: 4, MinDelay: 200 * time.Millisecond, MaxDelay: 5 * time.Second, MaxWait: 30 * time.Second}
}

// NoRetry makes one attempt.
func NoRetry() RetryPolicy { return RetryPolicy{Attempts: 1} }

// delay returns how long to wait after an attempt, given its number, counted
// from 1: half to one and a half times the doubled delay, so that clients which
// failed together do not come back together.
func (p RetryPolicy) delay(attempt int) time.Duration {
	d := p.MinDelay
	for range attempt - 1 {
		if d *= 2; d >= p.MaxDelay {
			break
		}
	}
	d = min(d, p.MaxDelay)
	if d <= 0 {
		return 0
	}
	return d/2 + rand.N(d)
}

// repeat says when a call may be made again.
type repeat int

const (
	whenRefused repeat = iota // only if the first attempt cannot have been carried out
	always                    // made twice, it has the same effect
)

// next returns the wait before another attempt; again is false where there must
// be none.
func (p RetryPolicy) next(attempt int, rule repeat, err error) (wait time.Duration, again bool) {
	if attempt >= p.Attempts || !temporary(err) || rule == whenRefused && !refused(err) {
		return 0, false
	}
	if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
		// Not below the computed delay's jitter, so that clients which were told the
		// same do not come back together.
		return e.RetryAfter + rand.N(max(1, p.MinDelay)), e.RetryAfter <= p.MaxWait
	}
	return p.delay(attempt), true
}

// temporary reports whether the same request may succeed later. Whether the
// caller's context has ended is for the caller to look at: the error does not
// tell, since a connection that timed out reads just like it.
func temporary(err error) bool {
	if errors.Is(err, ErrArgument) || errors.Is(err, ErrProtocol) || errors.Is(err, ErrChanged) {
		return false
	}
	if e, ok := errors.AsType[*Error](err); ok {
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		default:
			return false
		}
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return !certificate
}

// refused reports whether the attempt was certainly not carried out: the server
// counts before it acts, and without a connection it heard nothing.
func refused(err error) bool {
	if errors.Is(err, ErrTooMany) {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// pause waits before another attempt, or returns early with the context's error
// together with the reason for waiting. It does not begin a wait that the
// context's deadline would cut short.
func pause(ctx context.Context, d time.Duration, reason error) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return reason
	}
	if err := sleep(ctx, d); err != nil {
		return fmt.Errorf("%w, waiting after: %w", err, reason)
	}
	return nil
}

// sleep waits for d, or until the context ends, and then returns why it did.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
