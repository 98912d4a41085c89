package api

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// chunked hides a body's length, so that it is sent in chunks.
func chunked(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

func TestBodiesOfTheWrongSizeOrType(t *testing.T) {
	names := echo(func(c *call) any { return c.fields.Names() })
	h := start(t, func(o *Options) { o.Limits.BodyBytes = 100; o.Limits.Burst = 0 },
		route{method: "POST", pattern: "/v2/x", handler: names},
		route{method: "PUT", pattern: "/v2/x", handler: names},
		route{method: "GET", pattern: "/v2/x", handler: names},
		route{method: "DELETE", pattern: "/v2/x", handler: names},
		route{method: "DELETE", pattern: "/v2/fields", handler: names, fields: true},
	)
	const form, data = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	exact := `{"a":"` + strings.Repeat("x", 100-8) + `"}`
	over := exact[:8] + "x" + exact[8:]
	part := "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--"
	for _, c := range []struct {
		what, method, path, contentType, body string
		status                                int
		code, field, reply                    string
	}{
		{"no type, no body", "POST", "/v2/x", "", "", 200, "", "", "[]"},
		{"another type, no body", "POST", "/v2/x", "text/plain", "", 200, "", "", "[]"},
		{"JSON, no body", "POST", "/v2/x", jsonType, "", 200, "", "", "[]"},
		{"multipart, no body", "POST", "/v2/x", data, "", 200, "", "", "[]"},
		{"multipart without a boundary, no body", "POST", "/v2/x", "multipart/form-data", "", 200, "", "", "[]"},
		{"JSON", "PUT", "/v2/x", jsonType, `{"a":1}`, 200, "", "", "[a]"},
		{"JSON behind a mark of the byte order", "POST", "/v2/x", jsonType, "\ufeff{\"a\":1}", 200, "", "", "[a]"},
		{"JSON behind two of them", "POST", "/v2/x", jsonType, "\ufeff\ufeff{\"a\":1}", 400, codeBodyInvalid, "", ""},
		{"form", "POST", "/v2/x", form, "a=1", 200, "", "", "[a]"},
		{"multipart", "POST", "/v2/x", data, part, 200, "", "", "[a]"},
		{"JSON at the limit", "POST", "/v2/x", jsonType, exact, 200, "", "", "[a]"},
		{"JSON past the limit", "POST", "/v2/x", jsonType, over, 413, codeBodyTooLarge, "", ""},
		{"form past the limit", "POST", "/v2/x", form, strings.Repeat("a", 101), 413, codeBodyTooLarge, "", ""},
		{"multipart past the limit", "POST", "/v2/x", data, part + strings.Repeat("x", 60), 413, codeBodyTooLarge, "", ""},
		{"no type", "POST", "/v2/x", "", "{}", 415, codeTypeUnsupported, "", ""},
		{"another type", "POST", "/v2/x", "text/plain", "{}", 415, codeTypeUnsupported, "", ""},
		{"a type that only looks like JSON", "POST", "/v2/x", "application/jsonx", "{}", 415, codeTypeUnsupported, "", ""},
		{"another type past the limit", "POST", "/v2/x", "text/plain", over, 413, codeBodyTooLarge, "", ""},
		{"malformed JSON", "POST", "/v2/x", jsonType, `{"a":`, 400, codeBodyInvalid, "a", ""},
		{"malformed form", "POST", "/v2/x", form, "a=%zz", 400, codeBodyInvalid, "a", ""},
		{"multipart without a boundary", "POST", "/v2/x", "multipart/form-data", part, 400, codeBodyInvalid, "", ""},
		{"GET with whatever", "GET", "/v2/x", "text/plain", over, 200, "", "", "[]"},
		{"GET with an empty object", "GET", "/v2/x", jsonType, "{}", 200, "", "", "[]"},
		{"GET with broken JSON", "GET", "/v2/x", jsonType, "{", 200, "", "", "[]"},
		{"DELETE with broken JSON", "DELETE", "/v2/x", jsonType, "{", 200, "", "", "[]"},
		{"DELETE with fields", "DELETE", "/v2/fields", jsonType, `{"type":"x"}`, 200, "", "", "[type]"},
		{"DELETE with fields, none sent", "DELETE", "/v2/fields", jsonType, "", 200, "", "", "[]"},
		{"DELETE with fields, another type", "DELETE", "/v2/fields", "text/plain", "x", 415, codeTypeUnsupported, "", ""},
		{"DELETE with fields, broken", "DELETE", "/v2/fields", jsonType, "{", 400, codeBodyInvalid, "", ""},
	} {
		for how, body := range map[string]io.Reader{"by length": strings.NewReader(c.body), "in chunks": chunked(c.body)} {
			t.Run(c.what+" "+how, func(t *testing.T) {
				h.t = t
				r := request{method: c.method, path: c.path, body: body}
				if c.contentType != "" {
					r.headers = []string{"Content-Type: " + c.contentType}
				}
				got := h.mustSend(r)
				if c.status != 200 {
					h.wantError(got, c.status, c.code, c.field)
				} else if reply := h.wantReply(got); strings.Trim(strings.ReplaceAll(toText(reply), `"`, ""), "\n") != c.reply {
					t.Errorf("got %v, want %s", reply, c.reply)
				}
			})
		}
	}
	h.t = t
	coded := h.mustSend(request{method: "POST", path: "/v2/x", headers: []string{"Content-Type: " + jsonType, "Content-Encoding: gzip"}, body: strings.NewReader("{}")})
	h.wantError(coded, 415, codeTypeUnsupported, "")
	identity := h.mustSend(request{method: "POST", path: "/v2/x", headers: []string{"Content-Type: " + jsonType, "Content-Encoding: identity"}, body: strings.NewReader("{}")})
	h.wantReply(identity)
}

func toText(v any) string {
	var b bytes.Buffer
	e := encoders.Get().(*encoder)
	defer e.release()
	_ = e.encode(v)
	b.Write(e.buffer.Bytes())
	return b.String()
}

func TestNoLimitOfTheBody(t *testing.T) {
	h := start(t, func(o *Options) { o.Limits.BodyBytes = 0 }, route{method: "POST", pattern: "/v2/x", handler: echo(func(c *call) any { return len(c.fields.Text("a")) })})
	body := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, r := range []io.Reader{strings.NewReader(body), chunked(body)} {
		if got := h.wantReply(h.mustSend(request{method: "POST", path: "/v2/x", headers: []string{"Content-Type: application/json"}, body: r})); got != float64(1<<20) {
			t.Errorf("got %v", got)
		}
	}
	for _, r := range []io.Reader{strings.NewReader(body), chunked(body)} {
		h.wantError(h.mustSend(request{method: "POST", path: "/v2/x", body: r}), 415, codeTypeUnsupported, "")
	}
	if got := h.mustSend(request{method: "POST", path: "/v2/x", body: chunked("")}); got.StatusCode != 200 {
		t.Errorf("nothing in chunks: got %d %s", got.StatusCode, got.body)
	}
}

const rawHead = "POST /v2/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic YWxpY2U6c2VjcmV0Om9mOmFsaWNl\r\n"

func TestABodyThatEndsEarly(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/x", handler: nothing})
	for what, sent := range map[string]string{
		"JSON":             "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":",
		"form":             "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=1",
		"multipart":        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1",
		"head of a part":   "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n--b\r\nContent-Disposition: form",
		"broken chunks":    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
		"chunks cut short": "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":",
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", h.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, rawHead+sent); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		_ = conn.Close()
		if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 400 ") || !strings.Contains(string(got), codeBodyIncomplete) {
			t.Errorf("%s: got %q %v", what, got, err)
		}
	}
	if log := h.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log is %s", log)
	}
}

func TestASlowBodyIsNotWaitedForForEver(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/x", handler: nothing})
	h.api.bodyPatience = 20 * time.Millisecond
	got := h.mustDial(rawHead + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":")
	if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, codeBodyIncomplete) {
		t.Errorf("got %q", got)
	}
}

func TestBodyReaderStopsAtItsLimit(t *testing.T) {
	for limit := int64(1); limit < 8; limit++ {
		b := &bodyReader{source: strings.NewReader("12345"), limited: true, limit: limit, left: limit}
		got, err := io.ReadAll(b)
		want := "12345"
		if limit < 5 {
			want = want[:limit]
		}
		if string(got) != want || (err == errPastLimit) != (limit < 5) {
			t.Errorf("limit %d: got %q %v", limit, got, err)
		}
		if n, again := b.Read(make([]byte, 1)); n != 0 || again == nil {
			t.Errorf("limit %d: read %d more", limit, n)
		}
	}
}
