package app

import (
	"bytes"
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
)

// ward is a server with people in it, whose clock the test sets.
type ward struct {
	t                 *testing.T
	app               *App
	stop              func() error
	passed            *atomic.Int64 // since the test began, by the server's clock, in nanoseconds
	sweep             func()        // lets the sweeper begin
	http              *http.Client
	alice, bob, carol inmate
	group             string // of all three
}

// inmate is a person with a key.
type inmate struct {
	*client.Client
	name, key, secret string
}

// mustOpenWard starts a server on real files. Nothing is swept before sweep is
// called.
func mustOpenWard(t *testing.T) *ward {
	t.Helper()
	cfg := settings(t)
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Expiry.Sweep = 100 * time.Millisecond
	w := &ward{t: t, passed: new(atomic.Int64)}
	may := make(chan struct{})
	w.sweep = func() { close(may) }
	began := time.Now()
	a, err := open(t.Context(), cfg, quiet(), func(ctx context.Context, in surroundings) (*system, error) {
		in.clock = func() time.Time { return began.Add(time.Duration(w.passed.Load())) }
		made, err := assemble(ctx, in)
		if err != nil {
			return nil, err
		}
		for i, task := range made.background {
			made.background[i] = func(ctx context.Context) {
				select {
				case <-may:
					task(ctx)
				case <-ctx.Done():
				}
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
	w.mustAdmit()
	return w
}

// mustAdmit makes the people and their group.
func (w *ward) mustAdmit() {
	w.t.Helper()
	ctx := w.t.Context()
	text, err := os.ReadFile(w.app.OperatorFile())
	if err != nil {
		w.t.Fatal(err)
	}
	fields := operatorFields{}
	if err := json.Unmarshal(text, &fields); err != nil {
		w.t.Fatal(err)
	}
	operator := w.client(fields.text(fieldKey), fields.text(fieldSecret))
	organization, err := operator.CreateOrganization(ctx, "Ward", client.OrganizationSettings{})
	if err != nil {
		w.t.Fatal(err)
	}
	for name, who := range map[string]*inmate{"alice": &w.alice, "bob": &w.bob, "carol": &w.carol} {
		made, err := operator.CreateUser(ctx, organization, client.NewUser{Username: name, IssueKey: true})
		if err != nil {
			w.t.Fatal(err)
		}
		*who = inmate{w.client(made.APIKey, made.APISecret), name, made.APIKey, made.APISecret}
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
func (w *ward) everybody() []inmate { return []inmate{w.alice, w.bob, w.carol} }

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
func (w *ward) get(who inmate, path string, header ...string) (int, []byte) {
	w.t.Helper()
	return w.call(who, "GET", path, "", header...)
}

func (w *ward) call(who inmate, method, path, body string, header ...string) (int, []byte) {
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
func (w *ward) queueOf(who inmate) map[string][]byte {
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
	for event, err := range who.Events(w.t.Context(), client.StreamOptions{Transport: client.WebSocket, CloseAfterReplay: true}) {
		if err != nil {
			w.t.Fatal(err)
		}
		out["WebSocket"] = append(out["WebSocket"], event.Payload...)
	}
	return out
}

// wantQueues reports messages that a queue has and should not have, or the other
// way round.
func (w *ward) wantQueues(all []*specimen) {
	w.t.Helper()
	for _, who := range []inmate{w.bob, w.carol} {
		for form, text := range w.queueOf(who) {
			found := map[string]bool{}
			canariesIn(text, func(canary string) { found[canary] = true })
			for _, s := range all {
				want := !s.ended && (s.group || who.name == "bob")
				if found[s.canary] != want {
					w.t.Errorf("%s's queue as %s: message %s (%s, ended: %v): found %v, want %v", who.name, form, s.id, s.fate, s.ended, found[s.canary], want)
				}
			}
		}
	}
}

// wantCounts reports counters that are not those of the messages that have not ended.
func (w *ward) wantCounts(all []*specimen) {
	w.t.Helper()
	want := map[string]int{}
	for _, s := range all {
		if s.ended {
			continue
		}
		want["bob"]++
		if s.group {
			want["carol"]++
		}
	}
	for _, who := range []inmate{w.bob, w.carol} {
		if got, err := who.Unread(w.t.Context(), "me"); err != nil || got.Count != want[who.name] {
			w.t.Errorf("%s has %+v unread (%v), want %d", who.name, got, err, want[who.name])
		}
		roster, err := who.Roster(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		n := 0
		for _, entry := range roster {
			n += entry.UnreadCount
		}
		if n != want[who.name] {
			w.t.Errorf("%s's roster counts %d unread, want %d", who.name, n, want[who.name])
		}
	}
}

// wantEnds reports where a message that has ended can still be read, or one that
// has not cannot, through the endpoints that name it.
func (w *ward) wantEnds(all []*specimen) {
	w.t.Helper()
	for _, who := range w.everybody() {
		for _, s := range all {
			reader := who.name != "carol" || s.group
			status := http.StatusOK
			if s.ended && s.fate != recalled || !reader {
				status = http.StatusNotFound
			}
			// Of a recalled one there remains that it was recalled.
			w.wantGet(who, s, "", status)
			w.wantGet(who, s, "/status", status)
			if s.ended || s.file == nil {
				status = http.StatusNotFound
			}
			w.wantGet(who, s, "/attachment/1", status)
			if s.ended && who.name == "bob" {
				got, text := w.call(who, "POST", "/message/"+s.id+"/forward", `{"recipient":"carol"}`, "Content-Type", "application/json")
				if got != http.StatusNotFound || bytes.Contains(text, []byte(canaryMark)) {
					w.t.Errorf("forwarding message %s (%s) answered %d %s, want 404", s.id, s.fate, got, text)
				}
			}
		}
	}
}

func (w *ward) wantGet(who inmate, s *specimen, path string, want int) {
	w.t.Helper()
	got, text := w.get(who, "/message/"+s.id+path)
	if got != want {
		w.t.Errorf("%s: GET /message/%s%s (%s, ended: %v) answered %d, want %d", who.name, s.id, path, s.fate, s.ended, got, want)
	}
	canariesIn(text, func(canary string) {
		if s.ended || canary != s.canary {
			w.t.Errorf("%s: GET /message/%s%s (%s) shows %s", who.name, s.id, path, s.fate, canary)
		}
	})
	if want == http.StatusOK && path == "/attachment/1" && !bytes.Equal(text, s.file) {
		w.t.Errorf("%s: the attachment of %s has %d bytes, want the %d that were sent", who.name, s.id, len(text), len(s.file))
	}
}

// wantErased waits until the files hold nothing of what has ended, and reports
// what they do not hold of the rest.
func (w *ward) wantErased(all []*specimen) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		found := canariesInFiles(w.t, w.app.dir)
		var left []string
		for _, s := range all {
			switch path, ok := found[s.canary]; {
			case s.ended && ok:
				left = append(left, s.fate.String()+" "+s.id+" in "+path)
			case !s.ended && !ok:
				w.t.Fatalf("message %s is in no file: this test looks at the wrong place", s.id)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the files still hold %d messages that have ended: %q", len(left), left[:min(len(left), 5)])
		}
		<-tick.C
	}
}

// wantRetained reports messages that have ended and of which the files hold
// nothing before the first sweep: then they would prove nothing after it.
func (w *ward) wantRetained(all []*specimen) {
	w.t.Helper()
	found := canariesInFiles(w.t, w.app.dir)
	for _, s := range all {
		if s.ended && s.fate != recalled && found[s.canary] == "" {
			w.t.Errorf("message %s (%s) is in no file before the sweep", s.id, s.fate)
		}
	}
}

func TestWhatHasEndedIsGoneForReadersAtOnceAndFromTheFilesAfterTheSweep(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	var all []*specimen
	for _, n := range mathrand.Perm(10 * int(fates)) {
		all = append(all, w.mustSend(fate(n%int(fates))))
	}
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)

	order := mathrand.Perm(len(all))
	for _, i := range order {
		w.mustEnd(all[i])
	}
	w.end(all, recalled)
	w.wantQueues(all)
	w.pass(59 * time.Second)
	w.wantEnds(only(all, readAndGone, 5)) // their readers still have a second
	w.pass(2 * time.Second)
	w.end(all, readAndGone)
	w.wantQueues(all)
	w.wantCounts(all)
	w.pass(shortLife * time.Minute)
	w.end(all, expired)
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)
	w.wantRetained(all)

	w.sweep()
	w.wantErased(all)
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	w.wantErased(all)
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

func TestMessageIsGoneForWhoHasReadItAndThereForTheOthers(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	s := &specimen{fate: readAndGone, canary: newCanary(), group: true}
	sent, err := w.alice.Send(ctx, s.outgoing(w.group))
	if err != nil {
		t.Fatal(err)
	}
	s.id = sent.MessageID
	if err := w.bob.MarkRead(ctx, s.id); err != nil {
		t.Fatal(err)
	}
	w.pass(61 * time.Second)
	w.wantGet(w.bob, s, "", http.StatusNotFound)
	w.wantGet(w.bob, s, "/status", http.StatusNotFound)
	w.wantGet(w.bob, s, "/attachment/1", http.StatusNotFound)
	for form, text := range w.queueOf(w.bob) {
		if bytes.Contains(text, []byte(s.canary)) {
			t.Errorf("bob's queue as %s has the message that is gone for him", form)
		}
	}
	w.wantGet(w.carol, s, "", http.StatusOK)
	w.wantGet(w.alice, s, "", http.StatusOK)
	if err := w.carol.MarkRead(ctx, s.id); err != nil {
		t.Fatal(err)
	}
	w.pass(61 * time.Second)
	s.ended = true
	w.wantEnds([]*specimen{s})
	w.sweep()
	w.wantErased([]*specimen{s})
}

// TestFilesStayCleanWhileMessagesComeAndGo inserts messages of all sizes, most of
// them so small that many share a page, and removes them in random order with
// sweeps in between: so pages are split, joined and used again, and cells move
// and leave their images behind.
func TestFilesStayCleanWhileMessagesComeAndGo(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	w.sweep()
	var all, alive []*specimen
	rounds := 7
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		for range 50 {
			s := w.mustSend(fate(mathrand.N(int(fates))))
			all, alive = append(all, s), append(alive, s)
		}
		mathrand.Shuffle(len(alive), func(i, j int) { alive[i], alive[j] = alive[j], alive[i] })
		ending := alive[:len(alive)*2/3]
		alive = alive[len(ending):]
		w.mustEndAll(ending)
		w.wantErased(all)
	}
	w.mustEndAll(alive)
	w.pass(shortLife * time.Minute)
	w.end(all, expired)
	w.wantErased(all)
	w.wantEnds(only(all, kept, 20))
	w.wantCounts(all)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	w.wantErased(all)
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
	for _, who := range []inmate{w.bob, w.carol} {
		if err := who.MarkRead(w.t.Context(), read...); err != nil {
			w.t.Fatal(err)
		}
	}
	w.pass(61 * time.Second)
}
