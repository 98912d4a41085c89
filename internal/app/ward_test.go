package app

import (
	"context"
	"encoding/json"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
)

// ward is a server with people in it, whose clock the test sets.
type ward struct {
	t                 *testing.T
	app               *App
	stop              func() error
	began             time.Time
	passed            *atomic.Int64 // since then, by the server's clock, in nanoseconds
	sweep             func()        // lets the sweeper begin
	http              *http.Client
	alice, bob, carol person
	group             string // of all three
}

// person is a person with a key.
type person struct {
	*client.Client
	name, key, secret string
}

// mustOpenWard starts a server on real files. Nothing is swept before sweep is
// called.
func mustOpenWard(t *testing.T) *ward {
	t.Helper()
	return mustOpenWardAt(t, settings(t), false)
}

// mustOpenUnsealedWard starts one whose content can be found in the files.
func mustOpenUnsealedWard(t *testing.T) *ward {
	t.Helper()
	return mustOpenWardAt(t, settings(t), true)
}

func mustOpenWardAt(t *testing.T, cfg *config.Config, unsealed bool) *ward {
	t.Helper()
	w := &ward{t: t, passed: new(atomic.Int64), began: time.Now()}
	w.mustStart(cfg, unsealed)
	w.mustAdmit()
	return w
}

// mustReopen starts another server on settings, which name where this ward's people
// are, or a copy. The ward's own must have stopped where they name the same place.
func (w *ward) mustReopen(cfg *config.Config) *ward {
	w.t.Helper()
	again := &ward{t: w.t, passed: w.passed, began: w.began, group: w.group}
	again.mustStart(cfg, false)
	for from, to := range map[*person]*person{&w.alice: &again.alice, &w.bob: &again.bob, &w.carol: &again.carol} {
		*to = person{again.client(from.key, from.secret), from.name, from.key, from.secret}
	}
	return again
}

