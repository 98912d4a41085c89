package api

import (
	"context"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/push"
)

// getPush: GET /push.
func (a *API) getPush(context.Context, *call) (answer, error) {
	key, off := a.pusher.PublicKey()
	if off {
		return answer{}, model.Missing()
	}
	return reply(map[string]string{"public_key": key}), nil
}

// subscribe: POST /user/me/push, with what a browser's PushSubscription has.
func (a *API) subscribe(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	endpoint := f.RequiredText("endpoint")
	var keys struct {
		P256DH string `json:"p256dh"`
		Auth   string `json:"auth"`
	}
	if !f.Has("keys") {
		f.RequiredText("keys")
	}
	f.Decode("keys", &keys, "an object with the texts p256dh and auth")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.pusher.Subscribe(ctx, c.actor, endpoint, keys.P256DH, keys.Auth)
}

// getSubscriptions: GET /user/me/push.
func (a *API) getSubscriptions(ctx context.Context, c *call) (answer, error) {
	all, err := a.pusher.Subscriptions(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Subscription, len(all))
	for i := range all {
		out[i] = shownSubscription(&all[i])
	}
	return reply(out), nil
}

func shownSubscription(s *push.Shown) wire.Subscription {
	return wire.Subscription{ID: s.ID, Host: s.Host, CreatedTime: wire.Time(s.Created),
		LastSuccess: wire.Time(s.LastSuccess), Device: s.Device, Current: s.Current}
}

// unsubscribe: DELETE /user/me/push/:id.
func (a *API) unsubscribe(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.pusher.Unsubscribe(ctx, c.actor, c.path("id"))
}
