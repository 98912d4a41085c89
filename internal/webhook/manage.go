package webhook

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// Command is what is asked for of a webhook: nil and empty leave what is, or the default.
type Command struct {
	URL         string
	Events      []string // names of kinds
	EventsSet   bool     // they are given, perhaps as none, which is all
	Content     string   // thin or full
	Acknowledge *bool
	Signature   string // v1 or v1a; when it is made
	Enabled     *bool  // when it is changed
	From        string // when it is changed: an event id, or a time, from which on is delivered again

	Organization     model.OrganizationID // the scope; empty: as that of a key
	CallOrganization model.OrganizationID // the organization header
}

// Made is a new webhook, or one whose secret was rotated, with what its receiver checks signatures with.
type Made struct {
	model.Webhook
	Shared string // shown this once, where it is a secret
}

// Create makes a webhook for an account (contract, section 8).
func (h *Webhooks) Create(ctx context.Context, actor *model.Actor, address string, in Command) (*Made, error) {
	w := store.WebhookRow{Webhook: model.Webhook{ID: model.WebhookID(uuid.Must(uuid.NewV7())), Created: h.now(),
		Enabled: true}}
	switch w.Signature = model.WebhookSignature(in.Signature); w.Signature {
	case "":
		w.Signature = model.SignatureHMAC
	case model.SignatureHMAC, model.SignatureEd25519:
	default:
		return nil, model.Invalidf("signature_invalid", "signature", "A signature is v1 or v1a.")
	}
	if in.URL == "" {
		return nil, model.Invalidf("url_required", "url", "A webhook needs a URL.")
	}
	if err := h.apply(&w.Webhook, &in); err != nil {
		return nil, err
	}
	m, err := h.Access.ManageToChange(ctx, actor, address)
	if err == nil {
		err = m.MayMake()
	}
	if err != nil {
		return nil, err
	}
	w.Account = m.ID
	if w.Scope, err = m.Scope(in.Organization, in.CallOrganization); err != nil {
		return nil, err
	}
	secret := newSecret()
	err = h.sealing(ctx, &w, secret, func(fresh func(*store.Tx) error) error {
		return h.Access.ChangeWebhook(ctx, m, model.ActionWebhookCreate, func(tx *store.Tx, m *access.Managed,
			line *model.AuditEntry) (*model.Webhook, error) {
			line.Detail = detail(&w.Webhook)
			made := w
			return &made.Webhook, firstError(
				func() error { return fresh(tx) },
				func() error { return m.Refuses(&made.Webhook) },
				func() error { return m.StandsScope(tx, &made.Webhook) },
				func() error { return h.insert(tx, m, &made) },
				func() error { w = made; return nil })
		})
	})
	if err != nil {
		return nil, err
	}
	h.Changed()
	return &Made{w.Webhook, shared(w.Signature, secret)}, nil
}

// insert adds a webhook, if there is room for one more.
func (h *Webhooks) insert(tx *store.Tx, m *access.Managed, w *store.WebhookRow) error {
	all, err := tx.Webhooks(m.ID)
	if err != nil {
		return err
	}
	if len(all) >= model.MaxWebhooks {
		return model.Invalidf("too_many_webhooks", "", "An account has at most %d webhooks; delete one first.",
			model.MaxWebhooks)
	}
	if w.Position, err = m.Made(tx, &w.Webhook); err != nil {
		return err
	}
	if w.Acknowledge {
		w.Position = 0 // it takes what the queue holds, as any reader does
		if err := tx.RunWebhook(w, h.now()); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		if err := tx.NoteEraseKept(m.ID, h.keptDue(), h.now()); err != nil {
			return err
		}
	}
	return tx.InsertWebhook(w)
}

// firstError runs steps until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sealing seals a secret of a webhook, and runs a transaction that stores it, which begins with fresh.
func (h *Webhooks) sealing(ctx context.Context, w *store.WebhookRow, secret []byte,
	act func(fresh func(*store.Tx) error) error) error {
	return h.Vault.Sealing(func(leases *content.Leases) (err error) {
		w.Secret, err = h.Vault.SealSecret(ctx, leases, &w.Webhook, secret)
		return err
	}, act)
}

