package store

import (
	"context"
	"errors"

	"signet/internal/model"
	"signet/internal/trace"
)

// describe says in a span what a transaction was, and how it ended.
func (s *Store) describe(span trace.Span, writes bool, last *Tx, err error) {
	system, operation := "postgresql", "read"
	if s.Alone() {
		system = "sqlite"
	}
	if writes {
		operation = "write"
	}
	span.Set(trace.System(system), trace.Operation(operation))
	if last != nil {
		span.Set(trace.Tries(last.tries), trace.Statements(last.asked))
	}
	var told *model.Error
	switch {
	case err == nil, errors.Is(err, ErrStop), errors.As(err, &told): // it did what it was for
	case errors.Is(err, ErrBusy):
		span.Fail("busy")
	case errors.Is(err, ErrUnavailable):
		span.Fail("unavailable")
	case errors.Is(err, context.Canceled):
		span.Fail("canceled")
	default:
		span.Fail("failed")
	}
}
