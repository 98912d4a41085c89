package api

import (
	"context"
	"time"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/webhook"
)

// webhookCommand reads what is asked for of a webhook.
func (c *call) webhookCommand() webhook.Command {
	f := &c.body.Fields
	return webhook.Command{
		URL: f.Text("url"), Events: f.List("events"), EventsSet: f.Has("events"), Content: f.Text("content"),
		Acknowledge: f.OptionalBool("acknowledge"),
	}
}

// webhookPath reads the webhook of the path.
func (c *call) webhookPath() (model.WebhookID, error) {
	id, ok := model.ParseWebhookID(c.path("webhook"))
	if !ok {
		return id, model.Missing()
	}
	return id, nil
}

// shownMade is a new webhook, or one with a new secret: that is shown this once.
func shownMade(made *webhook.Made) map[string]string {
	out := map[string]string{"webhook": made.ID.String()}
	name := "secret"
	if made.Signature == model.SignatureEd25519 {
		name = "public_key"
	}
	out[name] = made.Shared
	return out
}

// createWebhook: POST /user/:user/webhook.
func (a *API) createWebhook(ctx context.Context, c *call) (answer, error) {
	command := c.webhookCommand()
	command.Signature = c.body.Text("signature")
	command.Organization, command.CallOrganization = organizationField(&c.body.Fields, "organization"), c.organization()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	made, err := a.webhooks.Create(ctx, c.actor, c.path("user"), command)
	if err != nil {
		return answer{}, err
	}
	return reply(shownMade(made)), nil
}

// listWebhooks: GET /user/:user/webhook.
func (a *API) listWebhooks(ctx context.Context, c *call) (answer, error) {
	all, err := a.webhooks.List(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Webhook, len(all))
	for i := range all {
		out[i] = wire.ShownWebhook(&all[i].WebhookRow)
	}
	return reply(out), nil
}

// getWebhook: GET /user/:user/webhook/:webhook.
func (a *API) getWebhook(ctx context.Context, c *call) (answer, error) {
	id, err := c.webhookPath()
	if err != nil {
		return answer{}, err
	}
	shown, err := a.webhooks.Show(ctx, c.actor, c.path("user"), id)
	if err != nil {
		return answer{}, err
	}
	out := wire.ShownWebhook(&shown.WebhookRow)
	out.PublicKey = shown.PublicKey
	out.Deliveries = make([]wire.WebhookDelivery, 0, len(shown.Deliveries))
	for i := range shown.Deliveries {
		out.Deliveries = append(out.Deliveries, a.shownDelivery(&shown.Deliveries[i]))
	}
	return reply(out), nil
}

func (a *API) shownDelivery(d *store.WebhookDelivery) wire.WebhookDelivery {
	out := wire.WebhookDelivery{EventID: a.webhooks.EventID(d), Type: string(d.Kind), Time: wire.Time(webhook.Time(d)),
		Try: d.Try, Outcome: d.Outcome, Status: d.Status, Duration: d.Took.Milliseconds()}
	if out.EventID == "" {
		out.Type = webhook.TestType
	}
	return out
}

// changeWebhook: POST /user/:user/webhook/:webhook.
func (a *API) changeWebhook(ctx context.Context, c *call) (answer, error) {
	// What is no token is no webhook's: found missing after the body was checked.
	id, _ := model.ParseWebhookID(c.path("webhook"))
	command := c.webhookCommand()
	command.Enabled, command.From = c.body.OptionalBool("enabled"), c.body.Text("from")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.webhooks.Change(ctx, c.actor, c.path("user"), id, command)
}

// deleteWebhook: DELETE /user/:user/webhook/:webhook.
func (a *API) deleteWebhook(ctx context.Context, c *call) (answer, error) {
	id, err := c.webhookPath()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.webhooks.Delete(ctx, c.actor, c.path("user"), id)
}

// testWebhook: POST /user/:user/webhook/:webhook/test.
func (a *API) testWebhook(ctx context.Context, c *call) (answer, error) {
	id, err := c.webhookPath()
	if err != nil {
		return answer{}, err
	}
	tried, err := a.webhooks.Test(ctx, c.actor, c.path("user"), id)
	if err != nil {
		return answer{}, err
	}
	return reply(a.shownDelivery(tried)), nil
}

// rotateWebhook: POST /user/:user/webhook/:webhook/rotate.
func (a *API) rotateWebhook(ctx context.Context, c *call) (answer, error) {
	id, err := c.webhookPath()
	if err != nil {
		return answer{}, err
	}
	grace := model.WebhookGrace
	if seconds := c.body.OptionalInt("grace"); seconds != nil {
		most := int(model.MaxWebhookGrace/time.Second) + 1 // which is refused
		grace = time.Duration(max(-1, min(*seconds, most))) * time.Second
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	made, err := a.webhooks.Rotate(ctx, c.actor, c.path("user"), id, grace)
	if err != nil {
		return answer{}, err
	}
	return reply(shownMade(made)), nil
}
