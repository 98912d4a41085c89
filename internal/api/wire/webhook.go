package wire

import (
	"signet/internal/model"
	"signet/internal/store"
)

// Webhook is a webhook as it is shown, without what it signs with.
type Webhook struct {
	Webhook      model.WebhookID        `json:"webhook"`
	URL          string                 `json:"url"`
	Events       []model.EventKind      `json:"events"` // empty: all
	Content      string                 `json:"content"`
	Acknowledge  bool                   `json:"acknowledge"`
	Signature    model.WebhookSignature `json:"signature"`
	PublicKey    string                 `json:"public_key,omitempty"`
	Enabled      bool                   `json:"enabled"`
	Disabled     model.WebhookEnd       `json:"disabled_reason,omitempty"`
	CreatedTime  Time                   `json:"created_time"`
	IssuedBy     model.AccountID        `json:"issued_by,omitzero"`
	Organization model.OrganizationID   `json:"organization,omitempty"`

	LastSuccess  Time `json:"last_success_time,omitzero"`
	FailingSince Time `json:"failing_since,omitzero"`
	Failures     int  `json:"failures,omitempty"`
	NextTry      Time `json:"next_try_time,omitzero"`

	Deliveries []WebhookDelivery `json:"deliveries,omitzero"` // nil: not shown, as in lists
}

// WebhookDelivery is a try to deliver an event.
type WebhookDelivery struct {
	EventID  string `json:"event_id,omitempty"` // none: it was a test
	Type     string `json:"type"`
	Time     Time   `json:"time"`
	Try      int    `json:"try"`
	Outcome  string `json:"outcome"`
	Status   int    `json:"response_status,omitempty"`
	Duration int64  `json:"duration_ms"`
}

// ShownWebhook shows a webhook.
func ShownWebhook(w *store.WebhookRow) Webhook {
	out := Webhook{
		Webhook: w.ID, URL: w.URL, Events: w.Events, Content: "thin", Acknowledge: w.Acknowledge, Signature: w.Signature,
		Enabled: w.Enabled, Disabled: w.Ended, CreatedTime: Time(w.Created), IssuedBy: w.IssuedBy, Organization: w.Scope,
		LastSuccess: Time(w.LastSuccess), FailingSince: Time(w.FailingSince), Failures: w.Failures, NextTry: Time(w.NextTry),
	}
	if w.Full {
		out.Content = "full"
	}
	if out.Events == nil {
		out.Events = []model.EventKind{}
	}
	return out
}
