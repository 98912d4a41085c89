package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/api/guard"
	"signet/internal/api/input"
	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testclock"
	"signet/internal/trace/tracetest"
)

// TestErrorsWinInTheOrderOfTheContract starts from a request in which everything
// is wrong and mends one thing after the other.
func TestErrorsWinInTheOrderOfTheContract(t *testing.T) {
	h := start(t, func(o *Options) { o.Limits.Burst, o.Limits.RequestsPerSecond = 1, 1 },
		route{method: "POST", pattern: "/v2/organization/:organization", admin: true,
			handler: func(_ context.Context, c *call) (answer, error) {
				name := c.body.RequiredText("name")
				if err := c.err(); err != nil {
					return answer{}, err
				}
				if c.path("organization") != "org" {
					return answer{}, model.Missing()
				}
				if name != "right" {
					return answer{}, model.Forbiddenf("not_administrator", "No.")
				}
				return noContent(), nil
			}})
	large := strings.Repeat("x", 256<<10+1)
	h.auth.actors["second"] = &model.Actor{Key: model.Key{Key: "second", Counter: "second"}}
	h.auth.actors["second2"] = &model.Actor{Key: model.Key{Key: "second2", Counter: "second2"}}
	basic := func(key string) string {
		r, _ := http.NewRequest("GET", "/", nil)
		r.SetBasicAuth(key, "secret:of:"+key)
		return "Authorization: " + r.Header.Get("Authorization")
	}
	spend := func(key string) {
		h.mustSend(request{method: "POST", path: "/v2/organization/org", headers: []string{basic(key)}})
	}
	spend("second")
	for _, c := range []struct {
		what, method, path, origin, auth, contentType, body string
		status                                              int
		code                                                string
	}{
		{"path", "PUT", "/v2/nowhere", "https://evil.example", "", "text/plain", large, 404, codeEndpointUnknown},
		{"method", "PUT", "/v2/organization/other", "https://evil.example", "", "text/plain", large, 405,
			codeMethodNotAllowed},
		{"origin", "POST", "/v2/organization/other", "https://evil.example", "", "text/plain", large, 403,
			guard.CodeOriginRefused},
		{"credentials", "POST", "/v2/organization/other", "", "", "text/plain", large, 401, codeCredentialsMissing},
		{"rate", "POST", "/v2/organization/other", "", "second", "text/plain", large, 429, guard.CodeRateLimited},
		{"administrative key", "POST", "/v2/organization/other", "", "second2", "text/plain", large, 403,
			codeAdministrativeKey},
		{"size", "POST", "/v2/organization/other", "", "root", "text/plain", large, 413, input.CodeBodyTooLarge},
		{"type", "POST", "/v2/organization/other", "", "root", "text/plain", `{"name":1}`, 415, input.CodeTypeUnsupported},
		{"body", "POST", "/v2/organization/other", "", "root", "application/json", `{"name":1}`, 400, input.CodeFieldInvalid},
		{"target", "POST", "/v2/organization/other", "", "root", "application/json", `{"name":"wrong"}`, 404, "not_found"},
		{"rights", "POST", "/v2/organization/org", "", "root", "application/json", `{"name":"wrong"}`, 403,
			"not_administrator"},
	} {
		t.Run(c.what, func(t *testing.T) {
			h.t = t
			r := request{method: c.method, path: c.path, anyone: true, headers: []string{"Content-Type: " + c.contentType},
				body: strings.NewReader(c.body)}
			if c.origin != "" {
				r.headers = append(r.headers, "Origin: "+c.origin)
			}
			if c.auth != "" {
				r.headers = append(r.headers, basic(c.auth))
			}
			field := ""
			if c.what == "body" {
				field = "name"
			}
			h.wantError(h.mustSend(r), c.status, c.code, field)
			if c.auth != "second" {
				h.clock.Advance(time.Second)
				spend("second")
			}
		})
	}
}

