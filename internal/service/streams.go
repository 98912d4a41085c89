package service

import (
	"context"

	"signet/internal/model"
)

// Streams are the event streams of all nodes.
type Streams interface {
	// End ends the streams of an account, or those of one of its keys, and returns how
	// many these were.
	End(ctx context.Context, account model.AccountID, key string) (int, error)

	// Recheck asks soon whether those who read still may.
	Recheck()
}

// noStreams stand where nobody reads.
type noStreams struct{}

func (noStreams) End(context.Context, model.AccountID, string) (int, error) { return 0, nil }
func (noStreams) Recheck()                                                  {}
