package client

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestEvent_payloads(t *testing.T) {
	friend := `{"action":"add","organization_id":"o1","xmlns":"tigertext:entity:group","token":"g1","name":"G"}`
	for _, tt := range []struct {
		kind    string
		payload string
		read    func(Event) (any, error)
		want    string
		queued  bool
	}{
		{"message", messageJSON, func(e Event) (any, error) { return e.Message() }, messageJSON, true},
		{"group_message", messageJSON, func(e Event) (any, error) { return e.Message() }, messageJSON, true},
		{"message:status", `{"client_id":"m1","status":"Read","account_id":"u2","timestamp":"2026-11-21T08:15:30.123Z"}`,
			func(e Event) (any, error) { return e.Status() }, "", true},
		{"group:message:status", `{"client_id":"m1","is_recalled":true}`, func(e Event) (any, error) { return e.Status() },
			"", true},
		{"message:is_typing", `{"sender_token":"u1","group_token":"g1","status":"typing"}`,
			func(e Event) (any, error) { return e.Typing() }, "", false},
		{"friends", `{"friend":` + friend + `}`, func(e Event) (any, error) {
			f, err := e.Friend()
			if err != nil {
				return nil, err
			}
			return []string{f.Action, f.OrganizationID, f.Entity.Token(), string(f.Entity.Kind), f.Entity.Group.Name}, nil
		}, `["add","o1","g1","group","G"]`, true},
		{"bang", `{"event":"added","caller_entity":` + userJSON + `,"subject_entity":` + userJSON + `,"target_entity":` +
			groupJSON + `,"sort_number":7,"created_on":"2026-11-21T08:15:30.123Z"}`,
			func(e Event) (any, error) { return e.Bang() }, "", true},
		{"update", groupJSON, func(e Event) (any, error) { return e.Update() }, groupJSON, true},
		{"update", groupJSON[:len(groupJSON)-1] + `,"caller_token":"u1","sort_number":7}`,
			func(e Event) (any, error) { return e.GroupChange() }, `{"caller_token":"u1","sort_number":7}`, true},
		{"update", userJSON, func(e Event) (any, error) { return e.Update() }, userJSON, false},
		{"account:settings", `{"token":"u1","services":[{"xmlns":"tigertext:iq:update:account","account":"u1"}]}`,
			func(e Event) (any, error) { return e.Settings() }, "", true},
		{"presence", `{"from":"u1","type":"available"}`, func(e Event) (any, error) { return e.Presence() }, "", false},
		{"admin_request", `{"account_id":"u1","organization_id":"o1","state":"pending"}`,
			func(e Event) (any, error) { return e.AdminRequest() }, "", true},
		{"message:escalated", `{"client_id":"m1","step":2,"to":["u2"],"timestamp":"2026-11-21T08:15:30.123Z"}`,
			func(e Event) (any, error) { return e.Escalated() }, "", true},
		{"message:escalated", `{"client_id":"m1","step":"exhausted","to":[],"timestamp":"2026-11-21T08:15:30.123Z"}`,
			func(e Event) (any, error) { return e.Escalated() }, "", true},
		{"conversation_mute", `{"token":"u1","action":"add",` + muteJSON[1:],
			func(e Event) (any, error) { return e.ConversationMute() }, "", true},
		{"client_advisory", `{"advisory":{"name":"replay_start","replay_message_count":3}}`,
			func(e Event) (any, error) { return e.Advisory() }, `{"name":"replay_start","replay_message_count":3}`, false},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			wire := `{"event_id":"e1","event":{"tigertext:iq:` + tt.kind + `":` + tt.payload + `}}`
			var e Event
			if err := json.Unmarshal([]byte(wire), &e); err != nil {
				t.Fatal(err)
			}
			if e.ID != "e1" || string(e.Kind) != tt.kind || e.Type != "tigertext:iq:"+tt.kind || e.Queued() != tt.queued {
				t.Errorf("got %+v, queued %v", e, e.Queued())
			}
			got, err := tt.read(e)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = tt.payload
			}
			wantJSON(t, "payload", string(text), want)
			if text, err = json.Marshal(e); err != nil {
				t.Fatal(err)
			}
			wantJSON(t, "event", string(text), wire)
			e.Payload = json.RawMessage(`7`)
			if _, err := tt.read(e); !errors.Is(err, ErrProtocol) {
				t.Errorf("of another shape: got %v, want an ErrProtocol", err)
			}
			e.Kind = EventHeartbeat
			if _, err := tt.read(e); !errors.Is(err, ErrArgument) {
				t.Errorf("of another kind: got %v, want an ErrArgument", err)
			}
		})
	}
}

func TestEvent_of_another_form_is_an_error(t *testing.T) {
	for _, text := range []string{`{}`, `{"event_id":"e","event":{}}`, `{"event_id":"e","event":{"a":{},"b":{}}}`, `7`,
		`{"event":7}`} {
		var e Event
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s: got %+v, want an error", text, e)
		}
	}
	var e Event
	if err := json.Unmarshal([]byte(`{"event_id":"e","event":{"remote_wipe":{}}}`), &e); err != nil ||
		e.Kind != "remote_wipe" {
		t.Errorf("a kind without a namespace: got %+v, %v", e, err)
	}
}

func TestEntity_of_an_unknown_kind(t *testing.T) {
	var e Entity
	if err := json.Unmarshal([]byte(`{"type":"tigertext:entity:robot","token":"r"}`), &e); err != nil {
		t.Fatal(err)
	}
	if e.Kind != "robot" || e.Token() != "" || e.DisplayName() != "" {
		t.Errorf("got %+v", e)
	}
	if text, err := json.Marshal(e); err != nil || string(text) != "null" {
		t.Errorf("got %s, %v", text, err)
	}
}
