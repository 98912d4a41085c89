//go:build unix

package api

import (
	"os"
	"syscall"
)

// writeNow writes to a connection, which does not block, what it has room for.
func writeNow(connection uintptr, text []byte) (int, error) {
	n, err := syscall.Write(int(connection), text)
	switch err {
	case nil:
		return n, nil
	case syscall.EAGAIN, syscall.EINTR:
		return 0, nil
	default:
		return 0, os.NewSyscallError("write", err)
	}
}