func TestEveryKindOfErrorHasItsStatus(t *testing.T) {
	var failure error
	h := start(t, nil, route{method: "GET", pattern: "/v2/x",
		handler: func(context.Context, *call) (answer, error) { return answer{}, failure }})
	h.api.limits.RequestsPerSecond = 0
	wants := map[model.Kind]int{model.Internal: 500, model.Invalid: 400, model.Unauthenticated: 401, model.Forbidden: 403,
		model.NotFound: 404, model.TooLarge: 413, model.UnsupportedType: 415, model.TooMany: 429, model.Unavailable: 503,
		model.Lost: 500}
	kind := model.Internal
	for ; output.Status(kind) != 0; kind++ {
		failure = fmt.Errorf("while sending: %w",
			&model.Error{Kind: kind, Code: "some_code", Message: "Some message.", Field: "some_field"})
		got := h.mustSend(request{method: "GET", path: "/v2/x"})
		if kind == model.Internal {
			h.wantError(got, 500, codeInternal, "")
		} else {
			h.wantError(got, wants[kind], "some_code", "some_field")
		}
		if challenge := got.Header.Get("WWW-Authenticate"); (challenge != "") != (kind == model.Unauthenticated) {
			t.Errorf("kind %d: WWW-Authenticate is %q", kind, challenge)
		}
		if retry := got.Header.Get("Retry-After"); (retry != "") != (kind == model.Unavailable) {
			t.Errorf("kind %d: Retry-After is %q", kind, retry)
		}
	}
	if len(wants) != int(kind) || model.Lost != kind-1 {
		t.Error("a kind of error has no status")
	}
	failure = &model.Error{Kind: model.Kind(99), Code: "unheard_of"}
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/x"}), 500, codeInternal, "")
	failure = &model.Error{Kind: model.TooMany, Code: "daily_limit", Message: "m",
		RetryAfter: 90*time.Minute + time.Millisecond}
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x"}), "Retry-After", "5401")
}

func TestTheErrorBodyIsTheContracts(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/message",
		handler: func(_ context.Context, c *call) (answer, error) {
			c.body.RequiredText("recipient")
			return answer{}, c.err()
		}})
	got := h.mustSend(request{method: "POST", path: "/v2/message", headers: []string{"Request-ID: r-1"}})
	want := `{"status":"fail","error":{"status":400,"code":"recipient_required","message":"The field is required.","field":"recipient","request_id":"r-1"}}`
	if string(got.body) != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

func TestInternalErrorsAreLoggedOnceAndShownNeutrally(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/user/:user",
		handler: func(context.Context, *call) (answer, error) {
			return answer{}, errors.New("no such table: account")
		}})
	got := h.mustSend(request{method: "GET", path: "/v2/user/bob%40example.com", headers: []string{"Request-ID: find-me"}})
	h.wantError(got, 500, codeInternal, "")
	if strings.Contains(string(got.body), "table") {
		t.Errorf("the answer tells the cause: %s", got.body)
	}
	log := h.log.String()
	if strings.Count(log, "no such table") != 1 || !strings.Contains(log, "request_id=find-me") {
		t.Errorf("the log is %s", log)
	}
	if strings.Contains(log, "bob") {
		t.Errorf("the log names the path: %s", log)
	}
}

func TestAnAbsentStoreIsUnavailable(t *testing.T) {
	var failure error
	h := start(t, nil, route{method: "GET", pattern: "/v2/x",
		handler: func(context.Context, *call) (answer, error) { return answer{}, failure }})
	for _, failure = range []error{store.ErrUnavailable, fmt.Errorf("read: %w", store.ErrClosed), context.DeadlineExceeded,
		&model.Error{Kind: model.Internal, Code: "x", Cause: store.ErrUnavailable}} {
		got := h.mustSend(request{method: "GET", path: "/v2/x"})
		h.wantError(got, 503, codeUnavailable, "")
		h.wantHeader(got, "Retry-After", "1")
	}
	h.auth.fault = fmt.Errorf("read the key: %w", store.ErrUnavailable)
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/x"}), 503, codeUnavailable, "")
}

func TestAPanicIsANeutral500(t *testing.T) {
	tracer, recorder := tracetest.Record(1, true)
	h := start(t, func(o *Options) { o.Tracer = tracer },
		route{method: "GET", pattern: "/v2/panic",
			handler: func(context.Context, *call) (answer, error) { panic("the reason") }},
		route{method: "GET", pattern: "/v2/late", handler: func(_ context.Context, c *call) (answer, error) {
			_, _ = io.WriteString(&c.writer, "half")
			c.writer.Flush()
			panic("too late")
		}},
		route{method: "GET", pattern: "/v2/failed", handler: func(_ context.Context, c *call) (answer, error) {
			_, _ = io.WriteString(&c.writer, "half")
			c.writer.Flush()
			return written(), errors.New("the disk went away")
		}},
		route{method: "GET", pattern: "/v2/abort",
			handler: func(context.Context, *call) (answer, error) { panic(http.ErrAbortHandler) }},
	)
	got := h.mustSend(request{method: "GET", path: "/v2/panic", headers: []string{"Request-ID: p-1"}})
	h.wantError(got, 500, codeInternal, "")
	log := h.log.String()
	// The value may hold what a client sent; the stack tells where it was.
	if strings.Contains(string(got.body)+log, "the reason") || !strings.Contains(log, "panic=string") ||
		!strings.Contains(log, "adapter_test.go") || !strings.Contains(log, "request_id=p-1") {
		t.Errorf("answer %s, log %s", got.body, log)
	}
	if got := recorder.Ended(); !slices.Equal(got, []string{"GET /v2/panic !"}) {
		t.Errorf("the spans are %q, want that of a call that failed", got)
	}
	// An answer that has begun must not look complete.
	for _, path := range []string{"/v2/late", "/v2/failed", "/v2/abort"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("alice", "secret:of:alice")
		got, err := h.server.Client().Do(r)
		if err == nil {
			_, err = io.ReadAll(got.Body)
			_ = got.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the answer looks complete", path)
		}
	}
	if log := h.log.String(); strings.Count(log, "a call panicked") != 2 || !strings.Contains(log, "the disk went away") {
		t.Errorf("the log is %s", log)
	}
}

