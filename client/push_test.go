package client

import "context"

const subscriptionJSON = `{"id":"s1","host":"push.example.net","created_time":"2026-11-21T08:15:30.123Z","last_success":"2026-11-21T09:15:30.123Z","device":"Chrome on Android","current":true}`

var pushCalls = []call{
	{name: "PushKey", request: "GET /v2/push", answer: replies(`{"public_key":"BP4z"}`), want: `"BP4z"`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.PushKey(ctx) }},
	{name: "Subscribe", request: "POST /v2/user/me/push",
		body: `{"endpoint":"https://push.example.net/x","keys":{"p256dh":"BCVx","auth":"BTBZ"}}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.Subscribe(ctx, NewSubscription{"https://push.example.net/x", SubscriptionKeys{"BCVx", "BTBZ"}})
		})},
	{name: "Subscriptions", request: "GET /v2/user/me/push", answer: replies(`[` + subscriptionJSON + `]`),
		want: `[` + subscriptionJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Subscriptions(ctx) }},
	{name: "Unsubscribe", request: "DELETE /v2/user/me/push/s1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.Unsubscribe(ctx, "s1") })},
}
