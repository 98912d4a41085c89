package wire

import (
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
		Entity:         v.WithFields(v.Entity(f.Entity), map[string]any{"type": v.EntityType(c.Group)}),
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

// HistoryText is a page of messages as an answer.
func (v *View) HistoryText(h *service.History) Text {
	return Text{(len(h.Messages) + 1) * UsualEvent, func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		for i := range h.Messages {
			if i > 0 {
				b = append(b, ',')
			}
			m := v.Message(&h.Messages[i])
			b = m.appendJSON(b)
		}
		b = append(b, `],"metadata":{"more":`...)
		return append(strconv.AppendBool(b, h.More), "}}"...), nil
	}}
}
