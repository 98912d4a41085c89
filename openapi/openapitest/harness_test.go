package openapitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// watched is a test that writes down what it would have failed with.
type watched struct {
	testing.TB

	mu       sync.Mutex // guards what follows
	problems []string
	failed   bool
	cleanups []func()
}

func (w *watched) Helper() {}

func (w *watched) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems, w.failed = append(w.problems, fmt.Sprintf(format, args...)), true
}

func (w *watched) Fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = true
}

func (w *watched) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }

func (w *watched) end() {
	for _, f := range w.cleanups {
		f()
	}
}

func (w *watched) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.problems, "\n")
}

// serve starts a server, and returns a client of it with a Validator.
func serve(t *testing.T, h http.HandlerFunc, options ...Option) (*http.Client, string, *watched) {
	t.Helper()
	w := &watched{TB: t}
	client := &http.Client{Transport: New(w, options...).RoundTripper(&http.Transport{})}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return client, server.URL, w
}

// mustDo makes a request and reads the answer to its end.
func mustDo(t *testing.T, client *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func mustRequest(t *testing.T, method, url, body string, headers ...string) *http.Request {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, content)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// head writes what every answer has, and what is given as "Name: value"; a name
// without value takes one away.
func head(w http.ResponseWriter, headers ...string) {
	h := w.Header()
	h.Set("Request-Id", "r1")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	for _, given := range headers {
		name, value, some := strings.Cut(given, ": ")
		if some {
			h[name] = []string{value} // in this very spelling
		} else {
			h.Del(name)
		}
	}
}

// empty answers without a body.
func empty(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		head(w, headers...)
		w.WriteHeader(status)
	}
}

// text answers with a body, of JSON unless the headers say otherwise.
func text(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		head(w, append([]string{"Content-Type: application/json"}, headers...)...)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// success answers with a reply.
func success(reply string, headers ...string) http.HandlerFunc {
	return text(http.StatusOK, `{"status":"success","reply":`+reply+`}`, headers...)
}

// refusal answers with an error.
func refusal(status int, code string, headers ...string) http.HandlerFunc {
	body := fmt.Sprintf(`{"status":"fail","error":{"status":%d,"code":%q,"message":"No.","request_id":"r1"}}`, status,
		code)
	return text(status, body, headers...)
}

const (
	ann     = "019df734-dd4b-7438-ae6b-26bca9d37914"
	message = "01a1fd2c-bd4b-7475-ad90-81fa38976503"
	acme    = "Bd0Kh8oOOL8dKLzdocJ2isAj"

	userReply = `{"token":"` + ann +
		`","xmlns":"tigertext:entity:account","display_name":"Ann","first_name":"","last_name":"","username":"ann",
		"avatar":"","status":"","dnd":false,"dnd_text":"","emails":[],"phones":[],"created_time":"2026-11-21T08:15:30.120Z"}`
	messageReply = `{"message_id":"` + message + `","client_id":"` + message + `","sender_token":"` + ann +
		`","sender_organization":"` + acme + `",
		"recipient_token":"` + ann + `","recipient_organization":"` + acme +
		`","body":"hi","created_time":"2026-11-21T08:15:30.120Z","ttl":-1,
		"dor":false,"status":"New","priority":0,"sort_number":7,"attachments":[],"data":[]}`
)
