package client

import (
	"context"
	"time"
)

// Subscription is a browser in which the caller is told of new messages (Web Push).
type Subscription struct {
	ID          string    `json:"id"`
	Host        string    `json:"host"` // of the push service
	CreatedTime time.Time `json:"created_time"`
	LastSuccess time.Time `json:"last_success,omitzero"`
	Device      string    `json:"device,omitempty"`
	Current     bool      `json:"current,omitempty"` // it belongs to the caller's key
}

// NewSubscription is what a browser's PushSubscription has.
type NewSubscription struct {
	Endpoint string           `json:"endpoint"`
	Keys     SubscriptionKeys `json:"keys"`
}

// SubscriptionKeys are for whom pushes are encrypted, both in base64url.
type SubscriptionKeys struct {
	P256DH string `json:"p256dh"`
	Auth   string `json:"auth"`
}

// PushKey returns the key with which a browser subscribes (GET /push): a 404 where nothing is pushed.
func (c *Client) PushKey(ctx context.Context) (string, error) {
	var reply struct {
		PublicKey string `json:"public_key"`
	}
	_, err := c.do(ctx, get("push"), &reply)
	return reply.PublicKey, err
}

// Subscribe has a browser told of new messages until the caller's key ends (POST /user/me/push). An account
// has 20: the oldest goes.
func (c *Client) Subscribe(ctx context.Context, s NewSubscription) error {
	return c.run(ctx, post(s, "user", "me", "push").harmless())
}

// Subscriptions lists the caller's, the oldest first (GET /user/me/push).
func (c *Client) Subscriptions(ctx context.Context) ([]Subscription, error) {
	return list[Subscription](ctx, c, get("user", "me", "push"))
}

// Unsubscribe ends one of them (DELETE /user/me/push/:id).
func (c *Client) Unsubscribe(ctx context.Context, id string) error {
	return c.run(ctx, remove("user", "me", "push", id))
}
