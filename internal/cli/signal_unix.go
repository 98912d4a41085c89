//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cli

import (
	"os"
	"syscall"
)

// upgradeSignal asks a server to hand over to its program, started anew.
var upgradeSignal os.Signal = syscall.SIGUSR2
