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
	m, err := c.mayChange(ctx, actor, address)
	if err != nil {
		return err
	}
	err = c.change(ctx, m, model.ActionKeyLimit, func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		k, err := m.key(tx, key)
		if err == nil {
			err = mayLimit(actor)
		}
		if err == nil {
			err = limits.apply(tx, &k, line)
		}
		if err != nil || m.self {
			return err
		}
		_, err = tx.QueueNotice(m.ID)
		return err
	})
	if err != nil {
		return err
	}
	c.Forget(m.ID)
	c.hub.Wake(m.ID)
	return nil
}

// mayLimit refuses limits of a key by anybody but an operator.
func mayLimit(actor *model.Actor) error {
	if !actor.Operates() {
		return model.Forbiddenf("operator_required", "Only an operator gives a key other limits.")
	}
	return nil
}
