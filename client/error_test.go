package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRefusal_becomes_a_typed_error(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		body   string
		want   Error
	}{
		{"of the interface", 400, http.Header{"Request-Id": {"h"}},
			`{"status":"fail","error":{"status":400,"code":"recipient_required","message":"A recipient is required.","field":"recipient","request_id":"r1"}}`,
			Error{Status: 400, Code: "recipient_required", Message: "A recipient is required.", Field: "recipient",
				RequestID: "r1"}},
		{"limited", 429, http.Header{"Retry-After": {"3"}},
			`{"status":"fail","error":{"status":429,"code":"rate_limit","message":"Too many requests/second, please try again later."}}`,
			Error{Status: 429, Code: "rate_limit", Message: "Too many requests/second, please try again later.",
				RetryAfter: 3 * time.Second}},
		{"until a date", 503, http.Header{"Date": {"Sat, 21 Nov 2026 08:15:30 GMT"},
			"Retry-After": {"Sat, 21 Nov 2026 08:16:00 GMT"}},
			`{}`, Error{Status: 503, Message: "Service Unavailable", RetryAfter: 30 * time.Second}},
		{"until a date past", 503,
			http.Header{"Date": {"Sat, 21 Nov 2026 08:15:30 GMT"}, "Retry-After": {"Sat, 21 Nov 2026 08:15:00 GMT"}},
			``, Error{Status: 503, Message: "Service Unavailable"}},
		{"of a proxy", 502, http.Header{"Request-Id": {"h"}}, `<html>Bad gateway</html>`,
			Error{Status: 502, Message: "Bad Gateway", RequestID: "h"}},
		{"with nonsense", 503, http.Header{"Retry-After": {"soon"}}, `{"error":7}`,
			Error{Status: 503, Message: "Service Unavailable"}},
		{"negative", 503, http.Header{"Retry-After": {"-5"}}, ``, Error{Status: 503, Message: "Service Unavailable"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := refusal(&http.Response{StatusCode: tt.status, Header: tt.header}, strings.NewReader(tt.body))
			if *got != tt.want {
				t.Errorf("got %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestError_matches_by_status_and_by_code(t *testing.T) {
	err := fmt.Errorf("send: %w", &Error{Status: 429, Code: "daily_limit", Message: "x"})
	for _, tt := range []struct {
		target error
		want   bool
	}{
		{ErrTooMany, true}, {ErrDailyLimit, true}, {&Error{Status: 429, Code: "daily_limit"}, true},
		{ErrNotFound, false}, {ErrAddressTaken, false}, {&Error{Status: 400, Code: "daily_limit"}, false},
		{&Error{}, false}, {io.EOF, false},
	} {
		if got := errors.Is(err, tt.target); got != tt.want {
			t.Errorf("Is(%v): got %v, want %v", tt.target, got, tt.want)
		}
	}
	const want = "404 not_found: The associated lookup was not found. (field user) [request r]"
	if got := (&Error{Status: 404, Code: "not_found", Message: "The associated lookup was not found.", Field: "user",
		RequestID: "r"}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnswersThatAreNotOfTheInterface(t *testing.T) {
	for name, step := range map[string]http.HandlerFunc{
		"no JSON": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no reply": func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = io.WriteString(w, `{"status":"success"}`)
		},
		"a failure with 200": func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = io.WriteString(w, `{"status":"fail","reply":{}}`)
		},
		"another shape": func(w http.ResponseWriter, r *http.Request) { success(w, `{"token":7}`) },
		"no content":    answer(http.StatusNoContent),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, step)
			c := serve(t, s.ServeHTTP)
			if u, err := c.Self(t.Context()); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v, %v, want an ErrProtocol", u, err)
			}
			s.wantCalls(1)
		})
	}
}
