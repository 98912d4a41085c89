package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"signet/client"
)

type webhookCommands struct {
	Create webhookCreateCommand `cmd:"" help:"Have an account's events POSTed to a URL." note:"It prints what the receiver checks signatures with: a secret, which is shown this once, or with --signature v1a a public key." example:"signet webhook create https://hooks.example.com/signet --user lab@example.com --event message"`
	List   webhookListCommand   `cmd:"" help:"List the webhooks of an account." example:"signet webhook list lab@example.com"`
	Show   webhookShowCommand   `cmd:"" help:"Show a webhook with its last 100 deliveries." example:"signet webhook show 0193... --user lab@example.com"`
	Change webhookChangeCommand `cmd:"" help:"Change, enable or disable a webhook." note:"What is left out stays." example:"signet webhook change 0193... --user lab@example.com --enable"`
	Delete webhookDeleteCommand `cmd:"" help:"End a webhook at once." example:"signet webhook delete 0193... --user lab@example.com"`
	Test   webhookTestCommand   `cmd:"" help:"POST a test to a webhook and show the answer." note:"It fails unless the receiver answers with a 2xx." example:"signet webhook test 0193... --user lab@example.com"`
	Rotate webhookRotateCommand `cmd:"" help:"Give a webhook a new secret and print it." note:"For the grace period requests have a signature by each." example:"signet webhook rotate 0193... --user lab@example.com --grace 10m"`
	Resend webhookResendCommand `cmd:"" help:"Deliver again from an event or a time on." note:"What was acknowledged is kept for 7 days. Each event has the same webhook-id as before." example:"signet webhook resend 0193... 2026-11-21T08:00:00Z --user lab@example.com"`
}

// webhookOf names a webhook of an account.
type webhookOf struct {
	Webhook string `arg:"" help:"The webhook's token."`
	User    string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
}

