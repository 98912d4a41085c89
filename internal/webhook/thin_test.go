package webhook

import (
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// What is queued goes to webhooks, and may be asked for by its name, but for kinds that are only told live.
func TestEveryKindThatIsQueuedGoesToWebhooks(t *testing.T) {
	t.Parallel()
	live := []model.EventKind{model.EventPresence, model.EventTyping, model.EventAdvisory}
	stored := 0
	for number := 1; ; number++ {
		kind, known := store.KindOf(number)
		if !known {
			break
		}
		stored++
		_, shaped := thinShapes[kind]
		if want := !slices.Contains(live, kind); slices.Contains(model.WebhookKinds, kind) != want || shaped != want {
			t.Errorf("%s is one of webhooks: %t; has a shape: %t; want %t", kind, !want, shaped, want)
		}
	}
	if stored != len(model.WebhookKinds)+len(live) {
		t.Errorf("%d kinds are stored, and %d go to webhooks", stored, len(model.WebhookKinds))
	}
}

func TestThinEventsKeepTokensTimesAndWhatHappened(t *testing.T) {
	t.Parallel()
	for _, event := range []struct {
		kind       model.EventKind
		full, want string
	}{
		{model.EventMessage, `{"message_id":"m","sender_token":"s","body":"text","created_time":"t","data":[{"payload":"p"}]}`,
			`{"created_time":"t","message_id":"m","sender_token":"s"}`},
		{model.EventStatus, `{"client_id":"m","status":"Read","account_id":"a","timestamp":"t"}`,
			`{"account_id":"a","client_id":"m","status":"Read","timestamp":"t"}`},
		{model.EventBang, `{"event":"added","caller_entity":{"token":"c","xmlns":"x","status":"free"},"created_on":"t"}`,
			`{"caller_entity":{"token":"c","xmlns":"x"},"created_on":"t","event":"added"}`},
		{model.EventUpdate, `{"token":"g","xmlns":"x","name":"Ward","members":["a"],"type":"x"}`,
			`{"token":"g","type":"x","xmlns":"x"}`},
		{model.EventSettings, `{"token":"a","services":[{"xmlns":"x","account":"a","more":1}]}`,
			`{"services":[{"account":"a","xmlns":"x"}],"token":"a"}`},
		{model.EventFriends, `{"friend":{"action":"add","token":"f","display_name":"Bob","organization_id":"o"}}`,
			`{"friend":{"action":"add","organization_id":"o","token":"f"}}`},
		{model.EventMessage, `{"message_id":"m","body":"b","escalation":{"message_id":"o","step":2}}`,
			`{"escalation":{"message_id":"o","step":2},"message_id":"m"}`},
		{model.EventEscalated, `{"client_id":"m","step":"exhausted","to":["a"],"timestamp":"t","more":1}`,
			`{"client_id":"m","step":"exhausted","timestamp":"t","to":["a"]}`},
		{model.EventAdminRequest, `{"organization_id":"o","group_token":"g","state":"duty","name":"Ward"}`,
			`{"group_token":"g","organization_id":"o","state":"duty"}`},
		{model.EventMessage, `{"message_id":{"a":"text"},"client_id":[["deep"]],"sender_token":[{"b":"text"}]}`,
			`{"client_id":[["deep"]]}`},
		{"message:later", `{"client_id":"m","text":"new"}`, `{"client_id":"m"}`},
	} {
		before, after := `{"event_id":"e","event":{"tigertext:iq:`+string(event.kind)+`":`, `}}`
		got, err := thin(event.kind, []byte(before+event.full+after))
		if err != nil || string(got) != before+event.want+after {
			t.Errorf("%s: got %s, %v; want %s", event.kind, got, err, event.want)
		}
	}
	if _, err := thin(model.EventMessage, []byte("{")); err == nil {
		t.Error("half an event is one")
	}
}
