package client

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestNew_base_URL(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/v2"},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080/v2"},
		{"https://example.org/v2", "https://example.org/v2"},
		{"https://example.org/v2/", "https://example.org/v2"},
		{"https://example.org/signet/v2//", "https://example.org/signet/v2"},
		{" https://example.org/a%2Fb ", "https://example.org/a%2Fb/v2"},
		{"http://[::1]:8080", "http://[::1]:8080/v2"},
		{"", ""},
		{"example.org", ""},
		{"ftp://example.org", ""},
		{"https://", ""},
		{"https://key:secret@example.org", ""},
		{"https://example.org/?a=b", ""},
		{"https://example.org/#top", ""},
		{"http://exa mple", ""},
	} {
		c, err := New(tt.in, "k", "s")
		switch {
		case tt.want == "" && !errors.Is(err, ErrArgument):
			t.Errorf("New(%q): got %v, %v, want an ErrArgument", tt.in, c, err)
		case tt.want != "" && (err != nil || c.BaseURL() != tt.want):
			t.Errorf("New(%q): got %v, %v, want %s", tt.in, c, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%q) shows the secret: %v", tt.in, err)
		}
	}
	for _, key := range []string{"", "a:b"} {
		if _, err := New("http://h", key, "s"); !errors.Is(err, ErrArgument) {
			t.Errorf("New with the key %q: got %v", key, err)
		}
	}
}

func TestClient_sends_its_headers(t *testing.T) {
	var got http.Header
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		success(w, `{}`)
	}, WithUserAgent("ward-board/1"), WithOrganization("org1"), WithVendor("XY", "other"))
	for _, tt := range []struct {
		c    *Client
		want string
	}{{c, "org1"}, {c.In("org2"), "org2"}, {c.In(""), ""}} {
		if _, err := tt.c.Self(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got.Get("XY-X-Organization-Key") != tt.want {
			t.Errorf("organization header: got %q, want %q", got.Get("XY-X-Organization-Key"), tt.want)
		}
	}
	if got.Get("Authorization") != "Basic S0VZOlNFQ1JFVA==" || got.Get("User-Agent") != "ward-board/1" {
		t.Errorf("headers: got %v", got)
	}
	if c.entityType(KindGroup) != "other:entity:group" {
		t.Errorf("entity type: got %s", c.entityType(KindGroup))
	}
}

func TestClient_refuses_paths_that_name_something_else(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	for _, user := range []string{"", ".", ".."} {
		if _, err := c.User(t.Context(), user); !errors.Is(err, ErrArgument) {
			t.Errorf("User(%q): got %v, want an ErrArgument", user, err)
		}
	}
}

func TestClient_does_not_follow_redirects(t *testing.T) {
	s := newScript(t, answer(http.StatusMovedPermanently, "Location: https://elsewhere.example/v2/message"))
	c := serve(t, s.ServeHTTP)
	_, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Body: "x"})
	if err == nil || !strings.Contains(err.Error(), "https://elsewhere.example") {
		t.Errorf("got %v, want an error that names the new place", err)
	}
	s.wantCalls(1)
}

func TestSecretsAndContentStayOutOfLogs(t *testing.T) {
	c, err := New("http://h", "KEY", "hush")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	for _, v := range []any{
		IssuedKey{APIKey: "k", APISecret: "hush"}, CreatedUser{APISecret: "hush"}, SessionAuth{Secret: "hush"},
		Login{Password: "hush"}, NewUser{Password: "hush"}, NewKey{Password: "hush"}, Rotation{Password: "hush"},
		Message{Body: "hush"}, Outgoing{Body: "hush"}, Event{Payload: []byte(`{"body":"hush"}`)}, c,
	} {
		log.Info("x", "value", v)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s", c, c, c, c)
	if strings.Contains(out.String(), "hush") || strings.Contains(out.String(), basic("KEY", "hush")) {
		t.Errorf("a secret was printed:\n%s", out.String())
	}
}
