package model

import "time"

// EventKind is the type of an event; its text follows `<namespace>:iq:` on the wire.
type EventKind string

// The kinds of contract section 6.
const (
	EventMessage          EventKind = "message"
	EventGroupMessage     EventKind = "group_message"
	EventStatus           EventKind = "message:status"
	EventGroupStatus      EventKind = "group:message:status"
	EventEscalated        EventKind = "message:escalated"
	EventTyping           EventKind = "message:is_typing"
	EventFriends          EventKind = "friends"
	EventBang             EventKind = "bang"
	EventUpdate           EventKind = "update"
	EventSettings         EventKind = "account:settings"
	EventPresence         EventKind = "presence"
	EventAdminRequest     EventKind = "admin_request"
	EventConversationMute EventKind = "conversation_mute"
	EventAdvisory         EventKind = "client_advisory"
	EventHeartbeat        EventKind = "sse:heartbeat"
	EventReconnect        EventKind = "reconnect"
)

// Event is one entry of an account's queue, or a live signal that is never
// queued (then ID is of no queue and Queued is false). Exactly one of the
// payloads is set, by Kind.
type Event struct {
	ID     string // opaque: the queue's epoch and position
	Queued bool
	Kind   EventKind

	Message      *Message         // message, group_message
	Status       *StatusChange    // message:status, group:message:status
	Escalated    *EscalatedChange // message:escalated
	Typing       *Typing          // message:is_typing
	Friend       *FriendChange    // friends
	Bang         *MemberChange    // bang
	Entity       *Entity          // update
	Changed      *GroupChange     // update of a group
	Settings     *SettingsChange  // account:settings
	Presence     *Presence        // presence
	AdminRequest *AdminRequest    // admin_request
	Mute         *MuteChange      // conversation_mute
	Advisory     *Advisory        // client_advisory
}

// Entity is an account or a group, as an event or a roster shows it.
type Entity struct {
	Account      *Account
	Group        *Group
	Organization OrganizationID
	Title        string // of the account's membership there
	Department   string
	Gone         bool // the account has ended: there is its token alone
}

// StatusChange tells a sender that a recipient's status moved on, or a
// recipient that the message was recalled.
type StatusChange struct {
	Message  MessageID
	Account  AccountID
	Status   Status
	Time     time.Time
	Recalled bool
}

// Typing says that a person is writing, or has stopped.
type Typing struct {
	Sender AccountID
	Group  GroupID // zero in a one-to-one conversation
	Active bool
}

// FriendChange says that an account or group entered or left the account's roster.
type FriendChange struct {
	Added        bool
	Organization OrganizationID
	Entity       Entity
}

// MemberChange tells the members of a group who came or went.
type MemberChange struct {
	Added   bool
	Caller  Entity
	Subject Entity
	Target  Entity
	Sort    int64
	Created time.Time
}

// GroupChange says by whom a group was changed, and where the group's history tells that.
type GroupChange struct {
	Caller AccountID // zero: nobody
	Sort   int64     // of the last note of the change; 0: none tells of it
}

// SettingsChange tells an account which of its settings moved.
type SettingsChange struct {
	Account      AccountID
	Organization OrganizationID // set where a membership or the organization's settings changed
}

// Presence tells that an account opened its first stream or closed its last.
type Presence struct {
	Account   AccountID
	Available bool
}

// AdminRequest tells administrators that something is asked of them: a member asks to become one, an
// account is to join, or nobody is on duty for a group.
type AdminRequest struct {
	Account      AccountID // zero: it is about none
	Organization OrganizationID
	State        string  // pending, join, duty
	Group        GroupID // of duty
}

// Mute is a conversation or an organization that an account muted.
type Mute struct {
	Entity       EntityID // zero: the whole organization
	Group        bool
	Organization OrganizationID
	Minutes      int
	Start        time.Time
}

// MuteChange tells an account's own streams what it muted.
type MuteChange struct {
	Account AccountID
	Action  string // add, del, clear
	Mute    *Mute  // nil for clear
}

// Advisory frames a replay: replay_start with a count, replay_stop without. Or it is the last
// word on a stream: too_many_streams.
type Advisory struct {
	Name  string
	Count *int
}
