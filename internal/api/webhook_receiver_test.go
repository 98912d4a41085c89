package api_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// posted is a request that a receiver got.
type posted struct {
	id, kind, event string // webhook-id; type and event_id of the body
	body            string
	at              time.Time // webhook-timestamp
	data            value     // the event's payload
}

// receiver takes what webhooks send, and verifies each signature by the library of Standard Webhooks.
type receiver struct {
	t      *testing.T
	url    string
	secret string // whsec_ or whpk_

	mu     sync.Mutex // guards all below
	all    []posted
	answer func(n int, w http.ResponseWriter) // to the n-th, from 0; nil: 204
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, got *http.Request) {
	text, err := io.ReadAll(got.Body)
	if err != nil {
		r.t.Errorf("read what was posted: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify(got, text)
	var body struct {
		Type      string
		Timestamp string
		Data      struct {
			EventID string `json:"event_id"`
			Event   map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &body); err != nil {
		r.t.Errorf("what was posted is %s: %v", text, err)
	}
	if at, err := time.Parse("2006-01-02T15:04:05.000Z", body.Timestamp); err != nil || at.IsZero() {
		r.t.Errorf("the timestamp is %q", body.Timestamp)
	}
	p := posted{id: got.Header.Get("webhook-id"), kind: body.Type, event: body.Data.EventID, body: string(text)}
	seconds, _ := strconv.ParseInt(got.Header.Get("webhook-timestamp"), 10, 64)
	p.at = time.Unix(seconds, 0).UTC()
	for name, payload := range body.Data.Event {
		if name != "tigertext:iq:"+body.Type {
			r.t.Errorf("an event of type %s is called %s", body.Type, name)
		}
		var decoded any
		from := json.NewDecoder(bytes.NewReader(payload))
		from.UseNumber()
		if err := from.Decode(&decoded); err != nil {
			r.t.Errorf("the payload is %s: %v", payload, err)
		}
		p.data = value{r.t, decoded}
	}
	r.all = append(r.all, p)
	if r.answer != nil {
		r.answer(len(r.all)-1, w)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// verify checks the signature of a request.
func (r *receiver) verify(got *http.Request, text []byte) {
	if got.Method != "POST" || got.Header.Get("Content-Type") != "application/json" ||
		strings.Contains(got.Header.Get("webhook-id"), ".") {
		r.t.Errorf("%s with the headers %v", got.Method, got.Header)
	}
	if public, ed := strings.CutPrefix(r.secret, "whpk_"); ed {
		key, _ := base64.StdEncoding.DecodeString(public)
		signature, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(got.Header.Get("webhook-signature"), "v1a,"))
		signed := got.Header.Get("webhook-id") + "." + got.Header.Get("webhook-timestamp") + "." + string(text)
		if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(signed), signature) {
			r.t.Errorf("the signature %q is wrong", got.Header.Get("webhook-signature"))
		}
		return
	}
	hook, err := standardwebhooks.NewWebhook(r.secret)
	if err == nil {
		err = hook.VerifyIgnoringTimestamp(text, got.Header)
	}
	if err != nil {
		r.t.Errorf("the signature %q is wrong: %v", got.Header.Get("webhook-signature"), err)
	}
}

// take returns what was got since the last time.
func (r *receiver) take() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.all
	r.all = nil
	return out
}

// wantKinds checks the types of all that was got since the last time, in order, and returns it.
func (r *receiver) wantKinds(kinds ...string) []posted {
	r.t.Helper()
	got := r.take()
	var have []string
	for _, p := range got {
		have = append(have, p.kind)
	}
	if !slices.Equal(have, kinds) {
		r.t.Fatalf("the receiver got %v, want %v", have, kinds)
	}
	return got
}

// answers has the receiver give these statuses, one after the other, and 204 from then on.
func (r *receiver) answers(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	begun := len(r.all)
	r.answer = func(n int, w http.ResponseWriter) {
		if n -= begun; n >= 0 && n < len(statuses) { // less than 0: what was got before was taken
			w.WriteHeader(statuses[n])
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// mustHook makes a webhook of a person that goes to the receiver, and returns its path.
func (r *receiver) mustHook(by, of *person, more fields) (path string) {
	r.t.Helper()
	made := by.post(of.path("/webhook"), merged(fields{"url": r.url}, more)).reply()
	if r.secret = ""; made.has("secret") {
		r.secret = made.text("secret")
	} else {
		r.secret = made.text("public_key")
	}
	return of.path("/webhook/" + made.text("webhook"))
}
