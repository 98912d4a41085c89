// Command signet-bench is the load generator. It turns signals into the end of a context
// and results into exit codes; everything else is in internal/benchcli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"signet/internal/benchcli"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to stop. A second one finds the default again,
	// which ends the program at once.
	context.AfterFunc(ctx, release)
	os.Exit(benchcli.Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
