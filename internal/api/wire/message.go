package wire

import (
	"signet/internal/model"
	"signet/internal/service"
)

// Attachment is an entry of a message's attachments; there is at most one.
type Attachment struct {
	ID          int    `json:"attachment_id"`
	Name        string `json:"name"`
	ContentType string `json:"content-type"`
	Size        int64  `json:"size"`
}

// Message is a Message.
type Message struct {
	MessageID             model.MessageID      `json:"message_id"`
	ClientID              model.MessageID      `json:"client_id"`
	SenderToken           model.AccountID      `json:"sender_token"`
	SenderOrganization    model.OrganizationID `json:"sender_organization"`
	RecipientToken        model.EntityID       `json:"recipient_token"`
	GroupToken            model.EntityID       `json:"group_token,omitzero"`
	RecipientOrganization model.OrganizationID `json:"recipient_organization"`
	Body                  *string              `json:"body,omitempty"`
	CreatedTime           Time                 `json:"created_time"`
	ExpiresTime           Time                 `json:"expires_time,omitzero"`
	TTL                   int                  `json:"ttl"`
	DOR                   bool                 `json:"dor"`
	Status                string               `json:"status"`
	Priority              int                  `json:"priority"`
	SortNumber            int64                `json:"sort_number"`
	Attachments           []Attachment         `json:"attachments,omitzero"`
	AttachmentName        string               `json:"attachment_name,omitempty"`
	Data                  []model.DataItem     `json:"data,omitzero"`
	ReplyTo               model.MessageID      `json:"reply_to,omitzero"`
	IsRecalled            bool                 `json:"is_recalled,omitempty"`
	IsForwarded           bool                 `json:"is_forwarded,omitempty"`
	OriginalSender        model.AccountID      `json:"original_sender,omitzero"`
	OriginalTimestamp     Time                 `json:"original_timestamp,omitzero"`
	Escalation            EscalationPart       `json:"escalation,omitzero"`
	Muted                 bool                 `json:"muted,omitempty"`
	IsEscalated           bool                 `json:"is_escalated,omitempty"`
	ConfirmedBy           []model.AccountID    `json:"confirmed_by,omitempty"`
}

// Message shows a message. A recalled one has no body, attachment or data, and
// answers nothing. Nothing of it depends on the view: what is written of it may be kept, and
// shown by another one (appendMessage).
func (v *View) Message(m *model.Message) Message {
	w := Message{
		MessageID: m.ID, ClientID: m.ID, SenderToken: m.Sender, SenderOrganization: m.Organization,
		RecipientToken: m.Recipient, RecipientOrganization: m.Organization,
		CreatedTime: Time(m.Created), ExpiresTime: Time(m.Expires), TTL: m.TTL, DOR: m.DOR,
		Status: m.Status.OfMessage().String(), Priority: m.Priority, SortNumber: m.Sort, IsRecalled: m.Recalled,
		Muted: m.Muted, IsEscalated: m.Escalates, ConfirmedBy: m.ConfirmedBy,
	}
	if m.Group {
		w.GroupToken = m.Recipient
	}
	if m.Forwarded != nil {
		w.IsForwarded, w.OriginalSender, w.OriginalTimestamp = true, m.Forwarded.Sender, Time(m.Forwarded.Created)
	}
	if m.Escalation.Step > 0 {
		w.Escalation = EscalationPart{m.Escalation.Message, m.Escalation.Step}
	}
	if m.Recalled {
		return w
	}
	w.Body = &m.Body
	w.ReplyTo = m.ReplyTo
	w.Attachments = []Attachment{}
	w.Data = m.Data
	if w.Data == nil {
		w.Data = []model.DataItem{}
	}
	if m.Attachment != nil {
		w.Attachments = append(w.Attachments, Attachment{ID: 1, Name: m.Attachment.Name,
			ContentType: m.Attachment.ContentType, Size: m.Attachment.Size})
		w.AttachmentName = m.Attachment.Name
	}
	return w
}

// StatusRow is a Status row.
type StatusRow struct {
	AccountID model.AccountID `json:"account_id"`
	Status    string          `json:"status"`
	Timestamp Time            `json:"timestamp"`
}

// MessageStatus is the answer of GET /message/:message/status.
type MessageStatus struct {
	ClientID   model.MessageID `json:"client_id"`
	IsRecalled bool            `json:"is_recalled"`
	Statuses   []StatusRow     `json:"statuses"`
}

func ShownStatus(s service.MessageStatus) MessageStatus {
	return MessageStatus{ClientID: s.Message, IsRecalled: s.Recalled, Statuses: StatusRows(s.Rows)}
}

// StatusRows shows how far a message got with whom.
func StatusRows(rows []model.StatusRow) []StatusRow {
	out := make([]StatusRow, len(rows))
	for i, row := range rows {
		out[i] = ShownStatusRow(row)
	}
	return out
}

func ShownStatusRow(row model.StatusRow) StatusRow {
	return StatusRow{row.Account, row.Status.String(), Time(row.Time)}
}

// ExportedMessage is a line of messages.jsonl, in an archive of a person's data.
type ExportedMessage struct {
	Message
	Statuses []StatusRow `json:"statuses"`
	Way      *Escalation `json:"escalation_state,omitempty"` // of one that its sender has escalated
	File     string      `json:"file,omitempty"`             // its attachment, in the archive
}

// HeldMessage is a line of messages.jsonl, in the export of what a legal hold keeps.
type HeldMessage struct {
	ExportedMessage
	IsOver        bool `json:"is_over,omitempty"`         // nobody can read it any more
	IsUnreadable  bool `json:"is_unreadable,omitempty"`   // its key is gone, and with it the content
	IsFileMissing bool `json:"is_file_missing,omitempty"` // the bytes of its attachment are gone
}
