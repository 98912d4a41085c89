package store

import (
	"runtime/debug"

	"signet/internal/model"
)

// PanicError is what Update returns when its function panicked. The stack is
// for the log.
type PanicError struct {
	Value any
	stack []byte
}

// NewPanicError makes the error of a panic that was just recovered. It takes the
// stack of its caller's goroutine.
func NewPanicError(value any) *PanicError { return &PanicError{value, debug.Stack()} }

func (e *PanicError) Error() string { return "panic in a transaction: " + model.PanicText(e.Value) }

// Stack returns the stack of the goroutine that panicked, as runtime/debug.Stack
// formats it.
func (e *PanicError) Stack() []byte { return e.stack }

// Unwrap returns the value of the panic where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
