package service

import (
	"context"
	"net/url"
	"strings"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

// AvatarBytes is how large an avatar that is given as a file may be.
const AvatarBytes = 2 << 20

// avatarPrefix marks an avatar that is a stored file in an account's or group's
// avatar field; the rest is the identifier of its bytes.
const avatarPrefix = "blob:"

// StoredAvatar returns the identifier of an avatar's bytes; ok is false for an
// avatar that is a URL, or none.
func StoredAvatar(avatar string) (id string, ok bool) { return strings.CutPrefix(avatar, avatarPrefix) }

// validAvatarURL accepts an absolute http or https URL, or nothing at all.
func validAvatarURL(text *string) error {
	if text == nil || *text == "" {
		return nil
	}
	u, err := url.Parse(*text)
	if err != nil || len(*text) > 2048 || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return model.Invalidf("avatar_invalid", "avatar", "An avatar is a file, or an http or https URL.")
	}
	return nil
}

// AvatarType tells the type of a picture by its first bytes; empty where it is
// none that may be an avatar.
func AvatarType(head []byte) string {
	starts := func(prefix string) bool { return strings.HasPrefix(string(head), prefix) }
	switch {
	case starts("\x89PNG\r\n\x1a\n"):
		return "image/png"
	case starts("\xff\xd8\xff"):
		return "image/jpeg"
	case starts("GIF87a"), starts("GIF89a"):
		return "image/gif"
	case starts("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// replaceAvatar gives an entity another avatar, a file or a URL that is valid, and
// lets go of the bytes of the one before. Where neither is given, it stays.
func replaceAvatar(tx *store.Tx, avatar *string, entity model.EntityID, group bool, file *Upload, link *string) error {
	if file == nil && link == nil {
		return nil
	}
	if old, ok := StoredAvatar(*avatar); ok {
		if link != nil && strings.HasSuffix(*link, "/v2/avatar/"+old) {
			return nil // the client has sent back what it read: the picture stays
		}
		id, _ := model.ParseBlobID(old)
		if err := tx.DeleteAvatar(id); err != nil {
			return err
		}
		if err := tx.DropReference(id); err != nil {
			return err
		}
	}
	if file == nil {
		*avatar = *link
		return nil
	}
	*avatar = avatarPrefix + file.Blob.String()
	if err := tx.ReferToBlob(file.Blob, file.Size); err != nil {
		return err
	}
	return tx.InsertAvatar(store.Avatar{Blob: file.Blob, Entity: entity, Group: group, ContentType: file.ContentType})
}

func setGroupAvatar(tx *store.Tx, g *model.Group, c *GroupCommand) error {
	return replaceAvatar(tx, &g.Avatar, g.Entity(), true, c.Avatar, c.AvatarURL)
}

// Avatar opens a stored avatar for one who may see its account or group. The
// caller closes it.
func (s *Service) Avatar(ctx context.Context, actor *model.Actor, id model.BlobID) (contentType string,
	content blob.Blob, err error) {
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
	content, err = s.vault.OpenFile(ctx, id)
	return contentType, content, err
}
