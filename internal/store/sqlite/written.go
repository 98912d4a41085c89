package sqlite

import "context"

// WrittenBeside reports whether another process, such as a command beside a server,
// has committed something since it was last asked. The first time it says that one has.
// It costs a look into shared memory.
func (e *Engine) WrittenBeside(ctx context.Context) (written bool, err error) {
	if err := e.gate.Enter(ctx); err != nil {
		return false, err
	}
	defer e.gate.Leave()
	w := e.writer
	err = w.do(ctx, func() error {
		// The writer is the only one here who commits: what this connection did not is
		// another process's.
		version, err := w.c.number(dataVersion)
		written = err == nil && version != w.version
		if err == nil {
			w.version = version
		}
		return err
	})
	return written, err
}
