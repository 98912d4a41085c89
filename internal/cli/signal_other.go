//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package cli

import "os"

// upgradeSignal is none: such systems pass no sockets on.
var upgradeSignal os.Signal
