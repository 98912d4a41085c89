package input

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// chunked hides a body's length, so that it is sent in chunks.
func chunked(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

// names takes the names of the fields from a body.
func names(b *Body[int], _ *Fields) any { return strings.Join(b.Names(), " ") }

func TestBodiesOfTheWrongSizeOrType(t *testing.T) {
	limits := Limits{BodyBytes: 100}
	usual := start(t, &Reader[int]{Limits: limits}, names)
	always := start(t, &Reader[int]{Limits: limits, Always: true}, names)
	const data = "multipart/form-data; boundary=b"
	exact := `{"a":"` + strings.Repeat("x", 100-8) + `"}`
	over := exact[:8] + "x" + exact[8:]
	part := "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--"
	for _, c := range []struct {
		what, method      string
		h                 *harness
		contentType, body string
		status            int
		code, field       string
		reply             string
	}{
		{"no type, no body", "POST", usual, "", "", 200, "", "", ""},
		{"another type, no body", "POST", usual, "text/plain", "", 200, "", "", ""},
		{"JSON, no body", "POST", usual, typeJSON, "", 200, "", "", ""},
		{"multipart, no body", "POST", usual, data, "", 200, "", "", ""},
		{"multipart without a boundary, no body", "POST", usual, typeMultipart, "", 200, "", "", ""},
		{"JSON", "PUT", usual, typeJSON, `{"a":1}`, 200, "", "", "a"},
		{"JSON behind a mark of the byte order", "POST", usual, typeJSON, "\ufeff{\"a\":1}", 200, "", "", "a"},
		{"JSON behind two of them", "POST", usual, typeJSON, "\ufeff\ufeff{\"a\":1}", 400, CodeBodyInvalid, "", ""},
		{"form", "POST", usual, typeForm, "a=1", 200, "", "", "a"},
		{"multipart", "POST", usual, data, part, 200, "", "", "a"},
		{"JSON at the limit", "POST", usual, typeJSON, exact, 200, "", "", "a"},
		{"JSON past the limit", "POST", usual, typeJSON, over, 413, CodeBodyTooLarge, "", ""},
		{"form past the limit", "POST", usual, typeForm, strings.Repeat("a", 101), 413, CodeBodyTooLarge, "", ""},
		{"multipart past the limit", "POST", usual, data, part + strings.Repeat("x", 60), 413, CodeBodyTooLarge, "", ""},
		{"no type", "POST", usual, "", "{}", 415, CodeTypeUnsupported, "", ""},
		{"another type", "POST", usual, "text/plain", "{}", 415, CodeTypeUnsupported, "", ""},
		{"a type that only looks like JSON", "POST", usual, "application/jsonx", "{}", 415, CodeTypeUnsupported, "", ""},
		{"another type past the limit", "POST", usual, "text/plain", over, 413, CodeBodyTooLarge, "", ""},
		{"malformed JSON", "POST", usual, typeJSON, `{"a":`, 400, CodeBodyInvalid, "a", ""},
		{"malformed form", "POST", usual, typeForm, "a=%zz", 400, CodeBodyInvalid, "a", ""},
		{"multipart without a boundary", "POST", usual, typeMultipart, part, 400, CodeBodyInvalid, "", ""},
		{"GET with whatever", "GET", usual, "text/plain", over, 200, "", "", ""},
		{"GET with an empty object", "GET", usual, typeJSON, "{}", 200, "", "", ""},
		{"GET with broken JSON", "GET", usual, typeJSON, "{", 200, "", "", ""},
		{"DELETE with broken JSON", "DELETE", usual, typeJSON, "{", 200, "", "", ""},
		{"DELETE with fields", "DELETE", always, typeJSON, `{"type":"x"}`, 200, "", "", "type"},
		{"DELETE with fields, none sent", "DELETE", always, typeJSON, "", 200, "", "", ""},
		{"DELETE with fields, another type", "DELETE", always, "text/plain", "x", 415, CodeTypeUnsupported, "", ""},
		{"DELETE with fields, broken", "DELETE", always, typeJSON, "{", 400, CodeBodyInvalid, "", ""},
	} {
		for how, body := range map[string]io.Reader{"by length": strings.NewReader(c.body), "in chunks": chunked(c.body)} {
			t.Run(c.what+" "+how, func(t *testing.T) {
				h := &harness{t, c.h.server}
				var headers []string
				if c.contentType != "" {
					headers = []string{"Content-Type: " + c.contentType}
				}
				got := h.send(c.method, "/", body, headers...)
				if c.status != 200 {
					h.wantError(got, c.status, c.code, c.field)
				} else if reply := h.wantReply(got); reply != c.reply {
					t.Errorf("got %v, want %s", reply, c.reply)
				}
			})
		}
	}
	coded := usual.send("POST", "/", strings.NewReader("{}"), "Content-Type: "+typeJSON, "Content-Encoding: gzip")
	usual.wantError(coded, 415, CodeTypeUnsupported, "")
	usual.wantReply(usual.send("POST", "/", strings.NewReader("{}"), "Content-Type: "+typeJSON,
		"Content-Encoding: identity"))
}

func TestNoLimitOfTheBody(t *testing.T) {
	h := start(t, &Reader[int]{}, func(b *Body[int], _ *Fields) any { return len(b.Text("a")) })
	body := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, r := range []io.Reader{strings.NewReader(body), chunked(body)} {
		if got := h.wantReply(h.post(typeJSON, r)); got != float64(1<<20) {
			t.Errorf("got %v", got)
		}
	}
	for _, r := range []io.Reader{strings.NewReader(body), chunked(body)} {
		h.wantError(h.post("", r), 415, CodeTypeUnsupported, "")
	}
	h.wantReply(h.post("", chunked("")))
}

func TestABodyThatEndsEarly(t *testing.T) {
	h := start(t, &Reader[int]{}, names)
	multipart := "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n" +
		"--b\r\nContent-Disposition: form"
	for what, sent := range map[string]string{
		"JSON":             "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":",
		"form":             "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=1",
		"multipart":        multipart + "-data; name=a\r\n\r\n1",
		"head of a part":   multipart,
		"broken chunks":    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
		"chunks cut short": "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":",
	} {
		got := h.dial(sent, true)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, CodeBodyIncomplete) {
			t.Errorf("%s: got %q", what, got)
		}
	}
}

