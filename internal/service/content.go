package service

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
	"signet/internal/store"
)

// The stored forms of a message's content, told apart by their first byte.
const (
	plainBody  = 0 // the rest is the body; there is nothing else
	structured = 1 // the rest is a JSON object
)

// storedContent is the structured form.
type storedContent struct {
	Body       string            `json:"body,omitempty"`
	Data       []model.DataItem  `json:"data,omitempty"`
	Attachment *storedAttachment `json:"attachment,omitempty"`
}

type storedAttachment struct {
	Name        string `json:"name"`
	ContentType string `json:"type"`
	Size        int64  `json:"size"`
}

// encodeContent writes what a message says in its stored form.
func encodeContent(c *model.Content) ([]byte, error) {
	if c.Attachment == nil && len(c.Data) == 0 {
		return append([]byte{plainBody}, c.Body...), nil
	}
	stored := storedContent{Body: c.Body, Data: c.Data}
	if a := c.Attachment; a != nil {
		stored.Attachment = &storedAttachment{Name: a.Name, ContentType: a.ContentType, Size: a.Size}
	}
	text, err := json.Marshal(stored)
	return append([]byte{structured}, text...), err
}

// decodeContent reads a row's content into its message.
func decodeContent(row *store.MessageRow) (model.Content, error) {
	if len(row.Sealed) == 0 {
		return model.Content{}, nil
	}
	rest := row.Sealed[1:]
	if row.Sealed[0] == plainBody {
		return model.Content{Body: string(rest)}, nil
	}
	var stored storedContent
	if err := json.Unmarshal(rest, &stored); err != nil {
		return model.Content{}, fmt.Errorf("read content of message %s: %w", row.ID, err)
	}
	content := model.Content{Body: stored.Body, Data: stored.Data}
	if a := stored.Attachment; a != nil {
		content.Attachment = &model.Attachment{Blob: row.Blob, Name: a.Name, ContentType: a.ContentType, Size: a.Size}
	}
	return content, nil
}

// readable turns a row into the message as a reader with this status sees it.
func readable(row *store.MessageRow, status model.Status) (model.Message, error) {
	m := row.Message
	m.Status = status
	if m.Recalled {
		return m, nil
	}
	content, err := decodeContent(row)
	m.Content = content
	return m, err
}
