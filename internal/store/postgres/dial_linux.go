package postgres

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unsentTimeout is how long what was sent may stay without the other machine's word that it has it. Without it the
// system goes on for a quarter of an hour, and the engine for as long as a statement may take.
const unsentTimeout = 10 * time.Second

// limitUnsent sets unsentTimeout for a socket.
func limitUnsent(network, _ string, socket syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	var failed error
	err := socket.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unsentTimeout.Milliseconds()))
	})
	return errors.Join(err, failed)
}
