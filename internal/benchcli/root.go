package benchcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"signet/client"
	"signet/internal/build"
	"signet/internal/commandline"
)

// program is what the program is called.
const program = "signet-bench"

// The exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitWrong  = 2 // the command line
)

// commands is the command line: each field with a cmd tag is a command.
type commands struct {
	Send        sendCommand        `cmd:"" help:"Measure messages from one person to another."`
	Attachments attachmentsCommand `cmd:"" help:"Measure messages with a file, which the recipient fetches."`
	Poll        pollCommand        `cmd:"" help:"Measure polls of 50 queued messages."`
	History     historyCommand     `cmd:"" help:"Measure pages of 50 messages of a conversation."`
	Ack         ackCommand         `cmd:"" help:"Measure a send, a poll of one and its acknowledgement."`
	Unread      unreadCommand      `cmd:"" help:"Measure unread counts."`
	Search      searchCommand      `cmd:"" help:"Measure searches for two letters of a name."`
	Group       groupCommand       `cmd:"" help:"Measure messages to a group whose members are away."`
	Deliver     deliverCommand     `cmd:"" help:"Measure how long messages take to open event streams."`
	Streams     streamsCommand     `cmd:"" help:"Measure what idle event streams cost."`
	Mixed       mixedCommand       `cmd:"" help:"Measure what people at work do, mixed."`
	Soak        soakCommand        `cmd:"" help:"Measure the same for long: people read what they get, and messages expire."`
	Floor       floorCommand       `cmd:"" help:"Measure the same HTTP stack with nothing behind it."`
	Copy        copyCommand        `cmd:"" help:"Measure a plain copy of files over HTTP, the floor of attachments."`
	Run         runCommand         `cmd:"" help:"Measure the whole set, on a server of its own."`

	FloorServer floorServerCommand `cmd:"" hidden:"" help:"Serve the floor."`

	Version kong.VersionFlag `name:"version" help:"Print the version."`
}

func (commands) Help() string {
	return `Each scenario makes an organization with people of its own and removes it afterwards, also when it is
interrupted. It acts as the operator of the server whose data directory is ./data, or as SIGNET_API_KEY and
SIGNET_API_SECRET at SIGNET_URL. An operator's key lifts the limits for these people; with an administrator's they
apply. The accounts stay, without keys and in no organization: the bench does not erase them.

Latency counts from when an operation should have begun: with --rate it includes waiting for a free connection.
Without --rate each connection begins the next operation when the last has ended, which shows how much the server
can do. CPU and memory are read on Linux only, of processes on this machine.

The exit code is 0 only if nothing failed and nobody interrupted it.

Examples:

  signet-bench send --connections 64

  signet-bench send --rate 500 --duration 1m --request-id

  signet-bench run`
}

// console is what a command has besides its context and its flags.
type console struct {
	env    commandline.Environment
	stdout io.Writer
	stderr io.Writer
}

// json writes a value on one line.
func (c *console) json(v any) error {
	enc := json.NewEncoder(c.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// lines writes lines whose cells are parted by tabs, in columns.
func (c *console) lines(lines []string) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// wrongConfiguration marks an error that trying again cannot mend.
type wrongConfiguration struct{ error }

func (w wrongConfiguration) Unwrap() error { return w.error }

// Run carries out a command line without the program's name and returns the exit code. env
// is the environment, as os.Environ gives it. When ctx ends, the command removes what it
// made on the server, and stops.
func Run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	con := &console{env: env, stdout: stdout, stderr: stderr}
	exited := -1
	parser, err := kong.New(new(commands),
		kong.Name(program),
		kong.Description("Put a server under load, and measure what it does and costs."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }), // after --help and --version
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		commandline.Spans(),
		kong.Vars{"version": build.Line(program)},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
	)
	if err != nil {
		return con.fail(fmt.Errorf("command line: %w", err), exitFailed)
	}
	command, err := parser.Parse(args)
	switch {
	case exited >= 0:
		return exited
	case err != nil:
		code := con.fail(err, exitWrong)
		fmt.Fprintln(stderr, `signet-bench: "signet-bench --help" and "signet-bench COMMAND --help" say what there is`)
		return code
	}
	switch err := command.Run(); {
	case err == nil:
		return exitDone
	case errors.As(err, new(wrongConfiguration)), errors.Is(err, client.ErrArgument):
		return con.fail(err, exitWrong)
	default:
		return con.fail(err, exitFailed)
	}
}

// fail says what went wrong, and returns code.
func (c *console) fail(err error, code int) int {
	commandline.Complain(c.stderr, program, err)
	return code
}
