package client

import (
	"context"
	"encoding/json"
	"time"
)

// RosterEntry is a conversation of the caller's, with the user or group it is with.
type RosterEntry struct {
	Entity
	RosterState
}

// RosterState is what a roster says about a conversation.
type RosterState struct {
	Type            string    `json:"type"`
	OrganizationKey string    `json:"organization_key"`
	OrganizationID  string    `json:"organization_id"`
	LastMessageTime time.Time `json:"last_message_time,omitzero"` // zero: none yet
	UnreadCount     int       `json:"unread_count"`
	Muted           bool      `json:"muted,omitempty"`
}

// UnmarshalJSON reads the entity's fields and the conversation's, which lie side
// by side.
func (e *RosterEntry) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &e.Entity); err != nil {
		return err
	}
	return json.Unmarshal(text, &e.RosterState)
}

// MarshalJSON writes the fields side by side.
func (e RosterEntry) MarshalJSON() ([]byte, error) { return beside(e.Entity, e.RosterState) }

// beside writes the members of several JSON objects as one.
func beside(parts ...any) ([]byte, error) {
	all := map[string]json.RawMessage{}
	for _, part := range parts {
		text, err := marshal(part)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	}
	return marshal(all)
}

// Roster returns the caller's conversations, newest first (GET /roster).
func (c *Client) Roster(ctx context.Context) ([]RosterEntry, error) {
	return list[RosterEntry](ctx, c, get("roster"))
}

// RosterWithMetadata is [Client.Roster] with the metadata of each entity.
func (c *Client) RosterWithMetadata(ctx context.Context) ([]RosterEntry, error) {
	return list[RosterEntry](ctx, c, get("roster").when("render_metadata", true))
}

// AddToRoster puts a user or group into the roster (POST /roster).
func (c *Client) AddToRoster(ctx context.Context, entity string, kind EntityKind) error {
	entry := map[string]string{"entity": entity, "type": c.entityType(kind)}
	return c.run(ctx, post(entry, "roster").harmless())
}

// RemoveFromRoster takes a conversation out of the roster (DELETE
// /roster/:entity). With a user, the caller's copies of its messages are gone;
// with a group, the caller leaves it. It is not repeated where the answer is lost: a second
// one would also take what came in between.
func (c *Client) RemoveFromRoster(ctx context.Context, entity string, kind EntityKind) error {
	r := remove("roster", entity).set(c.header("Type"), c.entityType(kind))
	r.repeat = whenRefused
	return c.run(ctx, r)
}
