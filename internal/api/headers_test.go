package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestEveryAnswerHasARequestID(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing})
	for _, c := range []struct {
		sent []string
		own  bool
	}{
		{[]string{"Request-ID: mine-1"}, true},
		{[]string{"Request-ID: " + strings.Repeat("x", 128)}, true},
		{[]string{"Request-ID: " + strings.Repeat("x", 129)}, false},
		{[]string{"Request-ID: two words"}, false},
		{[]string{"Request-ID: "}, false},
		{nil, false},
	} {
		for _, path := range []string{"/v2/x", "/nowhere"} {
			got := h.mustSend(request{method: "GET", path: path, headers: c.sent}).Header.Get("Request-Id")
			if c.own {
				if "Request-ID: "+got != c.sent[0] {
					t.Errorf("%s with %q: got %q", path, c.sent, got)
				}
			} else if id, err := uuid.Parse(got); err != nil || id.Version() != 4 || id.Variant() != uuid.RFC4122 {
				t.Errorf("%s with %q: got %q, want a UUID", path, c.sent, got)
			}
		}
	}
}

func TestBodiesAreCompressedOnlyWhenAskedFor(t *testing.T) {
	long, short := strings.Repeat("signet ", 500), "short"
	h := start(t, nil,
		route{method: "GET", pattern: "/v2/long", handler: echo(func(*call) any { return long })},
		route{method: "GET", pattern: "/v2/short", handler: echo(func(*call) any { return short })},
	)
	for _, c := range []struct {
		accept     string
		compressed bool
	}{
		{"", false}, {"gzip", true}, {"deflate, gzip;q=1.0, *;q=0.5", true}, {"gzip;q=0", false}, {"gzip;q=0.000", false},
		{"*", true},
		{"*;q=0", false}, {"gzip;q=0, *", false}, {"*, gzip;q=0", false}, {"identity", false}, {"br", false}, {"GZIP", true},
		{"gzip; q=0.1", true},
		{"gzip;q=nonsense", false}, {"gzip;x", false},
	} {
		headers := []string{"Accept-Encoding: " + c.accept}
		if c.accept == "" {
			headers = nil
		}
		got := h.mustSend(request{method: "GET", path: "/v2/long", headers: headers})
		h.wantHeader(got, "Vary", "Accept-Encoding")
		body := got.body
		if coding := got.Header.Get("Content-Encoding"); (coding == "gzip") != c.compressed {
			t.Errorf("%q: Content-Encoding is %q", c.accept, coding)
		}
		if c.compressed {
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(string(body), long) {
			t.Errorf("%q: got %s", c.accept, body)
		}
		got = h.mustSend(request{method: "GET", path: "/v2/short", headers: headers})
		h.wantHeader(got, "Content-Encoding", "")
	}
}
