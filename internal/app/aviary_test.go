package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"signet/internal/config"
	"signet/internal/testlog"
)

// kind is what a canary stands for.
type kind string

const (
	ofSecret   kind = "secret"
	ofContent  kind = "content"
	ofMetadata kind = "metadata"
	ofEmail    kind = "e-mail"
	ofPhone    kind = "phone"
	ofName     kind = "name" // of people and things; an error may repeat it to who sent it
)

// aviary is a server that canaries are sent to in every way there is, whose log holds
// everything, and whose store can be taken away under it.
type aviary struct {
	t     *testing.T
	app   *App
	log   *testlog.Log
	http  *http.Client
	close func() error // of what is beneath the interface
	stop  func() error // of the whole server

	operator, alice, bob *caged
	organization         string
	group                string

	mu       sync.Mutex // guards canaries
	canaries map[string]string
	quotable map[string]bool // of these an error may speak
}

// caged is somebody with a key, whose secret is a canary too.
type caged struct {
	token, key, secret, email, phone, username, password string
}

// panicHeader makes the server panic with its value: before the interface, or in it.
const (
	panicHeader      = "Test-Panic"
	innerPanicHeader = "Test-Inner-Panic"
)

func openAviary(t *testing.T, changes ...func(*config.Config)) *aviary {
	t.Helper()
	cfg := settings(t)
	for _, change := range changes {
		change(cfg)
	}
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Limits.FailedLoginsPerMinute, cfg.Limits.FailedLoginsPerMinuteAddress, cfg.Limits.FailedLoginsPerMinuteName = 0, 0,
		0
	v := &aviary{t: t, log: new(testlog.Log), canaries: map[string]string{}, quotable: map[string]bool{}}
	all := &slog.HandlerOptions{Level: slog.LevelDebug}
	logger := slog.New(slog.NewMultiHandler(slog.NewTextHandler(v.log, all), slog.NewJSONHandler(v.log, all)))
	a, err := open(t.Context(), cfg, logger, Pace{}, func(ctx context.Context, in surroundings) (*system, error) {
		client := in.client
		in.client = func(r *http.Request) netip.Addr {
			if said := r.Header.Get(innerPanicHeader); said != "" {
				r.Header.Del(innerPanicHeader) // once
				panic(errors.New(said))
			}
			return client(r)
		}
		made, err := assemble(ctx, in)
		if err != nil {
			return nil, err
		}
		made.close = sync.OnceValue(made.close)
		v.close = made.close
		inner := made.handler
		made.handler = func(at location) (http.Handler, error) {
			inner, err := inner(at)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if said := r.Header.Get(panicHeader); said != "" {
					panic(said)
				}
				inner.ServeHTTP(w, r)
			}), err
		}
		return made, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	v.app = a
	v.stop = mustRun(t, a)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	v.http = &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	v.furnish()
	return v
}

// furnish makes the people and the group.
func (v *aviary) furnish() {
	v.t.Helper()
	c := mustReadCredentials(v.t, v.app.OperatorFile())
	v.note(ofSecret, "the operator's secret", c.Secret)
	v.operator = &caged{key: c.Key, secret: c.Secret}
	v.organization = v.mustSend(letter{who: v.operator, route: "POST /v2/organization",
		fields: map[string]any{"name": v.word(ofName, "organization")}, want: 204}).
		Header.Get("TT-X-Organization-Key")
	v.alice, v.bob = v.person(), v.person()
	v.group = v.mustSend(letter{who: v.alice, route: "POST /v2/group",
		fields: map[string]any{"name": v.word(ofName, "group"), "members": v.bob.token}, want: 204}).
		Header.Get("TT-X-Group-Token")
}

