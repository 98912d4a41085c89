package client

import (
	"context"
	"encoding/json"
	"strconv"
)

// Conversation is the caller's, with a user or a group, in one organization.
type Conversation struct {
	Entity              Entity   `json:"entity"`
	OrganizationID      string   `json:"organization_id"`
	LastMessage         *Message `json:"last_message,omitempty"` // nil: there is none that the caller may see
	UnreadCount         int      `json:"unread_count"`
	UnreadPriorityCount int      `json:"unread_priority_count"`
	Muted               bool     `json:"muted"`
	SortNumber          int64    `json:"sort_number"` // of LastMessage, or 0
}

// MessagePage is a page of messages.
type MessagePage struct {
	Results  []Message `json:"results"`
	Metadata struct {
		More bool `json:"more"` // there are others behind the last
	} `json:"metadata"`
}

// Conversations lists the caller's conversations, the newest first (GET /conversation).
// [Client.In] narrows it to one organization.
func (c *Client) Conversations(ctx context.Context, p Page) (*Listing[Conversation], error) {
	r := get("conversation")
	r.query = p.query()
	return fetch[Listing[Conversation]](ctx, c, r)
}

// HistoryRange says where in a conversation to read, by sort numbers, which are left out
// themselves. At most one of them is there.
type HistoryRange struct {
	Before *int64 // messages that came before it
	After  *int64 // messages that came after it, the oldest first
}

// History returns messages of a conversation, the newest first unless it asks for those
// after a place (GET /conversation/:entity/message): limit of them, 1 to 200, or 50 for 0.
func (c *Client) History(ctx context.Context, entity string, at HistoryRange, limit int) (*MessagePage, error) {
	r := get("conversation", entity, "message")
	if at.Before != nil {
		r = r.with("before", strconv.FormatInt(*at.Before, 10))
	}
	if at.After != nil {
		r = r.with("after", strconv.FormatInt(*at.After, 10))
	}
	if limit > 0 {
		r = r.with("limit", strconv.Itoa(limit))
	}
	return fetch[MessagePage](ctx, c, r)
}

// ReadConversation marks all that the caller received in a conversation, up to a sort
// number, as read (POST /conversation/:entity/read).
func (c *Client) ReadConversation(ctx context.Context, entity string, upTo int64) error {
	return c.run(ctx, post(map[string]json.Number{"up_to": json.Number(strconv.FormatInt(upTo, 10))},
		"conversation", entity, "read").harmless())
}
