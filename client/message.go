package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Forever is the TTL of a message that does not expire.
const Forever = -1

// Priorities of a message.
const (
	PriorityLow    = -1
	PriorityNormal = 0
	PriorityHigh   = 1
)

// Message is a message as the caller may see it (contract, section 3).
type Message struct {
	MessageID             string    `json:"message_id"`
	ClientID              string    `json:"client_id"` // the same as MessageID
	SenderToken           string    `json:"sender_token"`
	SenderOrganization    string    `json:"sender_organization"`
	RecipientToken        string    `json:"recipient_token"`       // the group's for a group message
	GroupToken            string    `json:"group_token,omitempty"` // group messages only
	RecipientOrganization string    `json:"recipient_organization"`
	Body                  string    `json:"body"`
	CreatedTime           time.Time `json:"created_time"`
	ExpiresTime           time.Time `json:"expires_time,omitzero"` // zero: never
	TTL                   int       `json:"ttl"`                   // minutes; Forever: never
	DOR                   bool      `json:"dor"`                   // delete on read
	// the recipient's own; for the sender the least advanced
	Status            Status           `json:"status"`
	Priority          int              `json:"priority"`
	SortNumber        int64            `json:"sort_number"` // grows along the conversation
	Attachments       []AttachmentInfo `json:"attachments,omitempty"`
	AttachmentName    string           `json:"attachment_name,omitempty"`
	Data              []DataItem       `json:"data,omitempty"`
	ReplyTo           string           `json:"reply_to,omitempty"` // the message that it answers
	IsRecalled        bool             `json:"is_recalled,omitempty"`
	IsForwarded       bool             `json:"is_forwarded,omitempty"`
	OriginalSender    string           `json:"original_sender,omitempty"`
	OriginalTimestamp time.Time        `json:"original_timestamp,omitzero"`
	Muted             bool             `json:"muted,omitempty"` // the caller muted the conversation
	// which message a step of an escalation sent on so; nil: none
	Escalation  *EscalationPart `json:"escalation,omitempty"`
	IsEscalated bool            `json:"is_escalated,omitempty"` // for the sender: it has an escalation of its own
	ConfirmedBy []string        `json:"confirmed_by,omitempty"` // for the sender: user tokens
}

// LogValue keeps the content out of logs.
func (m Message) LogValue() slog.Value { return slog.StringValue("message " + m.MessageID) }

// AttachmentInfo tells of a message's file. Its content comes from
// [Client.OpenAttachment].
type AttachmentInfo struct {
	AttachmentID int    `json:"attachment_id"`
	Name         string `json:"name"`
	ContentType  string `json:"content-type"`
	Size         int64  `json:"size"` // bytes
}

// DataItem is structured content beside the body, for programs.
type DataItem struct {
	MimeType  string `json:"mimetype"`
	Namespace string `json:"namespace"`
	Payload   string `json:"payload"`
}

// Outgoing is a message to send. It needs a recipient, and a body, an attachment
// or data.
type Outgoing struct {
	Recipient  string     `json:"recipient"`      // token, e-mail, phone or username of a user, or token of a group
	Body       string     `json:"body,omitempty"` // at most 64 KiB
	Attachment *Upload    `json:"-"`
	Data       []DataItem `json:"data,omitempty"`
	TTL        int        `json:"ttl,omitempty"`      // minutes, 1 to 525600, or Forever; 0: as the organization has it
	DOR        *bool      `json:"dor,omitempty"`      // delete on read; nil: as the organization has it
	Priority   int        `json:"priority,omitempty"` // PriorityLow, PriorityNormal, PriorityHigh
	ReplyTo    string     `json:"reply_to,omitempty"` // a message of the same conversation, which it answers

	// Escalate says how the message is sent on while nobody has heard it, EscalatePolicy that it is done as a
	// policy of the organization says; at most one of them is given.
	Escalate       []EscalateStep `json:"-"`
	EscalatePolicy string         `json:"-"`
	// EscalateUntil is which status ends that: UntilRead or UntilConfirmed. Empty: as the policy says, else
	// UntilRead.
	EscalateUntil string `json:"escalate_until,omitempty"`

	// Organization is the sender's and the recipient's. Empty: the client's; else
	// the only one that both share.
	Organization string `json:"-"`

	// RequestID makes a repeat harmless, even by another process: the server makes
	// one message for it within 24 hours. 1 to 128 visible ASCII characters; if it
	// is empty, the client makes one for this call.
	RequestID string `json:"-"`

	// Full asks for the whole message in the answer.
	Full bool `json:"-"`
}

// LogValue keeps the content out of logs.
func (o Outgoing) LogValue() slog.Value { return slog.StringValue("message to " + o.Recipient) }

// outgoing is the wire form of Outgoing.
type outgoing struct {
	Outgoing
	SenderOrganization    string `json:"sender_organization,omitempty"`
	RecipientOrganization string `json:"recipient_organization,omitempty"`
	Escalate              any    `json:"escalate,omitempty"` // steps, or the name of a policy
}

