package client

import "context"

const (
	escalationJSON = `{"until":"read","state":"exhausted","ended_time":"2026-11-21T08:25:30.123Z","steps":[{"step":1,"after":5,"to":["u2","g1"],
		"due_time":"2026-11-21T08:20:30.123Z","done_time":"2026-11-21T08:20:30.223Z","sent":[{"token":"u2","message_id":"m2"}]}]}`
	policyJSON = `{"name":"night","until":"confirmed","steps":[{"after":5,"to":["u2"]}]}`
)

// escalationCalls are those by which messages are confirmed, and sent on while nobody does that.
var escalationCalls = []call{
	{name: "Confirm", request: "POST /v2/message/status", body: `{"confirmed":["m1"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.Confirm(ctx, "m1") })},

	{name: "Escalation", request: "GET /v2/message/m1/escalation", answer: replies(escalationJSON), want: escalationJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Escalation(ctx, "m1") }},
	{name: "CancelEscalation", request: "DELETE /v2/message/m1/escalation", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.CancelEscalation(ctx, "m1") })},
	{name: "EscalationPolicies", request: "GET /v2/organization/o1/escalation", answer: replies(`[` + policyJSON + `]`),
		want: `[` + policyJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.EscalationPolicies(ctx, "o1") }},
	{name: "EscalationPolicy", request: "GET /v2/organization/o1/escalation/night", answer: replies(policyJSON),
		want: policyJSON,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.EscalationPolicy(ctx, "o1", "night") }},
	{name: "SetEscalationPolicy", request: "POST /v2/organization/o1/escalation/night", answer: noContent,
		body: `{"until":"confirmed","steps":[{"after":5,"to":["bob","g1"]}]}`,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.SetEscalationPolicy(ctx, "o1", EscalationPolicy{Name: "night", Until: UntilConfirmed,
				Steps: []EscalateStep{{After: 5, To: []string{"bob", "g1"}}}})
		})},
	{name: "RemoveEscalationPolicy", request: "DELETE /v2/organization/o1/escalation/night", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RemoveEscalationPolicy(ctx, "o1", "night") })},
}
