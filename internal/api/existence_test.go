package api_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/testenv"
)

// countedEngine counts the statements that an engine runs, and lets writes fail.
type countedEngine struct {
	store.Engine
	statements atomic.Int64
	failing    atomic.Int64 // how many of the next writes fail
}

func (e *countedEngine) counted(fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error { return fn(countedSession{s, &e.statements}) }
}

func (e *countedEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, e.counted(fn), traits...)
}

func (e *countedEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if e.failing.Add(-1) >= 0 {
		return errors.New("the write fails")
	}
	return e.Engine.Update(ctx, e.counted(fn), traits...)
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	s.statements.Add(1)
	return s.Session.Exec(query, args...)
}

func (s countedSession) Post(query string, args ...any) error {
	s.statements.Add(1)
	return s.Session.Post(query, args...)
}

func (s countedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(query, args, each)
}

func (s countedSession) Ask(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Ask(query, args, each)
}

// twin is something that exists where the caller is not, and something that does not.
type twin struct{ what, there, nowhere string }

// comparison compares what calls take that must not tell whether something exists.
type comparison struct {
	*matrix
	calls int
}

// statements is how many a call takes. It comes a while after the one before, so that nothing is
// remembered of who calls, and a refusal has its line in the audit log.
func (c *comparison) statements(call func() *answer) (statements int64, got *answer) {
	c.clock.Advance(time.Minute)
	before := c.counted.statements.Load()
	got = call()
	return c.counted.statements.Load() - before, got
}

// same checks that a call takes as many statements for both of a twin, where it answers alike.
func (c *comparison) same(by string, pair twin, call func(name string) *answer) {
	c.t.Helper()
	a, there := c.statements(func() *answer { return call(pair.there) })
	b, nowhere := c.statements(func() *answer { return call(pair.nowhere) })
	told := strings.ReplaceAll(there.unnamed(), pair.there, "") != strings.ReplaceAll(nowhere.unnamed(), pair.nowhere, "")
	if there.StatusCode != nowhere.StatusCode || told {
		return // which the matrix sees to
	}
	if c.calls++; a != b {
		c.t.Errorf("%s by %s: where the %s exists it takes %d statements (%d), else %d", there.what, by, pair.what, a,
			there.StatusCode, b)
	}
}

// Nobody measures who or what exists elsewhere: whatever a call names, as many statements run
// whether it is there or not, by token, e-mail, phone or user name.
func TestNoStatementTellsWhatExists(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := &comparison{matrix: startMatrix(t, func(f *figures) { f.counted = true })}
	c.boss.post("/v2/user", fields{"username": "known", "email": "known@one.example", "phone": "+14155550100",
		"password": "Rose garden 77"}, in(c.org)).want(200)
	alone := c.boss.mustCreate(c.org, "alone")
	c.operator.delete(alone.path("/organization/" + c.org)).want(204)
	people := []twin{
		{"token", c.standing["user"], randomToken()},
		{"token of an account in no organization", alone.token, randomToken()},
		{"e-mail", "known@one.example", "nobody@one.example"},
		{"phone", "+14155550100", "+14155550199"},
		{"user name", "known", "nobody"},
		{"user name of an account in no organization", "alone", "nobody"},
	}
	twins := map[string][]twin{"user": people, "recipient": people, "entity": people}
	third := c.mustCreateOrganization("Third")
	both := c.mustCreate(third, "both")
	c.operator.mustJoin(c.mustCreateOrganization("Fourth"), both)
	callers := map[string]*person{"a stranger": c.stranger, "a stranger in two organizations": both,
		"an administrator elsewhere": c.foreign}
	for _, r := range rules {
		if r.public {
			continue
		}
		x := maps.Clone(c.standing)
		if r.fresh != nil {
			maps.Copy(x, r.fresh(c.matrix))
		}
		for by, caller := range callers {
			for _, name := range r.targets() {
				pairs := append([]twin{{name, x[name], random(name)}}, twins[name]...)
				for _, pair := range pairs {
					c.same(by, pair, func(value string) *answer {
						y := maps.Clone(x)
						y[name] = value
						return r.call(caller, y)
					})
				}
			}
		}
	}
	for by, caller := range callers {
		for _, pair := range people {
			c.same(by, pair, func(name string) *answer {
				return caller.post("/v2/group", fields{"name": "G", "members": []string{name}})
			})
			c.same(by, pair, func(name string) *answer {
				return caller.post("/v2/metadata_bulk", fields{"entities": []string{name}})
			})
			c.same(by, pair, func(name string) *answer { return caller.post("/v2/roster", fields{"entity": name}) })
			c.same(by, pair, func(name string) *answer {
				return caller.delete("/v2/roster/" + name)
			})
		}
	}
	// Nor does signing in, with a wrong password.
	for _, pair := range people {
		c.same("anyone", pair, func(name string) *answer { return c.signIn(name, "wrong", "d") })
		c.same("anyone", pair, func(name string) *answer {
			return c.anyone().post("/v2/session", nil, func(r *http.Request) { r.SetBasicAuth(name, "wrong") },
				header("Sec-Fetch-Site", "same-origin"))
		})
	}
	if c.calls < 700 {
		t.Errorf("only %d pairs of calls were compared", c.calls)
	}
}
