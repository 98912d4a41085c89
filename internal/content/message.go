package content

import (
	"context"
	"encoding/json"
	"fmt"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// The forms of a message's content before it is sealed, told apart by their first byte.
const (
	plainBody  = 0 // the rest is the body; there is nothing else
	structured = 1 // the rest is a JSON object
)

// storedContent is the structured form.
type storedContent struct {
	Body       string            `json:"body,omitempty"`
	Data       []model.DataItem  `json:"data,omitempty"`
	Attachment *storedAttachment `json:"attachment,omitempty"`
	ReplyTo    model.MessageID   `json:"reply_to,omitzero"`
}

type storedAttachment struct {
	Name        string `json:"name"`
	ContentType string `json:"type"`
	Size        int64  `json:"size"`
	Key         []byte `json:"key,omitempty"` // opens the bytes; none: they are not sealed
}

// SealMessage returns what a message says as its row stores it.
func (v *Vault) SealMessage(ctx context.Context, leases *Leases, row *store.MessageRow, c *model.Content) ([]byte,
	error) {
	text, err := encode(c)
	if err != nil {
		return nil, err
	}
	return v.seal(ctx, leases, messageKey(row), text, messageBinding(row))
}

// SealPrompt is SealMessage inside a transaction, which must not wait for the key ring. Where the key is not
// at hand, ready is false, and GetKey has to be called outside of the transaction.
func (v *Vault) SealPrompt(row *store.MessageRow, c *model.Content) (sealed []byte, ready bool, err error) {
	text, err := encode(c)
	if err != nil || v.Unsealed {
		return text, true, err
	}
	lease, err := v.Ring.UsePrompt(messageKey(row))
	if err != nil || lease == nil {
		return nil, false, ringFault(err)
	}
	defer lease.ReleaseInDoubt() // the transaction goes on, and nobody tells when it has ended
	sealed, err = lease.Seal(text, messageBinding(row))
	return sealed, true, err
}

// GetKey has the key at hand with which a row is sealed.
func (v *Vault) GetKey(ctx context.Context, row *store.MessageRow) error {
	lease, err := v.Ring.Use(ctx, messageKey(row))
	if err != nil {
		return ringFault(err)
	}
	lease.Release()
	return nil
}

// OpenMessage reads what a row says; nothing, where a recall has erased that. Unreadable
// tells of its error whether the content will never open again.
func (v *Vault) OpenMessage(ctx context.Context, row *store.MessageRow) (model.Content, error) {
	if row.Recalled && len(row.Sealed) == 0 {
		return model.Content{}, nil
	}
	text, err := v.open(ctx, row.Sealed, messageBinding(row))
	if err != nil {
		return model.Content{}, fmt.Errorf("open content of message %s: %w", row.ID, err)
	}
	return decode(row, text)
}

// Ready reports whether OpenMessage reads a row without asking the key ring, which may
// take long.
func (v *Vault) Ready(row *store.MessageRow) bool {
	return !seal.Sealed(row.Sealed) || v.Ring.Ready(row.Sealed)
}

// encode writes what a message says, to be sealed.
func encode(c *model.Content) ([]byte, error) {
	if c.Attachment == nil && len(c.Data) == 0 && c.ReplyTo.IsZero() {
		return append([]byte{plainBody}, c.Body...), nil
	}
	stored := storedContent{Body: c.Body, Data: c.Data, ReplyTo: c.ReplyTo}
	if a := c.Attachment; a != nil {
		stored.Attachment = &storedAttachment{Name: a.Name, ContentType: a.ContentType, Size: a.Size, Key: a.Key}
	}
	text, err := json.Marshal(stored)
	return append([]byte{structured}, text...), err
}

// decode reads what encode wrote.
func decode(row *store.MessageRow, text []byte) (model.Content, error) {
	if len(text) == 0 {
		return model.Content{}, nil
	}
	rest := text[1:]
	if text[0] == plainBody {
		return model.Content{Body: string(rest)}, nil
	}
	var stored storedContent
	if err := json.Unmarshal(rest, &stored); err != nil {
		return model.Content{}, fmt.Errorf("read content of message %s: %w", row.ID, err)
	}
	content := model.Content{Body: stored.Body, Data: stored.Data, ReplyTo: stored.ReplyTo}
	if a := stored.Attachment; a != nil {
		content.Attachment = &model.Attachment{
			Blob: row.Blob, Name: a.Name, ContentType: a.ContentType, Size: a.Size, Key: a.Key,
		}
	}
	return content, nil
}