// apply puts what is asked for into a webhook.
func (h *Webhooks) apply(w *model.Webhook, in *Command) error {
	if in.URL != "" {
		if err := h.checkURL(in.URL); err != nil {
			return err
		}
		w.URL = in.URL
	}
	if in.EventsSet {
		w.Events = nil
		for _, name := range in.Events {
			kind := model.EventKind(name)
			if !slices.Contains(model.WebhookKinds, kind) {
				return model.Invalidf("event_unknown", "events", "An event is one of %s.", kindNames())
			}
			if !slices.Contains(w.Events, kind) {
				w.Events = append(w.Events, kind)
			}
		}
	}
	switch in.Content {
	case "":
	case "thin", "full":
		w.Full = in.Content == "full"
	default:
		return model.Invalidf("content_invalid", "content", "Content is thin or full.")
	}
	if in.Acknowledge != nil {
		w.Acknowledge = *in.Acknowledge
	}
	return nil
}

func kindNames() string {
	names := make([]string, len(model.WebhookKinds))
	for i, kind := range model.WebhookKinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ", ")
}

// checkURL refuses what would not be called.
func (h *Webhooks) checkURL(text string) error {
	if len(text) > model.MaxWebhookURL {
		return model.Invalidf("url_invalid", "url", "A URL has at most %d characters.", model.MaxWebhookURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return model.Invalidf("url_invalid", "url", "Want a URL such as https://example.com/path, without a user.")
	}
	if err := h.Check(text); err != nil {
		return model.Invalidf("url_refused", "url", "This URL may not be called: %s.", err)
	}
	return nil
}

// detail tells the audit log of a webhook: where it goes to is a host, not the whole URL, which may hold a
// secret of its receiver.
func detail(w *model.Webhook) string {
	host := ""
	if u, err := url.Parse(w.URL); err == nil {
		host = u.Host
	}
	text := "host=" + host + " content=" + contentOf(w) + " signature=" + string(w.Signature)
	if w.Acknowledge {
		text += " acknowledge=true"
	}
	if w.Scope != "" {
		text += " organization=" + string(w.Scope)
	}
	return text
}

func contentOf(w *model.Webhook) string {
	if w.Full {
		return "full"
	}
	return "thin"
}

// Change changes a webhook, or has it deliver again from a place of the queue on.
func (h *Webhooks) Change(ctx context.Context, actor *model.Actor, address string, id model.WebhookID,
	in Command) error {
	from, err := h.place(in.From)
	if err != nil {
		return err
	}
	var asked model.Webhook
	if err := h.apply(&asked, &in); err != nil {
		return err
	}
	err = h.change(ctx, actor, address, id, model.ActionWebhookUpdate, func(tx *store.Tx, m *access.Managed,
		w *store.WebhookRow, line *model.AuditEntry) error {
		adopts := in.URL != "" && in.URL != w.URL || in.Enabled != nil && *in.Enabled && w.Ended == model.WebhookKey
		if err := h.apply(&w.Webhook, &in); err != nil {
			return err
		}
		if adopts { // whoever says where it goes to, or enables it again, answers for it from now on
			if err := m.Adopt(&w.Webhook); err != nil {
				return err
			}
		}
		line.Detail = detail(&w.Webhook)
		if from > 0 {
			line.Detail += " again=" + time.UnixMicro(from).UTC().Format(timeForm)
			w.Replay = max(w.Position, w.Replay)
			w.Position = min(from-1, w.Position)
		}
		if in.Enabled != nil {
			w.Enabled = *in.Enabled
			line.Detail += " enabled=" + strconv.FormatBool(w.Enabled)
		}
		if !w.Enabled {
			w.Run, w.NextTry = 0, time.Time{}
			return nil
		}
		w.Ended, w.Failures, w.FailingSince = "", 0, time.Time{} // it is tried anew
		return tx.RunWebhook(w, h.now())
	})
	if err == nil {
		h.Changed()
	}
	return err
}

// place reads from where on is delivered again: an event id, or a time; 0 where nothing is asked for.
func (h *Webhooks) place(text string) (position int64, err error) {
	if text == "" {
		return 0, nil
	}
	if cursor, ok := model.ParseCursor(text); ok && cursor.Epoch == h.Store.Epoch() {
		return cursor.Position, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Unix() > 0 {
		return at.UnixMicro(), nil
	}
	return 0, model.Invalidf("from_invalid", "from", "Want the id of an event, or a time such as %s.",
		"2026-11-21T08:15:30.123Z")
}

// change changes a webhook that the actor manages.
func (h *Webhooks) change(ctx context.Context, actor *model.Actor, address string, id model.WebhookID,
	action model.AuditAction, fn func(*store.Tx, *access.Managed, *store.WebhookRow, *model.AuditEntry) error) error {
	m, err := h.Access.ManageToChange(ctx, actor, address)
	if err != nil {
		return err
	}
	return h.Access.ChangeWebhook(ctx, m, action, func(tx *store.Tx, m *access.Managed, line *model.AuditEntry) (
		*model.Webhook, error) {
		w, err := locked(tx, m, id)
		return &w.Webhook, firstError(
			func() error { return err },
			func() error { return m.Tell(tx, &w.Webhook) },
			func() error { return fn(tx, m, &w, line) },
			func() error { return tx.ChangeWebhook(&w) })
	})
}

// locked is a webhook that the actor manages, which nobody else changes until the transaction ends.
func locked(tx *store.Tx, m *access.Managed, id model.WebhookID) (store.WebhookRow, error) {
	w, found, err := tx.LockWebhook(m.ID, id)
	switch {
	case err != nil:
		return w, err
	case !found:
		return w, model.Missing()
	}
	return w, m.Refuses(&w.Webhook)
}

// Delete ends a webhook at once.
func (h *Webhooks) Delete(ctx context.Context, actor *model.Actor, address string, id model.WebhookID) error {
	m, err := h.Access.ManageToChange(ctx, actor, address)
	if err != nil {
		return err
	}
	err = h.Access.ChangeWebhook(ctx, m, model.ActionWebhookDelete, func(tx *store.Tx, m *access.Managed,
		_ *model.AuditEntry) (*model.Webhook, error) {
		w, err := locked(tx, m, id)
		return &w.Webhook, firstError(
			func() error { return err },
			func() error { return m.Tell(tx, &w.Webhook) },
			func() error { _, err := tx.DeleteWebhook(m.ID, id); return err })
	})
	if err == nil {
		h.Changed()
	}
	return err
}

// Rotate gives a webhook another secret. For the grace period both sign.
func (h *Webhooks) Rotate(ctx context.Context, actor *model.Actor, address string, id model.WebhookID,
	grace time.Duration) (*Made, error) {
	if grace < 0 || grace > model.MaxWebhookGrace {
		return nil, model.Invalidf("grace_invalid", "grace", "The grace period is 0 to 86400 seconds.")
	}
	m, err := h.Access.ManageToChange(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	w, err := h.managed(ctx, m, id)
	if err != nil {
		return nil, err
	}
	secret, sealed := newSecret(), *w
	err = h.sealing(ctx, &sealed, secret, func(fresh func(*store.Tx) error) error {
		return h.change(ctx, actor, address, id, model.ActionWebhookRotate, func(tx *store.Tx, _ *access.Managed,
			w *store.WebhookRow, _ *model.AuditEntry) error {
			w.Previous, w.PreviousUntil = w.Secret, h.now().Add(grace)
			if grace == 0 {
				w.Previous, w.PreviousUntil = nil, time.Time{}
			}
			w.Secret = sealed.Secret
			return fresh(tx)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Made{w.Webhook, shared(w.Signature, secret)}, nil
}

// managed finds a webhook that the actor manages.
func (h *Webhooks) managed(ctx context.Context, m *access.Managed, id model.WebhookID) (*store.WebhookRow, error) {
	var w store.WebhookRow
	var found bool
	err := h.Store.View(ctx, func(tx *store.Tx) (err error) {
		w, found, err = tx.Webhook(m.ID, id)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, model.Missing()
	}
	return &w, m.Refuses(&w.Webhook)
}
