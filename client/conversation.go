package client

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"strconv"
	"time"
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

// MessageSearch says which messages to look for. It has a text, or HasAttachment.
type MessageSearch struct {
	Text          string // words, each the beginning of one that is looked for, up to 200 characters
	HasAttachment bool
	Entity        string    // only the conversation with it
	Sender        string    // only messages of this user
	Since, Until  time.Time // only messages from the one on, before the other; zero: any
	PageSize      int       // 1 to 100; 0: 20
	Continuation  string    // of the page before
}

// LogValue keeps what somebody looks for out of logs.
func (s MessageSearch) LogValue() slog.Value { return slog.StringValue("search in messages") }

// FoundMessage is a message that was found, in the conversation with an entity.
type FoundMessage struct {
	Message        Message `json:"message"`
	Entity         Entity  `json:"entity"`
	OrganizationID string  `json:"organization_id"`
}

// FoundMessages is a page of these, the newest first.
type FoundMessages struct {
	Results  []FoundMessage `json:"results"`
	Metadata struct {
		SearchedTo   time.Time `json:"searched_to,omitzero"`   // of the oldest message looked at; zero: there was none
		Continuation string    `json:"continuation,omitempty"` // for the next page; empty at the end
	} `json:"metadata"`
}

// SearchMessages looks through the messages that the caller's histories show, from the newest on
// (POST /conversation/search). The server opens them, since it has no index of what they say:
// where that is much work, a page ends early, with few results or none, and a continuation.
// [Client.In] narrows it to one organization.
func (c *Client) SearchMessages(ctx context.Context, s MessageSearch) (*FoundMessages, error) {
	body := struct {
		Text         string    `json:"text,omitempty"`
		Has          string    `json:"has,omitempty"`
		Entity       string    `json:"entity,omitempty"`
		Sender       string    `json:"sender,omitempty"`
		Since        time.Time `json:"since,omitzero"`
		Until        time.Time `json:"until,omitzero"`
		PageSize     int       `json:"page_size,omitempty"`
		Continuation string    `json:"continuation,omitempty"`
	}{s.Text, "", s.Entity, s.Sender, s.Since, s.Until, s.PageSize, s.Continuation}
	if s.HasAttachment {
		body.Has = "attachment"
	}
	return fetch[FoundMessages](ctx, c, post(body, "conversation", "search").harmless())
}

// AllFoundMessages yields all that SearchMessages finds, page after page. After an error it ends.
func (c *Client) AllFoundMessages(ctx context.Context, s MessageSearch) iter.Seq2[FoundMessage, error] {
	return func(yield func(FoundMessage, error) bool) {
		for {
			page, err := c.SearchMessages(ctx, s)
			if err != nil {
				yield(FoundMessage{}, err)
				return
			}
			for _, found := range page.Results {
				if !yield(found, nil) {
					return
				}
			}
			if s.Continuation = page.Metadata.Continuation; s.Continuation == "" {
				return
			}
		}
	}
}

// ReadConversation marks all that the caller received in a conversation, up to a sort
// number, as read (POST /conversation/:entity/read).
func (c *Client) ReadConversation(ctx context.Context, entity string, upTo int64) error {
	return c.run(ctx, post(map[string]json.Number{"up_to": json.Number(strconv.FormatInt(upTo, 10))},
		"conversation", entity, "read").harmless())
}
