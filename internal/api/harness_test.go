package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/access"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/testclock"
	"signet/internal/testlog"
)

// harness is a server with routes of a test's own, and what a test looks at.
type harness struct {
	t      *testing.T
	api    *API
	server *httptest.Server
	clock  *testclock.Clock
	log    *testlog.Log
	auth   *testAuthenticator
}

// start runs a server. The options start from those of the contract.
func start(t *testing.T, change func(*Options), routes ...route) *harness {
	t.Helper()
	h := &harness{t: t, clock: testclock.New(), log: new(testlog.Log), auth: newTestAuthenticator()}
	o := Options{
		Authenticator: h.auth,
		Clock:         h.clock.Now,
		Logger:        slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Limits: Limits{RequestsPerSecond: 50, Burst: 100, FailedLoginsPerMinute: 10, FailedLoginsPerMinuteAddress: 100,
			BodyBytes: 256 << 10, AttachmentBytes: 25 << 20},
		VendorPrefix:    "TT",
		VendorNamespace: "tigertext",
		Registerer:      prometheus.NewRegistry(),
	}
	if change != nil {
		change(&o)
	}
	var err error
	if h.api, err = newAPI(o); err != nil {
		t.Fatal(err)
	}
	if err := h.api.mount(routes); err != nil {
		t.Fatal(err)
	}
	h.server = httptest.NewServer(h.api)
	t.Cleanup(h.server.Close)
	return h
}

// answered is an answer as the client saw it.
type answered struct {
	*http.Response
	body []byte
}

// request is what a test sends; the headers are `Name: value` lines.
type request struct {
	method  string
	path    string
	headers []string
	body    io.Reader
	anyone  bool // without credentials
}

// mustSend sends a request with alice's regular key.
func (h *harness) mustSend(r request) answered {
	h.t.Helper()
	sent, err := http.NewRequestWithContext(h.t.Context(), r.method, h.server.URL+r.path, r.body)
	if err != nil {
		h.t.Fatal(err)
	}
	if !r.anyone {
		sent.SetBasicAuth("alice", "secret:of:alice")
	}
	for _, line := range r.headers {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "Host":
			sent.Host = value
		case len(sent.Header.Values(name)) > 0 && name != "Authorization":
			sent.Header.Add(name, value)
		default:
			sent.Header.Set(name, value)
		}
	}
	client := *h.server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport.(*http.Transport).DisableCompression = true
	got, err := client.Do(sent)
	if err != nil {
		h.t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		h.t.Fatalf("%s %s: read the body: %v", r.method, r.path, err)
	}
	return answered{got, body}
}

// mustPost sends a JSON body.
func (h *harness) mustPost(path, body string) answered {
	h.t.Helper()
	return h.mustSend(request{method: "POST", path: path, headers: []string{"Content-Type: application/json"},
		body: strings.NewReader(body)})
}

// wantReply checks for a success with data, and returns the data.
func (h *harness) wantReply(got answered) any {
	h.t.Helper()
	var envelope struct {
		Status string
		Reply  any
	}
	if err := json.Unmarshal(got.body, &envelope); err != nil || got.StatusCode != 200 || envelope.Status != "success" {
		h.t.Fatalf("got %d %s (%v), want a reply", got.StatusCode, got.body, err)
	}
	return envelope.Reply
}

// wantError checks for an error's status, code and field, and that its body is
// shaped as the contract says.
func (h *harness) wantError(got answered, status int, code, field string) {
	h.t.Helper()
	var envelope wire.Failure
	decoder := json.NewDecoder(bytes.NewReader(got.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&envelope); err != nil {
		h.t.Fatalf("got %d %q: %v; want %d %s", got.StatusCode, got.body, err, status, code)
	}
	e := envelope.Error
	if got.StatusCode != status || e.Code != code || e.Field != field {
		h.t.Errorf("got %d %s of field %q (%s), want %d %s of field %q", got.StatusCode, e.Code, e.Field, e.Message, status,
			code, field)
	}
	if envelope.Status != "fail" || e.Status != got.StatusCode || e.Message == "" || e.RequestID == "" ||
		e.RequestID != got.Header.Get("Request-Id") || got.Header.Get("Content-Type") != "application/json" {
		h.t.Errorf("the error is misshapen: %s %v", got.body, got.Header)
	}
}

func (h *harness) wantHeader(got answered, name, want string) {
	h.t.Helper()
	if value := got.Header.Get(name); value != want {
		h.t.Errorf("%s is %q, want %q", name, value, want)
	}
}

// testAuthenticator knows alice (regular key), root (administrative key of an
// operator) and lapsed (administrative key of an account that administers
// nothing).
type testAuthenticator struct {
	mu     sync.Mutex
	fault  error
	actors map[string]*model.Actor
	calls  int
	from   netip.Addr
}

func newTestAuthenticator() *testAuthenticator {
	return &testAuthenticator{actors: map[string]*model.Actor{
		"alice": {Account: model.AccountID{1}, Key: model.Key{Key: "alice", Counter: "alice"}},
		"root": {Account: model.AccountID{2}, Key: model.Key{Key: "root", Counter: "root", Kind: model.Administrative},
			Operator: true},
		"lapsed": {Account: model.AccountID{3}, Key: model.Key{Key: "lapsed", Counter: "lapsed", Kind: model.Administrative}},
	}}
}

func (a *testAuthenticator) Authenticate(_ context.Context, key, secret string, from netip.Addr) (*model.Actor, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
	a.from = from
	if a.fault != nil {
		return nil, a.fault
	}
	actor, ok := a.actors[key]
	if !ok || secret != "secret:of:"+key {
		return nil, &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid",
			Message: "The key or the secret is wrong."}
	}
	return actor, nil
}

// OpenSession opens none.
func (a *testAuthenticator) OpenSession(context.Context, string, string, netip.Addr) (*model.Actor, error) {
	return nil, access.SessionEnded()
}

// Current finds nothing changed.
func (a *testAuthenticator) Current(_ context.Context, actor *model.Actor) (*model.Actor, error) {
	return actor, nil
}

// echo replies with what read takes from the call.
func echo(read func(c *call) any) handler {
	return func(_ context.Context, c *call) (answer, error) {
		v := read(c)
		if err := c.err(); err != nil {
			return answer{}, err
		}
		return reply(v), nil
	}
}

func nothing(context.Context, *call) (answer, error) { return noContent(), nil }
