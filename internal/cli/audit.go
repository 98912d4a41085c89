package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
)

type auditCommands struct {
	List   auditListCommand   `cmd:"" help:"Print an organization's or the platform's entries, from a server." example:"signet audit list Hq3nVt0cXz8Lw2RbKd5mYp7A --action key.issue"`
	Follow auditFollowCommand `cmd:"" help:"Print an organization's or the platform's entries as they are made, until interrupted." note:"A lost connection is made again, and nothing is lost or printed twice." example:"signet audit follow Hq3nVt0cXz8Lw2RbKd5mYp7A --after 0 --json"`
	Export auditExportCommand `cmd:"" help:"Write the audit log as JSON lines, from the server's data."`
	Verify auditVerifyCommand `cmd:"" help:"Check that nobody changed the audit log, in the server's data." note:"For those who run the server, whether or not it is running. If an entry is not as it was written, it names the first such entry and exits with 1." example:"signet audit verify --data /var/lib/signet --checkpoint audit.jsonl"`
}

// dataFlags say where a server stores, for commands that work on its data.
type dataFlags struct {
	Data     string `default:"./data" env:"SIGNET_DATA" placeholder:"DIR" help:"The server's data directory (default ./data)."`
	Database string `env:"SIGNET_DATABASE" placeholder:"URL" help:"The server's PostgreSQL database, if it has one."`
}

type auditListCommand struct {
	access
	Organization string    `arg:"" optional:"" help:"Token of the organization; without one, the platform's own entries, for operators."`
	Limit        int       `default:"100" placeholder:"N" help:"Print at most N entries, the newest: 1 to 1000 (default 100)."`
	Before       int64     `placeholder:"NUMBER" help:"Only entries before this one."`
	Since        time.Time `placeholder:"TIME" help:"Only entries from this time, such as 2026-11-21T00:00:00Z."`
	Until        time.Time `placeholder:"TIME" help:"Only entries before this time."`
	Action       []string  `placeholder:"ACTION" help:"Only entries of this action, such as key.issue; may be repeated."`
	Account      string    `placeholder:"ADDRESS" help:"Only entries by this account, or on it."`
	Outcome      string    `placeholder:"CODE" help:"Only entries with this outcome: ok, the code of an error, or refused for any code."`
	Reads        bool      `default:"true" negatable:"" help:"Print entries about mere reading, too; --no-reads leaves them out."`
	Names        bool      `help:"Print names in place of tokens, where the caller may see them."`
}

func (a *auditListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	query := client.AuditQuery{Limit: a.Limit, Before: a.Before, Since: a.Since, Until: a.Until, Actions: a.Action,
		Account: a.Account, Outcome: a.Outcome, NoReads: !a.Reads}
	if !a.Names {
		entries, err := c.Audit(ctx, a.Organization, query)
		return table(con, entries, err, entryHead(), entryCells)
	}
	page, err := c.AuditPage(ctx, a.Organization, query)
	if err != nil {
		return err
	}
	if con.asJSON {
		return con.json(page)
	}
	return table(con, page.Entries, nil, entryHead(), func(e client.AuditEntry) string {
		e.Account, e.OnAccount = cmp.Or(page.Names[e.Account], e.Account), cmp.Or(page.Names[e.OnAccount], e.OnAccount)
		return entryCells(e)
	})
}

// entryHead names the columns of entryCells.
func entryHead() string {
	return cells("NUMBER", "TIME", "ACTION", "OUTCOME", "BY", "ON", "KEY", "ADDRESS", "DETAIL", "NAMES")
}

func entryCells(e client.AuditEntry) string {
	return cells(strconv.FormatInt(e.Number, 10), moment(e.Time), e.Action, e.Outcome, e.Account, e.OnAccount, e.OnKey,
		e.Address, e.Detail, renames(e))
}

// renames says which names were changed, and how.
func renames(e client.AuditEntry) string {
	var out []string
	for _, field := range slices.Sorted(maps.Keys(e.New)) {
		out = append(out, fmt.Sprintf("%s: %q to %q", field, e.Old[field], e.New[field]))
	}
	return strings.Join(out, ", ")
}

type auditFollowCommand struct {
	access
	Organization string `arg:"" optional:"" help:"Token of the organization; without one, the platform's own entries, for operators."`
	After        *int64 `placeholder:"NUMBER" help:"Begin after this entry; 0 begins with the first. Without it, print entries made from now on."`
	Limit        int    `placeholder:"N" help:"Print at most N; 0, the default, prints all."`
}

// Run prints until the context ends, which is no failure.
func (a *auditFollowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if a.Limit < 0 || a.After != nil && *a.After < 0 {
		return wrongConfiguration{fmt.Errorf("--limit and --after are 0 or more")}
	}
	printed := 0
	for entry, err := range c.AuditFollow(ctx, a.Organization,
		client.AuditFollowOptions{After: a.After, OnDisconnect: con.disconnected}) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if con.asJSON {
			err = con.json(entry)
		} else {
			_, err = fmt.Fprintln(con.stdout, strings.ReplaceAll(entryCells(entry), "\t", "  "))
		}
		if err != nil {
			return err
		}
		if printed++; printed == a.Limit {
			return nil
		}
	}
	return nil
}

type auditExportCommand struct {
	dataFlags
	Format       string    `enum:"jsonl" default:"jsonl" help:"Form of the export: jsonl (default), one object per line."`
	Organization string    `placeholder:"TOKEN" help:"Only entries of this organization."`
	Since        time.Time `placeholder:"TIME" help:"Only entries from this time, such as 2026-11-21T00:00:00Z."`
	Until        time.Time `placeholder:"TIME" help:"Only entries before this time."`
}

func (auditExportCommand) Help() string {
	return "For those who run the server, whether or not it is running. The last lines are signed checkpoints. Kept on " +
		"another machine, they let `signet audit verify --checkpoint` tell whether anything has been cut off since.\n\n" +
		"Example:\n\n  signet audit export --data /var/lib/signet > audit.jsonl"
}

func (a *auditExportCommand) Run(ctx context.Context, con *console) error {
	return offline.ExportAudit(ctx, a.Data, a.Database,
		offline.AuditSelection{Organization: a.Organization, Since: a.Since, Until: a.Until}, con.stdout)
}

type auditVerifyCommand struct {
	keysFlags
	Checkpoint []string `placeholder:"FILE" help:"An export whose checkpoints have to be in the log; may be repeated."`
}

func (a *auditVerifyCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	u, err := offline.VerifyAudit(ctx, cfg, a.Checkpoint, func(line string) { con.printf("%s\n", line) })
	if err != nil {
		return err
	}
	con.printf("%s as they were written.\n", count(u.Entries, "entry", "entries"))
	switch {
	case u.NoCodes != nil:
		con.printf("The rows of keys, passwords, accounts, memberships and roles were not checked: %v\n", u.NoCodes)
	case u.Forged > 0:
		return fmt.Errorf("%d of %d rows that give access were not written by a server", u.Forged, u.Rows)
	default:
		con.printf("%s that give access, all written by a server.\n", count(int64(u.Rows), "row", "rows"))
	}
	return nil
}
