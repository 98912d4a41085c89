package openapitest

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// parts returns a multipart body of texts, given as name and value by turns, and
// of one file, and its content type.
func parts(t *testing.T, file string, texts ...string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(texts); i += 2 {
		if err := w.WriteField(texts[i], texts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if file != "" {
		p, err := w.CreateFormFile(file, "a.png")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = p.Write(bytes.Repeat([]byte("x"), 4096))
	}
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

// TestRequests: what a server accepts has to be what the document says it takes;
// what it refuses may be anything.
func TestRequests(t *testing.T) {
	const form, jsonType = "application/x-www-form-urlencoded", "application/json"
	file, fileType := parts(t, "attachment", "recipient", "bob", "ttl", "-1", "dor", "1")
	fields, fieldsType := parts(t, "", "recipient", "bob", "body", "x", "priority", "1")
	nobody, nobodyType := parts(t, "attachment", "ttl", "5")
	for _, c := range []struct{ name, path, kind, body, want string }{
		{"JSON", "/v2/message", jsonType, `{"recipient":"bob","body":"x","ttl":-1,"dor":true,"priority":1}`, ""},
		{"JSON with texts for numbers", "/v2/message", jsonType,
			`{"recipient":"bob","body":"x","ttl":"1440","dor":"1","priority":"-1"}`, ""},
		{"JSON with a charset", "/v2/message", jsonType + "; charset=utf-8", `{"recipient":"bob","body":"x"}`, ""},
		{"null is as good as nothing", "/v2/message", jsonType, `{"recipient":"bob","body":"x","ttl":null}`, ""},
		{"unknown fields are ignored", "/v2/message", jsonType, `{"recipient":"bob","body":"x","shoe":{"size":42}}`, ""},
		{"a form", "/v2/message", form, "recipient=bob%40example.com&body=a+b&ttl=-1&dor=true", ""},
		{"data of a form", "/v2/message", form, `recipient=bob&data=%5B%5D`, ""},
		{"a file", "/v2/message", fileType, file, ""},
		{"parts without a file", "/v2/message", fieldsType, fields, ""},
		{"a list", "/v2/group/" + message + "/members", jsonType, `{"members":["a","b"]}`, ""},
		{"a list with commas", "/v2/group/" + message + "/members", jsonType, `{"members":"a,b"}`, ""},
		{"a repeated field", "/v2/group/" + message + "/members", form, "members=a&members=b", ""},
		{"no body where none is needed", "/v2/logout", "", "", ""},

		{"no body", "/v2/message", jsonType, "", "without the body"},
		{"blanks for a body", "/v2/message", jsonType, " \n", "without the body"},
		{"no recipient", "/v2/message", jsonType, `{"body":"x"}`, "missing property 'recipient'"},
		{"no recipient of a file", "/v2/message", nobodyType, nobody, "missing property 'recipient'"},
		{"no content", "/v2/message", jsonType, `{"recipient":"bob"}`, "missing property 'body'"},
		{"a lifetime too long", "/v2/message", jsonType, `{"recipient":"bob","body":"x","ttl":525601}`, "/ttl"},
		{"a priority that is none", "/v2/message", jsonType, `{"recipient":"bob","body":"x","priority":2}`, "/priority"},
		{"a number for a text", "/v2/message", jsonType, `{"recipient":"bob","body":7}`, "/body"},
		{"a name twice", "/v2/message", jsonType, `{"recipient":"bob","body":"x","body":"y"}`,
			`duplicate object member name "body"`},
		{"a list for an object", "/v2/message", jsonType, `[]`, "no object"},
		{"two values", "/v2/message", jsonType, `{"recipient":"bob","body":"x"} {}`, "something follows"},
		{"a repeated scalar", "/v2/message", form, "recipient=bob&body=x&body=y", "/body"},
		{"another content type", "/v2/message", "text/plain", "recipient=bob", `type "text/plain" was accepted`},
		{"no content type", "/v2/message", "", "recipient=bob", `type "" was accepted`},
		{"half a form", "/v2/message", form, "recipient=%", "cannot be read"},
		{"a boundary that is none", "/v2/message", "multipart/form-data; boundary=other", fields, "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, refused := range []bool{false, true} {
				answer := empty(204, sentHeaders...)
				if refused {
					answer = refusal(400, "no")
				}
				client, url, w := serve(t, answer)
				r := mustRequest(t, "POST", url+c.path, c.body)
				if c.kind != "" {
					r.Header.Set("Content-Type", c.kind)
				}
				mustDo(t, client, r)
				want := c.want
				if refused {
					want = ""
				}
				if said := w.said(); (said == "") != (want == "") || !strings.Contains(said, want) {
					t.Errorf("refused %v: got %q, want %q", refused, said, want)
				}
			}
		})
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct{ path, header, want string }{
		{"/v2/events?limit=1000&wait=60&auto_ack=TRUE&unknown=%", "", ""},
		{"/v2/events?features=a,b&features=c", "", ""},
		{"/v2/events?limit=1001", "", "query parameter limit"},
		{"/v2/events?wait=-1", "", "query parameter wait"},
		{"/v2/events?auto_ack=yes", "", "query parameter auto_ack"},
		{"/v2/avatar/" + message, "", ""},
		{"/v2/avatar/no%20id", "", "path parameter id"},
	} {
		answer := success("[]")
		if strings.Contains(c.path, "avatar") {
			answer = text(200, "bytes", "Content-Type: image/png", `ETag: "x"`, "Accept-Ranges: bytes", "Content-Length: 5")
		}
		client, url, w := serve(t, answer)
		mustDo(t, client, mustRequest(t, "GET", url+c.path, ""))
		if said := w.said(); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: got %q, want %q", c.path, said, c.want)
		}
	}
	client, url, w := serve(t, empty(204, sentHeaders...))
	mustDo(t, client, mustRequest(t, "POST", url+"/v2/message", `{"recipient":"b","body":"x"}`,
		"Content-Type: application/json",
		"Request-ID: "+strings.Repeat("x", 129)))
	if said := w.said(); !strings.Contains(said, "header parameter Request-ID") {
		t.Errorf("a Request-ID that is too long: got %q", said)
	}
}

func TestLargeUploadPassesWithoutBeingKept(t *testing.T) {
	large := strings.Repeat("x", 3*capturedBytes)
	var got int64
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.Copy(io.Discard, r.Body)
		empty(204, sentHeaders...)(w, r)
	})
	mustDo(t, client, mustRequest(t, "POST", url+"/v2/message", large, "Content-Type: multipart/form-data; boundary=x"))
	if said := w.said(); said != "" || got != int64(len(large)) {
		t.Errorf("%d of %d bytes came through, said %q", got, len(large), said)
	}
}
