package input

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"signet/internal/model"
)

// harness is a server that reads bodies, as one endpoint of the interface does.
type harness struct {
	t      *testing.T
	server *httptest.Server
}

// answered is what came of a request: a reply, or an error.
type answered struct {
	Status int
	Code   string
	Field  string
	Reply  any
}

var statuses = map[model.Kind]int{
	model.Internal: 500, model.Invalid: 400, model.TooLarge: 413, model.UnsupportedType: 415,
}

// start runs a server that answers with what a test takes from a body and a query.
func start(t *testing.T, reader *Reader[int], take func(b *Body[int], query *Fields) any) *harness {
	t.Helper()
	if reader.Limits.Parts == 0 {
		reader.Limits.Parts = 100
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body Body[int]
		var query Fields
		ParseQuery(r.URL.RawQuery, reader.Limits.Fields, &query)
		got := answered{Status: http.StatusOK}
		err := reader.Read(r.Context(), w, r, &body)
		if err == nil {
			got.Reply = take(&body, &query)
			err = errors.Join(body.Err(), query.Err())
		}
		if err != nil {
			body.Discard(r.Context())
			told, ok := errors.AsType[*model.Error](err)
			if !ok {
				told = &model.Error{Code: err.Error()}
			}
			got = answered{Status: statuses[told.Kind], Code: told.Code, Field: told.Field}
		}
		w.WriteHeader(got.Status)
		_ = json.NewEncoder(w).Encode(got)
	}))
	t.Cleanup(server.Close)
	return &harness{t, server}
}

// send sends a request; the headers are `Name: value` lines.
func (h *harness) send(method, path string, body io.Reader, headers ...string) (got answered) {
	h.t.Helper()
	sent, err := http.NewRequestWithContext(h.t.Context(), method, h.server.URL+path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		sent.Header.Set(name, value)
	}
	response, err := h.server.Client().Do(sent)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		h.t.Fatal(err)
	}
	return got
}

// post sends a body of a content type; an empty type sends none.
func (h *harness) post(contentType string, body io.Reader) answered {
	h.t.Helper()
	if contentType == "" {
		return h.send("POST", "/", body)
	}
	return h.send("POST", "/", body, "Content-Type: "+contentType)
}

// dial sends bytes after the head of a POST, closes its side if asked to, and returns
// all that comes back.
func (h *harness) dial(sent string, hangUp bool) string {
	h.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(h.t.Context(), "tcp", h.server.Listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+sent); err != nil {
		h.t.Fatal(err)
	}
	if hangUp {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			h.t.Fatal(err)
		}
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(got)
}

func (h *harness) wantError(got answered, status int, code, field string) {
	h.t.Helper()
	if got.Status != status || got.Code != code || got.Field != field {
		h.t.Errorf("got %+v, want %d %s of field %q", got, status, code, field)
	}
}

func (h *harness) wantReply(got answered) any {
	h.t.Helper()
	if got.Status != http.StatusOK {
		h.t.Fatalf("got %+v, want a reply", got)
	}
	return got.Reply
}
