package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// SendCommand is a message as its sender asks for it. What is nil or empty was
// left out.
type SendCommand struct {
	Recipient             string // an address
	SenderOrganization    model.OrganizationID
	RecipientOrganization model.OrganizationID
	CallOrganization      model.OrganizationID // the organization header
	Body                  string
	Data                  []model.DataItem
	Upload                *content.Upload
	Refused               error // what RefusesUpload said of a file, which was not kept
	TTL                   *int
	DOR                   *bool
	Priority              *int
	ReplyTo               string           // the message that it answers
	Escalate              *EscalateCommand // nil: it is not sent on
	RequestID             string
}

// Sent is what became of a send.
type Sent struct {
	Message  model.MessageID
	TTL      int            // minutes, the one in force
	Repeated bool           // the Request-ID was used before: this is the first message
	Row      *model.Message // as the sender sees it; nil for a repeated one that is gone
}

// Send puts a message, its statuses, its events, the counters and the rosters on
// disk, together or not at all, and wakes the recipients (contract, 5.1).
func (s *Service) Send(ctx context.Context, actor *model.Actor, c SendCommand) (Sent, error) {
	if c.Recipient == "" {
		return Sent{}, recipientRequired()
	}
	if c.Body == "" && len(c.Data) == 0 && c.Upload == nil && c.Refused == nil {
		return Sent{}, model.Invalidf("content_required", "body", "One of body, attachment and data is required.")
	}
	if s.limits.MessageBytes > 0 && len(c.Body) > s.limits.MessageBytes {
		return Sent{}, model.Invalidf("body_too_long", "body",
			"The body is longer than %d bytes.", s.limits.MessageBytes)
	}
	d := &draft{
		recipient: c.Recipient,
		sender:    c.SenderOrganization, receiver: c.RecipientOrganization, call: c.CallOrganization,
		content: model.Content{Body: c.Body, Data: c.Data},
		ttl:     c.TTL, dor: c.DOR, priority: c.Priority, request: c.RequestID, escalate: c.Escalate, begun: time.Now(),
	}
	fingerprint := sha256.New()
	writeParts(fingerprint, c.Body)
	for _, item := range c.Data {
		writeParts(fingerprint, item.MimeType, item.Namespace, item.Payload)
	}
	if c.Upload != nil {
		d.content.Attachment = &c.Upload.Attachment
		writeParts(fingerprint, c.Upload.Name, c.Upload.ContentType, string(c.Upload.Digest))
	}
	if c.ReplyTo != "" {
		if d.content.ReplyTo, _ = model.ParseMessageID(c.ReplyTo); d.content.ReplyTo.IsZero() {
			return Sent{}, replyUnknown()
		}
		writeParts(fingerprint, "reply", d.content.ReplyTo.String())
	}
	if c.Escalate != nil {
		c.Escalate.write(fingerprint)
	}
	d.fingerprint = fingerprint.Sum(nil)
	if err := cmp.Or(d.validate(), c.Refused); err != nil {
		return Sent{}, err
	}
	sent, err := s.post(ctx, actor, d)
	c.Upload.Doubt(err)
	return sent, err
}

// writeParts feeds texts to a hash so that where one ends makes a difference.
func writeParts(h hash.Hash, parts ...string) {
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
}

// draft is a message, new or forwarded, as it was asked for. Nothing of it changes
// once it is on its way.
type draft struct {
	recipient              string
	sender, receiver, call model.OrganizationID
	content                model.Content
	ttl                    *int
	dor                    *bool
	priority               *int
	request                string
	fingerprint            []byte            // of what the request says, without the recipient
	source                 *store.MessageRow // the message that is forwarded; nil: a new one
	escalate               *EscalateCommand  // nil: it is not sent on
	begun                  time.Time         // by the machine's clock: how long it takes is counted
}

// validate refuses what is wrong whatever the recipient is.
func (d *draft) validate() error {
	if d.request != "" && !model.ValidRequestID(d.request) {
		return model.Invalidf("request_id_invalid", "Request-ID",
			"A Request-ID is 1 to 128 visible ASCII characters.")
	}
	if d.sender != "" && d.receiver != "" && d.sender != d.receiver {
		return model.Invalidf("organization_mismatch", "recipient_organization",
			"The sender's and the recipient's organization are not the same.")
	}
	if d.priority != nil && (*d.priority < -1 || *d.priority > 1) {
		return model.Invalidf("priority_invalid", "priority", "The priority is -1, 0 or 1.")
	}
	if d.ttl != nil && !model.ValidTTL(*d.ttl) {
		return model.Invalidf("ttl_invalid", "ttl", "The ttl is -1 (never) or 1 to %d minutes.", model.MaxTTL)
	}
	if d.escalate != nil {
		return d.escalate.validate()
	}
	return nil
}

func recipientRequired() error {
	return model.Invalidf("recipient_required", "recipient", "A recipient is required.")
}
