package cli

import (
	"context"
	"fmt"

	"signet/client"
	"signet/internal/commandline"
)

type searchCommand struct {
	access
	Text     string   `arg:"" optional:"" help:"What to look for: the beginnings of words. Without it, everybody."`
	Field    string   `default:"any" help:"Where: any, display_name, first_name, last_name, username, email, phone, title, department, name, token, or several, separated by commas. Default any."`
	Not      string   `placeholder:"TEXT" help:"Leave out whatever matches this in the same field."`
	Type     []string `enum:"account,group" placeholder:"KIND" help:"Only accounts, or only groups."`
	Org      []string `name:"org" placeholder:"TOKEN" help:"Only in this organization; may be repeated. Without it, all of the caller's."`
	Sort     []string `placeholder:"FIELD" help:"Order, with - in front for descending, as in --sort=-title; default display_name."`
	Limit    int      `default:"50" placeholder:"N" help:"Print at most N; 0 prints all. Default 50."`
	Metadata bool     `help:"Also print the metadata of each, in JSON."`
	Disabled bool     `help:"Also find what is disabled."`
}

func (searchCommand) Help() string {
	return "Case and accents do not matter. With --json, each line is one result.\n\nExamples:\n\n  signet search " +
		"\"jo mey\"\n\n  signet search ward --field department --type account --limit 0"
}

func (s *searchCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if s.Limit < 0 {
		return wrongConfiguration{fmt.Errorf("--limit is 0 or more")}
	}
	query := client.Search{Directory: s.Org, Sort: s.Sort, RenderMetadata: s.Metadata, IncludeDisabled: s.Disabled,
		PageSize: 200}
	if s.Limit > 0 {
		query.PageSize = min(200, s.Limit)
	}
	for _, kind := range s.Type {
		query.Types = append(query.Types, client.EntityKind(kind))
	}
	if s.Text != "" {
		query.Must = []client.Criterion{{Field: s.Field, Text: s.Text}}
	}
	if s.Not != "" {
		query.MustNot = []client.Criterion{{Field: s.Field, Text: s.Not}}
	}
	n := 0
	for hit, err := range c.SearchAll(ctx, query) {
		if err != nil {
			return err
		}
		if err := s.print(con, hit); err != nil {
			return err
		}
		if n++; n == s.Limit {
			break
		}
	}
	return nil
}

// print writes a result as soon as it is there: columns would have to wait for
// the last one.
func (s *searchCommand) print(con *console, hit client.Hit) error {
	if con.asJSON {
		return con.json(hit)
	}
	_, err := fmt.Fprintf(con.stdout, "%s  %-7s  %s\n", commandline.Plain(hit.Entity.Token()),
		commandline.Plain(string(hit.Entity.Kind)), commandline.Plain(hit.Entity.DisplayName()))
	return err
}
