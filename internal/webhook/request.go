package webhook

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"signet/internal/model"
)

// timeForm is that of contract section 1.
const timeForm = "2006-01-02T15:04:05.000Z"

// TestType is the type of what a test sends. No event has it.
const TestType = "webhook.test"

// envelope is what is POSTed.
type envelope struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

func (e *envelope) json() ([]byte, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	err := to.Encode(e)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// body is the body for an event of a queue.
func (h *Webhooks) body(w *model.Webhook, e *model.Event) ([]byte, error) {
	cursor, _ := model.ParseCursor(e.ID)
	data, err := h.Write(e)
	if err == nil && !w.Full {
		data, err = thin(e.Kind, data)
	}
	if err != nil {
		return nil, err
	}
	out := envelope{string(e.Kind), time.UnixMicro(cursor.Position).UTC().Format(timeForm), data}
	return out.json()
}

// idOf is the header webhook-id of an event for a webhook, the same in each try. It has no full stop, by
// which a signature tells it from what follows.
func idOf(w *model.Webhook, event string) string {
	return "msg_" + hex.EncodeToString(w.ID[:]) + "_" + event
}

// request is a POST, signed at a time.
func request(ctx context.Context, w *model.Webhook, secrets [][]byte, id string, at time.Time, body []byte) (
	*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Signet-Webhook/1")
	// The names in lower case, as Standard Webhooks has them; HTTP takes either.
	r.Header["webhook-id"] = []string{id}
	r.Header["webhook-timestamp"] = []string{strconv.FormatInt(at.Unix(), 10)}
	r.Header["webhook-signature"] = []string{sign(w.Signature, secrets, id, at, body)}
	return r, nil
}
