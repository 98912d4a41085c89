package access

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// KeyLimits are the changes of a key's limits.
type KeyLimits struct{ MessagesPerDay, RequestsPerSecond model.LimitChange }

// apply changes the limits of a key, and of all keys that share its counter: else an
// account would get round them with a key that it issues itself.
func (l KeyLimits) apply(tx *store.Tx, k *model.Key, line *model.AuditEntry) error {
	perDay, perSecond := l.MessagesPerDay.Of(k.MessagesPerDay), l.RequestsPerSecond.Of(k.RequestsPerSecond)
	line.OnKey = k.Key
	line.Detail = "messages_per_day=" + model.LimitText(perDay) + " requests_per_second=" + model.LimitText(perSecond)
	return tx.LimitKeys(k.Account, k.Counter, perDay, perSecond)
}

// LimitKey gives a key of an account other limits, and all keys that share its counter.
// Operators only.
func (c *Control) LimitKey(ctx context.Context, actor *model.Actor, address, key string, limits KeyLimits) error {
	t, _, err := c.managed(ctx, actor, address)
	if err == nil {
		err = MayGiveAccess(actor)
	}
	if err != nil {
		return err
	}
	err = c.updateManaged(ctx, actor, model.ActionKeyLimit, t.ID,
		func(tx *store.Tx, r reach, line *model.AuditEntry) error {
			k, err := r.key(tx, t.ID, key)
			if err == nil && !actor.Operates() {
				err = model.Forbiddenf("operator_required", "Only an operator gives a key other limits.")
			}
			if err == nil {
				err = limits.apply(tx, &k, line)
			}
			if err != nil || r.self {
				return err
			}
			_, err = tx.QueueNotice(t.ID)
			return err
		})
	if err != nil {
		return err
	}
	c.Forget(t.ID)
	c.hub.Wake(t.ID)
	return nil
}
