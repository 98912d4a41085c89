package client

import "context"

const passkeyJSON = `{"passkey":"p1","label":"phone","created_time":"2026-11-21T08:15:30.123Z","last_used_time":"2026-11-21T09:15:30.123Z","synced":true,"relying_party":"chat.example.com","organization":"o1"}`

// passkeyCalls are those about the passkeys of an account.
var passkeyCalls = []call{
	{name: "Passkeys", request: "GET /v2/user/u1/passkey", answer: replies(`[` + passkeyJSON + `]`),
		want: `[` + passkeyJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Passkeys(ctx, "u1") }},
	{name: "RemovePasskey", request: "DELETE /v2/user/u1/passkey/p1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RemovePasskey(ctx, "u1", "p1") })},
	{name: "AllowPasskey", request: "POST /v2/user/u1/passkey/allow", body: `{}`,
		answer: replies(`{"expires_time":"2026-11-22T08:15:30.123Z"}`), want: `{"expires_time":"2026-11-22T08:15:30.123Z"}`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.AllowPasskey(ctx, "u1") }},
}
