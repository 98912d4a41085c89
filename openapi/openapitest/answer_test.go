package openapitest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
)

// changed replaces a piece of a text that has it once.
func changed(text, old, replacement string) string {
	if strings.Count(text, old) != 1 {
		panic("want " + old + " once in " + text)
	}
	return strings.Replace(text, old, replacement, 1)
}

func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

var sentHeaders = []string{"TT-X-Message-Id: " + message, "TT-X-Msg-Ttl: 43200"}

// TestAnswers: right answers pass, and each planted fault is named.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name    string
		request string // method and path
		body    string // JSON
		answer  http.HandlerFunc
		want    string // of what is reported; empty: nothing is
	}{
		{"a user", "GET /v2/user", "", success(userReply), ""},
		{"a user, trailing slash", "GET /v2/user/me/", "", success(userReply), ""},
		{"a user by a raw address", "GET /v2/user/doc+test@example.com", "", success(userReply), ""},
		{"a user with limits", "GET /v2/user", "",
			success(userReply, "RateLimit-Limit: 100", "RateLimit-Remaining: 0", "RateLimit-Reset: 1"), ""},
		{"only the head of a user", "HEAD /v2/user", "", success(userReply), ""},
		{"a message is sent", "POST /v2/message", `{"recipient":"bob","body":"x"}`, empty(204, sentHeaders...), ""},
		{"a message is sent again", "POST /v2/message", `{"recipient":"bob","body":"x"}`, empty(304, sentHeaders...), ""},
		{"a message is sent and shown", "POST /v2/message?response_format=message", `{"recipient":"bob","body":"x"}`,
			success(messageReply, sentHeaders...), ""},
		{"forever", "POST /v2/message", `{"recipient":"bob","body":"x"}`, empty(204, sentHeaders[0], "TT-X-Msg-Ttl: -1"), ""},
		{"a refusal", "GET /v2/user/nobody", "", refusal(404, "not_found"), ""},
		{"a refusal that says why", "GET /v2/events?limit=0", "",
			text(
				400, `{"status":"fail","error":{"status":400,"code":"field_invalid","message":"No.","field":"limit","request_id":"r1"}}`), ""},
		{"no credentials", "GET /v2/user", "", refusal(401, "credentials_missing", "Www-Authenticate: Basic realm=\"x\""),
			""},
		{"too fast", "GET /v2/user", "", refusal(429, "rate_limited", "Retry-After: 1"), ""},
		{"an unknown path", "GET /v2/nothing", "", refusal(404, "endpoint_unknown"), ""},
		{"an unknown path without credentials", "GET /v2/nothing", "",
			refusal(401, "credentials_missing", "WWW-Authenticate: Basic realm=\"x\""), ""},
		{"an unknown method", "PATCH /v2/user", "", refusal(405, "method_not_allowed", "Allow: GET, HEAD, POST"), ""},
		{"a probe", "GET /healthz", "", text(200, "ok\n", "Content-Type: text/plain; charset=utf-8"), ""},
		{"an unknown method of a probe", "POST /healthz", "", empty(405, "Allow: GET, HEAD"), ""},
		{"a download", "GET /v2/message/" + message + "/attachment/1", "",
			text(200, "bytes", "Content-Type: image/png", `ETag: "x"`, "Accept-Ranges: bytes",
				"Content-Disposition: attachment; filename=a.png", "Content-Length: 5"), ""},
		{"a preflight", "OPTIONS /v2/user", "", empty(204, "Access-Control-Allow-Origin: https://app.example.com"), ""},

		{"a field too few", "GET /v2/user", "", success(changed(userReply, `"dnd":false,`, "")), "missing property 'dnd'"},
		{"a field too many", "GET /v2/user", "", success(changed(userReply, `"dnd":false`, `"dnd":false,"shoe":42`)),
			"/reply/shoe"},
		{"a field of the wrong type", "GET /v2/user", "", success(changed(userReply, `"dnd":false`, `"dnd":"false"`)),
			"'/reply/dnd': got string, want boolean"},
		{"a time with nanoseconds", "GET /v2/user", "", success(changed(userReply, "30.120Z", "30.120456Z")),
			"/reply/created_time"},
		{"a time without milliseconds", "GET /v2/user", "", success(changed(userReply, "30.120Z", "30Z")),
			"/reply/created_time"},
		{"a token of another kind", "GET /v2/user", "", success(changed(userReply, ann, "u1")), "/reply/token"},
		{"another xmlns", "GET /v2/user", "", success(changed(userReply, "tigertext:entity:account", "acme:entity:account")),
			"/reply/xmlns"},
		{"an empty name", "GET /v2/user", "", success(changed(userReply, `"display_name":"Ann"`, `"display_name":""`)),
			"/reply/display_name"},
		{"another status of a message", "GET /v2/message/" + message, "",
			success(changed(messageReply, `"status":"New"`, `"status":"Sent"`)), "/reply/status"},
		{"a recalled message with a body", "GET /v2/message/" + message, "",
			success(changed(messageReply, `"dor":false`, `"dor":false,"is_recalled":true`)), "/reply/body"},
		{"a message that never ends, with its end", "GET /v2/message/" + message, "",
			success(changed(messageReply, `"dor":false`, `"dor":false,"expires_time":"2026-11-21T08:15:30.120Z"`)),
			"/reply/expires_time"},
		{"a message that ends, without its end", "GET /v2/message/" + message, "",
			success(changed(messageReply, `"ttl":-1`, `"ttl":5`)), "missing property 'expires_time'"},
		{"no envelope", "GET /v2/user", "", text(200, userReply), "missing property 'reply'"},
		{"more in the envelope", "GET /v2/user", "", text(200, `{"status":"success","reply":`+userReply+`,"more":1}`),
			"/more"},
		{"a name twice", "GET /v2/user", "", success(changed(userReply, `"dnd":false`, `"dnd":false,"dnd":false`)),
			`duplicate object member name "dnd"`},
		{"two values", "GET /v2/user", "", success(userReply + `}{"a":1`), "something follows"},
		{"broken UTF-8", "GET /v2/user", "", success(changed(userReply, `"display_name":"Ann"`, "\"display_name\":\"\xff\"")),
			"invalid UTF-8"},
		{"half a body", "GET /v2/user", "", text(200, `{"status":"success","reply":{`), "EOF"},
		{"another content type", "GET /v2/user", "", success(userReply, "Content-Type: text/html"),
			`Content-Type: "text/html"`},
		{"another status", "GET /v2/user", "", text(201, `{"status":"success","reply":`+userReply+`}`), "the status 201"},
		{"a missing header", "POST /v2/message", `{"recipient":"bob","body":"x"}`, empty(204, sentHeaders[0]),
			"header TT-X-Msg-Ttl: it is missing"},
		{"a missing header of a repeat", "POST /v2/message", `{"recipient":"bob","body":"x"}`, empty(304, sentHeaders[1]),
			"header TT-X-Message-Id: it is missing"},
		{"a wrong header", "POST /v2/message", `{"recipient":"bob","body":"x"}`,
			empty(204, sentHeaders[0], "TT-X-Msg-Ttl: 0"), "header TT-X-Msg-Ttl"},
		{"no Request-Id", "GET /v2/user", "", success(userReply, "Request-Id"), "header Request-Id: it is missing"},
		{"kept by caches", "GET /v2/user", "", success(userReply, "Cache-Control: max-age=60"), "header Cache-Control"},
		{"a wrong limit", "GET /v2/user", "", success(userReply, "RateLimit-Remaining: -1"), "header RateLimit-Remaining"},
		{"compressed unasked", "GET /v2/user", "", success(userReply, "Content-Encoding: br"), "did not ask for"},
		{"an error in plain text", "GET /v2/user/nobody", "", text(404, "404 page not found\n", "Content-Type: text/plain"),
			`Content-Type: "text/plain"`},
		{"an error of another shape", "GET /v2/user/nobody", "", text(404, `{"error":"not found"}`),
			"missing property 'status'"},
		{"an error with another status inside", "GET /v2/user/nobody", "",
			text(404, `{"status":"fail","error":{"status":400,"code":"not_found","message":"No.","request_id":"r1"}}`),
			"error.status is 400"},
		{"an error of another request", "GET /v2/user/nobody", "",
			text(404, `{"status":"fail","error":{"status":404,"code":"not_found","message":"No.","request_id":"r2"}}`),
			"error.request_id"},
		{"an error that the call does not have", "GET /v2/user/nobody", "", refusal(413, "body_too_large"), "the status 413"},
		{"no word on when to try again", "GET /v2/user", "", refusal(429, "rate_limited"),
			"header Retry-After: it is missing"},
		{"another way to authenticate", "GET /v2/user", "", refusal(401, "credentials_missing", "WWW-Authenticate: Digest"),
			"header WWW-Authenticate"},
		{"an unknown path that is answered", "GET /v2/nothing", "", success("{}"), "does not have this path"},
		{"an unknown method that is answered", "PATCH /v2/user", "", success(userReply), "does not have this method"},
		{"no word on the methods", "PATCH /v2/user", "", refusal(405, "method_not_allowed"), "header Allow"},
		{"a method that there is not", "PATCH /v2/user", "", refusal(405, "method_not_allowed", "Allow: GET, PATCH"),
			`no method "PATCH"`},
		{"a known method refused", "GET /v2/user", "", refusal(405, "method_not_allowed", "Allow: POST"), "the status 405"},
		{"a download to be shown", "GET /v2/message/" + message + "/attachment/1", "",
			text(200, "bytes", "Content-Type: image/png", `ETag: "x"`, "Accept-Ranges: bytes", "Content-Disposition: inline",
				"Content-Length: 5"), "header Content-Disposition"},
		{"a part of a download without its place", "GET /v2/message/" + message + "/attachment/1", "",
			text(206, "byt", "Content-Type: image/png", `ETag: "x"`, "Accept-Ranges: bytes", "Content-Disposition: attachment",
				"Content-Length: 3"), "header Content-Range: it is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, url, w := serve(t, c.answer)
			method, path, _ := strings.Cut(c.request, " ")
			headers := []string{"Content-Type: application/json"}
			if method == http.MethodOptions {
				headers = append(headers, "Access-Control-Request-Method: GET")
			}
			mustDo(t, client, mustRequest(t, method, url+path, c.body, headers...))
			switch said := w.said(); {
			case c.want == "" && said != "":
				t.Errorf("a right answer was refused:\n%s", said)
			case !strings.Contains(said, c.want):
				t.Errorf("the fault was not named:\n got %s\nwant %s", said, c.want)
			case c.want != "" && !strings.Contains(said, "answered with "):
				t.Errorf("the report does not say what it is about:\n%s", said)
			}
		})
	}
}

