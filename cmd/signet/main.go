// Command signet is the messaging server and its command-line client. It turns
// signals into the end of a context and results into exit codes; everything
// else is in internal/cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"signet/internal/cli"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to stop. A second one finds the default again,
	// which ends the program at once.
	context.AfterFunc(ctx, release)
	os.Exit(cli.Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
