package content

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/metadata"
	"signet/internal/store/notes"
	"signet/internal/store/sealing"
)

// eachBatch is how many rows one snapshot reads of a table that is gone through.
const eachBatch = 200

// EachMessage calls fn with the messages of a store in the order of their keys, with those
// that only a legal hold keeps instead where held is set.
func EachMessage(ctx context.Context, kept *store.Store, held bool, fn func(*store.MessageRow) error) error {
	after := sealing.MessagesAfter
	if held {
		after = (*store.Tx).HeldMessagesAfter
	}
	var last store.MessageKey
	for {
		rows, err := store.Read(ctx, kept, func(tx *store.Tx) ([]store.MessageRow, error) {
			return after(tx, last.Organization, last.ID, eachBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			last = store.MessageKey{Organization: rows[i].Organization, ID: rows[i].ID}
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
	}
}

// EachNote calls fn with the notes of a store in the order of their keys.
func EachNote(ctx context.Context, kept *store.Store, fn func(*notes.Row) error) error {
	var last notes.Key
	for {
		rows, err := store.Read(ctx, kept, func(tx *store.Tx) ([]notes.Row, error) {
			return notes.After(tx, last, eachBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			last = notes.Key{Group: rows[i].Group, Sort: rows[i].Sort}
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
	}
}

// EachMetadata calls fn with the metadata of a store in the order of their keys.
func EachMetadata(ctx context.Context, kept *store.Store, fn func(*metadata.Row) error) error {
	var organization model.OrganizationID
	var entity model.EntityID
	for {
		rows, err := store.Read(ctx, kept, func(tx *store.Tx) ([]metadata.Row, error) {
			return metadata.After(tx, organization, entity, eachBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			organization, entity = rows[i].Organization, rows[i].Entity
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
	}
}

// EachWebhook calls fn with the webhooks of a store in the order of their keys.
func EachWebhook(ctx context.Context, kept *store.Store, fn func(*store.WebhookRow) error) error {
	var last store.WebhookKey
	for {
		rows, err := store.Read(ctx, kept, func(tx *store.Tx) ([]store.WebhookRow, error) {
			return tx.WebhooksAfter(last, eachBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			last = store.WebhookKey{Account: rows[i].Account, ID: rows[i].ID}
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
	}
}

// EachProvider calls fn with the providers of a store in the order of their organizations.
func EachProvider(ctx context.Context, kept *store.Store, fn func(*store.ProviderRow) error) error {
	var last model.OrganizationID
	for {
		rows, err := store.Read(ctx, kept, func(tx *store.Tx) ([]store.ProviderRow, error) {
			return tx.ProvidersAfter(last, eachBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			last = rows[i].Organization
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
	}
}
