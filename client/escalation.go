package client

import (
	"context"
	"time"
)

// What ends an escalation: that somebody has read the message, or has confirmed it.
const (
	UntilRead      = "read"
	UntilConfirmed = "confirmed"
)

// EscalateStep sends a message on, priority 1, unless somebody has come before.
type EscalateStep struct {
	After int      `json:"after"` // minutes from sending, 1 to 1440, more than those of the step before
	To    []string `json:"to"`    // 1 to 10 addresses, as for a recipient
}

// EscalationPart says of a message which one it sends on, and by which step.
type EscalationPart struct {
	MessageID string `json:"message_id"`
	Step      int    `json:"step"` // from 1 on
}

// Escalation is how a message is sent on while nobody has heard it.
type Escalation struct {
	Until     string           `json:"until"`               // UntilRead or UntilConfirmed
	State     string           `json:"state"`               // open, read, confirmed, recalled, cancelled or exhausted
	EndedTime time.Time        `json:"ended_time,omitzero"` // zero: it is open
	Steps     []EscalationStep `json:"steps"`
}

// EscalationStep is a step of an escalation.
type EscalationStep struct {
	Step     int              `json:"step"`  // from 1 on
	After    int              `json:"after"` // minutes from sending
	To       []string         `json:"to"`    // tokens
	DueTime  time.Time        `json:"due_time"`
	DoneTime time.Time        `json:"done_time,omitzero"` // zero: not yet
	Sent     []EscalationSent `json:"sent"`
}

// EscalationSent is what a step sent to whom.
type EscalationSent struct {
	Token     string `json:"token"`
	MessageID string `json:"message_id"`
}

// EscalationPolicy is an escalation that an organization keeps under a name for its members.
type EscalationPolicy struct {
	Name  string         `json:"name"`
	Until string         `json:"until"` // UntilRead or UntilConfirmed
	Steps []EscalateStep `json:"steps"` // with tokens
}

// Escalation returns the escalation of a message to its sender (GET /message/:message/escalation).
func (c *Client) Escalation(ctx context.Context, message string) (*Escalation, error) {
	return fetch[Escalation](ctx, c, get("message", message, "escalation"))
}

// CancelEscalation ends the escalation of a message that the caller sent (DELETE
// /message/:message/escalation). One that has ended stays as it ended.
func (c *Client) CancelEscalation(ctx context.Context, message string) error {
	return c.run(ctx, remove("message", message, "escalation"))
}

// EscalationPolicies lists the policies of an organization (GET /organization/:organization/escalation).
func (c *Client) EscalationPolicies(ctx context.Context, organization string) ([]EscalationPolicy, error) {
	return list[EscalationPolicy](ctx, c, get("organization", organization, "escalation"))
}

// EscalationPolicy returns a policy of an organization (GET /organization/:organization/escalation/:name).
func (c *Client) EscalationPolicy(ctx context.Context, organization, name string) (*EscalationPolicy, error) {
	return fetch[EscalationPolicy](ctx, c, get("organization", organization, "escalation", name))
}

// SetEscalationPolicy keeps a policy, as an administrator of the organization, in place of one of the same name
// (POST /organization/:organization/escalation/:name).
func (c *Client) SetEscalationPolicy(ctx context.Context, organization string, p EscalationPolicy) error {
	return c.run(ctx, post(map[string]any{"until": p.Until, "steps": p.Steps}, "organization", organization,
		"escalation", p.Name).harmless())
}

// RemoveEscalationPolicy removes a policy, as an administrator of the organization (DELETE
// /organization/:organization/escalation/:name).
func (c *Client) RemoveEscalationPolicy(ctx context.Context, organization, name string) error {
	return c.run(ctx, remove("organization", organization, "escalation", name))
}
