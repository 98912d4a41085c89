package access

import (
	"context"
	"strings"

	"signet/internal/model"
	"signet/internal/store"
)

// KeyLimits are the changes of a key's limits.
type KeyLimits struct{ MessagesPerDay, RequestsPerSecond model.LimitChange }

// apply changes the limits of a key, and of all keys that share its counter: else an
// account would get round them with a key that it issues itself.
func (l KeyLimits) apply(tx *store.Tx, k *model.Key, line *model.AuditEntry) error {
	perDay, perSecond := l.MessagesPerDay.Of(k.MessagesPerDay), l.RequestsPerSecond.Of(k.RequestsPerSecond)
	line.Detail = "messages_per_day=" + model.LimitText(perDay) + " requests_per_second=" + model.LimitText(perSecond)
	return tx.LimitKeys(k.Account, k.Counter, perDay, perSecond)
}

// KeyChange is what changes of a key.
type KeyChange struct {
	Label  *string   // nil: it stays; empty: none
	Limits KeyLimits // by operators
}

// limits reports whether limits change, which may be to what they are: they do where nothing
// else does.
func (in *KeyChange) limits() bool {
	return in.Label == nil || in.Limits.MessagesPerDay.Set || in.Limits.RequestsPerSecond.Set
}

// Action is what the change is in the audit log.
func (in *KeyChange) Action() model.AuditAction {
	if in.limits() {
		return model.ActionKeyLimit
	}
	return model.ActionKeyLabel
}

// ChangeKey gives a key of an account another label, which may do who may revoke it; and
// other limits, it and all keys that share its counter.
func (c *Control) ChangeKey(ctx context.Context, actor *model.Actor, address, key string, in KeyChange) error {
	label, err := parseLabel(in.Label)
	if err != nil {
		return err
	}
	m, err := c.mayChange(ctx, actor, address)
	if err != nil {
		return err
	}
	err = c.change(ctx, m, in.Action(), func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		line.OnKey = key
		k, err := m.key(tx, key)
		if err == nil && in.limits() {
			if err = mayChangeLimits(actor); err == nil {
				err = in.Limits.apply(tx, &k, line)
			}
		}
		if err == nil && in.Label != nil {
			line.Detail = strings.TrimSpace(line.Detail + " " + labelDetail(label))
			err = tx.LabelKey(key, label)
		}
		if err == nil && !m.self {
			_, err = m.queueNotice(tx)
		}
		if err != nil {
			return err
		}
		return m.recordAbroad(tx, line, k.Scope)
	})
	if err != nil {
		return err
	}
	c.Forget(m.ID)
	c.hub.Wake(ctx, m.ID)
	return nil
}

// parseLabel reads a label that may be missing.
func parseLabel(given *string) (string, error) {
	if given == nil {
		return "", nil
	}
	return model.ParseLabel(*given)
}

// labelDetail tells the audit log of a label, and not what it says: people write names in it.
func labelDetail(label string) string {
	if label == "" {
		return "label=none"
	}
	return "label=set"
}

// mayChangeLimits refuses a key that is not administrative with what a page asks its user for.
func mayChangeLimits(actor *model.Actor) error {
	if !actor.Administrative() {
		return model.AdministrativeKeyRequired()
	}
	return mayLimit(actor)
}

// mayLimit refuses limits of a key by anybody but an operator.
func mayLimit(actor *model.Actor) error {
	if !actor.Operates() {
		return model.Forbiddenf("operator_required", "Only an operator gives a key other limits.")
	}
	return nil
}
