package metamorphic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"signet/internal/model"
)

// receiver takes what webhooks send, each under a path of its own. It remembers the events that were written, so
// that what comes is compared as it is in a queue.
type receiver struct {
	mu      sync.Mutex             // guards all below
	written map[string]model.Event // by their ids
	got     map[string][]model.Event
	refuse  map[string]bool   // paths where the next try is refused
	names   map[string]string // the webhook-id of each event on each path
	taken   map[string]bool   // those that were taken
	fault   error             // what no webhook may do
}

func newReceiver() *receiver {
	return &receiver{written: map[string]model.Event{}, got: map[string][]model.Event{}, refuse: map[string]bool{},
		names: map[string]string{}, taken: map[string]bool{}}
}

// write is the JSON of an event: as much of it as is needed to know it again.
func (r *receiver) write(e *model.Event) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[e.ID] = *e
	return fmt.Appendf(nil, `{"event_id":%q,"event":{%q:{}}}`, e.ID, e.Kind), nil
}

// Do is a POST.
func (r *receiver) Do(request *http.Request) (*http.Response, error) {
	var body struct {
		Type string
		Data struct {
			ID string `json:"event_id"`
		}
	}
	text, err := io.ReadAll(request.Body)
	if err = errors.Join(err, json.Unmarshal(text, &body)); err != nil {
		return nil, err
	}
	path, name := request.URL.Path, map[string][]string(request.Header)["webhook-id"][0]
	r.mu.Lock()
	defer r.mu.Unlock()
	e, known := r.written[body.Data.ID]
	place := path + " " + body.Data.ID
	switch before := r.names[place]; {
	case !known || body.Type != string(e.Kind):
		r.fault = fmt.Errorf("%s gets %s, which is no event", path, text)
	case before != "" && before != name:
		r.fault = fmt.Errorf("%s gets the event %s as %s and as %s", path, e.ID, before, name)
	case r.taken[name]:
		r.fault = fmt.Errorf("%s gets %s once more", path, name)
	}
	r.names[place] = name
	status := http.StatusNoContent
	if r.refuse[path] {
		status = http.StatusServiceUnavailable
		delete(r.refuse, path)
	} else {
		r.taken[name] = true
		r.got[path] = append(r.got[path], e)
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// take returns what was taken since the last time.
func (r *receiver) take() (map[string][]model.Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = map[string][]model.Event{}
	return got, r.fault
}

// refuseNext has the next try on a path refused.
func (r *receiver) refuseNext(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse[path] = true
}
