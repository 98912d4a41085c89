package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

	"signet/client"
)

type pushCommands struct {
	Show   pushShowCommand   `cmd:"" help:"Show whether the server tells browsers of messages, and by which key they know it." example:"signet push show"`
	List   pushListCommand   `cmd:"" help:"List the browsers in which the caller is told of messages." note:"The one that is marked with * belongs to the caller's key." example:"signet push list"`
	Delete pushDeleteCommand `cmd:"" help:"Tell a browser of the caller's no more." note:"It asks to be told again when its page is opened." example:"signet push delete 0193..."`
}

// shownPush is whether a server pushes, and its key where it does.
type shownPush struct {
	On        bool   `json:"on"`
	PublicKey string `json:"public_key,omitempty"`
}

type pushShowCommand struct{ access }

func (*pushShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	key, err := c.PushKey(ctx)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound {
		err = nil // it pushes nothing
	}
	return show(con, shownPush{On: key != "", PublicKey: key}, err, func(p shownPush) []string {
		lines := []string{cells("on", strconv.FormatBool(p.On))}
		if p.On {
			lines = append(lines, cells("public_key", p.PublicKey))
		}
		return lines
	})
}

type pushListCommand struct{ access }

func (*pushListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.Subscriptions(ctx)
	head := cells("ID", "PUSH SERVICE", "DEVICE", "CREATED", "LAST SUCCESS", "CURRENT")
	return table(con, all, err, head, func(s client.Subscription) string {
		current := "-"
		if s.Current {
			current = "*"
		}
		return cells(s.ID, s.Host, cmp.Or(s.Device, "-"), moment(s.CreatedTime), moment(s.LastSuccess), current)
	})
}

type pushDeleteCommand struct {
	access
	ID string `arg:"" name:"id" help:"Its id, as list shows it."`
}

func (p *pushDeleteCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	return c.Unsubscribe(ctx, p.ID)
}