func TestAClientThatLeavesIsNoError(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	h := start(t, nil, route{method: "GET", pattern: "/v2/slow",
		handler: func(ctx context.Context, _ *call) (answer, error) {
			close(begun)
			<-ctx.Done()
			defer close(ended)
			return answer{}, fmt.Errorf("read the queue: %w", ctx.Err())
		}})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", h.server.URL+"/v2/slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("alice", "secret:of:alice")
	done := make(chan struct{})
	go func() {
		defer close(done)
		if got, err := h.server.Client().Do(r); err == nil {
			_ = got.Body.Close()
		}
	}()
	<-begun
	leave()
	<-ended
	<-done
	h.server.Close() // waits for the call to be over
	if log := h.log.String(); strings.Contains(log, "level=ERROR") || !strings.Contains(log, "status=499") {
		t.Errorf("the log is %s", log)
	}
}

func TestAnswersOfEveryKind(t *testing.T) {
	h := start(t, nil,
		route{method: "POST", pattern: "/v2/204", handler: func(context.Context, *call) (answer, error) {
			return noContent(header{"TT-X-Message-Id", "m-1"}, header{"TT-X-Msg-Ttl", "30"}), nil
		}},
		route{method: "POST", pattern: "/v2/304", handler: func(context.Context, *call) (answer, error) {
			return notModified(header{"TT-X-Message-Id", "m-1"}), nil
		}},
		route{method: "GET", pattern: "/v2/200", handler: func(context.Context, *call) (answer, error) {
			return reply(map[string]any{"body": "<b>&\u2028", "at": wire.Time(testclock.Start)},
					header{"TT-X-Group-Token", "g"}),
				nil
		}},
		route{method: "GET", pattern: "/v2/bytes", handler: func(_ context.Context, c *call) (answer, error) {
			c.writer.Header().Set("Content-Type", "image/png")
			_, err := io.WriteString(&c.writer, "bytes")
			return written(), err
		}},
		route{method: "GET", pattern: "/v2/unencodable",
			handler: func(context.Context, *call) (answer, error) { return reply(make(chan int)), nil }},
		route{method: "GET", pattern: "/v2/stream", handler: func(_ context.Context, c *call) (answer, error) {
			c.writer.Header().Set("Content-Type", "text/event-stream")
			c.writer.Flush()
			return streamed(), nil
		}},
	)
	got := h.mustPost("/v2/204", "")
	if got.StatusCode != 204 || len(got.body) != 0 || got.Header.Get("Content-Type") != "" {
		t.Errorf("204: got %d %q %v", got.StatusCode, got.body, got.Header)
	}
	h.wantHeader(got, "TT-X-Message-Id", "m-1")
	h.wantHeader(got, "TT-X-Msg-Ttl", "30")

	got = h.mustPost("/v2/304", "{}")
	if got.StatusCode != 304 || len(got.body) != 0 {
		t.Errorf("304: got %d %q", got.StatusCode, got.body)
	}
	h.wantHeader(got, "TT-X-Message-Id", "m-1")

	got = h.mustSend(request{method: "GET", path: "/v2/200/"})
	want := `{"status":"success","reply":{"at":"2026-11-21T08:15:30.123Z","body":"<b>&\u2028"}}`
	if got.StatusCode != 200 || string(got.body) != want {
		t.Errorf("200: got %d %s, want %s", got.StatusCode, got.body, want)
	}
	h.wantHeader(got, "Content-Type", "application/json")
	h.wantHeader(got, "Content-Length", fmt.Sprint(len(want)))
	h.wantHeader(got, "TT-X-Group-Token", "g")
	h.wantHeader(got, "Cache-Control", "no-store")
	h.wantHeader(got, "X-Content-Type-Options", "nosniff")

	head := h.mustSend(request{method: "HEAD", path: "/v2/200"})
	if head.StatusCode != 200 || len(head.body) != 0 || head.ContentLength != int64(len(want)) {
		t.Errorf("HEAD: got %d %q of length %d", head.StatusCode, head.body, head.ContentLength)
	}

	got = h.mustSend(request{method: "GET", path: "/v2/bytes"})
	if string(got.body) != "bytes" || got.Header.Get("Content-Type") != "image/png" {
		t.Errorf("bytes: got %q %v", got.body, got.Header)
	}
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/unencodable"}), 500, codeInternal, "")
	if got = h.mustSend(request{method: "GET", path: "/v2/stream"}); got.StatusCode != 200 || len(got.body) != 0 {
		t.Errorf("stream: got %d %q", got.StatusCode, got.body)
	}
	// Names of headers go out in the spelling of the contract.
	raw := h.mustDial("GET /v2/200 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " +
		"YWxpY2U6c2VjcmV0Om9mOmFsaWNl\r\n\r\n")
	if !strings.Contains(raw, "\r\nTT-X-Group-Token: g\r\n") || !strings.Contains(raw, "\r\nRateLimit-Limit: 100\r\n") {
		t.Errorf("got %s", raw)
	}
}

