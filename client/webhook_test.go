package client

import (
	"context"
	"time"
)

const (
	deliveryJSON = `{"event_id":"e1","type":"message","time":"2026-11-21T08:15:30.123Z","try":2,"outcome":"refused","response_status":503,"duration_ms":12}`
	webhookJSON  = `{"webhook":"w1","url":"https://hooks.example.com/","events":["message"],"content":"full","acknowledge":true,"signature":"v1a","public_key":"whpk_AA==","enabled":true,"created_time":"2026-11-21T08:15:30.123Z","issued_by":"u2","organization":"o1","last_success_time":"2026-11-21T08:15:30.123Z","failing_since":"2026-11-21T08:15:30.123Z","failures":1,"next_try_time":"2026-11-21T08:15:30.123Z","deliveries":[` + deliveryJSON + `]}`
)

// webhookCalls are those about the webhooks of an account.
var webhookCalls = []call{
	{name: "CreateWebhook", request: "POST /v2/user/u1/webhook",
		body: `{"url":"https://hooks.example.com/","events":["message"],"content":"full","acknowledge":true,"signature":"v1a",` +
			`"organization":"o1"}`,
		answer: replies(`{"webhook":"w1","public_key":"whpk_AA=="}`), want: `{"webhook":"w1","public_key":"whpk_AA=="}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateWebhook(ctx, "u1", NewWebhook{URL: "https://hooks.example.com/", Events: []string{"message"},
				Content: "full", Acknowledge: true, Signature: "v1a", Organization: "o1"})
		}},
	{name: "Webhooks", request: "GET /v2/user/u1/webhook", answer: replies(`[` + webhookJSON + `]`),
		want: `[` + webhookJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Webhooks(ctx, "u1") }},
	{name: "Webhook", request: "GET /v2/user/u1/webhook/w1", answer: replies(webhookJSON), want: webhookJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Webhook(ctx, "u1", "w1") }},
	{name: "ChangeWebhook", request: "POST /v2/user/u1/webhook/w1", body: `{"events":[],"enabled":true,"from":"e1"}`,
		answer: noContent, do: nothing(func(ctx context.Context, c *Client) error {
			return c.ChangeWebhook(ctx, "u1", "w1", WebhookChange{Events: &[]string{}, Enabled: new(true), From: "e1"})
		})},
	{name: "DeleteWebhook", request: "DELETE /v2/user/u1/webhook/w1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.DeleteWebhook(ctx, "u1", "w1") })},
	{name: "TestWebhook", request: "POST /v2/user/u1/webhook/w1/test", body: `{}`, answer: replies(deliveryJSON),
		want: deliveryJSON,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.TestWebhook(ctx, "u1", "w1") }},
	{name: "RotateWebhook", request: "POST /v2/user/u1/webhook/w1/rotate", body: `{"grace":0}`,
		answer: replies(`{"webhook":"w1","secret":"whsec_AA=="}`), want: `{"webhook":"w1","secret":"whsec_AA=="}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.RotateWebhook(ctx, "u1", "w1", new(time.Duration(0)))
		}},
}
