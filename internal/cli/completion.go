package cli

import (
	"context"
	"io"
	"slices"

	"signet/internal/completion"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCommand) Help() string {
	return `The packages install these scripts. Where the program was installed by hand, for bash:

  source <(signet completion bash)`
}

func (c *completionCommand) Run(con *console) error {
	_, err := io.WriteString(con.stdout, completion.Script(c.Shell, program)) // with --json too: a shell reads it
	return err
}

// completeCommand is what the scripts call: the shell, then the words after the program's
// name up to the cursor. A --json is one of these words. It never fails, since nobody would see why.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

func (c *completeCommand) Run(ctx context.Context, con *console) error {
	if len(c.Words) < 2 || !slices.Contains(completion.Shells, c.Words[0]) {
		return nil
	}
	words, cut := completion.Words(c.Words[0], c.Words[1:])
	parser, err := con.newParser(ctx, words, func(int) {})
	if err != nil {
		return err
	}
	_, err = io.WriteString(con.stdout, completion.Complete(parser.Model, words).Without(cut).Text())
	return err
}
