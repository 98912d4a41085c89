package postgres

import (
	"context"
	"sync"

	"signet/internal/model"
)

// turns let one call at a time do something about an account (store.ShortOf).
type turns struct {
	mu    sync.Mutex                        // guards taken
	taken map[model.AccountID]chan struct{} // closed when the turn is over
}

// take waits for a turn, until ctx ends. over ends the turn.
func (t *turns) take(ctx context.Context, account model.AccountID) (over func(), err error) {
	for {
		t.mu.Lock()
		other, busy := t.taken[account]
		if !busy {
			own := make(chan struct{})
			t.taken[account] = own
			t.mu.Unlock()
			return func() { t.end(account, own) }, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *turns) end(account model.AccountID, own chan struct{}) {
	t.mu.Lock()
	delete(t.taken, account)
	t.mu.Unlock()
	close(own)
}
