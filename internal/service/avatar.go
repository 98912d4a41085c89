package service

import (
	"context"

	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

func setGroupAvatar(tx *store.Tx, g *model.Group, c *GroupCommand) error {
	return content.ReplaceAvatar(tx, &g.Avatar, g.Entity(), true, c.Avatar, c.AvatarURL)
}

// Avatar opens a stored avatar for one who may see its account or group. The
// caller closes it.
func (s *Service) Avatar(ctx context.Context, actor *model.Actor, id model.BlobID) (contentType string,
	file blob.Blob, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, found, err := tx.Avatar(id)
		if err != nil {
			return err
		}
		contentType = a.ContentType
		if a.Group {
			_, _, err = groupInSight(tx, actor, model.GroupID(a.Entity))
			return err
		}
		memberships, err := tx.Memberships(model.AccountID(a.Entity))
		if err == nil && (!found || !actor.MaySee(model.AccountID(a.Entity), memberships)) {
			err = model.Missing()
		}
		return err
	})
	if err != nil {
		return "", nil, err
	}
	file, err = s.vault.OpenFile(ctx, id)
	return contentType, file, err
}
