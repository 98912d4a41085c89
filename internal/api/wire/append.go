package wire

import (
	"strconv"

	"signet/internal/model"
)

// A poll is mostly messages, and encoding/json takes most of a poll's time to look at
// their fields. So messages are written by hand, in exactly the form that the tags of
// Message say; FuzzAppendedMessages holds the two together.

// UsualEvent is how many bytes an event takes, more often than not.
const UsualEvent = 800

// Text is an answer that is written by hand, straight into memory that is used
// again.
type Text struct {
	Usual  int // bytes that it takes, more often than not
	Append func(b []byte) ([]byte, error)
}

// MessageText is a message as an answer.
func (v *View) MessageText(m *model.Message) Text {
	return Text{UsualEvent, func(b []byte) ([]byte, error) { return v.appendMessage(b, m), nil }}
}

// appendMessage appends a message. But for its status, that it is muted, and what its sender alone sees, it is
// the same for all readers: one that is remembered is written for the first two, and copied for the
// others.
func (v *View) appendMessage(b []byte, m *model.Message) []byte {
	if kept := m.Text.Pieces(); kept != nil {
		b = appendString(append(b, kept.Before...), m.Status.OfMessage().String())
		return appendEnd(append(b, kept.After...), m.Muted, m.Escalates, m.ConfirmedBy)
	}
	w, begun := v.Message(m), len(b)
	b = w.appendBefore(b)
	before := b[begun:]
	b = appendString(b, w.Status)
	after := len(b)
	b = w.appendAfter(b)
	m.Text.Keep(before, b[after:])
	return appendEnd(b, w.Muted, w.IsEscalated, w.ConfirmedBy)
}

// AppendEvent appends an event, as all three transports write it: the object under
// `event` has exactly one key, its type.
func (v *View) AppendEvent(b []byte, e *model.Event) ([]byte, error) {
	b = append(b, `{"event_id":`...)
	b = appendString(b, e.ID)
	b = append(b, `,"event":{`...)
	b = appendString(b, v.Namespace+":iq:"+string(e.Kind))
	b = append(b, ':')
	if e.Message != nil {
		b = v.appendMessage(b, e.Message)
	} else {
		payload, err := Marshal(v.eventPayload(e))
		if err != nil {
			return nil, err
		}
		b = append(b, payload...)
	}
	return append(b, "}}"...), nil
}

// EventJSON is an event alone.
func (v *View) EventJSON(e *model.Event) ([]byte, error) {
	return v.AppendEvent(make([]byte, 0, UsualEvent), e)
}

// appendBefore appends the message up to the status.
func (w *Message) appendBefore(b []byte) []byte {
	b = appendID(append(b, `{"message_id":`...), w.MessageID)
	b = appendID(append(b, `,"client_id":`...), w.ClientID)
	b = appendID(append(b, `,"sender_token":`...), w.SenderToken)
	b = appendString(append(b, `,"sender_organization":`...), string(w.SenderOrganization))
	b = appendID(append(b, `,"recipient_token":`...), w.RecipientToken)
	if !w.GroupToken.IsZero() {
		b = appendID(append(b, `,"group_token":`...), w.GroupToken)
	}
	b = appendString(append(b, `,"recipient_organization":`...), string(w.RecipientOrganization))
	if w.Body != nil {
		b = appendString(append(b, `,"body":`...), *w.Body)
	}
	b = w.CreatedTime.appendJSON(append(b, `,"created_time":`...))
	if !w.ExpiresTime.IsZero() {
		b = w.ExpiresTime.appendJSON(append(b, `,"expires_time":`...))
	}
	b = strconv.AppendInt(append(b, `,"ttl":`...), int64(w.TTL), 10)
	b = strconv.AppendBool(append(b, `,"dor":`...), w.DOR)
	return append(b, `,"status":`...)
}

// appendAfter appends what comes after the status, up to what is the reader's own again.
func (w *Message) appendAfter(b []byte) []byte {
	b = strconv.AppendInt(append(b, `,"priority":`...), int64(w.Priority), 10)
	b = strconv.AppendInt(append(b, `,"sort_number":`...), w.SortNumber, 10)
	if w.Attachments != nil {
		b = append(b, `,"attachments":[`...)
		for i, attachment := range w.Attachments {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(b, `{"attachment_id":`...), int64(attachment.ID), 10)
			b = appendString(append(b, `,"name":`...), attachment.Name)
			b = appendString(append(b, `,"content-type":`...), attachment.ContentType)
			b = strconv.AppendInt(append(b, `,"size":`...), attachment.Size, 10)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if w.AttachmentName != "" {
		b = appendString(append(b, `,"attachment_name":`...), w.AttachmentName)
	}
	if w.Data != nil {
		b = append(b, `,"data":[`...)
		for i, item := range w.Data {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(append(b, `{"mimetype":`...), item.MimeType)
			b = appendString(append(b, `,"namespace":`...), item.Namespace)
			b = appendString(append(b, `,"payload":`...), item.Payload)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if !w.ReplyTo.IsZero() {
		b = appendID(append(b, `,"reply_to":`...), w.ReplyTo)
	}
	if w.IsRecalled {
		b = append(b, `,"is_recalled":true`...)
	}
	if w.IsForwarded {
		b = append(b, `,"is_forwarded":true`...)
	}
	if !w.OriginalSender.IsZero() {
		b = appendID(append(b, `,"original_sender":`...), w.OriginalSender)
	}
	if !w.OriginalTimestamp.IsZero() {
		b = w.OriginalTimestamp.appendJSON(append(b, `,"original_timestamp":`...))
	}
	if w.Escalation.Step > 0 {
		b = appendID(append(b, `,"escalation":{"message_id":`...), w.Escalation.MessageID)
		b = strconv.AppendInt(append(b, `,"step":`...), int64(w.Escalation.Step), 10)
		b = append(b, '}')
	}
	return b
}

// appendEnd appends the end of a message.
func appendEnd(b []byte, muted, escalated bool, confirmedBy []model.AccountID) []byte {
	if muted {
		b = append(b, `,"muted":true`...)
	}
	if escalated {
		b = append(b, `,"is_escalated":true`...)
	}
	for i, account := range confirmedBy {
		if i == 0 {
			b = append(b, `,"confirmed_by":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendID(b, account)
	}
	if len(confirmedBy) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendID[K any](b []byte, id model.ID[K]) []byte {
	b, _ = id.AppendText(append(b, '"')) // it never fails
	return append(b, '"')
}

// appendJSON appends the time.
func (t Time) appendJSON(b []byte) []byte {
	return append(t.append(append(b, '"')), '"')
}
