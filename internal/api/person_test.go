package api_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// person is an account that calls the server with a key. Without a key it calls
// without credentials.
type person struct {
	s      *server
	t      *testing.T
	name   string // its username
	token  string
	key    string
	secret string
	cookie string // of a session, `name=value`, in place of a key
}

// with returns the same account with another key.
func (p *person) with(key, secret string) *person {
	other := *p
	other.key, other.secret, other.cookie = key, secret, ""
	return &other
}

// useKey goes on with an issued key.
func (p *person) useKey(issued value) {
	p.key, p.secret = issued.text("api_key"), issued.text("api_secret")
}

// withKey returns the same account with a newly issued key.
func (p *person) withKey(issued value) *person {
	return p.with(issued.text("api_key"), issued.text("api_secret"))
}

// path is where the account is.
func (p *person) path(rest string) string { return "/v2/user/" + p.token + rest }

// fields are the fields of a JSON body.
type fields map[string]any

// option changes a request before it is sent.
type option func(*http.Request)

// header sets a header of a request.
func header(name, value string) option {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

// in names the organization of the call.
func in(organization string) option { return header("TT-X-Organization-Key", organization) }

// requestID names the call.
func requestID(id string) option { return header("Request-ID", id) }

// body is a body of any content type.
func body(contentType string, content io.Reader) option {
	return func(r *http.Request) {
		sized, _ := http.NewRequest(r.Method, r.URL.String(), content) // the URL was parsed before
		r.Body, r.ContentLength, r.GetBody = sized.Body, sized.ContentLength, sized.GetBody
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
	}
}

// jsonBody is a JSON body.
func jsonBody(f fields) option {
	text, err := json.Marshal(f)
	if err != nil {
		panic(fmt.Sprintf("encode a test's body: %v", err)) // the test is wrong
	}
	return body("application/json", bytes.NewReader(text))
}

// form is a body of name=value pairs.
func form(pairs ...string) option {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return body("application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
}

// file is a file part of a multipart body.
type file struct {
	field, name, contentType string
	content                  []byte
}

// parts is a multipart body of text fields and files.
func parts(texts map[string]string, files ...file) option {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, text := range texts {
		_ = w.WriteField(name, text) // into memory: cannot fail
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, f.field, f.name))
		if f.contentType != "" {
			h.Set("Content-Type", f.contentType)
		}
		part, _ := w.CreatePart(h)
		_, _ = part.Write(f.content)
	}
	_ = w.Close()
	return body(w.FormDataContentType(), bytes.NewReader(b.Bytes()))
}

// do sends a request and reads its answer.
func (p *person) do(method, path string, options ...option) *answer {
	p.t.Helper()
	return p.send(p.request(method, path, options...))
}

