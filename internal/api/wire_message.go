package api

import (
	"encoding/json"
	"strings"

	"signet/internal/api/input"
	"signet/internal/model"
	"signet/internal/service"
)

// wireAttachment is an entry of a message's attachments; there is at most one.
type wireAttachment struct {
	ID          int    `json:"attachment_id"`
	Name        string `json:"name"`
	ContentType string `json:"content-type"`
	Size        int64  `json:"size"`
}

// wireMessage is a Message.
type wireMessage struct {
	MessageID             model.MessageID      `json:"message_id"`
	ClientID              model.MessageID      `json:"client_id"`
	SenderToken           model.AccountID      `json:"sender_token"`
	SenderOrganization    model.OrganizationID `json:"sender_organization"`
	RecipientToken        model.EntityID       `json:"recipient_token"`
	GroupToken            model.EntityID       `json:"group_token,omitzero"`
	RecipientOrganization model.OrganizationID `json:"recipient_organization"`
	Body                  *string              `json:"body,omitempty"`
	CreatedTime           wireTime             `json:"created_time"`
	ExpiresTime           wireTime             `json:"expires_time,omitzero"`
	TTL                   int                  `json:"ttl"`
	DOR                   bool                 `json:"dor"`
	Status                string               `json:"status"`
	Priority              int                  `json:"priority"`
	SortNumber            int64                `json:"sort_number"`
	Attachments           []wireAttachment     `json:"attachments,omitzero"`
	AttachmentName        string               `json:"attachment_name,omitempty"`
	Data                  []model.DataItem     `json:"data,omitzero"`
	IsRecalled            bool                 `json:"is_recalled,omitempty"`
	IsForwarded           bool                 `json:"is_forwarded,omitempty"`
	OriginalSender        model.AccountID      `json:"original_sender,omitzero"`
	OriginalTimestamp     wireTime             `json:"original_timestamp,omitzero"`
	Muted                 bool                 `json:"muted,omitempty"`
}

// message shows a message. A recalled one has no body, attachment or data.
func (v *view) message(m *model.Message) wireMessage {
	w := wireMessage{
		MessageID: m.ID, ClientID: m.ID, SenderToken: m.Sender, SenderOrganization: m.Organization,
		RecipientToken: m.Recipient, RecipientOrganization: m.Organization,
		CreatedTime: wireTime(m.Created), ExpiresTime: wireTime(m.Expires), TTL: m.TTL, DOR: m.DOR,
		Status: m.Status.String(), Priority: m.Priority, SortNumber: m.Sort, IsRecalled: m.Recalled, Muted: m.Muted,
	}
	if m.Group {
		w.GroupToken = m.Recipient
	}
	if m.Forwarded != nil {
		w.IsForwarded, w.OriginalSender, w.OriginalTimestamp = true, m.Forwarded.Sender, wireTime(m.Forwarded.Created)
	}
	if m.Recalled {
		return w
	}
	w.Body = &m.Body
	w.Attachments = []wireAttachment{}
	w.Data = m.Data
	if w.Data == nil {
		w.Data = []model.DataItem{}
	}
	if m.Attachment != nil {
		w.Attachments = append(w.Attachments, wireAttachment{ID: 1, Name: m.Attachment.Name,
			ContentType: m.Attachment.ContentType, Size: m.Attachment.Size})
		w.AttachmentName = m.Attachment.Name
	}
	return w
}

// wireStatusRow is a Status row.
type wireStatusRow struct {
	AccountID model.AccountID `json:"account_id"`
	Status    string          `json:"status"`
	Timestamp wireTime        `json:"timestamp"`
}

// wireMessageStatus is the answer of GET /message/:message/status.
type wireMessageStatus struct {
	ClientID   model.MessageID `json:"client_id"`
	IsRecalled bool            `json:"is_recalled"`
	Statuses   []wireStatusRow `json:"statuses"`
}

func messageStatus(s service.MessageStatus) wireMessageStatus {
	w := wireMessageStatus{ClientID: s.Message, IsRecalled: s.Recalled, Statuses: make([]wireStatusRow, len(s.Rows))}
	for i, row := range s.Rows {
		w.Statuses[i] = wireStatusRow{row.Account, row.Status.String(), wireTime(row.Time)}
	}
	return w
}

// dataItems reads the field `data`: a list of objects of three texts, or one of them.
// In a form the field may be repeated.
func dataItems(f *input.Fields) (items []model.DataItem) {
	const want = "a list of objects with the texts mimetype, namespace and payload"
	for _, raw := range f.Raws("data") {
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
			var one model.DataItem
			if json.Unmarshal(raw, &one) != nil {
				f.Wrong("data", want)
			}
			items = append(items, one)
			continue
		}
		var several []model.DataItem
		if json.Unmarshal(raw, &several) != nil {
			f.Wrong("data", want)
		}
		items = append(items, several...)
	}
	return items
}