// person makes an account whose every name and address is a canary.
func (v *aviary) person() *caged {
	v.t.Helper()
	p := &caged{email: v.word(ofEmail, "e-mail of an account") + "@signet.test", phone: v.phone("phone of an account"),
		username: v.word(ofName, "username"), password: v.word(ofSecret, "password of an account")}
	answer := v.mustSend(letter{who: v.operator, route: "POST /v2/user", organization: true, want: 200,
		fields: map[string]any{
			"username": p.username, "email": p.email, "phone": p.phone, "password": p.password,
			"first_name": v.word(ofName, "first_name"), "last_name": v.word(ofName, "last_name"),
			"display_name": v.word(ofName, "display_name"), "title": v.word(ofName, "title"),
			"department": v.word(ofName, "department"), "issue_key": true,
		}})
	var made struct {
		Reply struct {
			Token, API_Key, API_Secret string
		}
	}
	v.mustParse(answer, &made)
	p.token, p.key, p.secret = made.Reply.Token, made.Reply.API_Key, made.Reply.API_Secret
	v.note(ofSecret, "an issued secret", p.secret)
	return p
}

// word makes a canary.
func (v *aviary) word(of kind, where string) string { return v.note(of, where, newCanary()) }

// phone makes a telephone number that is one: its digits are found however it is
// written.
func (v *aviary) phone(where string) string {
	digits := fmt.Sprintf("151%08d", mathrand.N(100_000_000))
	v.note(ofPhone, where, digits)
	return "+49" + digits
}

// note remembers a text as a canary.
func (v *aviary) note(of kind, where, text string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	folded := strings.ToLower(text) // as addresses are
	v.canaries[folded], v.quotable[folded] = fmt.Sprintf("%s (%s)", where, of), of == ofName
	return text
}

// letter is a request, with canaries wherever its sender can put something.
type letter struct {
	route        string // as the document of the interface has it
	who          *caged
	path         map[string]string // values of the route's parameters
	query        url.Values
	header       http.Header
	organization bool // the header names it
	fields       map[string]any
	files        map[string][]byte // with them the fields are sent as parts
	raw          []byte            // in place of the fields
	want         int               // 0: anything
}

// answered is what came back.
type answered struct {
	*http.Response
	body []byte
}

func (v *aviary) mustSend(l letter) answered {
	v.t.Helper()
	method, pattern, _ := strings.Cut(l.route, " ")
	for name, value := range l.path {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", url.PathEscape(value))
	}
	if l.query != nil {
		pattern += "?" + l.query.Encode()
	}
	body, contentType := l.body(v.t)
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.app.BaseURL()+pattern, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if l.organization {
		r.Header.Set("TT-X-Organization-Key", v.organization)
	}
	if l.who != nil {
		r.SetBasicAuth(l.who.key, l.who.secret)
	}
	maps.Copy(r.Header, l.header)
	answer, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	got := answered{answer, text}
	if l.want != 0 && got.StatusCode != l.want {
		v.t.Errorf("%s: got %d %s, want %d", l.route, got.StatusCode, text, l.want)
	}
	// That error has to name members as its caller did (contract, section 5, call 5).
	if got.StatusCode >= 400 && !bytes.Contains(text, []byte(`"members_unknown"`)) {
		v.wantDiscretion("the answer to "+l.route+" with "+answer.Status, text)
	}
	return got
}

// body writes the fields, as parts where there are files.
func (l letter) body(t *testing.T) (body []byte, contentType string) {
	t.Helper()
	switch {
	case l.raw != nil:
		return l.raw, "application/json"
	case l.files != nil:
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for name, value := range l.fields {
			if err := w.WriteField(name, fmt.Sprint(value)); err != nil {
				t.Fatal(err)
			}
		}
		for name, content := range l.files {
			part, err := w.CreateFormFile(name, string(content[max(len(content)-30, 0):])+".png")
			if err == nil {
				_, err = part.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes(), w.FormDataContentType()
	case l.fields != nil:
		text, err := json.Marshal(l.fields)
		if err != nil {
			t.Fatal(err)
		}
		return text, "application/json"
	}
	return nil, ""
}

func (v *aviary) mustParse(got answered, into any) {
	v.t.Helper()
	if err := json.Unmarshal(got.body, into); err != nil {
		v.t.Fatalf("%v in %s", err, got.body)
	}
}

// wantDiscretion reports canaries in an error, but for those that it may repeat to who
// sent them.
func (v *aviary) wantDiscretion(where string, text []byte) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	lower := strings.ToLower(string(text))
	for canary, what := range v.canaries {
		if strings.Contains(lower, canary) && !v.quotable[canary] {
			v.t.Errorf("%s shows %s", where, what)
		}
	}
}

// wantSilence reports canaries of any kind in a text that is for the server's operator.
func (v *aviary) wantSilence(where, text string) {
	v.t.Helper()
	lines := strings.Split(strings.ToLower(text), "\n")
	v.mu.Lock()
	defer v.mu.Unlock()
	for canary, what := range v.canaries {
		if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, canary) }); i >= 0 {
			v.t.Errorf("%s shows %s: %s", where, what, lines[i])
		}
	}
}

