package content

import (
	"strings"

	"signet/internal/model"
	"signet/internal/store"
)

// ReplaceAvatar gives an entity another avatar, a file or a URL that is valid, and
// lets go of the bytes of the one before. Where neither is given, it stays.
func ReplaceAvatar(tx *store.Tx, avatar *string, entity model.EntityID, group bool, file *Upload, link *string) error {
	if file == nil && link == nil {
		return nil
	}
	if old, ok := model.StoredAvatar(*avatar); ok {
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
	*avatar = model.FileAvatar(file.Blob)
	if err := tx.ReferToBlob(file.Blob, file.Size); err != nil {
		return err
	}
	return tx.InsertAvatar(store.Avatar{Blob: file.Blob, Entity: entity, Group: group, ContentType: file.ContentType})
}
