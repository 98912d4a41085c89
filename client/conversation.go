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
	return fetch[MessagePage](ctx, c, history(entity, at, limit))
}

// HistoryPage is a page of messages and notes.
type HistoryPage struct {
	Results  []HistoryEntry `json:"results"`
	Metadata struct {
		More bool `json:"more"` // there are others behind the last
	} `json:"metadata"`
}

// HistoryEntry is a message, or a note that a group changed. One of both is nil.
type HistoryEntry struct {
	Message *Message
	Note    *GroupNote
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *HistoryEntry) UnmarshalJSON(text []byte) error {
	var noted struct {
		Note json.RawMessage `json:"note"`
	}
	if err := json.Unmarshal(text, &noted); err != nil {
		return err
	}
	if noted.Note == nil {
		return json.Unmarshal(text, &e.Message)
	}
	return json.Unmarshal(text, &e.Note)
}

// MarshalJSON implements json.Marshaler.
func (e HistoryEntry) MarshalJSON() ([]byte, error) {
	if e.Note != nil {
		return json.Marshal(e.Note)
	}
	return json.Marshal(e.Message)
}

// SortNumber is the entry's place in the conversation.
func (e *HistoryEntry) SortNumber() int64 {
	if e.Note != nil {
		return e.Note.SortNumber
	}
	return e.Message.SortNumber
}

// GroupNote tells what changed of a group.
type GroupNote struct {
	Note struct {
		// Event is created, added, removed, left, renamed, history_on, history_off, public or private.
		Event       string         `json:"event"`
		CallerToken string         `json:"caller_token,omitempty"` // empty: nobody, or an account that was erased
		CallerName  string         `json:"caller_name,omitempty"`
		Subjects    []NotedAccount `json:"subjects"` // the first 20, but for those that were erased
		NumSubjects int            `json:"num_subjects"`
		Name        string         `json:"name,omitempty"` // the group's new one
	} `json:"note"`
	SortNumber  int64     `json:"sort_number"`
	CreatedTime time.Time `json:"created_time"`
}

// NotedAccount is an account with the name that it had then.
type NotedAccount struct {
	Token string `json:"token"`
	Name  string `json:"name"`
}

// HistoryWithNotes is [Client.History] with the notes of a group, in the one order with its
// messages.
func (c *Client) HistoryWithNotes(ctx context.Context, entity string, at HistoryRange, limit int) (*HistoryPage,
	error) {
	return fetch[HistoryPage](ctx, c, history(entity, at, limit).with("notes", "true"))
}

func history(entity string, at HistoryRange, limit int) *request {
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
	return r
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