// mustStart runs the server.
func (w *ward) mustStart(cfg *config.Config, unsealed bool) {
	t := w.t
	t.Helper()
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Expiry.Sweep = 100 * time.Millisecond
	may := make(chan struct{})
	w.sweep = func() { close(may) }
	a, err := open(t.Context(), cfg, quiet(), Pace{}, func(ctx context.Context, in surroundings) (*system, error) {
		in.clock = func() time.Time { return w.began.Add(time.Duration(w.passed.Load())) }
		in.elapsed = func() time.Duration { return time.Duration(w.passed.Load()) }
		in.offset = func(context.Context) (time.Duration, error) { return 0, nil }
		in.unsealed = unsealed
		made, err := assemble(ctx, in)
		if err != nil {
			return nil, err
		}
		for i, task := range made.background {
			made.background[i] = func(ctx context.Context) {
				select {
				case <-may:
				case <-ctx.Done(): // it may have to say that it has ended
				}
				task(ctx)
			}
		}
		return made, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	w.app, w.stop = a, mustRun(t, a)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	w.http = &http.Client{Transport: transport}
}

// mustAdmit makes the people and their group.
func (w *ward) mustAdmit() {
	w.t.Helper()
	ctx := w.t.Context()
	text, err := os.ReadFile(w.app.OperatorFile())
	if err != nil {
		w.t.Fatal(err)
	}
	fields := home.Credentials{}
	if err := json.Unmarshal(text, &fields); err != nil {
		w.t.Fatal(err)
	}
	operator := w.client(fields.Text(home.FieldKey), fields.Text(home.FieldSecret))
	organization, err := operator.CreateOrganization(ctx, "Ward", client.OrganizationSettings{})
	if err != nil {
		w.t.Fatal(err)
	}
	for name, who := range map[string]*person{"alice": &w.alice, "bob": &w.bob, "carol": &w.carol} {
		made, err := operator.CreateUser(ctx, organization, client.NewUser{Username: name, IssueKey: true})
		if err != nil {
			w.t.Fatal(err)
		}
		*who = person{w.client(made.APIKey, made.APISecret), name, made.APIKey, made.APISecret}
	}
	group, err := w.alice.CreateGroup(ctx, client.NewGroup{Name: "All", Members: []string{"bob", "carol"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.group = group.Token
}

func (w *ward) client(key, secret string) *client.Client {
	w.t.Helper()
	c, err := client.New(w.app.BaseURL(), key, secret, client.WithHTTPClient(w.http))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// everybody are the people of the ward.
func (w *ward) everybody() []person { return []person{w.alice, w.bob, w.carol} }

// pass moves the clock on.
func (w *ward) pass(d time.Duration) { w.passed.Add(int64(d)) }

// mustSend sends a message with this fate to bob or to the group.
func (w *ward) mustSend(f fate) *specimen {
	w.t.Helper()
	s := &specimen{fate: f, canary: newCanary(), group: mathrand.N(3) == 0}
	recipient := "bob"
	if s.group {
		recipient = w.group
	}
	sent, err := w.alice.Send(w.t.Context(), s.outgoing(recipient))
	if err != nil {
		w.t.Fatal(err)
	}
	s.id = sent.MessageID
	return s
}

// mustEnd makes a message end, for all who have it; what expires ends by itself.
func (w *ward) mustEnd(s *specimen) {
	w.t.Helper()
	var err error
	switch s.fate {
	case recalled:
		err = w.alice.Recall(w.t.Context(), s.id)
	case readAndGone:
		if err = w.bob.MarkRead(w.t.Context(), s.id); err == nil && s.group {
			err = w.carol.MarkRead(w.t.Context(), s.id)
		}
	}
	if err != nil {
		w.t.Fatalf("%s %s: %v", s.fate, s.id, err)
	}
}

// get returns the status and the body of a call, as they are on the wire.
func (w *ward) get(who person, path string, header ...string) (int, []byte) {
	w.t.Helper()
	return w.call(who, "GET", path, "", header...)
}

func (w *ward) call(who person, method, path, body string, header ...string) (int, []byte) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.app.BaseURL()+"/v2"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.SetBasicAuth(who.key, who.secret)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := w.http.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, text
}

// queueOf reads a whole queue as it comes: as JSON, as server-sent events, and
// over a WebSocket.
func (w *ward) queueOf(who person) map[string][]byte {
	w.t.Helper()
	out := map[string][]byte{}
	for after := ""; ; {
		path := "/events?limit=1000"
		if after != "" {
			path += "&after=" + after
		}
		status, text := w.get(who, path)
		var page struct{ Reply []client.Event }
		if err := json.Unmarshal(text, &page); err != nil || status != http.StatusOK {
			w.t.Fatalf("GET %s answered %d %s (%v)", path, status, text, err)
		}
		if len(page.Reply) == 0 {
			break
		}
		out["JSON"] = append(out["JSON"], text...)
		after = page.Reply[len(page.Reply)-1].ID
	}
	_, out["SSE"] = w.get(who, "/events", "Accept", "text/event-stream", "TT-X-Features", "close-after-messages")
	for event, err := range who.Events(w.t.Context(),
		client.StreamOptions{Transport: client.WebSocket, CloseAfterReplay: true}) {
		if err != nil {
			w.t.Fatal(err)
		}
		out["WebSocket"] = append(out["WebSocket"], event.Payload...)
	}
	return out
}

// end notes that all messages of a fate have met it. Those that are read and
// gone were counted as unread until they were read.
func (w *ward) end(all []*specimen, f fate) {
	for _, s := range all {
		s.ended = s.ended || s.fate == f
	}
}

// only returns the first n of a fate.
func only(all []*specimen, f fate, n int) (out []*specimen) {
	for _, s := range all {
		if s.fate == f && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// mustEndAll makes messages meet their fate together, but for those that expire.
func (w *ward) mustEndAll(some []*specimen) {
	w.t.Helper()
	var read []string
	for _, s := range some {
		switch s.fate {
		case readAndGone:
			read = append(read, s.id)
			s.ended = true
		case recalled:
			w.mustEnd(s)
			s.ended = true
		}
	}
	for _, who := range []person{w.bob, w.carol} {
		if err := who.MarkRead(w.t.Context(), read...); err != nil {
			w.t.Fatal(err)
		}
	}
	w.pass(61 * time.Second)
}
