package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"signet/client"
)

type groupDutyCommands struct {
	Show     groupDutyShowCommand     `cmd:"" help:"Show who is on duty, and the shifts of two weeks." example:"signet group duty show 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Set      groupDutySetCommand      `cmd:"" help:"Give a group a rota." note:"For its creator and for administrators. From then on the members of the group are those on duty, and those of --always. The rota takes the place of an earlier one." example:"signet group duty set 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 ann@example.com bob@example.com --timezone Europe/Berlin --start 2026-11-30T08:00:00+01:00 --hours 12 --fallback carol@example.com"`
	Override groupDutyOverrideCommand `cmd:"" help:"Have somebody on duty in place of whoever's turn it is." example:"signet group duty override 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 carol@example.com --from 2026-12-24T08:00:00+01:00 --to 2026-12-25T08:00:00+01:00"`
	Calendar groupDutyCalendarCommand `cmd:"" help:"Print the shifts as a calendar (RFC 5545)." example:"signet group duty calendar 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	End      groupDutyEndCommand      `cmd:"" help:"Take the rota of a group away." note:"Its members stay who they are." example:"signet group duty end 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
}

// dutySpan is a span of shifts.
type dutySpan struct {
	From time.Time `placeholder:"TIME" help:"Shifts from this time on, such as 2026-11-21T00:00:00Z; by default, from now on."`
	To   time.Time `placeholder:"TIME" help:"Shifts until this time; by default, two weeks."`
}

type groupDutyShowCommand struct {
	oneGroup
	dutySpan
}

func (g *groupDutyShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	duty, err := c.Duty(ctx, g.Group, g.From, g.To)
	return show(con, duty, err, dutyLines)
}

// dutyLines are who is on duty, and the shifts.
func dutyLines(d *client.Duty) []string {
	names := make(map[string]string, len(d.People))
	for _, u := range d.People {
		names[u.Token] = u.DisplayName
	}
	lines := []string{cells("time zone", d.Timezone)}
	for _, u := range d.OnDuty {
		lines = append(lines, cells("on duty", u.Token, u.DisplayName))
	}
	if len(d.OnDuty) == 0 {
		lines = append(lines, cells("on duty", "nobody"))
		for _, account := range d.Fallback {
			lines = append(lines, cells("fallback", account, names[account]))
		}
	}
	for _, s := range d.Shifts {
		kind := "turn"
		if s.Override {
			kind = "override"
		}
		lines = append(lines, cells(kind, moment(s.From), moment(s.To), s.Account, names[s.Account]))
	}
	return lines
}

type groupDutySetCommand struct {
	oneGroup
	Accounts []string  `arg:"" optional:"" name:"account" help:"Who takes turns, in this order, by token, e-mail, phone or username."`
	Timezone string    `placeholder:"NAME" help:"Time zone in which a hand-over keeps its hour, such as Europe/Berlin."`
	Start    time.Time `placeholder:"TIME" help:"When the first turn begins, such as 2026-11-30T08:00:00+01:00."`
	Hours    int       `placeholder:"N" help:"How many hours a turn has."`
	Always   []string  `placeholder:"A,B,..." help:"Who is in the group at any time."`
	Fallback []string  `placeholder:"A,B,..." help:"Who is in the group while nobody is on duty."`
	File     string    `placeholder:"FILE" help:"Take the whole rota from this file, as --json shows it; - is the standard input."`
}

func (g *groupDutySetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	rota := client.Rota{Timezone: g.Timezone, Always: g.Always, Fallback: g.Fallback}
	if len(g.Accounts) > 0 {
		rota.Rotation = &client.DutyRotation{Accounts: g.Accounts, Start: g.Start, Hours: g.Hours}
	}
	if g.File != "" {
		if len(g.Accounts)+len(g.Always)+len(g.Fallback) > 0 || g.Timezone != "" {
			return wrongConfiguration{errors.New("--file has the whole rota: accounts and other options do not go with it")}
		}
		text, err := con.readText(g.File)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &rota); err != nil {
			return wrongConfiguration{fmt.Errorf("read the rota: %w", err)}
		}
	}
	return c.SetDuty(ctx, g.Group, rota)
}

type groupDutyOverrideCommand struct {
	oneGroup
	Account string    `arg:"" help:"Who is on duty then, by token, e-mail, phone or username."`
	From    time.Time `required:"" placeholder:"TIME" help:"From when, such as 2026-12-24T08:00:00+01:00."`
	To      time.Time `required:"" placeholder:"TIME" help:"Until when."`
}

func (g *groupDutyOverrideCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	duty, err := c.Duty(ctx, g.Group, time.Time{}, time.Time{}) // only its rota is asked for
	if err != nil {
		return err
	}
	// Those of somebody who has left are nobody's any more, and cannot be given again.
	duty.Overrides = slices.DeleteFunc(duty.Overrides, func(o client.Override) bool { return o.Account == "" })
	duty.Overrides = append(duty.Overrides, client.Override{From: g.From, To: g.To, Account: g.Account})
	return c.SetDuty(ctx, g.Group, duty.Rota)
}

type groupDutyCalendarCommand struct {
	oneGroup
	dutySpan
}

func (g *groupDutyCalendarCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	calendar, err := c.DutyCalendar(ctx, g.Group, g.From, g.To)
	if err != nil {
		return err
	}
	_, err = con.stdout.Write(calendar)
	return err
}

type groupDutyEndCommand struct{ oneGroup }

func (g *groupDutyEndCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	return c.EndDuty(ctx, g.Group)
}
