package wire

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

type StatusEvent struct {
	ClientID   model.MessageID `json:"client_id"`
	Status     string          `json:"status,omitempty"`
	AccountID  model.AccountID `json:"account_id,omitzero"`
	Timestamp  Time            `json:"timestamp,omitzero"`
	IsRecalled bool            `json:"is_recalled,omitempty"`
}

type EscalatedEvent struct {
	ClientID  model.MessageID  `json:"client_id"`
	Step      any              `json:"step"` // a number, or exhausted
	To        []model.EntityID `json:"to"`
	Timestamp Time             `json:"timestamp"`
}

type TypingEvent struct {
	SenderToken model.AccountID `json:"sender_token"`
	GroupToken  model.GroupID   `json:"group_token,omitzero"`
	Status      string          `json:"status"`
}

type BangEvent struct {
	Event         string `json:"event"`
	CallerEntity  any    `json:"caller_entity"`
	SubjectEntity any    `json:"subject_entity"`
	TargetEntity  any    `json:"target_entity"`
	SortNumber    int64  `json:"sort_number"`
	CreatedOn     Time   `json:"created_on"`
}

// updateFields are what an update has beside the entity's own fields.
type updateFields struct {
	Type        string          `json:"type"`
	CallerToken model.AccountID `json:"caller_token,omitzero"`
	SortNumber  int64           `json:"sort_number,omitempty"`
}

type Service struct {
	XMLNS   string          `json:"xmlns"`
	Account model.AccountID `json:"account"`
}

type SettingsEvent struct {
	Token    model.AccountID `json:"token"`
	Services []Service       `json:"services"`
}

type PresenceEvent struct {
	From model.AccountID `json:"from"`
	Type string          `json:"type"`
}

type AdminRequest struct {
	AccountID      string               `json:"account_id"` // empty: it is about none
	OrganizationID model.OrganizationID `json:"organization_id"`
	State          string               `json:"state"`
	GroupToken     model.GroupID        `json:"group_token,omitzero"` // of duty
}

type Advisory struct {
	Name  string `json:"name"`
	Count *int   `json:"replay_message_count,omitempty"`
}

// eventPayload shows what an event says that carries no message (contract, section 6).
func (v *View) eventPayload(e *model.Event) any {
	switch e.Kind {
	case model.EventStatus, model.EventGroupStatus:
		if e.Status.Recalled {
			return StatusEvent{ClientID: e.Status.Message, IsRecalled: true}
		}
		return StatusEvent{ClientID: e.Status.Message, Status: e.Status.Status.String(), AccountID: e.Status.Account,
			Timestamp: Time(e.Status.Time)}
	case model.EventEscalated:
		return escalatedEvent(e.Escalated)
	case model.EventTyping:
		status := "not_typing"
		if e.Typing.Active {
			status = "typing"
		}
		return TypingEvent{e.Typing.Sender, e.Typing.Group, status}
	case model.EventFriends:
		return map[string]any{"friend": v.friend(e.Friend)}
	case model.EventBang:
		event := "removed"
		if e.Bang.Added {
			event = "added"
		}
		return BangEvent{event, v.Entity(e.Bang.Caller), v.Entity(e.Bang.Subject), v.Entity(e.Bang.Target), e.Bang.Sort,
			Time(e.Bang.Created)}
	case model.EventUpdate:
		more := updateFields{Type: v.EntityType(e.Entity.Group != nil)}
		if e.Changed != nil {
			more.CallerToken, more.SortNumber = e.Changed.Caller, e.Changed.Sort
		}
		return v.WithFields(v.Entity(*e.Entity), more)
	case model.EventSettings:
		kind := "account"
		if e.Settings.Organization != "" {
			kind = "org_settings"
		}
		return SettingsEvent{e.Settings.Account, []Service{{v.Namespace + ":iq:update:" + kind,
			e.Settings.Account}}}
	case model.EventPresence:
		kind := "unavailable"
		if e.Presence.Available {
			kind = "available"
		}
		return PresenceEvent{e.Presence.Account, kind}
	case model.EventAdminRequest:
		asked := AdminRequest{OrganizationID: e.AdminRequest.Organization, State: e.AdminRequest.State,
			GroupToken: e.AdminRequest.Group}
		if account := e.AdminRequest.Account; !account.IsZero() {
			asked.AccountID = account.String()
		}
		return asked
	case model.EventConversationMute:
		return muteEvent(e.Mute)
	case model.EventAdvisory:
		return map[string]any{"advisory": Advisory{e.Advisory.Name, e.Advisory.Count}}
	default: // heartbeat, reconnect
		return struct{}{}
	}
}

// friend shows an account that entered or left a roster, or a group.
func (v *View) friend(f *model.FriendChange) any {
	action := "del"
	if f.Added {
		action = "add"
	}
	return v.WithFields(v.Entity(f.Entity), map[string]any{"action": action, "organization_id": f.Organization})
}

// WithFields puts further fields beside an entity's own.
func (v *View) WithFields(entity, more any) json.RawMessage {
	own, err := Marshal(entity)
	if err != nil {
		panic(fmt.Sprintf("encode an entity: %v", err)) // it holds nothing that cannot be encoded
	}
	added, err := Marshal(more)
	if err != nil {
		panic(fmt.Sprintf("encode the fields of an entity: %v", err))
	}
	joined := append(own[:len(own)-1], ',')
	return append(joined, added[1:]...)
}
