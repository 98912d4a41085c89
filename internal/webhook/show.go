package webhook

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
)

// Shown is a webhook as it is shown, without its secret.
type Shown struct {
	store.WebhookRow
	PublicKey  string // of v1a, where one is shown
	Deliveries []store.WebhookDelivery
}

// EventID is the id of the event that a delivery is about; empty: it was a test.
func (h *Webhooks) EventID(d *store.WebhookDelivery) string {
	if d.Position == 0 {
		return ""
	}
	return model.Cursor{Epoch: h.Store.Epoch(), Position: d.Position}.String()
}

// List returns the webhooks of an account that the actor manages, the oldest first.
func (h *Webhooks) List(ctx context.Context, actor *model.Actor, address string) (out []Shown, err error) {
	m, err := h.Access.Manage(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	if err := h.Access.RecordRead(ctx, m); err != nil {
		return nil, err
	}
	all, err := store.Read(ctx, h.Store, func(tx *store.Tx) ([]store.WebhookRow, error) { return tx.Webhooks(m.ID) })
	for i := range all {
		if m.Refuses(&all[i].Webhook) == nil {
			out = append(out, Shown{WebhookRow: all[i]})
		}
	}
	return out, err
}

// Show returns a webhook with its last deliveries, the newest first.
func (h *Webhooks) Show(ctx context.Context, actor *model.Actor, address string, id model.WebhookID) (*Shown, error) {
	m, err := h.Access.Manage(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	w, err := h.managed(ctx, m, id)
	if err == nil {
		err = h.Access.RecordRead(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	out := &Shown{WebhookRow: *w}
	if w.Signature == model.SignatureEd25519 {
		secrets, err := h.open(ctx, w)
		if err != nil {
			return nil, err
		}
		out.PublicKey = shared(w.Signature, secrets[0])
	}
	out.Deliveries, err = store.Read(ctx, h.Store, func(tx *store.Tx) ([]store.WebhookDelivery, error) {
		return tx.WebhookDeliveries(w.Account, w.ID)
	})
	return out, err
}

// Test POSTs an event of its own to a webhook, enabled or not, and returns how that ended. It changes nothing
// but the list of deliveries.
func (h *Webhooks) Test(ctx context.Context, actor *model.Actor, address string, id model.WebhookID) (
	*store.WebhookDelivery, error) {
	m, err := h.Access.ManageToChange(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	w, err := h.managed(ctx, m, id)
	if err != nil {
		return nil, err
	}
	secrets, err := h.open(ctx, w)
	if err != nil {
		return nil, err
	}
	now := h.now()
	out := envelope{TestType, now.Format(timeForm), json.RawMessage(`{"webhook":"` + w.ID.String() + `"}`)}
	body, err := out.json()
	if err != nil {
		return nil, err
	}
	mark := newSecret()[:8]
	t, err := h.post(ctx, &w.Webhook, secrets, "test_"+hex.EncodeToString(w.ID[:])+"_"+hex.EncodeToString(mark), body)
	if err != nil {
		return nil, err
	}
	t.Try = 1
	err = h.Access.ChangeWebhook(ctx, m, model.ActionWebhookTest, func(tx *store.Tx, m *access.Managed,
		line *model.AuditEntry) (*model.Webhook, error) {
		line.Detail = "outcome=" + t.Outcome
		w, err := locked(tx, m, id) // it may be gone, or another one's, by now
		return &w.Webhook, firstError(
			func() error { return err },
			func() error { return tx.PutDeliveries(w.Account, w.ID, []store.WebhookDelivery{t.WebhookDelivery}) })
	})
	return &t.WebhookDelivery, err
}

// Time is when a delivery began, or a moment later.
func Time(d *store.WebhookDelivery) time.Time { return time.UnixMicro(d.Number).UTC() }
