package app

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	apiwire "signet/internal/api/wire"
	"signet/internal/egress"
	"signet/internal/model"
	"signet/internal/webhook"
)

// hooks are the webhooks of a server, with what lets them out.
type hooks struct {
	*webhook.Webhooks
	guard *egress.Guard
}

// newHooks makes webhooks that may call whom the settings name.
func newHooks(in surroundings, d *data, p *parts) *hooks {
	hosts, networks := in.cfg.Egress.WebhookHosts()
	guard := egress.New(egress.Options{Hosts: hosts, Networks: networks})
	view := &apiwire.View{Namespace: in.cfg.Vendor.Namespace, Base: in.cfg.BaseURL}
	return &hooks{guard: guard, Webhooks: webhook.New(webhook.Options{
		Store: d.kept, Access: p.access, Cases: p.cases, Vault: p.vault, Hub: p.hub, Clock: in.clock, Due: p.work.Now,
		Log: in.log, Outages: in.outages, Client: guard.Client(), Check: guard.Check,
		Refused: func(err error) bool { return errors.Is(err, egress.ErrRefused) },
		Write:   func(e *model.Event) ([]byte, error) { return view.EventJSON(e) },
	})}
}

// run delivers until ctx ends.
func (h *hooks) run(ctx context.Context) {
	h.Run(ctx)
	h.guard.Close()
}

// registerHooks adds what webhooks count.
func registerHooks(metrics prometheus.Registerer, h *hooks) error {
	const (
		tries    = "Tries to deliver an event to a webhook, by how they ended."
		disabled = "Webhooks that this server disabled, by why."
	)
	c := &h.Counts
	return register(metrics,
		counter("signet_webhook_deliveries_total", tries, labels{"outcome": "delivered"}, c.Delivered.Load),
		counter("signet_webhook_deliveries_total", tries, labels{"outcome": "refused"}, c.Refused.Load),
		counter("signet_webhook_deliveries_total", tries, labels{"outcome": "unanswered"}, c.Unanswered.Load),
		counter("signet_webhooks_disabled_total", disabled, labels{"reason": string(model.WebhookGone)}, c.Gone.Load),
		counter("signet_webhooks_disabled_total", disabled, labels{"reason": string(model.WebhookSilent)}, c.Silent.Load),
		counter("signet_webhooks_disabled_total", disabled, labels{"reason": string(model.WebhookKey)}, c.KeyEnded.Load))
}
