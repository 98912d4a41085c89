package client

import (
	"context"
	"slices"
	"time"
)

// Status is how far a message got. It never goes back.
type Status string

// The statuses, in their order. A [Message] itself says Read of one that was confirmed.
const (
	StatusNew       Status = "New"
	StatusDelivered Status = "Delivered"
	StatusRead      Status = "Read"
	StatusConfirmed Status = "Confirmed"
)

var statusOrder = []Status{StatusNew, StatusDelivered, StatusRead, StatusConfirmed}

// Reached reports whether the status is at least the other one.
func (s Status) Reached(other Status) bool {
	return slices.Index(statusOrder, s) >= slices.Index(statusOrder, other)
}

// StatusRow is how far a message got with one recipient.
type StatusRow struct {
	AccountID string    `json:"account_id"`
	Status    Status    `json:"status"`
	Timestamp time.Time `json:"timestamp"`
}

// MessageStatus is how far a message got with its recipients: with all of them
// for the sender, with oneself for a recipient.
type MessageStatus struct {
	ClientID   string      `json:"client_id"` // the message's id
	IsRecalled bool        `json:"is_recalled"`
	Statuses   []StatusRow `json:"statuses"`
}

// idsPerCall is how many ids one call carries: the most that POST
// /message/status takes, and far below the limit of a body elsewhere.
const idsPerCall = 500

// MessageStatus returns how far a message got (GET /message/:message/status).
func (c *Client) MessageStatus(ctx context.Context, message string) (*MessageStatus, error) {
	return fetch[MessageStatus](ctx, c, get("message", message, "status"))
}

// BulkMessageStatus is [Client.MessageStatus] for many messages (POST
// /get_bulk_message_status). What the caller cannot see is left out.
func (c *Client) BulkMessageStatus(ctx context.Context, messages ...string) ([]MessageStatus, error) {
	var all []MessageStatus
	for ids := range slices.Chunk(messages, idsPerCall) {
		var out struct {
			Statuses []MessageStatus `json:"bulk_message_statuses"`
		}
		r := post(map[string][]string{"messages": ids}, "get_bulk_message_status").harmless()
		if _, err := c.do(ctx, r, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Statuses...)
	}
	return all, nil
}

// MarkDelivered tells the senders that messages have arrived (POST
// /message/status). Those that were not sent to the caller are ignored.
func (c *Client) MarkDelivered(ctx context.Context, messages ...string) error {
	return c.mark(ctx, "delivered", messages)
}

// MarkRead tells the senders that messages have been read, which implies that
// they have arrived (POST /message/status).
func (c *Client) MarkRead(ctx context.Context, messages ...string) error {
	return c.mark(ctx, "read", messages)
}

// Confirm tells the senders that the caller takes messages on, which implies that they have been read (POST
// /message/status).
func (c *Client) Confirm(ctx context.Context, messages ...string) error {
	return c.mark(ctx, "confirmed", messages)
}

func (c *Client) mark(ctx context.Context, as string, messages []string) error {
	for ids := range slices.Chunk(messages, idsPerCall) {
		if err := c.run(ctx, post(map[string][]string{as: ids}, "message", "status").harmless()); err != nil {
			return err
		}
	}
	return nil
}
