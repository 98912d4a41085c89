package api

import (
	"net"
	"sync"
	"syscall"
)

// promptWrite is a write that does not wait: it takes as much as there is room for.
type promptWrite struct {
	text  []byte
	n     int
	err   error
	write func(connection uintptr) (done bool) // once
}

func (w *promptWrite) once(connection uintptr) bool {
	w.n, w.err = writeNow(connection, w.text)
	return true
}

// promptWrites are used again: each would be three objects.
var promptWrites = sync.Pool{New: func() any {
	w := new(promptWrite)
	w.write = w.once
	return w
}}

// rawOf is what tryWrite needs of a connection, or nil where that has no such thing.
func rawOf(conn net.Conn) syscall.RawConn {
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// tryWrite writes what a connection takes at once, which may be nothing, and returns how
// much that is.
func tryWrite(raw syscall.RawConn, text []byte) (int, error) {
	if raw == nil {
		return 0, nil
	}
	w := promptWrites.Get().(*promptWrite)
	w.text, w.n, w.err = text, 0, nil
	err := raw.Write(w.write)
	if err == nil {
		err = w.err
	}
	n := w.n
	w.text = nil
	promptWrites.Put(w)
	return n, err
}