// vary sends what somebody could send who means no good, or has made a mistake, in
// place of a letter that is right.
func (v *aviary) vary(l letter) {
	v.t.Helper()
	l.want = 0
	where := func(what string) string { return what + " of " + l.route }
	send := func(change func(*letter)) {
		v.t.Helper()
		other := l
		other.header, other.path = http.Header{}, maps.Clone(l.path)
		change(&other)
		v.mustSend(other)
	}
	// Credentials.
	send(func(o *letter) {
		o.who = &caged{key: v.word(ofName, where("key")), secret: v.word(ofSecret, where("wrong secret"))}
	})
	send(func(o *letter) {
		o.who = nil
		o.header.Set("Authorization", "Bearer "+v.word(ofSecret, where("token")))
		o.query = url.Values{"auth_basic": {base64.StdEncoding.EncodeToString([]byte("k:" +
			v.word(ofSecret, where("auth_basic"))))}, "x": {v.word(ofContent, where("query"))}}
	})
	// Headers.
	send(func(o *letter) {
		for _, name := range []string{"TT-X-Organization-Key", "TT-X-Features", "TT-X-Type", "Last-Event-ID", "Accept",
			"Content-Type", "Cookie", "User-Agent", "Referer", "Traceparent", "Tracestate", "Baggage",
			"X-Forwarded-For", "Forwarded", "Range", "If-None-Match", "Accept-Encoding", "Content-Encoding"} {
			o.header.Set(name, v.word(ofContent, where(name)))
		}
	})
	send(func(o *letter) { o.header.Set("Origin", "https://"+v.word(ofName, where("Origin"))+".example") })
	// The path.
	for name := range l.path {
		for _, text := range []string{v.word(ofEmail, where("path")) + "@signet.test", v.phone(where("path")),
			v.word(ofName, where("path"))} {
			send(func(o *letter) { o.path[name] = text })
		}
	}
	// The body: of the wrong types, malformed, and too much of it.
	texts, objects := map[string]any{}, map[string]any{}
	for name := range l.fields {
		texts[name] = v.word(ofContent, where("field "+name))
		objects[name] = map[string]any{"x": []string{v.word(ofContent, where("field "+name))}}
	}
	send(func(o *letter) { o.fields, o.files = texts, nil })
	send(func(o *letter) { o.fields, o.files = objects, nil })
	send(func(o *letter) {
		o.fields, o.files = texts, map[string][]byte{"attachment": []byte(v.word(ofContent, where("file")))}
	})
	send(func(o *letter) { o.raw = []byte(`{"body":"` + v.word(ofContent, where("broken JSON"))) })
	send(func(o *letter) {
		o.raw = []byte(strings.Repeat(`{"a":`, 40) + `"` + v.word(ofContent, where("deep JSON")) + `"`)
	})
	send(func(o *letter) {
		o.raw = []byte("body=" + v.word(ofContent, where("broken form")) + "%zz")
		o.header.Set("Content-Type", "application/x-www-form-urlencoded")
	})
	if l.who != nil {
		send(func(o *letter) { o.header.Set(innerPanicHeader, v.word(ofContent, where("panic"))) })
	}
}
