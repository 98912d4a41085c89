package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"signet/client"
	"signet/internal/build"
	"signet/internal/commandline"
	"signet/internal/config"
)

// program is what the program is called.
const program = "signet"

// commands is the command line: each field with a cmd tag is a command.
type commands struct {
	Serve    serveCommand     `cmd:"" help:"Run the server."`
	Upgrade  upgradeCommand   `cmd:"" help:"Have the running server hand over to the new version of its program, without a gap."`
	Health   healthCommand    `cmd:"" help:"Ask the server on this machine whether it is ready; for containers and scripts."`
	Status   statusCommand    `cmd:"" help:"Show on one screen how the installation is doing."`
	Doctor   doctorCommand    `cmd:"" help:"Look at an installation, and say what is wrong and what to do."`
	Config   configCommands   `cmd:"" help:"Print all settings, or those in force, or check a configuration file."`
	Operator operatorCommands `cmd:"" help:"Replace the operator's credentials."`
	Audit    auditCommands    `cmd:"" help:"Read, export and check the audit log."`
	Account  accountCommands  `cmd:"" help:"Look at addresses, and erase accounts, in the server's data."`
	Blobs    blobsCommands    `cmd:"" help:"Count and remove files that nothing refers to."`
	Backup   backupCommand    `cmd:"" help:"Write a backup of the embedded store and its attachments, whether or not the server is running."`
	Restore  restoreCommand   `cmd:"" help:"Restore a backup into an empty data directory, or check one."`
	Verify   verifyCommand    `cmd:"" help:"Check all that a server keeps: its database, what is sealed, and its audit log."`
	Adopt    adoptCommand     `cmd:"" help:"Take over a key ring and attachments from an installation that is gone."`
	Promote  promoteCommand   `cmd:"" help:"Make a standby the server, in the place of the one that it follows."`
	Demote   demoteCommand    `cmd:"" help:"Make a server from which another one took over a standby."`
	Keys     keysCommands     `cmd:"" help:"Rotate, verify and copy the keys that everything is sealed with."`
	Clock    clockCommands    `cmd:"" help:"Look at the clock by which messages expire, or accept it after a jump."`
	Migrate  migrateCommand   `cmd:"" help:"Move an installation from the embedded store to PostgreSQL."`
	Version  versionCommand   `cmd:"" help:"Print the version of this program."`
	Licenses licensesCommand  `cmd:"" help:"List what this program is made of, and under which licences."`
	Manual   manualCommand    `cmd:"" help:"Write the manual pages of all commands into a directory."`

	Completion completionCommand `cmd:"" help:"Print the script that completes command lines in a shell."`
	Complete   completeCommand   `cmd:"" hidden:"" passthrough:"" help:"What may stand at the cursor; shells call it."`

	Login        loginCommand         `cmd:"" group:"client" help:"Sign in with the provider of an organization, by a browser, and print a key." example:"signet login ann@example.com --server https://signet.example.com"`
	Org          orgCommands          `cmd:"" aliases:"organization" group:"client" help:"Create, show, change and delete organizations."`
	User         userCommands         `cmd:"" group:"client" help:"Create, find, show and change accounts, and their memberships."`
	Key          keyCommands          `cmd:"" group:"client" help:"Issue, list, revoke and rotate API keys."`
	Passkey      passkeyCommands      `cmd:"" group:"client" help:"List and remove passkeys, and allow another one in place of one that is lost."`
	Webhook      webhookCommands      `cmd:"" group:"client" help:"Have events of accounts POSTed to URLs: webhooks."`
	Push         pushCommands         `cmd:"" group:"client" help:"Show in which browsers the caller is told of messages, and end that."`
	Roles        rolesCommands        `cmd:"" group:"client" help:"List, grant and revoke the roles of accounts."`
	Send         sendCommand          `cmd:"" group:"client" help:"Send a message."`
	Message      messageCommands      `cmd:"" group:"client" help:"Show, mark, save, forward and recall messages."`
	Escalation   escalationCommands   `cmd:"" group:"client" help:"Show and end the escalations of messages, and keep policies for them."`
	Events       eventsCommand        `cmd:"" group:"client" help:"Print the account's events, or follow them."`
	Unread       unreadCommand        `cmd:"" group:"client" help:"Count the unread messages of an account." example:"signet unread ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Group        groupCommands        `cmd:"" group:"client" help:"Create, show, change and delete groups."`
	Conversation conversationCommands `cmd:"" group:"client" help:"List and show the caller's conversations, and mark them as read."`
	Roster       rosterCommands       `cmd:"" group:"client" help:"List and change the caller's conversations."`
	Metadata     metadataCommands     `cmd:"" group:"client" help:"Show and change what is kept about users and groups."`
	Search       searchCommand        `cmd:"" group:"client" help:"Find users and groups."`

	Bench movedBench `cmd:"" hidden:"" passthrough:"" help:"It is a program of its own: signet-bench."`

	JSON        bool             `name:"json" help:"Print results, messages and errors as JSON, one value on a line."`
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version, like the command."`
}

func (commands) Help() string {
	return "Exit codes:\n\n" + exitTable() +
		"\nWith --json an error is {\"error\": {\"exit\": 4, \"message\": \"...\"}} on standard error."
}

// console is what a command has besides its context and its flags.
type console struct {
	args   []string // without the program's name
	env    commandline.Environment
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	asJSON bool // --json was given

	client *client.Client // of a command that calls a server
}

// printf writes for people, or for the script that called: with --json each line as {"message": "..."}.
func (c *console) printf(format string, args ...any) {
	if !c.asJSON {
		fmt.Fprintf(c.stdout, format, args...)
		return
	}
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		if line = strings.TrimSpace(line); line != "" {
			_ = encodeLine(c.stdout, map[string]string{"message": line})
		}
	}
}

