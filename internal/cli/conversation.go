package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"signet/client"
)

type conversationCommands struct {
	List conversationListCommand `cmd:"" default:"withargs" help:"List the conversations with their last messages, newest first." example:"signet conversation list"`
	Show conversationShowCommand `cmd:"" help:"Show the messages of a conversation, newest first." note:"It marks none of them." example:"signet conversation show bob@example.com"`
	Read conversationReadCommand `cmd:"" help:"Mark everything received in a conversation as read." note:"The senders are told." example:"signet conversation read bob@example.com"`
}

type conversationListCommand struct {
	access
	within
	limited
}

func (l *conversationListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all := client.Pages(func(p client.Page) (*client.Listing[client.Conversation], error) {
		return c.In(l.Org).Conversations(ctx, p)
	})
	head := cells("TOKEN", "KIND", "NAME", "UNREAD", "LAST MESSAGE")
	return listed(con, l.limited, all, head, func(e client.Conversation) string {
		last := ""
		if e.LastMessage != nil {
			last = moment(e.LastMessage.CreatedTime)
		}
		return cells(e.Entity.Token(), string(e.Entity.Kind), e.Entity.DisplayName(), strconv.Itoa(e.UnreadCount), last)
	})
}

// oneConversation names a conversation.
type oneConversation struct {
	access
	within
	Entity string `arg:"" help:"User, by token, e-mail, phone or username, or group, by token."`
}

type conversationShowCommand struct {
	oneConversation
	Before int64 `placeholder:"N" help:"Only messages with a smaller sort number."`
	After  int64 `placeholder:"N" help:"Only messages with a greater sort number, the oldest first."`
	limited
}

func (s *conversationShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if s.Limit < 0 || s.Before < 0 || s.After < 0 {
		return wrongConfiguration{fmt.Errorf("--limit, --before and --after are 0 or more")}
	}
	var at client.HistoryRange
	if s.Before > 0 {
		at.Before = &s.Before
	}
	if s.After > 0 {
		at.After = &s.After
	}
	var all []client.Message
	for {
		const most = 200
		page := most
		if s.Limit > 0 {
			page = min(most, s.Limit-len(all))
		}
		found, err := c.In(s.Org).History(ctx, s.Entity, at, page)
		if err != nil {
			return err
		}
		all = append(all, found.Results...)
		if !found.Metadata.More || len(found.Results) == 0 || len(all) == s.Limit {
			break
		}
		last := all[len(all)-1].SortNumber
		if at.After != nil {
			at.After = &last
		} else {
			at.Before = &last
		}
	}
	head := cells("SORT NUMBER", "SENT", "FROM", "STATUS", "BODY")
	return table(con, all, nil, head, func(m client.Message) string {
		body := m.Body
		if m.IsRecalled {
			body = "(recalled)"
		}
		return cells(strconv.FormatInt(m.SortNumber, 10), moment(m.CreatedTime), m.SenderToken, string(m.Status), body)
	})
}

type conversationReadCommand struct {
	oneConversation
	UpTo int64 `name:"up-to" placeholder:"N" help:"Only up to this sort number."`
}

func (r *conversationReadCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	upTo := r.UpTo
	if upTo == 0 {
		upTo = math.MaxInt64
	}
	return c.In(r.Org).ReadConversation(ctx, r.Entity, upTo)
}
