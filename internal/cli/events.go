package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"signet/client"
	"signet/internal/commandline"
)

type eventsCommand struct {
	access
	Follow     bool   `short:"f" help:"Stay, and print each event as it happens."`
	Ack        bool   `help:"Acknowledge what was printed, so that it does not come again."`
	Limit      int    `placeholder:"N" help:"Print at most N; 0, the default, prints all."`
	After      string `placeholder:"ID" help:"Only events after this one."`
	Wait       span   `placeholder:"TIME" help:"If there are no events, wait so long for one, up to 60s. Not with --follow."`
	Typing     bool   `help:"With --follow: also who is writing."`
	Presence   bool   `help:"With --follow: also who is there, and who comes and goes."`
	SelfCopies bool   `help:"With --follow: also the account's own messages."`
	WebSocket  bool   `name:"websocket" help:"With --follow: over a WebSocket instead of server-sent events."`
}

func (eventsCommand) Help() string {
	return `It prints what is in the queue, oldest first. Without --ack the events stay there, and are printed
again next time. With --follow it prints until interrupted; a lost connection is made again.

Examples:

  signet events --ack

  signet events --follow --ack --json | while read -r event; do ...; done`
}

func (e *eventsCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if !e.Follow && (e.Typing || e.Presence || e.SelfCopies || e.WebSocket) {
		return wrongConfiguration{fmt.Errorf("--typing, --presence, --self-copies and --websocket go with --follow")}
	}
	if e.Follow && e.Wait != 0 || e.Limit < 0 {
		return wrongConfiguration{fmt.Errorf("--wait does not go with --follow, and --limit is 0 or more")}
	}
	if e.Follow {
		return e.follow(ctx, con, c)
	}
	return e.list(ctx, con, c)
}

// pageSize is how many events one call asks for: the most that it may.
const pageSize = 1000

// list prints what is in the queue now.
func (e *eventsCommand) list(ctx context.Context, con *console, c *client.Client) error {
	options := client.PollOptions{After: e.After, Wait: time.Duration(e.Wait)}
	for printed := 0; ; {
		options.Limit = pageSize
		if e.Limit > 0 {
			options.Limit = min(pageSize, e.Limit-printed)
		}
		events, err := c.Poll(ctx, options)
		if err != nil {
			return err
		}
		var ids []string
		for _, event := range events {
			if err := e.print(con, event); err != nil {
				return err
			}
			ids = append(ids, event.ID)
		}
		if e.Ack {
			if err := c.Ack(ctx, ids...); err != nil {
				return err
			}
		}
		// An answer may end below its limit, where its events are large.
		if printed += len(events); len(events) == 0 || printed == e.Limit {
			return nil
		}
		options.After, options.Wait = ids[len(ids)-1], 0
	}
}

// follow prints until the context ends, which is no failure.
func (e *eventsCommand) follow(ctx context.Context, con *console, c *client.Client) error {
	options := client.StreamOptions{
		Acknowledge: e.Ack, LastEventID: e.After, Typing: e.Typing, Presence: e.Presence, SelfCopies: e.SelfCopies,
		OnDisconnect: con.disconnected,
	}
	if e.WebSocket {
		options.Transport = client.WebSocket
	}
	printed := 0
	var last string
	for event, err := range c.Events(ctx, options) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.print(con, event); err != nil {
			return err
		}
		if printed++; printed == e.Limit {
			last = event.ID
			break
		}
	}
	if e.Ack && last != "" { // the stream leaves the one at which the loop ended
		return c.Ack(ctx, last)
	}
	return nil
}

// disconnected tells that a stream is connected again, and when.
func (con *console) disconnected(err error, wait time.Duration) {
	con.note("%v; connecting again in %v", err, wait.Round(100*time.Millisecond))
}

// print writes one event on one line.
func (e *eventsCommand) print(con *console, event client.Event) error {
	if con.asJSON {
		return con.json(event)
	}
	_, err := fmt.Fprintf(con.stdout, "%s %s %s\n", commandline.Plain(event.ID),
		commandline.Plain(string(event.Kind)), commandline.Plain(summary(event)))
	return err
}

// summary tells in a few words what happened. What it cannot read it leaves as
// it is.
func summary(event client.Event) string {
	var words []string
	switch event.Kind {
	case client.EventMessage, client.EventGroupMessage:
		if m, err := event.Message(); err == nil {
			words = messageSummary(m)
		}
	case client.EventStatus, client.EventGroupStatus:
		if s, err := event.Status(); err == nil {
			words = statusSummary(s)
		}
	case client.EventEscalated:
		if e, err := event.Escalated(); err == nil {
			words = escalatedSummary(e)
		}
	case client.EventTyping:
		if t, err := event.Typing(); err == nil {
			words = []string{t.SenderToken, t.Status}
		}
	case client.EventFriends:
		if f, err := event.Friend(); err == nil {
			words = []string{f.Action, f.Entity.Token(), quoted(f.Entity.DisplayName())}
		}
	case client.EventBang:
		if b, err := event.Bang(); err == nil {
			words = []string{quoted(b.SubjectEntity.DisplayName()), b.Event, "in", b.TargetEntity.Token(),
				quoted(b.TargetEntity.DisplayName())}
		}
	case client.EventUpdate:
		if u, err := event.Update(); err == nil {
			words = []string{u.Token(), quoted(u.DisplayName())}
		}
	case client.EventPresence:
		if p, err := event.Presence(); err == nil {
			words = []string{p.From, p.Type}
		}
	case client.EventAdminRequest:
		if r, err := event.AdminRequest(); err == nil {
			words = []string{r.AccountID, "asks to administer", r.OrganizationID}
		}
	}
	if words == nil {
		return string(event.Payload)
	}
	return strings.Join(words, " ")
}

func messageSummary(m *client.Message) []string {
	words := []string{m.MessageID, "from", m.SenderToken}
	if m.GroupToken != "" {
		words = append(words, "in", m.GroupToken)
	}
	if m.Priority > client.PriorityNormal {
		words = append(words, "(priority)")
	}
	for _, a := range m.Attachments {
		words = append(words, "with", quoted(a.Name))
	}
	if m.IsRecalled {
		return append(words, "recalled")
	}
	return append(words, quoted(m.Body))
}

func statusSummary(s *client.StatusChange) []string {
	if s.IsRecalled {
		return []string{s.ClientID, "recalled"}
	}
	return []string{s.ClientID, string(s.Status), "by", s.AccountID}
}

func escalatedSummary(e *client.Escalated) []string {
	if e.Step == 0 {
		return []string{e.ClientID, "nobody came"}
	}
	return append([]string{e.ClientID, "step", strconv.Itoa(e.Step), "to"}, e.To...)
}

// quoted shows where a text begins and ends, and its line breaks.
func quoted(text string) string { return fmt.Sprintf("%q", text) }