// report is printf for what a command did, unless err says that it did not; it returns err.
func (c *console) report(err error, format string, args ...any) error {
	if err == nil {
		c.printf(format, args...)
	}
	return err
}

// wrongConfiguration marks an error that trying again cannot mend.
type wrongConfiguration struct{ error }

func (w wrongConfiguration) Unwrap() error { return w.error }

// told marks an error that the log has told already.
type told struct{ error }

func (t told) Unwrap() error { return t.error }

const description = `Signet is a self-hosted secure-messaging server: the Messaging Service REST Interface, version
2, in one program.`

// Run carries out a command line without the program's name and returns the
// exit code. env is the environment, as os.Environ gives it. When ctx ends, the
// command stops as soon as it can without losing anything.
func Run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	con := &console{args: args, env: env, stdin: os.Stdin, stdout: stdout, stderr: stderr, asJSON: wantsJSON(args)}
	if err := wantText(args); err != nil {
		return con.fail(err, exitWrong)
	}
	exited := -1
	parser, err := con.newParser(ctx, args, func(code int) { exited = code })
	if err != nil {
		return con.fail(fmt.Errorf("command line: %w", err), exitFailed)
	}
	command, err := parser.Parse(askingForHelp(parser.Model.Node, args))
	switch {
	case exited >= 0:
		return exited
	case err != nil:
		code := con.fail(err, exitWrong)
		con.note(`"signet --help" and "signet COMMAND --help" say what there is`)
		return code
	}
	if err = con.wantVerifiedLinks(command); err == nil {
		err = con.run(command)
	}
	if con.client != nil {
		con.client.Close()
	}
	if err == nil {
		return exitDone
	}
	return con.fail(err, exitCode(err))
}

// askingForHelp adds --help to a command line that names no command, or only what several commands have
// in common, such as "signet org": it is asked what there is.
func askingForHelp(at *kong.Node, args []string) []string {
	for _, arg := range args {
		named := func(n *kong.Node) bool { return n.Name == arg || slices.Contains(n.Aliases, arg) }
		next := slices.IndexFunc(at.Children, named)
		if next < 0 {
			return args
		}
		at = at.Children[next]
	}
	if len(at.Children) == 0 || at.DefaultCmd != nil {
		return args
	}
	return append(slices.Clone(args), "--help")
}

// newParser returns what reads command lines of these arguments. exit is called after --help
// and --version, which Parse answers itself.
func (c *console) newParser(ctx context.Context, args []string, exit func(code int)) (*kong.Kong, error) {
	return kong.New(newCommands(args),
		kong.Name(program),
		kong.Description(description),
		kong.Writers(c.stdout, c.stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		commandline.Spans(),
		kong.Vars{"version": build.Line(program)},
		kong.ExplicitGroups([]kong.Group{settingsGroup, clientGroup}),
		kong.PostBuild(describe),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(c),
	)
}

// run carries out a command. What its Run method asks for beyond the context and the console, it
// provides itself.
func (c *console) run(command *kong.Context) error {
	selected := command.Selected().Target.Addr().Interface()
	if p, ok := selected.(interface {
		ProvideConfig(*console) (*config.Config, error)
	}); ok {
		if err := command.BindToProvider(p.ProvideConfig); err != nil {
			return err
		}
	}
	if p, ok := selected.(interface {
		ProvideClient(*console) (*client.Client, error)
	}); ok {
		if err := command.BindToProvider(p.ProvideClient); err != nil {
			return err
		}
	}
	return command.Run()
}

// wantText refuses arguments that are not UTF-8: characters of a name would be lost on the way.
func wantText(args []string) error {
	for i, arg := range args {
		if !utf8.ValidString(arg) {
			return fmt.Errorf("argument %d, %q, is not UTF-8: set the terminal or the script to it", i+1, arg)
		}
	}
	return nil
}

// wantVerifiedLinks refuses addresses in flags and arguments over whose links nobody
// watches. Those in the settings of a server are refused as these are read.
func (c *console) wantVerifiedLinks(command *kong.Context) error {
	given, from := command.Selected().Positional, config.Sources{Environ: c.env}
	for _, flag := range command.Flags() {
		if given = append(given, flag.Value); flag.Name == "config" {
			from.File = flag.Target.String()
		}
	}
	for _, value := range given {
		address, ok := value.Target.Interface().(string)
		if err := config.VerifiedLink(address); ok && err != nil && !config.AllowsInsecureLinks(from) {
			return wrongConfiguration{fmt.Errorf("%s: %w", value.Summary(), err)}
		}
	}
	return nil
}

// newCommands returns the command line. A command has the flags that follow from the
// settings if args name it: kong prepares each flag of each command before it reads
// the first argument, and these would be most of them.
func newCommands(args []string) *commands {
	c := new(commands)
	for name, s := range c.withSettings() {
		if slices.Contains(args, name) {
			s.Settings = newSettingFlags()
		}
	}
	return c
}

// withSettings are the commands that take the settings of a server as flags, by name.
func (c *commands) withSettings() map[string]*serverSettings {
	return map[string]*serverSettings{"serve": &c.Serve.serverSettings, "health": &c.Health.serverSettings,
		"status": &c.Status.serverSettings, "doctor": &c.Doctor.serverSettings, "promote": &c.Promote.serverSettings,
		"show": &c.Config.Show.serverSettings}
}

// describe makes the long help of a command of its tags note and example.
func describe(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Tag != nil && n.Tag.Has("example") {
			n.Detail = strings.TrimSpace(n.Tag.Get("note") + "\n\nExample:\n\n  " + n.Tag.Get("example"))
		}
		return next(nil)
	})
}
