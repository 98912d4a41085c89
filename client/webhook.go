package client

import (
	"context"
	"log/slog"
	"time"
)

// Webhook is a URL to which events of an account go, without what it signs with.
type Webhook struct {
	Webhook     string   `json:"webhook"` // its token
	URL         string   `json:"url"`
	Events      []string `json:"events"`  // types that go there, such as message; none: all
	Content     string   `json:"content"` // thin or full
	Acknowledge bool     `json:"acknowledge"`
	Signature   string   `json:"signature"`            // v1 or v1a
	PublicKey   string   `json:"public_key,omitempty"` // of v1a, where one is shown
	Enabled     bool     `json:"enabled"`
	// DisabledReason is why the server disabled it: gone, silent or key_ended.
	DisabledReason string    `json:"disabled_reason,omitempty"`
	CreatedTime    time.Time `json:"created_time"`
	IssuedBy       string    `json:"issued_by,omitempty"` // token of another account that made it
	// Organization is the only one whose events go there; empty: all of the account's.
	Organization string `json:"organization,omitempty"`

	LastSuccessTime time.Time `json:"last_success_time,omitzero"`
	FailingSince    time.Time `json:"failing_since,omitzero"`
	Failures        int       `json:"failures,omitempty"` // in a row
	NextTryTime     time.Time `json:"next_try_time,omitzero"`

	Deliveries []WebhookDelivery `json:"deliveries,omitempty"` // the last 100, the newest first, where one is shown
}

// WebhookDelivery is a try to deliver an event.
type WebhookDelivery struct {
	EventID        string    `json:"event_id,omitempty"` // empty: it was a test
	Type           string    `json:"type"`
	Time           time.Time `json:"time"`
	Try            int       `json:"try"`                       // 1 is the first
	Outcome        string    `json:"outcome"`                   // delivered, refused, timeout, unreachable or forbidden
	ResponseStatus int       `json:"response_status,omitempty"` // 0: there was no answer
	DurationMS     int64     `json:"duration_ms"`
}

// NewWebhook is a webhook to make.
type NewWebhook struct {
	URL         string   `json:"url"`
	Events      []string `json:"events,omitempty"`  // none: all
	Content     string   `json:"content,omitempty"` // thin (default) or full
	Acknowledge bool     `json:"acknowledge,omitempty"`
	Signature   string   `json:"signature,omitempty"` // v1 (default) or v1a
	// Organization is the only one whose events go there. Empty: all of the account's, or, where an administrator
	// makes it, its own.
	Organization string `json:"organization,omitempty"`
}

// MadeWebhook is what a receiver checks signatures with. No call shows a secret again.
type MadeWebhook struct {
	Webhook   string `json:"webhook"`
	Secret    string `json:"secret,omitempty"`     // of v1
	PublicKey string `json:"public_key,omitempty"` // of v1a
}

// LogValue keeps the secret out of logs.
func (w MadeWebhook) LogValue() slog.Value { return slog.StringValue("webhook " + w.Webhook) }

// WebhookChange is what changes of a webhook. What is nil or empty stays.
type WebhookChange struct {
	URL         string    `json:"url,omitempty"`
	Events      *[]string `json:"events,omitempty"` // none: all
	Content     string    `json:"content,omitempty"`
	Acknowledge *bool     `json:"acknowledge,omitempty"`
	Enabled     *bool     `json:"enabled,omitempty"`
	// From has what was delivered before delivered again, from an event's id or a time (RFC 3339) on, as far as it
	// is kept.
	From string `json:"from,omitempty"`
}

// CreateWebhook makes a webhook for an account (POST /user/:user/webhook): for oneself, or for an account whose
// keys the caller manages.
func (c *Client) CreateWebhook(ctx context.Context, user string, w NewWebhook) (*MadeWebhook, error) {
	return fetch[MadeWebhook](ctx, c, post(w, "user", user, "webhook"))
}

// Webhooks lists the webhooks of an account (GET /user/:user/webhook).
func (c *Client) Webhooks(ctx context.Context, user string) ([]Webhook, error) {
	return list[Webhook](ctx, c, get("user", user, "webhook"))
}

// Webhook shows a webhook with its last deliveries (GET /user/:user/webhook/:webhook).
func (c *Client) Webhook(ctx context.Context, user, webhook string) (*Webhook, error) {
	return fetch[Webhook](ctx, c, get("user", user, "webhook", webhook))
}

// ChangeWebhook changes a webhook (POST /user/:user/webhook/:webhook).
func (c *Client) ChangeWebhook(ctx context.Context, user, webhook string, change WebhookChange) error {
	return c.run(ctx, post(change, "user", user, "webhook", webhook).harmless())
}

// DeleteWebhook ends a webhook at once (DELETE /user/:user/webhook/:webhook).
func (c *Client) DeleteWebhook(ctx context.Context, user, webhook string) error {
	return c.run(ctx, remove("user", user, "webhook", webhook))
}

// TestWebhook has the server POST a test to a webhook, and returns how that ended
// (POST /user/:user/webhook/:webhook/test).
func (c *Client) TestWebhook(ctx context.Context, user, webhook string) (*WebhookDelivery, error) {
	return fetch[WebhookDelivery](ctx, c, post(struct{}{}, "user", user, "webhook", webhook, "test"))
}

// RotateWebhook gives a webhook a new secret (POST /user/:user/webhook/:webhook/rotate). For the grace period, up
// to 24 h and an hour where it is nil, both sign.
func (c *Client) RotateWebhook(ctx context.Context, user, webhook string, grace *time.Duration) (*MadeWebhook, error) {
	var in struct {
		Grace *int `json:"grace,omitempty"`
	}
	if grace != nil {
		in.Grace = new(whole(*grace, time.Second))
	}
	return fetch[MadeWebhook](ctx, c, post(in, "user", user, "webhook", webhook, "rotate"))
}
