// Package large has large answers made few at a time. What is read for one is in memory
// several times over until it is encoded; a crowd that asks for many at once would take all
// of it, before the budget of answers, which counts what waits for its client, sees any.
//
// It owns the turns. It knows no call, no answer and no store.
package large

import (
	"context"
	"time"

	"signet/internal/model"
)

// Bytes is what an answer may have read before it is a large one.
const Bytes = 64 << 10

// patience is how long an answer waits for its turn.
const patience = 10 * time.Second

// Gate gives turns. It is safe for concurrent use.
type Gate struct {
	turns chan struct{}
	busy  error
}

// NewGate gives so many turns at a time. busy is the answer to who waits for one in vain.
func NewGate(turns int, busy *model.Error) *Gate {
	return &Gate{turns: make(chan struct{}, turns), busy: busy}
}

// With returns a context whose work enters by the gate, and its pass.
func (g *Gate) With(ctx context.Context) (context.Context, *Pass) { return with(ctx, g) }

func (g *Gate) enter(ctx context.Context) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case g.turns <- struct{}{}:
		return nil
	case <-timer.C:
		return g.busy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gate) leave() { <-g.turns }

// Pass is that of one call, or of one stream. It is not safe for concurrent use.
type Pass struct {
	by     way
	inside bool
}

// way is how work enters, and leaves.
type way interface {
	enter(context.Context) error
	leave()
}

// told is a way that is made of two functions.
type told struct {
	in  func(context.Context) error
	out func()
}

func (t *told) enter(ctx context.Context) error { return t.in(ctx) }
func (t *told) leave()                          { t.out() }

type key struct{}

// With returns a context whose work enters as it is told here, and its pass.
func With(ctx context.Context, enter func(context.Context) error, leave func()) (context.Context, *Pass) {
	return with(ctx, &told{enter, leave})
}

func with(ctx context.Context, by way) (context.Context, *Pass) {
	p := &Pass{by: by}
	return context.WithValue(ctx, key{}, p), p
}

// Follow returns a context with the pass of another one, which may have ended.
func Follow(ctx, other context.Context) context.Context {
	return context.WithValue(ctx, key{}, other.Value(key{}))
}

// Enter waits until the work that a context is of may read what is large, which it may until it
// leaves. It must not hold what others wait for, such as a transaction. Work without a pass
// enters at once.
func Enter(ctx context.Context) error {
	p, _ := ctx.Value(key{}).(*Pass)
	if p == nil || p.inside {
		return nil
	}
	err := p.by.enter(ctx)
	p.inside = err == nil
	return err
}

// Inside reports whether the work of a context may read what is large.
func Inside(ctx context.Context) bool {
	p, _ := ctx.Value(key{}).(*Pass)
	return p == nil || p.inside
}

// Leave ends that, if it was entered.
func Leave(ctx context.Context) {
	p, _ := ctx.Value(key{}).(*Pass)
	p.Leave()
}

// Leave ends what the pass was used for.
func (p *Pass) Leave() {
	if p != nil && p.inside {
		p.inside = false
		p.by.leave()
	}
}
