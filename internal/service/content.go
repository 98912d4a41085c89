package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// The forms of a message's content, told apart by their first byte. What is stored is
// the sealed form of one of them, and nothing else is read.
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
	Key         []byte `json:"key,omitempty"` // opens the bytes; none: they are not sealed
}

// encodeContent writes what a message says, to be sealed.
func encodeContent(c *model.Content) ([]byte, error) {
	if c.Attachment == nil && len(c.Data) == 0 {
		return append([]byte{plainBody}, c.Body...), nil
	}
	stored := storedContent{Body: c.Body, Data: c.Data}
	if a := c.Attachment; a != nil {
		stored.Attachment = &storedAttachment{Name: a.Name, ContentType: a.ContentType, Size: a.Size, Key: a.Key}
	}
	text, err := json.Marshal(stored)
	return append([]byte{structured}, text...), err
}

// decodeContent reads what encodeContent wrote.
func decodeContent(row *store.MessageRow, text []byte) (model.Content, error) {
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
	content := model.Content{Body: stored.Body, Data: stored.Data}
	if a := stored.Attachment; a != nil {
		content.Attachment = &model.Attachment{Blob: row.Blob, Name: a.Name, ContentType: a.ContentType, Size: a.Size, Key: a.Key}
	}
	return content, nil
}

// openContent reads what a row says. Where it cannot be opened, unreadable tells.
func (s *Service) openContent(ctx context.Context, row *store.MessageRow) (model.Content, error) {
	if row.Recalled && len(row.Sealed) == 0 {
		return model.Content{}, nil
	}
	text, err := s.open(ctx, row.Sealed, messageBinding(row))
	if err != nil {
		return model.Content{}, fmt.Errorf("open content of message %s: %w", row.ID, err)
	}
	return decodeContent(row, text)
}

// open opens what is stored. What is not sealed does not open either: somebody who has
// no key put it there.
func (s *Service) open(ctx context.Context, stored, bound []byte) ([]byte, error) {
	if s.unsealed {
		return stored, nil
	}
	text, err := s.ring.Open(ctx, stored, bound)
	if err != nil {
		s.countUnopened(err)
		return nil, keyFault(err)
	}
	return text, nil
}

// readable turns a row, which is not opened, into the message as a reader with this
// status sees it.
func (s *Service) readable(ctx context.Context, row *store.MessageRow, status model.Status) (model.Message, error) {
	m := row.Message
	m.Status = status
	if m.Recalled {
		return m, nil
	}
	content, err := s.openContent(ctx, row)
	m.Content = content
	return m, err
}

// gone turns the error of a message whose key was destroyed into what is answered
// for one that is not there: it is an older state of the store that still has it.
func gone(err error) error {
	if errors.Is(err, seal.ErrKeyGone) {
		return model.Missing()
	}
	return err
}

// unreadable reports whether content will never open again.
func unreadable(err error) bool {
	return errors.Is(err, seal.ErrKeyGone) || errors.Is(err, seal.ErrBroken)
}
