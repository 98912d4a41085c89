package webhook

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// The outcomes of a try, as they are stored and shown.
const (
	outcomeDelivered   = "delivered"   // a 2xx
	outcomeRefused     = "refused"     // another status
	outcomeTimeout     = "timeout"     // no answer in time
	outcomeUnreachable = "unreachable" // no connection, or one that broke
	outcomeForbidden   = "forbidden"   // the settings of the server do not let it go there
)

const statusGone = http.StatusGone

// try is one POST, and how it ended.
type try struct {
	store.WebhookDelivery
	wait time.Duration // that the receiver asks for
}

func (t *try) delivered() bool { return t.Outcome == outcomeDelivered }

// try POSTs an event. An error is the server's: nothing was sent, or nobody knows how it ended since the
// server stops.
func (d *delivery) try(ctx context.Context, e *model.Event, position int64) (try, error) {
	body, err := d.body(&d.w.Webhook, e)
	if err != nil {
		return try{}, err
	}
	t, err := d.post(ctx, &d.w.Webhook, d.secrets, idOf(&d.w.Webhook, e.ID), body)
	if err != nil {
		return t, err
	}
	t.Position, t.Kind, t.Try = position, e.Kind, 1
	if d.succeeded.IsZero() { // else it is the first of this event
		t.Try += d.w.Failures
	}
	return t, nil
}

// post POSTs a body, and reads the answer to its end, so that the connection serves again.
func (h *Webhooks) post(ctx context.Context, w *model.Webhook, secrets [][]byte, id string, body []byte) (try, error) {
	at := h.Clock()
	var t try
	t.Number = at.UnixMicro()
	r, err := request(ctx, w, secrets, id, at, body)
	if err != nil {
		return t, err
	}
	begun := time.Now()
	answer, err := h.Client.Do(r)
	if err == nil {
		t.Status, t.wait = answer.StatusCode, retryAfter(answer.Header, at)
		_, _ = io.Copy(io.Discard, answer.Body) // what it says is not looked at, nor whether it ends
		_ = answer.Body.Close()
	}
	t.Took = time.Since(begun)
	var timeout net.Error
	switch {
	case err == nil && t.Status >= 200 && t.Status < 300:
		t.Outcome = outcomeDelivered
		h.Counts.Delivered.Add(1)
	case err == nil:
		t.Outcome = outcomeRefused
		h.Counts.Refused.Add(1)
	case ctx.Err() != nil:
		return t, ctx.Err()
	default:
		t.Outcome = outcomeUnreachable
		if h.Refused != nil && h.Refused(err) {
			t.Outcome = outcomeForbidden
		} else if errors.As(err, &timeout) && timeout.Timeout() {
			t.Outcome = outcomeTimeout
		}
		h.Counts.Unanswered.Add(1)
	}
	return t, nil
}
