package sqlite

import "context"

// Fence has every Update from now on answer ErrFenced: once it returns nil, nothing more is
// confirmed. Reading goes on.
func (e *Engine) Fence(ctx context.Context) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	return e.writer.do(ctx, func() error {
		e.writer.fenced = ErrFenced
		return nil
	})
}
