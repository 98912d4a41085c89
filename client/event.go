package client

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EventKind is the type of an event without the vendor's namespace.
type EventKind string

// The kinds of event (contract, section 6).
const (
	EventMessage          EventKind = "message"              // Message
	EventGroupMessage     EventKind = "group_message"        // Message
	EventStatus           EventKind = "message:status"       // StatusChange
	EventGroupStatus      EventKind = "group:message:status" // StatusChange
	EventEscalated        EventKind = "message:escalated"    // Escalated
	EventTyping           EventKind = "message:is_typing"    // Typing; live only
	EventFriends          EventKind = "friends"              // Friend
	EventBang             EventKind = "bang"                 // Bang
	EventUpdate           EventKind = "update"               // Entity
	EventSettings         EventKind = "account:settings"     // AccountSettings
	EventPresence         EventKind = "presence"             // Presence; live only
	EventAdminRequest     EventKind = "admin_request"        // AdminRequest
	EventConversationMute EventKind = "conversation_mute"    // ConversationMute
	EventAdvisory         EventKind = "client_advisory"      // Advisory; of the stream itself
	EventHeartbeat        EventKind = "sse:heartbeat"        // of the stream itself
	EventReconnect        EventKind = "reconnect"            // of the stream itself
)

// Event is something that happened to the account. Which method reads its
// payload is told beside each kind.
type Event struct {
	ID      string          // opaque; what Ack takes
	Type    string          // as on the wire, such as tigertext:iq:message
	Kind    EventKind       // the end of Type
	Payload json.RawMessage // as on the wire
}

// LogValue keeps the content out of logs.
func (e Event) LogValue() slog.Value { return slog.StringValue(string(e.Kind) + " " + e.ID) }

// Queued reports whether the event stays in the account's queue until it is
// acknowledged. The others go to open streams only. A copy of a message that the account
// itself sent ([StreamOptions].SelfCopies) is as the message, and counts as queued though
// it is not.
func (e Event) Queued() bool {
	switch e.Kind {
	case EventTyping, EventPresence, EventAdvisory, EventHeartbeat, EventReconnect:
		return false
	case EventUpdate: // of a group; that of a user is live only
		entity, err := e.Update()
		return err == nil && entity.Kind == KindGroup && e.ID != ""
	default:
		return e.ID != ""
	}
}

// signal reports whether the event is about the stream and not the account.
func (e Event) signal() bool {
	return e.Kind == EventAdvisory || e.Kind == EventHeartbeat || e.Kind == EventReconnect
}

// eventWire is {"event_id":"...","event":{TYPE:{...}}}.
type eventWire struct {
	ID    string                     `json:"event_id"`
	Event map[string]json.RawMessage `json:"event"`
}

// UnmarshalJSON reads the wire form, whose event has exactly one member.
func (e *Event) UnmarshalJSON(text []byte) error {
	var wire eventWire
	if err := json.Unmarshal(text, &wire); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	if len(wire.Event) != 1 {
		return fmt.Errorf("event %q: want one member in event, got %d", wire.ID, len(wire.Event))
	}
	for name, payload := range wire.Event {
		*e = Event{ID: wire.ID, Type: name, Kind: EventKind(name), Payload: payload}
		if _, kind, ok := strings.Cut(name, ":iq:"); ok {
			e.Kind = EventKind(kind)
		}
	}
	return nil
}

// MarshalJSON writes the wire form.
func (e Event) MarshalJSON() ([]byte, error) {
	payload := e.Payload
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	return marshal(eventWire{ID: e.ID, Event: map[string]json.RawMessage{e.Type: payload}})
}

// PollOptions say which events to read.
type PollOptions struct {
	Limit   int           // at most so many; 1 to 1,000; 0: 100
	After   string        // only those after this event, by its ID
	Wait    time.Duration // if there is none, wait up to 60 seconds for one
	AutoAck bool          // acknowledge what is returned, even if the answer gets lost
}

// Poll reads the oldest events that are not acknowledged (GET /events). It does
// not take them out of the queue: [Client.Ack] does.
func (c *Client) Poll(ctx context.Context, o PollOptions) ([]Event, error) {
	r := get("events").with("after", o.After).when("auto_ack", o.AutoAck)
	if o.Limit != 0 {
		r.with("limit", strconv.Itoa(o.Limit))
	}
	if o.Wait > 0 {
		r.with("wait", strconv.Itoa(whole(o.Wait, time.Second)))
		r.patience, r.long = o.Wait, true
	}
	if o.AutoAck {
		r.repeat = whenRefused // a second answer would lack what the lost first one held
	}
	return list[Event](ctx, c, r)
}

// Ack acknowledges events by their IDs, which takes them out of the queue, and
// makes a new message Delivered (POST /events/ack). Unknown IDs are ignored.
func (c *Client) Ack(ctx context.Context, ids ...string) error {
	for some := range slices.Chunk(ids, idsPerCall) {
		if err := c.run(ctx, post(map[string][]string{"events": some}, "events", "ack").harmless()); err != nil {
			return err
		}
	}
	return nil
}

// DeletedEvents is what DeleteEvents did.
type DeletedEvents struct {
	Streams int `json:"count"` // closed
	Events  int `json:"deleted"`
}

// DeleteEvents deletes all events of the account's queue and closes its open
// streams; with connectionsOnly the queue stays (DELETE /events).
func (c *Client) DeleteEvents(ctx context.Context, connectionsOnly bool) (*DeletedEvents, error) {
	r := remove("events").when("connections_only", connectionsOnly)
	if !connectionsOnly {
		r.repeat = whenRefused // what came in between was not meant
	}
	return fetch[DeletedEvents](ctx, c, r)
}