// request makes a request with the person's credentials.
func (p *person) request(method, path string, options ...option) *http.Request {
	p.t.Helper()
	r, err := http.NewRequestWithContext(within(p.t), method, p.s.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.key != "" {
		r.SetBasicAuth(p.key, p.secret)
	}
	if p.cookie != "" {
		r.Header.Set("Cookie", p.cookie)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, change := range options {
		change(r)
	}
	return r
}

// send sends a request and reads its answer.
func (p *person) send(r *http.Request) *answer {
	p.t.Helper()
	a, err := p.exchange(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

// exchange is send for goroutines other than the test's, which cannot stop the test.
func (p *person) exchange(r *http.Request) (*answer, error) {
	p.t.Helper()
	what := p.name + ": " + r.Method + " " + r.URL.RequestURI()
	response, err := p.s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: read the answer: %w", what, err)
	}
	a := &answer{t: p.t, what: what, Response: response, content: content}
	a.wantCommonHeaders(r)
	return a, nil
}

// sending is a request that is under way on another goroutine.
type sending struct {
	t    *testing.T
	done chan result
}

type result struct {
	answer *answer
	err    error
}

// start sends a request without waiting for its answer.
func (p *person) start(method, path string, options ...option) sending {
	p.t.Helper()
	s := sending{p.t, make(chan result, 1)}
	r := p.request(method, path, options...)
	go func() {
		a, err := p.exchange(r)
		s.done <- result{a, err}
	}()
	return s
}

// answer waits for the answer.
func (s sending) answer() *answer {
	s.t.Helper()
	select {
	case got := <-s.done:
		if got.err != nil {
			s.t.Fatal(got.err)
		}
		return got.answer
	case <-time.After(patience):
		s.t.Fatal("a request gets no answer")
	}
	return nil
}

func (p *person) get(path string, options ...option) *answer {
	p.t.Helper()
	return p.do("GET", path, options...)
}

// post sends a JSON body; nil sends none.
func (p *person) post(path string, f fields, options ...option) *answer {
	p.t.Helper()
	if f != nil {
		options = append([]option{jsonBody(f)}, options...)
	}
	return p.do("POST", path, options...)
}

func (p *person) delete(path string, options ...option) *answer {
	p.t.Helper()
	return p.do("DELETE", path, options...)
}

// mustCreateOrganization makes an organization that the person administers. The
// settings are names and values in turn.
func (p *person) mustCreateOrganization(name string, settings ...any) string {
	p.t.Helper()
	f := fields{"name": name}
	for i := 0; i < len(settings); i += 2 {
		f[settings[i].(string)] = settings[i+1]
	}
	return p.post("/v2/organization", f).want(204).Header.Get("TT-X-Organization-Key")
}

// mustCreate makes an account with this username in an organization that the
// person administers, with a regular key.
func (p *person) mustCreate(organization, username string) *person {
	p.t.Helper()
	user := p.post("/v2/user",
		fields{"username": username, "email": username + "@example.com",
			"display_name": strings.ToTitle(username[:1]) + username[1:],
			"issue_key":    true}, in(organization)).want(200).reply()
	created := &person{s: p.s, t: p.t, name: username, token: user.text("token")}
	created.useKey(user)
	return created
}

// mustJoin puts an existing account into an organization that the person
// administers.
func (p *person) mustJoin(organization string, who *person) {
	p.t.Helper()
	p.post(who.path("/organization"), fields{"organization": organization}).want(204)
	who.forgetEvents()
}

// mustSend sends a message and returns its token.
func (p *person) mustSend(recipient, text string, more ...any) string {
	p.t.Helper()
	f := fields{"recipient": recipient, "body": text}
	for i := 0; i < len(more); i += 2 {
		f[more[i].(string)] = more[i+1]
	}
	return p.post("/v2/message", f).want(204).Header.Get("TT-X-Message-Id")
}

// mustCreateGroup makes a group of the person and these members, and returns its
// token.
func (p *person) mustCreateGroup(name string, members ...*person) string {
	p.t.Helper()
	return p.mustCreateGroupAs(fields{"name": name}, members...)
}

// mustCreateGroupAs makes a group with further fields.
func (p *person) mustCreateGroupAs(f fields, members ...*person) string {
	p.t.Helper()
	tokens := make([]string, len(members))
	for i, m := range members {
		tokens[i] = m.token
	}
	f["members"] = tokens
	return p.post("/v2/group", f).want(204).Header.Get("TT-X-Group-Token")
}

// mustMark says how far messages got with the person.
func (p *person) mustMark(status string, messages ...string) {
	p.t.Helper()
	p.post("/v2/message/status", fields{status: messages}).want(204)
}

// randomID is an identifier that no object of the platform has.
func randomID() [16]byte { return uuid.Must(uuid.NewV7()) }

// randomToken is a well-formed token that names nothing.
func randomToken() string { return uuid.UUID(randomID()).String() }

// randomOrganization is a well-formed token of no organization.
func randomOrganization() string {
	id := uuid.New()
	return hex.EncodeToString(id[:12])
}

// number writes a number for a name.
func number(n int) string { return strconv.Itoa(n) }
