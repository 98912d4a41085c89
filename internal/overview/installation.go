package overview

import (
	"context"

	"signet/internal/config"
	"signet/internal/model"
)

// Settings returns the settings of the server that answers, for operators, in the order of
// their documentation. What signs in is left out of them.
func (c *Overview) Settings(ctx context.Context, actor *model.Actor) (all []config.Effective, err error) {
	err = c.askAll(ctx, actor, model.ActionSettingsRead, func() error {
		all = c.settings
		return nil
	})
	return all, err
}