type webhookCreateCommand struct {
	access
	URL          string   `arg:"" name:"url" help:"Where events go to: https, at a host that the server's setting egress.webhooks names."`
	User         string   `default:"me" placeholder:"ADDRESS" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
	Event        []string `placeholder:"TYPE" help:"Type of events that go there, such as message; may be repeated. Without it, all."`
	Content      string   `enum:"thin,full" default:"thin" help:"What is sent: tokens and times (thin, default), or what events say too (full)."`
	Acknowledge  bool     `help:"An answer of 2xx acknowledges the event, which then leaves the account's queue."`
	Signature    string   `enum:"v1,v1a" default:"v1" help:"How requests are signed: v1 (HMAC-SHA256, default) or v1a (Ed25519)."`
	Organization string   `placeholder:"TOKEN" help:"The only organization whose events go there. Without it, all of the account's; an administrator can make webhooks only for its own organization."`
}

func (w *webhookCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	made, err := c.CreateWebhook(ctx, w.User, client.NewWebhook{URL: w.URL, Events: w.Event, Content: w.Content,
		Acknowledge: w.Acknowledge, Signature: w.Signature, Organization: w.Organization})
	return show(con, made, err, madeWebhookLines)
}

func madeWebhookLines(made *client.MadeWebhook) []string {
	lines := []string{cells("webhook", made.Webhook)}
	if made.Secret != "" {
		lines = append(lines, cells("secret", made.Secret))
	}
	if made.PublicKey != "" {
		lines = append(lines, cells("public_key", made.PublicKey))
	}
	return lines
}

type webhookListCommand struct {
	access
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
}

func (w *webhookListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.Webhooks(ctx, w.User)
	head := cells("WEBHOOK", "STATE", "URL", "EVENTS", "CONTENT", "ACKNOWLEDGE", "LAST SUCCESS", "ORGANIZATION",
		"ISSUED BY")
	return table(con, all, err, head, func(w client.Webhook) string {
		return cells(w.Webhook, webhookState(&w), w.URL, cmp.Or(strings.Join(w.Events, ","), "all"), w.Content,
			strconv.FormatBool(w.Acknowledge), moment(w.LastSuccessTime), cmp.Or(w.Organization, "-"), cmp.Or(w.IssuedBy, "-"))
	})
}

// webhookState is enabled, failing, or disabled and why.
func webhookState(w *client.Webhook) string {
	switch {
	case !w.Enabled && w.DisabledReason != "":
		return "disabled (" + w.DisabledReason + ")"
	case !w.Enabled:
		return "disabled"
	case w.Failures > 0:
		return "failing"
	}
	return "enabled"
}

type webhookShowCommand struct {
	access
	webhookOf
}

func (w *webhookShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	shown, err := c.Webhook(ctx, w.User, w.Webhook)
	return show(con, shown, err, webhookLines)
}

func webhookLines(w *client.Webhook) []string {
	lines := []string{cells("webhook", w.Webhook), cells("url", w.URL), cells("state", webhookState(w)),
		cells("events", cmp.Or(strings.Join(w.Events, ","), "all")), cells("content", w.Content),
		cells("acknowledge", strconv.FormatBool(w.Acknowledge)), cells("signature", w.Signature),
		cells("created", moment(w.CreatedTime)), cells("last_success", moment(w.LastSuccessTime))}
	for _, more := range []struct{ name, text string }{{"public_key", w.PublicKey}, {"organization", w.Organization},
		{"issued_by", w.IssuedBy}} {
		if more.text != "" {
			lines = append(lines, cells(more.name, more.text))
		}
	}
	if w.Failures > 0 {
		lines = append(lines, cells("failing_since", moment(w.FailingSince)), cells("failures", strconv.Itoa(w.Failures)),
			cells("next_try", moment(w.NextTryTime)))
	}
	for i := range w.Deliveries {
		lines = append(lines, deliveryLine(&w.Deliveries[i]))
	}
	return lines
}

func deliveryLine(d *client.WebhookDelivery) string {
	status := "-"
	if d.ResponseStatus > 0 {
		status = strconv.Itoa(d.ResponseStatus)
	}
	return cells("delivery", strings.Join([]string{moment(d.Time), d.Type, d.Outcome, status,
		strconv.FormatInt(d.DurationMS, 10) + "ms", "try " + strconv.Itoa(d.Try), cmp.Or(d.EventID, "-")}, " "))
}

type webhookChangeCommand struct {
	access
	webhookOf
	URL         string   `name:"url" placeholder:"URL" help:"Where events go to from now on."`
	Event       []string `placeholder:"TYPE" help:"Types of events that go there, in place of those of before; may be repeated."`
	AllEvents   bool     `help:"Events of all types go there."`
	Content     string   `enum:"thin,full," default:"" placeholder:"thin|full" help:"What is sent: thin or full."`
	Acknowledge *bool    `negatable:"" help:"An answer of 2xx acknowledges the event."`
	Enable      bool     `xor:"enabled" help:"Enables it: it goes on where it was."`
	Disable     bool     `xor:"enabled" help:"Disables it."`
}

func (w *webhookChangeCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	change := client.WebhookChange{URL: w.URL, Content: w.Content, Acknowledge: w.Acknowledge}
	if w.AllEvents || len(w.Event) > 0 {
		events := append([]string{}, w.Event...)
		if w.AllEvents {
			events = []string{}
		}
		change.Events = &events
	}
	if w.Enable || w.Disable {
		change.Enabled = &w.Enable
	}
	return c.ChangeWebhook(ctx, w.User, w.Webhook, change)
}

type webhookDeleteCommand struct {
	access
	webhookOf
}

func (w *webhookDeleteCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	return c.DeleteWebhook(ctx, w.User, w.Webhook)
}

type webhookTestCommand struct {
	access
	webhookOf
}

func (w *webhookTestCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	tried, err := c.TestWebhook(ctx, w.User, w.Webhook)
	line := func(d *client.WebhookDelivery) []string { return []string{deliveryLine(d)} }
	if err = show(con, tried, err, line); err != nil {
		return err
	}
	if tried.Outcome != "delivered" {
		return fmt.Errorf("the receiver did not take it: %s", tried.Outcome)
	}
	return nil
}

type webhookRotateCommand struct {
	access
	webhookOf
	Grace *span `placeholder:"TIME" help:"How long the old secret signs too, up to 24h; default 1h; 0s ends it at once."`
}

func (w *webhookRotateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	made, err := c.RotateWebhook(ctx, w.User, w.Webhook, (*time.Duration)(w.Grace))
	return show(con, made, err, madeWebhookLines)
}

type webhookResendCommand struct {
	access
	Webhook string `arg:"" help:"The webhook's token."`
	From    string `arg:"" help:"The id of an event, as show lists them, or a time such as 2026-11-21T08:00:00Z."`
	User    string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
}

func (w *webhookResendCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	return c.ChangeWebhook(ctx, w.User, w.Webhook, client.WebhookChange{From: w.From})
}
