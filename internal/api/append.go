package api

import (
	"math/bits"
	"strconv"
	"unicode/utf8"

	"signet/internal/model"
)

// A poll is mostly messages, and encoding/json takes most of a poll's time to look at
// their fields. So messages are written by hand, in exactly the form that the tags of
// wireMessage say; FuzzAppendedMessages holds the two together.

// appended is an answer that is written by hand, straight into memory that is used
// again.
type appended struct {
	usual  int // bytes that it takes, more often than not
	append func(b []byte) ([]byte, error)
}

// appendedMessage is a message as an answer.
func (v *view) appendedMessage(m *model.Message) appended {
	return appended{usualEvent, func(b []byte) ([]byte, error) {
		w := v.message(m)
		return w.appendJSON(b), nil
	}}
}

// appendEvent appends an event, as all three transports write it: the object under
// `event` has exactly one key, its type.
func (v *view) appendEvent(b []byte, e *model.Event) ([]byte, error) {
	b = append(b, `{"event_id":`...)
	b = appendString(b, e.ID)
	b = append(b, `,"event":{`...)
	b = appendString(b, v.vendor.namespace+":iq:"+string(e.Kind))
	b = append(b, ':')
	if e.Message != nil {
		m := v.message(e.Message)
		b = m.appendJSON(b)
	} else {
		payload, err := marshal(v.eventPayload(e))
		if err != nil {
			return nil, err
		}
		b = append(b, payload...)
	}
	return append(b, "}}"...), nil
}

// appendJSON appends the message.
func (w *wireMessage) appendJSON(b []byte) []byte {
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
	b = appendString(append(b, `,"status":`...), w.Status)
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
	if w.Muted {
		b = append(b, `,"muted":true`...)
	}
	return append(b, '}')
}

func appendID[K any](b []byte, id model.ID[K]) []byte {
	b, _ = id.AppendText(append(b, '"')) // it never fails
	return append(b, '"')
}

// appendJSON appends the time.
func (t wireTime) appendJSON(b []byte) []byte {
	return append(t.append(append(b, '"')), '"')
}

const hexDigits = "0123456789abcdef"

// plain returns how many bytes from i on stand for themselves in a JSON string, up to
// the end of the text: eight at a time, because texts are most of an answer.
func plain(s string, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	from := i
	for ; i+8 <= len(s); i += 8 {
		t := s[i : i+8]
		w := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\') // 0 where there is one
		// The high bit of a byte is set where it is past ASCII or less than a blank, or was
		// 0. The first such byte is right: what it borrows from comes after it.
		if odd := (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & high; odd != 0 {
			return i + bits.TrailingZeros64(odd)/8 - from
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i - from
}

// appendString appends a text as a JSON string: as encoding/json does, with HTML left
// alone (RFC 8259, section 7).
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; ; {
		i += plain(s, i)
		if i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, `\b`...)
			case '\f':
				b = append(b, `\f`...)
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		for i < len(s) && s[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + size
			case r == '\u2028' || r == '\u2029': // JavaScript took them for line ends
				b = append(append(b, s[from:i]...), `\u202`...)
				b = append(b, hexDigits[r&15])
				from = i + size
			}
			i += size
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}
