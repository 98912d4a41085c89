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

	// Recheck soon ends the streams whose readers lost their access.
	Recheck()
}

// noStreams stand where there are none.
type noStreams struct{}

func (noStreams) End(context.Context, model.AccountID, string) (int, error) { return 0, nil }
func (noStreams) Recheck()                                                  {}
