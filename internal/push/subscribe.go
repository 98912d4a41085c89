package push

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"signet/internal/egress"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
	"signet/internal/webpush"
)

// Shown is a subscription as its owner sees it.
type Shown struct {
	ID          model.SubscriptionID
	Host        string // of the push service
	Device      string // of the session that it belongs to, or the label of its key
	Created     time.Time
	LastSuccess time.Time // zero: nothing was pushed yet
	Current     bool      // it is the caller's session's
}

// Subscribe has the browser of the actor's session told of messages, until the session ends. The newest 20 of
// an account are kept. Codes of what it refuses: push_off, push_endpoint, push_host, push_keys.
func (p *Pusher) Subscribe(ctx context.Context, actor *model.Actor, endpoint, p256dh, auth string) error {
	if p.Off {
		return model.Missing()
	}
	s, err := webpush.ParseSubscription(endpoint, p256dh, auth)
	switch {
	case errors.Is(err, webpush.ErrEndpoint):
		return model.Invalidf("push_endpoint", "endpoint", "The endpoint is no URL of up to %d bytes.",
			webpush.EndpointLimit)
	case err != nil:
		return model.Invalidf("push_keys", "keys", "The keys are not those of a subscription: %s.", err)
	}
	var refusal *egress.Refusal
	if err := p.Guard.CheckURL(s.Endpoint); errors.As(err, &refusal) {
		return model.Invalidf("push_host", "endpoint", "Nothing is pushed to this endpoint: %s.", refusal.Problem)
	} else if err != nil {
		return err
	}
	row := subscriptions.Subscription{Account: actor.Account, ID: model.SubscriptionID(uuid.Must(uuid.NewV7())),
		Key: actor.Key.Key, Host: strings.ToLower(s.Endpoint.Hostname()), Mark: p.Identity.seal.mark(endpoint),
		Created: p.now()}
	row.Sealed, err = p.Identity.seal.close(row.Account, row.Mark, storedSubscription{endpoint, p256dh, auth})
	if err != nil {
		return err
	}
	p.audience.add(actor.Account)
	return p.Store.Update(ctx, p.Access.Acting(actor, func(tx *store.Tx) error {
		return subscriptions.Put(tx, &row, most)
	}))
}

// Subscriptions lists those of the actor, the oldest first: with a key of a scope those that were made with
// keys of that scope.
func (p *Pusher) Subscriptions(ctx context.Context, actor *model.Actor) (out []Shown, err error) {
	err = p.Store.View(ctx, func(tx *store.Tx) error {
		out = nil
		rows, keys, err := owned(tx, actor)
		for _, s := range rows {
			k := keys[s.Key]
			device := k.Device
			if device == "" {
				device = k.Label
			}
			out = append(out, Shown{ID: s.ID, Host: s.Host, Device: device, Created: s.Created, LastSuccess: s.LastSuccess,
				Current: s.Key == actor.Key.Key})
		}
		return err
	}, store.Short)
	return out, err
}

// owned are the subscriptions that an actor sees, with their keys.
func owned(tx *store.Tx, actor *model.Actor) (out []subscriptions.Subscription, keys map[string]model.Key, err error) {
	rows, err := subscriptions.Of(tx, actor.Account)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	all, err := tx.Keys(actor.Account)
	keys = make(map[string]model.Key, len(all))
	for _, k := range all {
		keys[k.Key] = k
	}
	for _, s := range rows {
		if k, live := keys[s.Key]; live && (actor.Key.Scope == "" || actor.Key.Scope == k.Scope) {
			out = append(out, s)
		}
	}
	return out, keys, err
}

// Unsubscribe ends one of them.
func (p *Pusher) Unsubscribe(ctx context.Context, actor *model.Actor, id string) error {
	var wanted model.SubscriptionID
	if wanted.UnmarshalText([]byte(id)) != nil {
		return model.Missing()
	}
	return p.Store.Update(ctx, p.Access.Acting(actor, func(tx *store.Tx) error {
		rows, _, err := owned(tx, actor)
		if err != nil {
			return err
		}
		for i := range rows {
			if rows[i].ID == wanted {
				_, err := subscriptions.Delete(tx, actor.Account, wanted)
				return err
			}
		}
		return model.Missing()
	}))
}
