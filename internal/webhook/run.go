package webhook

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
)

// Run has jobs noted for what is queued for accounts with webhooks, until ctx ends. A server that is alone on
// its store is told of everything, and looks at the start only; one of several looks now and then too, as
// what one is told may be lost, and which accounts have webhooks another one may have changed.
func (h *Webhooks) Run(ctx context.Context) {
	var tick <-chan time.Time
	if !h.Store.Alone() {
		ticker := time.NewTicker(h.Look)
		defer ticker.Stop()
		tick = ticker.C
	}
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-h.Hub.Stirred():
			for _, account := range h.Hub.TakeStirred() {
				if err = h.Arm(ctx, account); err != nil {
					break // looking finds it
				}
			}
		case <-tick:
			err = h.look(ctx)
		case <-h.changed:
			err = h.look(ctx)
		case <-again.C:
			err = h.look(ctx)
		}
		if err != nil && ctx.Err() == nil {
			health.Complain(ctx, h.Log, h.Outages, "webhooks wait, and are tried again", err)
			again.Reset(time.Second)
		}
	}
}

// Changed says that an account has got, or lost, a webhook.
func (h *Webhooks) Changed() {
	select {
	case h.changed <- struct{}{}:
	default: // it was told
	}
}

// look has the hub watch the accounts that have webhooks, and has jobs noted for what waits.
func (h *Webhooks) look(ctx context.Context) error {
	watched, err := h.all(ctx, (*store.Tx).WebhookAccounts)
	if err != nil {
		return err
	}
	h.Hub.Watch(watched)
	if len(watched) == 0 {
		return nil
	}
	waiting, err := h.all(ctx, (*store.Tx).AwaitedWebhooks)
	for _, account := range waiting {
		if err := h.Arm(ctx, account); err != nil {
			return err
		}
	}
	return err
}

// all reads accounts, some in a snapshot.
func (h *Webhooks) all(ctx context.Context, page func(*store.Tx, model.AccountID, int) ([]model.AccountID, error)) (
	out []model.AccountID, err error) {
	var last model.AccountID
	for more := true; more; {
		some, err := store.Read(ctx, h.Store, func(tx *store.Tx) ([]model.AccountID, error) {
			return page(tx, last, accountBatch)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
		if more = len(some) == accountBatch; more {
			last = some[len(some)-1]
		}
	}
	return out, nil
}

// Arm has jobs noted for those webhooks of an account that have none, if something is queued for them.
func (h *Webhooks) Arm(ctx context.Context, account model.AccountID) error {
	waits, err := store.Read(ctx, h.Store, func(tx *store.Tx) (bool, error) { return tx.HasAwaited(account) }, store.Short)
	if err != nil || !waits {
		return err
	}
	now := h.now()
	return h.Store.Update(ctx, func(tx *store.Tx) error { return tx.NoteDeliveries(account, now) })
}

// keptRound is how often is looked what was kept of an account for long enough.
const keptRound = time.Hour

// keptDue is when is looked next: at the same times for all, so that an account whose webhooks come and go
// has one job for it.
func (h *Webhooks) keptDue() time.Time { return h.Due().Truncate(keptRound).Add(keptRound) }

// eraseKept erases what was kept of an account for its webhooks for long enough; where it has none any more,
// all of it.
func (h *Webhooks) eraseKept(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	var account model.AccountID
	copy(account[:], j.Subject)
	has, err := tx.HasWebhooks(account)
	if err != nil {
		return backlog.Next{}, err
	}
	before := int64(store.EndOfQueue)
	if has {
		before = h.now().Add(-model.WebhookKept).UnixMicro()
	}
	n, err := tx.DeleteKeptBefore(account, before, backlog.Rows)
	if err != nil {
		return backlog.Next{}, err
	}
	next := backlog.Over()
	switch {
	case n == backlog.Rows:
		next = backlog.Again()
	case has:
		next = backlog.At(h.keptDue())
	}
	next.Rows = int(n)
	return next, nil
}