// wire is the message as the server takes it.
func (o Outgoing) wire() (outgoing, error) {
	w := outgoing{Outgoing: o, SenderOrganization: o.Organization, RecipientOrganization: o.Organization}
	switch {
	case o.Escalate != nil && o.EscalatePolicy != "":
		return w, fmt.Errorf("%w: a message is escalated by steps or by a policy, not by both", ErrArgument)
	case o.Escalate != nil:
		w.Escalate = o.Escalate
	case o.EscalatePolicy != "":
		w.Escalate = o.EscalatePolicy
	}
	return w, nil
}

// Sent is a message that is on the server's disk.
type Sent struct {
	MessageID string   `json:"message_id"`
	TTL       int      `json:"ttl"`               // minutes in force; Forever: never
	RequestID string   `json:"request_id"`        // under which it was sent
	Repeated  bool     `json:"repeated"`          // it had been sent before under this RequestID; with Full it is not told
	Message   *Message `json:"message,omitempty"` // if Full was asked for, and the server still has it
}

// Send sends a message (POST /message). When it returns without error, the
// message and all that belongs to it is on the server's disk. It may be repeated:
// every send carries a Request-ID, under which the server makes one message only.
func (c *Client) Send(ctx context.Context, m Outgoing) (*Sent, error) {
	w, err := m.wire()
	if err != nil {
		return nil, err
	}
	r := post(w, "message")
	r.file, r.fileField = m.Attachment, "attachment"
	return c.sendOnce(ctx, r, m.RequestID, m.Full)
}

// Forwarding says to whom a message is forwarded.
type Forwarding struct {
	Recipient    string
	Organization string // as in Outgoing
	Priority     int
	RequestID    string // as in Outgoing
	Full         bool   // as in Outgoing
}

// Forward sends another recipient a copy of a message that the caller can read, with
// its attachment (POST /message/:message/forward). It is repeated as safely as Send.
func (c *Client) Forward(ctx context.Context, message string, f Forwarding) (*Sent, error) {
	w, err := Outgoing{Recipient: f.Recipient, Priority: f.Priority, Organization: f.Organization}.wire()
	if err != nil {
		return nil, err
	}
	r := post(w, "message", message, "forward")
	return c.sendOnce(ctx, r, f.RequestID, f.Full)
}

// sendOnce makes a call that the server carries out once for its Request-ID.
func (c *Client) sendOnce(ctx context.Context, r *request, id string, full bool) (*Sent, error) {
	if id == "" {
		id = rand.Text()
	}
	r.set("Request-ID", id).harmless()
	r.ok = []int{http.StatusNotModified}
	sent := &Sent{RequestID: id}
	var out any
	if full {
		r.with("response_format", "message")
		r.ok = append(r.ok, http.StatusNoContent)
		sent.Message = new(Message)
		out = sent.Message
	}
	got, err := c.do(ctx, r, out)
	if err != nil {
		return nil, err
	}
	sent.MessageID = got.header.Get(c.header("Message-Id"))
	sent.Repeated = got.status == http.StatusNotModified
	if got.status != http.StatusOK {
		sent.Message = nil
	}
	if sent.MessageID == "" {
		return nil, fmt.Errorf("%s: %w: no header %s", r, ErrProtocol, c.header("Message-Id"))
	}
	if sent.TTL, err = strconv.Atoi(got.header.Get(c.header("Msg-Ttl"))); err != nil {
		return nil, fmt.Errorf("%s: %w: header %s: %w", r, ErrProtocol, c.header("Msg-Ttl"), err)
	}
	return sent, nil
}

// Message returns a message to its sender and recipients (GET /message/:message).
func (c *Client) Message(ctx context.Context, message string) (*Message, error) {
	return fetch[Message](ctx, c, get("message", message))
}

// Recall takes a sent message back, for all recipients and at once (DELETE
// /message/:message). Recalling again succeeds.
func (c *Client) Recall(ctx context.Context, message string) error {
	return c.run(ctx, remove("message", message))
}

// RecallFor takes a message of an organization back for everybody, its sender included, as an
// administrator of it, who is not shown it (DELETE
// /organization/:organization/message/:message). The reason, of up to 200 characters, is in
// the audit log.
func (c *Client) RecallFor(ctx context.Context, organization, message, reason string) error {
	r := remove("organization", organization, "message", message)
	if reason != "" {
		r.body = map[string]string{"reason": reason}
	}
	return c.run(ctx, r)
}

// StartTyping tells a user or group that the caller is writing (POST /message/typing).
func (c *Client) StartTyping(ctx context.Context, recipient string) error {
	return c.run(ctx, post(map[string]string{"recipient": recipient}, "message", "typing").harmless())
}

// StopTyping tells a user or group that the caller has stopped (DELETE
// /message/typing/:recipient).
func (c *Client) StopTyping(ctx context.Context, recipient string) error {
	return c.run(ctx, remove("message", "typing", recipient))
}