func TestBodyWithoutPromiseIsNamed(t *testing.T) {
	// Over HTTP a 204 cannot have a body; a handler may still try to write one.
	w := &watched{TB: t}
	v := New(w)
	x := &exchange{request: mustRequest(t, "POST", "http://x/v2/logout", ""), status: 204, header: http.Header{},
		length: 3}
	head(headerOnly(x.header))
	v.check(x)
	if said := w.said(); !strings.Contains(said, "a body of 3 bytes") {
		t.Errorf("got %q", said)
	}
}

// headerOnly is a ResponseWriter that is a header.
type headerOnly http.Header

func (h headerOnly) Header() http.Header         { return http.Header(h) }
func (h headerOnly) Write(p []byte) (int, error) { return len(p), nil }
func (h headerOnly) WriteHeader(int)             {}

func TestCompressedAnswerIsCompared(t *testing.T) {
	for _, c := range []struct{ reply, want string }{
		{userReply, ""},
		{changed(userReply, `"dnd":false,`, ""), "missing property 'dnd'"},
	} {
		client, url, w := serve(t,
			text(200, compressed(`{"status":"success","reply":`+c.reply+`}`), "Content-Encoding: gzip"))
		for _, headers := range [][]string{nil, {"Accept-Encoding: gzip"}} { // by the transport, and by the caller
			mustDo(t, client, mustRequest(t, "GET", url+"/v2/user", "", headers...))
		}
		if said := w.said(); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("got %q, want %q", said, c.want)
		}
	}
}

func TestRequestIDOfTheClientComesBack(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{"r1", ""},
		{"other", `"r1", where the client sent "other"`},
		{"not visible", ""}, // the server makes one of its own
	} {
		client, url, w := serve(t, success(userReply))
		mustDo(t, client, mustRequest(t, "GET", url+"/v2/user", "", "Request-Id: "+c.sent))
		if said := w.said(); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%q: got %q, want %q", c.sent, said, c.want)
		}
	}
}

func TestVendorsNamesAreCompared(t *testing.T) {
	ours := changed(userReply, "tigertext:", "acme:")
	for _, c := range []struct{ reply, want string }{{ours, ""}, {userReply, "/reply/xmlns"}} {
		client, url, w := serve(t, success(c.reply), WithVendor("AC", "acme"))
		mustDo(t, client, mustRequest(t, "GET", url+"/v2/user", ""))
		if said := w.said(); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("got %q, want %q", said, c.want)
		}
	}
}