// mustDial sends bytes as they are and returns everything that comes back.
func (h *harness) mustDial(sent string) string {
	h.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(h.t.Context(), "tcp", h.server.Listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, sent); err != nil {
		h.t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(got)
}

func TestAFaultThatTheEndpointOverlookedIsAnsweredAllTheSame(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: func(_ context.Context, c *call) (answer, error) {
		c.readQuery().Bool("render_entity")
		return noContent(), nil
	}})
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/x?render_entity=perhaps"}), 400, input.CodeFieldInvalid,
		"render_entity")
}

func TestTheOrganizationOfACall(t *testing.T) {
	named := echo(func(c *call) any { return c.organization() })
	h := start(t, nil,
		route{method: "POST", pattern: "/v2/user", handler: named},
		route{method: "DELETE", pattern: "/v2/roster/:entity", handler: named, fields: true},
		route{method: "GET", pattern: "/v2/user/:user", handler: named},
	)
	post := func(path, body string, headers ...string) any {
		return h.wantReply(h.mustSend(request{method: "POST", path: path,
			headers: append(headers, "Content-Type: application/json"), body: strings.NewReader(body)}))
	}
	for _, c := range []struct {
		what string
		got  any
		want string
	}{
		{"none", post("/v2/user", "{}"), ""},
		{"header", post("/v2/user?TT-X-Organization-Key=query", `{"TT-X-Organization-Key":"body"}`,
			"tt-x-organization-key:  header "), "header"},
		{"query", post("/v2/user?tt-x-organization-key=query", `{"TT-X-Organization-Key":"body"}`), "query"},
		{"body", post("/v2/user", `{"TT-X-Organization-Key":"body"}`), "body"},
		{"body of a DELETE", h.wantReply(h.mustSend(request{method: "DELETE", path: "/v2/roster/x",
			headers: []string{"Content-Type: application/json"},
			body:    strings.NewReader(`{"TT-X-Organization-Key":"body"}`)})), "body"},
		{"body of a GET, which is not read",
			h.wantReply(h.mustSend(request{method: "GET", path: "/v2/user/x",
				headers: []string{"Content-Type: application/json"},
				body:    strings.NewReader(`{"TT-X-Organization-Key":"body"}`)})), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	twice := request{method: "GET", path: "/v2/user/x",
		headers: []string{"TT-X-Organization-Key: a", "TT-X-Organization-Key: b"}}
	h.wantError(h.mustSend(twice), 400, input.CodeFieldRepeated, "TT-X-Organization-Key")
	twice.headers[1] = twice.headers[0]
	h.wantReply(h.mustSend(twice))
	got := h.mustPost("/v2/user", `{"TT-X-Organization-Key":7}`)
	h.wantError(got, 400, input.CodeFieldInvalid, "TT-X-Organization-Key")
}

func TestACallKnowsItsActorAndIdempotencyKey(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/message",
		handler: func(_ context.Context, c *call) (answer, error) {
			id, err := c.requestID()
			if err != nil {
				return answer{}, err
			}
			return reply([]any{c.actor.Account, id, c.head()}), nil
		}})
	send := func(headers ...string) answered {
		return h.mustSend(request{method: "POST", path: "/v2/message", headers: headers})
	}
	alice := model.AccountID{1}.String()
	if got := fmt.Sprint(h.wantReply(send("Request-ID: r-1"))); got != fmt.Sprint([]any{alice, "r-1", false}) {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(h.wantReply(send())); got != fmt.Sprint([]any{alice, "", false}) {
		t.Errorf("got %s", got)
	}
	for _, id := range []string{strings.Repeat("x", 129), "a b", "é", ""} {
		h.wantError(send("Request-ID: "+id), 400, codeRequestIDInvalid, "Request-ID")
	}
	h.wantError(send("Request-ID: a", "Request-ID: b"), 400, codeRequestIDInvalid, "Request-ID")
	if id := strings.Repeat("~", 128); !bytes.Contains(send("Request-ID: "+id).body, []byte(id)) {
		t.Error("a Request-ID of 128 characters was not taken")
	}
}
