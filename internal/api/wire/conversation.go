package wire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"signet/internal/model"
	"signet/internal/service"
)

// Conversation is a Conversation.
type Conversation struct {
	Entity         json.RawMessage      `json:"entity"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	LastMessage    *Message             `json:"last_message,omitempty"`
	Unread         int                  `json:"unread_count"`
	UnreadPriority int                  `json:"unread_priority_count"`
	Muted          bool                 `json:"muted"`
	SortNumber     int64                `json:"sort_number"`
}

// Conversation shows a conversation, as the roster shows its entity.
func (v *View) Conversation(f *service.Conversation) Conversation {
	c := &f.Conversation
	w := Conversation{
		Entity:         v.partner(f.Entity, c.Group),
		OrganizationID: c.Organization, Unread: c.Unread, UnreadPriority: c.UnreadPriority, Muted: f.Muted,
	}
	if f.LastMessage != nil {
		m := v.Message(f.LastMessage)
		w.LastMessage, w.SortNumber = &m, m.SortNumber
	}
	return w
}

// Unread is how many messages an account has not read.
type Unread struct {
	Messages int `json:"unread_count"`
	Priority int `json:"unread_priority_count"`
}

// HistoryText is a page of messages, and of notes in one order with them, as an answer.
func (v *View) HistoryText(h *service.History) Text {
	return Text{(len(h.Messages) + len(h.Notes) + 1) * UsualEvent, func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		notes := h.Notes
		noted := func(before *model.Message) (err error) {
			for len(notes) > 0 && err == nil && (before == nil || h.Precedes(&notes[0], before)) {
				b, err = v.appendNote(b, &notes[0])
				b, notes = append(b, ','), notes[1:]
			}
			return err
		}
		for i := range h.Messages {
			if err := noted(&h.Messages[i]); err != nil {
				return nil, err
			}
			b = append(v.appendMessage(b, &h.Messages[i]), ',')
		}
		if err := noted(nil); err != nil {
			return nil, err
		}
		b = bytes.TrimSuffix(b, []byte{','})
		b = append(b, `],"metadata":{"more":`...)
		return append(strconv.AppendBool(b, h.More), "}}"...), nil
	}}
}

// partner shows whom a conversation is with.
func (v *View) partner(e model.Entity, group bool) json.RawMessage {
	return v.WithFields(v.Entity(e), map[string]any{"type": v.EntityType(group)})
}

// FoundMessage is a message that a search found, in the conversation with an entity.
type FoundMessage struct {
	Message        Message              `json:"message"`
	Entity         json.RawMessage      `json:"entity"`
	OrganizationID model.OrganizationID `json:"organization_id"`
}

// FoundMessages is a page of these.
type FoundMessages struct {
	Results  []FoundMessage `json:"results"`
	Metadata struct {
		SearchedTo   Time   `json:"searched_to,omitzero"`
		Continuation string `json:"continuation,omitempty"`
	} `json:"metadata"`
}

// FoundMessages shows a page of what a search found.
func (v *View) FoundMessages(found *service.FoundMessages) FoundMessages {
	out := FoundMessages{Results: make([]FoundMessage, len(found.Hits))}
	out.Metadata.SearchedTo, out.Metadata.Continuation = Time(found.SearchedTo), found.Continuation
	for i := range found.Hits {
		hit := &found.Hits[i]
		m := &hit.Message
		out.Results[i] = FoundMessage{v.Message(m), v.partner(hit.Entity, m.Group), m.Organization}
	}
	return out
}
