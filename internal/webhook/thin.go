package webhook

import (
	"bytes"
	"encoding/json"

	"signet/internal/model"
)

// shape says which fields of an object stay, by their names: nil keeps a text, a number, a boolean or a list
// of these; another shape cuts an object, or each of a list.
type shape map[string]shape

// entity is what stays of an account or a group: who it is, and what.
var entity = shape{"token": nil, "xmlns": nil, "type": nil}

// thinMessage is what stays of a message.
var thinMessage = shape{"message_id": nil, "client_id": nil, "sender_token": nil, "sender_organization": nil,
	"recipient_token": nil, "recipient_organization": nil, "group_token": nil, "created_time": nil, "expires_time": nil,
	"original_sender": nil, "original_timestamp": nil, "reply_to": nil,
	"escalation": {"message_id": nil, "step": nil}}

// thinStatus is what stays of a status.
var thinStatus = shape{"client_id": nil, "account_id": nil, "timestamp": nil, "status": nil, "is_recalled": nil}

// thinShapes are what stays of each kind of event in a webhook that gets tokens and times: nothing that
// people wrote or are called, and of words only those that say what happened.
var thinShapes = map[model.EventKind]shape{
	model.EventMessage: thinMessage, model.EventGroupMessage: thinMessage,
	model.EventStatus: thinStatus, model.EventGroupStatus: thinStatus,
	model.EventFriends: {"friend": {"action": nil, "organization_id": nil, "token": nil, "xmlns": nil}},
	model.EventBang: {"event": nil, "caller_entity": entity, "subject_entity": entity, "target_entity": entity,
		"created_on": nil},
	model.EventUpdate:       {"token": nil, "xmlns": nil, "type": nil, "caller_token": nil},
	model.EventSettings:     {"token": nil, "services": {"xmlns": nil, "account": nil}},
	model.EventAdminRequest: {"account_id": nil, "organization_id": nil, "group_token": nil, "state": nil},
	model.EventEscalated:    {"client_id": nil, "step": nil, "to": nil, "timestamp": nil},
	model.EventConversationMute: {"token": nil, "action": nil, "sender_type": nil, "sender_token": nil,
		"organization_id": nil, "caller_organization": nil, "mute_duration": nil, "mute_start": nil},
}

// otherShape is what stays of a kind that is not listed.
var otherShape = shape{"client_id": nil, "message_id": nil, "account_id": nil, "organization_id": nil, "token": nil,
	"timestamp": nil}

// thin cuts an event, as AppendEvent writes it, to tokens and times.
func thin(kind model.EventKind, event []byte) ([]byte, error) {
	keep, known := thinShapes[kind]
	if !known {
		keep = otherShape
	}
	from := json.NewDecoder(bytes.NewReader(event))
	from.UseNumber()
	var whole struct {
		ID    string         `json:"event_id"`
		Event map[string]any `json:"event"`
	}
	if err := from.Decode(&whole); err != nil {
		return nil, err
	}
	for name, payload := range whole.Event {
		whole.Event[name] = keep.cut(payload)
	}
	return json.Marshal(whole)
}

// cut returns what stays of a value.
func (s shape) cut(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, part := range s {
			field, there := v[name]
			if !there {
				continue
			}
			if part == nil {
				if plain(field) {
					out[name] = field
				}
				continue
			}
			out[name] = part.cut(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.cut(v[i])
		}
		return out
	default:
		return nil
	}
}

// plain reports whether a value is no object, and no list that holds one.
func plain(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return false
	case []any:
		for _, element := range v {
			if !plain(element) {
				return false
			}
		}
	}
	return true
}
