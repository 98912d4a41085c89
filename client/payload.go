package client

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// StatusChange tells a sender that a message got further with a recipient, or a
// recipient that it was recalled.
type StatusChange struct {
	ClientID   string    `json:"client_id"` // the message's id
	Status     Status    `json:"status,omitempty"`
	AccountID  string    `json:"account_id,omitempty"` // the recipient
	Timestamp  time.Time `json:"timestamp,omitzero"`
	IsRecalled bool      `json:"is_recalled,omitempty"` // then the rest is empty
}

// Escalated tells the sender of a message that a step of its escalation sent it on, or that nobody came.
type Escalated struct {
	ClientID  string    `json:"client_id"` // the message's id
	Step      int       `json:"-"`         // 0: all steps were done, and nobody came in time
	To        []string  `json:"to"`        // tokens of those who got it
	Timestamp time.Time `json:"timestamp"`
}

// exhausted is what the field step says in place of a number when nobody came.
const exhausted = "exhausted"

// UnmarshalJSON reads the step, which is a number or a word.
func (e *Escalated) UnmarshalJSON(text []byte) error {
	type plain Escalated
	var step struct {
		Step json.RawMessage `json:"step"`
	}
	if err := json.Unmarshal(text, (*plain)(e)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &step); err != nil {
		return err
	}
	e.Step = 0
	if string(step.Step) == `"`+exhausted+`"` {
		return nil
	}
	return json.Unmarshal(step.Step, &e.Step)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (e Escalated) MarshalJSON() ([]byte, error) {
	type plain Escalated
	out := struct {
		plain
		Step any `json:"step"`
	}{plain(e), e.Step}
	if e.Step == 0 {
		out.Step = exhausted
	}
	return json.Marshal(out)
}

// Typing says that a person is writing or has stopped.
type Typing struct {
	SenderToken string `json:"sender_token"`
	GroupToken  string `json:"group_token,omitempty"` // in a group
	Status      string `json:"status"`                // typing or not_typing
}

// Friend says that a person or group entered or left the account's roster.
type Friend struct {
	Action         string // add or del
	OrganizationID string
	Entity         Entity
}

// UnmarshalJSON reads the entity's fields and the change's, which lie side by side.
func (f *Friend) UnmarshalJSON(text []byte) error {
	var head struct {
		Action         string `json:"action"`
		OrganizationID string `json:"organization_id"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	f.Action, f.OrganizationID = head.Action, head.OrganizationID
	return json.Unmarshal(text, &f.Entity)
}

// Bang tells the members of a group who came or went.
type Bang struct {
	Event         string    `json:"event"` // added or removed
	CallerEntity  Entity    `json:"caller_entity"`
	SubjectEntity Entity    `json:"subject_entity"`
	TargetEntity  Entity    `json:"target_entity"` // the group
	SortNumber    int64     `json:"sort_number"`   // of the note in the group's history that tells the same
	CreatedOn     time.Time `json:"created_on"`
}

// GroupChange says who changed a group of which an update tells, and where its history tells that.
type GroupChange struct {
	CallerToken string `json:"caller_token,omitempty"` // empty: nobody, or an account that was erased
	SortNumber  int64  `json:"sort_number,omitempty"`  // of the last note; 0: none tells of it
}

// AccountSettings tells which settings of the account or its memberships changed.
type AccountSettings struct {
	Token    string    `json:"token"`
	Services []Service `json:"services"`
}

// Service is one changed part of an account.
type Service struct {
	XMLNS   string `json:"xmlns"`   // ends with update:org_settings or update:account
	Account string `json:"account"` // user token
}

// Presence tells that an account opened its first stream or closed its last.
type Presence struct {
	From string `json:"from"`
	Type string `json:"type"` // available or unavailable
}

// AdminRequest tells administrators that a member asks to become one, that an account is to join, or that
// nobody is on duty for a group.
type AdminRequest struct {
	AccountID      string `json:"account_id"` // empty: it is about none
	OrganizationID string `json:"organization_id"`
	State          string `json:"state"`                 // pending, join, duty
	GroupToken     string `json:"group_token,omitempty"` // of duty
}

// ConversationMute tells the account's own streams what it muted.
type ConversationMute struct {
	Token  string `json:"token"`  // the account
	Action string `json:"action"` // add, del or clear
	Mute          // empty for clear
}

// Advisory frames the replay at the beginning of a stream, or is its last word.
type Advisory struct {
	Name               string `json:"name"` // replay_start, replay_stop or too_many_streams
	ReplayMessageCount int    `json:"replay_message_count,omitempty"`
}

// Message returns the payload of a message or group_message.
func (e Event) Message() (*Message, error) { return read[Message](e, EventMessage, EventGroupMessage) }

// Status returns the payload of a message:status or group:message:status.
func (e Event) Status() (*StatusChange, error) {
	return read[StatusChange](e, EventStatus, EventGroupStatus)
}

// Escalated returns the payload of a message:escalated.
func (e Event) Escalated() (*Escalated, error) { return read[Escalated](e, EventEscalated) }

// Typing returns the payload of a message:is_typing.
func (e Event) Typing() (*Typing, error) { return read[Typing](e, EventTyping) }

// Friend returns the payload of a friends event.
func (e Event) Friend() (*Friend, error) {
	outer, err := read[struct {
		Friend Friend `json:"friend"`
	}](e, EventFriends)
	if err != nil {
		return nil, err
	}
	return &outer.Friend, nil
}

// Bang returns the payload of a bang.
func (e Event) Bang() (*Bang, error) { return read[Bang](e, EventBang) }

// Update returns the changed user or group of an update.
func (e Event) Update() (*Entity, error) { return read[Entity](e, EventUpdate) }

// GroupChange returns by whom the group of an update was changed.
func (e Event) GroupChange() (*GroupChange, error) { return read[GroupChange](e, EventUpdate) }

// Settings returns the payload of an account:settings event.
func (e Event) Settings() (*AccountSettings, error) { return read[AccountSettings](e, EventSettings) }

// Presence returns the payload of a presence event.
func (e Event) Presence() (*Presence, error) { return read[Presence](e, EventPresence) }

// AdminRequest returns the payload of an admin_request.
func (e Event) AdminRequest() (*AdminRequest, error) {
	return read[AdminRequest](e, EventAdminRequest)
}

// ConversationMute returns the payload of a conversation_mute event.
func (e Event) ConversationMute() (*ConversationMute, error) {
	return read[ConversationMute](e, EventConversationMute)
}

// Advisory returns the payload of a client_advisory.
func (e Event) Advisory() (*Advisory, error) {
	outer, err := read[struct {
		Advisory Advisory `json:"advisory"`
	}](e, EventAdvisory)
	if err != nil {
		return nil, err
	}
	return &outer.Advisory, nil
}

// read decodes the payload of an event of one of the kinds; another kind is an
// ErrArgument, another shape an ErrProtocol.
func read[T any](e Event, kinds ...EventKind) (*T, error) {
	if !slices.Contains(kinds, e.Kind) {
		return nil, fmt.Errorf("%w: an event of kind %s has no payload of %s", ErrArgument, e.Kind, kinds[0])
	}
	var out T
	if err := json.Unmarshal(e.Payload, &out); err != nil {
		return nil, fmt.Errorf("%w: event %s of kind %s: %w", ErrProtocol, e.ID, e.Kind, err)
	}
	return &out, nil
}
