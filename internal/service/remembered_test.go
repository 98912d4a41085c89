package service_test

import (
	"reflect"
	"testing"

	"signet/internal/model"
	"signet/internal/service"
)

func TestQueueShowsWhatIsRememberedAsItIsStored(t *testing.T) {
	h := newHouse(t, 2)
	ttl, dor, priority := 5, true, 1
	to := h.actors[1].Account.String()
	data := []model.DataItem{{MimeType: "text/plain", Payload: "seven"}}
	for _, c := range []service.SendCommand{
		{Recipient: to, Body: "plain"},
		{Recipient: to, Body: "short-lived", TTL: &ttl},
		{Recipient: to, Body: "once", DOR: &dor},
		{Recipient: to, Body: "urgent", Priority: &priority, RequestID: "1"},
		{Recipient: to, Body: "with data", Data: data},
		{Recipient: to, Data: data},
		{Recipient: h.mustGroup(t, 2), Body: "to all"},
	} {
		sent, err := h.service.Send(t.Context(), h.actors[0], c)
		must(t, err)
		_, err = h.service.Forward(t.Context(), h.actors[0], service.ForwardCommand{Message: sent.Message, Recipient: to})
		must(t, err)
	}
	poll := func() []model.Event {
		events, err := h.service.Poll(t.Context(), h.actors[1], service.PollOptions{Limit: 100})
		must(t, err)
		return events
	}
	remembered := poll()
	h.mustForget(t)
	if stored := poll(); !reflect.DeepEqual(remembered, stored) {
		t.Errorf("got %+v\nwant %+v", remembered, stored)
	}
}
