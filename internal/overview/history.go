package overview

import (
	"context"

	"signet/internal/model"
	"signet/internal/series"
	"signet/internal/store"
)

// HistoryAsk says which figures over time are wanted, and History has them.
type (
	HistoryAsk = series.Ask
	History    = series.History
)

// Steps are how long the times are that figures are told of.
var Steps = series.Steps

// History tells operators the figures of the installation over time.
func (c *Overview) History(ctx context.Context, actor *model.Actor, ask HistoryAsk) (h History, err error) {
	if err := ask.CheckInstallation(c.now()); err != nil {
		return h, err
	}
	err = c.readAll(ctx, actor, model.ActionStatusRead, func(tx *store.Tx) (err error) {
		h, err = series.Installation(tx, &ask, c.now())
		return err
	})
	return h, err
}

// OrganizationHistory tells those of an organization.
func (c *Overview) OrganizationHistory(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	ask HistoryAsk) (h History, err error) {
	if err := ask.CheckOrganization(c.now()); err != nil {
		return h, err
	}
	err = c.read(ctx, actor, model.ActionOrganizationRead, organization, func(tx *store.Tx) error {
		of, _, err := tx.Organization(organization)
		if err != nil {
			return err
		}
		h, err = series.Organization(tx, &of, &ask, c.now())
		return err
	})
	return h, err
}
