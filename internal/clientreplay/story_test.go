package clientreplay

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
)

// story replays a recording as one account, and knows what came of it so far.
type story struct {
	t        *testing.T
	cast     *apptest.Cast
	http     *http.Client
	names    *apptest.Names
	me       *apptest.Person
	password string
	where    string // the row that is replayed

	stream         *apptest.Stream
	unacknowledged []string // ids of the events that came and are queued
	advisory       string   // id of the last one that was not queued
}

// newStory starts a server with the cast, of which one member is the client's.
func newStory(t *testing.T, me func(*apptest.Cast) *apptest.Person) *story {
	t.Helper()
	return newClient(t, apptest.Start(t).People(), me)
}

// newClient is a client of a server that others call as well.
func newClient(t *testing.T, cast *apptest.Cast, me func(*apptest.Cast) *apptest.Person) *story {
	t.Helper()
	s := &story{t: t, cast: cast, http: cast.NewHTTPClient(), names: new(apptest.Names), me: me(cast),
		password: "correct:horse battery"}
	s.names.Set("org", cast.Organization)
	s.names.Set("product", "product")
	for _, p := range []*apptest.Person{cast.Alice, cast.Bob, cast.Carol, cast.Dana} {
		s.names.SetPerson(p)
	}
	s.names.Set("me", s.me.Token)
	s.names.Set("me key", s.me.Key)
	s.names.Set("me secret", s.me.Secret)
	return s
}

func alice(c *apptest.Cast) *apptest.Person { return c.Alice }
func bob(c *apptest.Cast) *apptest.Person   { return c.Bob }
func dana(c *apptest.Cast) *apptest.Person  { return c.Dana }

// want is what a recorded request is answered. Texts are patterns, as apptest
// compares them.
type want struct {
	before func() // what happens meanwhile
	status int
	header map[string]string
	reply  string // the value of `reply`; empty: the answer has no body
	code   string // of an error
	after  func()
}

// replay sends the rows of a recording one after the other, and compares each
// answer.
func (s *story) replay(rows []row, answers map[int]want) {
	s.t.Helper()
	for i := range rows {
		r := &rows[i]
		s.where = r.method + " " + r.target
		w, known := answers[r.number]
		if !known {
			s.t.Fatalf("row %d, %s, has no answer to compare with", r.number, s.where)
		}
		if w.before != nil {
			w.before()
		}
		if r.header("Accept") == "text/event-stream" {
			s.open(s.request(r))
		} else {
			s.wantAnswer(w, s.cast.MustSend(s.t, s.http, s.request(r)))
		}
		if w.after != nil {
			w.after()
		}
		if s.t.Failed() {
			s.t.Fatalf("at row %d: %s", r.number, s.where)
		}
	}
	if len(answers) != len(rows) {
		s.t.Errorf("there are %d answers to %d rows", len(answers), len(rows))
	}
}

// ask sends a request that is in no recording, with the credentials of the story.
func (s *story) ask(method, target, body string, w want, headers ...[2]string) apptest.Answer {
	s.t.Helper()
	s.where = method + " " + target
	r := apptest.Request{Method: method, Target: s.fill(target), Body: s.fill(body),
		Header: append(headers, [2]string{"Authorization", "Basic " + s.fill("<credentials of me>")})}
	if body != "" {
		r.Header = append(r.Header, [2]string{"Content-Type", "application/json"})
	}
	a := s.cast.MustSend(s.t, s.http, r)
	s.wantAnswer(w, a)
	return a
}

func (s *story) wantAnswer(w want, a apptest.Answer) {
	s.t.Helper()
	if a.Status != w.status {
		s.t.Fatalf("%s: got %d %s, want %d", s.where, a.Status, a.Body, w.status)
	}
	for name, value := range w.header {
		s.match("the header "+name, quote(value), quote(a.Header.Get(name)))
	}
	// All published clients read times of this form, and none takes a compressed answer unasked.
	if coding := a.Header.Get("Content-Encoding"); coding != "" {
		s.t.Errorf("%s: the answer is coded as %s", s.where, coding)
	}
	switch {
	case w.code != "":
		s.match("the error", `{"status":"fail","error":{"status":`+strconv.Itoa(w.status)+`,"code":"`+w.code+
			`","message":"<any message>","request_id":"x"}}`, a.Body)
	case w.reply != "":
		s.match("the reply", `{"status":"success","reply":`+w.reply+`}`, a.Body)
	case a.Body != "":
		s.t.Errorf("%s: got the body %s, want none", s.where, a.Body)
	}
}

func (s *story) match(what, want, got string) {
	s.t.Helper()
	problems := s.names.MatchJSON(want, got)
	for _, problem := range problems {
		s.t.Errorf("%s: %s: %s", s.where, what, problem)
	}
	if problems != nil {
		s.t.Errorf("%s: got %s", s.where, got)
	}
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text always encodes
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
}

// must stops the story where something that happens beside it fails.
func (s *story) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// receive has somebody send a message to the story's account, and gives it the
// name that the recording has for it.
func (s *story) receive(from *apptest.Person, name string, m client.Outgoing) {
	s.t.Helper()
	sent, err := from.Client.Send(s.t.Context(), m)
	s.must(err)
	s.names.Set(name, sent.MessageID)
}

// id returns what a name stands for.
func (s *story) id(name string) string {
	s.t.Helper()
	value, known := s.names.Get(name)
	if !known {
		s.t.Fatalf("nothing is called %s", name)
	}
	return value
}
