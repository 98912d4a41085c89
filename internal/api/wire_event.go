package api

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

type wireStatusEvent struct {
	ClientID   model.MessageID `json:"client_id"`
	Status     string          `json:"status,omitempty"`
	AccountID  model.AccountID `json:"account_id,omitzero"`
	Timestamp  wireTime        `json:"timestamp,omitzero"`
	IsRecalled bool            `json:"is_recalled,omitempty"`
}

type wireTypingEvent struct {
	SenderToken model.AccountID `json:"sender_token"`
	GroupToken  model.GroupID   `json:"group_token,omitzero"`
	Status      string          `json:"status"`
}

type wireBangEvent struct {
	Event         string   `json:"event"`
	CallerEntity  any      `json:"caller_entity"`
	SubjectEntity any      `json:"subject_entity"`
	TargetEntity  any      `json:"target_entity"`
	SortNumber    int64    `json:"sort_number"`
	CreatedOn     wireTime `json:"created_on"`
}

type wireService struct {
	XMLNS   string          `json:"xmlns"`
	Account model.AccountID `json:"account"`
}

type wireSettingsEvent struct {
	Token    model.AccountID `json:"token"`
	Services []wireService   `json:"services"`
}

type wirePresenceEvent struct {
	From model.AccountID `json:"from"`
	Type string          `json:"type"`
}

type wireAdminRequest struct {
	AccountID      model.AccountID      `json:"account_id"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	State          string               `json:"state"`
}

type wireAdvisory struct {
	Name  string `json:"name"`
	Count *int   `json:"replay_message_count,omitempty"`
}

// eventPayload shows what an event says that carries no message (contract, section 6).
func (v *view) eventPayload(e *model.Event) any {
	switch e.Kind {
	case model.EventStatus, model.EventGroupStatus:
		if e.Status.Recalled {
			return wireStatusEvent{ClientID: e.Status.Message, IsRecalled: true}
		}
		return wireStatusEvent{ClientID: e.Status.Message, Status: e.Status.Status.String(), AccountID: e.Status.Account,
			Timestamp: wireTime(e.Status.Time)}
	case model.EventTyping:
		status := "not_typing"
		if e.Typing.Active {
			status = "typing"
		}
		return wireTypingEvent{e.Typing.Sender, e.Typing.Group, status}
	case model.EventFriends:
		return map[string]any{"friend": v.friend(e.Friend)}
	case model.EventBang:
		event := "removed"
		if e.Bang.Added {
			event = "added"
		}
		return wireBangEvent{event, v.entity(e.Bang.Caller), v.entity(e.Bang.Subject), v.entity(e.Bang.Target), e.Bang.Sort,
			wireTime(e.Bang.Created)}
	case model.EventUpdate:
		return v.withFields(v.entity(*e.Entity), map[string]any{"type": v.entityType(e.Entity.Group != nil)})
	case model.EventSettings:
		kind := "account"
		if e.Settings.Organization != "" {
			kind = "org_settings"
		}
		return wireSettingsEvent{e.Settings.Account, []wireService{{v.vendor.namespace + ":iq:update:" + kind,
			e.Settings.Account}}}
	case model.EventPresence:
		kind := "unavailable"
		if e.Presence.Available {
			kind = "available"
		}
		return wirePresenceEvent{e.Presence.Account, kind}
	case model.EventAdminRequest:
		return wireAdminRequest{e.AdminRequest.Account, e.AdminRequest.Organization, e.AdminRequest.State}
	case model.EventConversationMute:
		return wireMuteEvent(e.Mute)
	case model.EventAdvisory:
		return map[string]any{"advisory": wireAdvisory{e.Advisory.Name, e.Advisory.Count}}
	default: // heartbeat, reconnect
		return struct{}{}
	}
}

// friend shows an account that entered or left a roster, or a group.
func (v *view) friend(f *model.FriendChange) any {
	action := "del"
	if f.Added {
		action = "add"
	}
	return v.withFields(v.entity(f.Entity), map[string]any{"action": action, "organization_id": f.Organization})
}

// withFields puts further fields beside an entity's own.
func (v *view) withFields(entity any, more map[string]any) json.RawMessage {
	own, err := marshal(entity)
	if err != nil {
		panic(fmt.Sprintf("encode an entity: %v", err)) // it holds nothing that cannot be encoded
	}
	added, err := marshal(more)
	if err != nil {
		panic(fmt.Sprintf("encode the fields of an entity: %v", err))
	}
	joined := append(own[:len(own)-1], ',')
	return append(joined, added[1:]...)
}
