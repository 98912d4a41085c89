package apptest

import (
	"strings"
	"testing"
)

func TestAnswersAreComparedByWhatIsWrittenDown(t *testing.T) {
	const someTime, otherTime = `"2026-11-21T08:15:30.123Z"`, `"2031-01-02T03:04:05.006Z"`
	for _, c := range []struct {
		what, want, got string
		problem         string // the beginning of the one that is found; empty: none
	}{
		{"the same", `{"a":[1,"x",true,null]}`, `{"a":[1,"x",true,null]}`, ""},
		{"another order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, ""},
		{"another order of elements", `[1,2]`, `[2,1]`, "[0]: got 2, want 1"},
		{"a member too few", `{"a":1,"b":2}`, `{"a":1}`, "b: missing, want 2"},
		{"a member too many", `{"a":1}`, `{"a":1,"b":{}}`, "b: got {}, want nothing"},
		{"an element too many", `{"a":[]}`, `{"a":[1]}`, "a: got 1 elements, want 0"},
		{"a number as a text", `{"a":1}`, `{"a":"1"}`, `a: got "1", want 1`},
		{"a number written otherwise", `1.0`, `1`, ": got 1, want 1.0"},
		{"null is not nothing", `{"a":null}`, `{}`, "a: missing"},
		{"null is not empty", `{"a":null}`, `{"a":""}`, `a: got "", want null`},
		{"a false for a true", `true`, `false`, ": got false, want true"},
		{"a list for an object", `{"a":{}}`, `{"a":[]}`, "a: got [], want {}"},
		{"deep inside", `{"a":[{"b":{"c":1}}]}`, `{"a":[{"b":{"c":2}}]}`, "a[0].b.c: got 2, want 1"},
		{"any time", someTime, otherTime, ""},
		{"a time without milliseconds", someTime, `"2031-01-02T03:04:05Z"`, ": got"},
		{"a time with too many digits", someTime, `"2031-01-02T03:04:05.006000Z"`, ": got"},
		{"a time of another zone", someTime, `"2031-01-02T03:04:05.006+01:00"`, ": got"},
		{"a time where none is wanted", `"soon"`, otherTime, ": got"},
		{"a counter", `{"sort_number":1}`, `{"sort_number":4711}`, ""},
		{"a counter that does not count", `{"sort_number":1}`, `{"sort_number":0}`, "sort_number: got 0"},
		{"a counter that is a text", `{"sort_number":1}`, `{"sort_number":"4711"}`, "sort_number: got"},
		{"another number", `{"ttl":1}`, `{"ttl":4711}`, "ttl: got 4711"},
		{"the id of a request", `{"request_id":"x"}`, `{"request_id":"4711"}`, ""},
		{"an empty id of a request", `{"request_id":"x"}`, `{"request_id":""}`, "request_id: got"},
		{"what is known", `"<alice>"`, `"A1"`, ""},
		{"something else than what is known", `"<alice>"`, `"A2"`, `: got "A2", want "\u003calice`},
		{"credentials", `"<credentials of alice>"`, `"azpz"`, ""}, // base64 of k:s
		{"what is not known", `"<message>"`, `"M1"`, ""},
		{"what is not known twice", `["<message>","<message>"]`, `["M1","M1"]`, ""},
		{"two of what is not known", `["<message>","<message>"]`, `["M1","M2"]`, "[1]: got"},
		{"whatever comes", `["<any id>","<any id>"]`, `["M1","M2"]`, ""},
		{"nothing for something", `"<message>"`, `""`, ": got"},
		{"a number for what is not known", `"<message>"`, `1`, ": got 1"},
		{"within a text", `"https://x/<avatar>/y"`, `"https://x/4711/y"`, ""},
		{"within another text", `"https://x/<avatar>/y"`, `"https://z/4711/y"`, ": got"},
		{"marks that mean something in patterns", `"a.b"`, `"axb"`, ": got"},
		{"an answer that is no JSON", `{}`, `<html>`, "the answer is no JSON"},
		{"an answer of two values", `{}`, `{}{}`, "the answer is no JSON"},
		{"a mistake in what is written down", `{`, `{}`, "what is written down is no JSON"},
	} {
		n := new(Names)
		n.SetPerson(&Person{Name: "alice", Token: "A1", Key: "k", Secret: "s"})
		problems := n.MatchJSON(c.want, c.got)
		switch {
		case c.problem == "" && problems != nil:
			t.Errorf("%s: %s and %s: got %q, want none", c.what, c.want, c.got, problems)
		case c.problem != "" && (len(problems) == 0 || !strings.HasPrefix(problems[0], c.problem)):
			t.Errorf("%s: %s and %s: got %q, want %q", c.what, c.want, c.got, problems, c.problem)
		}
	}
}

func TestWhatAnAnswerTellsIsRemembered(t *testing.T) {
	n := new(Names)
	if problems := n.MatchJSON(`{"id":"<message>","by":"<any body>"}`, `{"id":"M1","by":"B"}`); problems != nil {
		t.Fatal(problems)
	}
	got, err := n.Fill("/v2/message/<message>?x=<base64 of a:b>")
	if want := "/v2/message/M1?x=YTpi"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := n.Fill("<any body>"); err == nil {
		t.Errorf("what may be anything is %q", got)
	}
	other := n.Clone()
	other.Set("message", "M2")
	if value, _ := n.Get("message"); value != "M1" {
		t.Errorf("a clone changed what it was made of: %q", value)
	}
}