func TestASlowBodyIsNotWaitedForForEver(t *testing.T) {
	h := start(t, &Reader[int]{Patience: 20 * time.Millisecond}, names)
	got := h.dial("Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":", false)
	if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, CodeBodyIncomplete) {
		t.Errorf("got %q", got)
	}
}

// What came fast buys no time in which nothing comes.
func TestABodyThatStandsStillIsNotWaitedFor(t *testing.T) {
	h := start(t, &Reader[int]{Patience: 50 * time.Millisecond}, names)
	for what, sent := range map[string]string{
		"JSON": "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"a\":\"",
		"a file": "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n" +
			"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n",
	} {
		began := time.Now()
		got := h.dial(sent+strings.Repeat("x", 100<<10), false)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, CodeBodyIncomplete) {
			t.Errorf("%s: got %q", what, got)
		}
		if took := time.Since(began); took > 100<<10*patienceByByte/2 {
			t.Errorf("%s: nothing came for %v, and the body was waited for", what, took)
		}
	}
}

// deadline is a writer whose deadline of reading is kept.
type deadline struct {
	http.ResponseWriter
	at time.Time
}

func (d *deadline) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}

// A text that trickles keeps its memory from others, who wait for it.
func TestASlowBodyHasLessTimeWhereMemoryIsShort(t *testing.T) {
	for crowded, want := range map[bool]time.Duration{false: 90 * time.Second, true: 40 * time.Second} {
		var d deadline
		began := time.Now()
		s := source{conn: http.NewResponseController(&d), started: began, patience: Patience, count: 80_000,
			crowded: func() bool { return crowded }}
		s.renew(began.Add(time.Minute))
		if got := d.at.Sub(began); got != want {
			t.Errorf("crowded %v: 80,000 bytes have %v, want %v", crowded, got, want)
		}
	}
}

func TestSourceStopsAtItsLimit(t *testing.T) {
	for limit := int64(1); limit < 8; limit++ {
		b := limited(strings.NewReader("12345"), limit)
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

// What a DELETE has not in its body comes from its query, else from a header.
func TestFieldsBesideTheBody(t *testing.T) {
	r := httptest.NewRequest("DELETE", "/?a=query&b=query&twice=1&twice=2", strings.NewReader(`{"a":"body","n":null}`))
	r.Header.Set("Content-Type", typeJSON)
	for name, value := range map[string]string{"TT-X-B": "header", "TT-X-Sender-Token": "header", "TT-X-Broken": "\xff"} {
		r.Header.Set(name, value)
	}
	var body Body[int]
	var query Fields
	ParseQuery(r.URL.RawQuery, 0, &query)
	body.Beside(func() *Fields { return &query }, r.Header, "TT-X-")
	if err := (&Reader[int]{Always: true}).Read(t.Context(), nil, r, &body); err != nil {
		t.Fatal(err)
	}
	got := []string{body.Text("a"), body.Text("b"), body.Text("sender_token"), body.Text("n")}
	if want := []string{"body", "query", "header", ""}; !slices.Equal(got, want) || body.Err() != nil {
		t.Errorf("got %q %v, want %q", got, body.Err(), want)
	}
	for name, code := range map[string]string{"broken": CodeTextInvalid, "twice": CodeFieldRepeated} {
		again := body
		if again.Text(name); again.fault == nil || again.fault.Code != code || again.fault.Field != name {
			t.Errorf("%s: got %v, want %s", name, again.fault, code)
		}
	}
}
