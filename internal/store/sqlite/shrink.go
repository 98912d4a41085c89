package sqlite

import (
	"context"
	"errors"
	"fmt"
)

// Shrink gives back the memory in which the engine keeps pages of its file. They are
// read again when they are needed, which the system's cache makes cheap: it is for
// an engine that has little to do. A connection in use keeps
// its own.
func (e *Engine) Shrink(ctx context.Context) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	err := e.writer.do(ctx, e.writer.c.shrink)
	var idle []*connection
	for more := true; more; {
		select {
		case c := <-e.readers.free:
			idle = append(idle, c)
		default:
			more = false
		}
	}
	for _, c := range idle {
		err = errors.Join(err, c.shrink())
		e.readers.free <- c
	}
	if err != nil {
		return fmt.Errorf("give memory back: %w", err)
	}
	return nil
}

// shrink frees the pages that the connection has in memory.
func (c *connection) shrink() error {
	_, err := c.number("PRAGMA shrink_memory")
	return err
}
