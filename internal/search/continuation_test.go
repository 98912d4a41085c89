package search

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
)

// continued is a search that has a second page.
func continued(t testing.TB) (*fixture, *model.Actor, Query) {
	t.Helper()
	f := newFixture(t)
	o := f.organization()
	me := f.named("Bob A", o)
	for _, name := range []string{"Bob B", "Bob C", "Bob D"} {
		f.named(name, o)
	}
	c := Query{Types: []string{"account"}, Must: must("display_name", "bob"), MustNot: must("title", "x"),
		Sort: []string{"display_name"}, PageSize: 2}
	c.Continuation = f.mustSearch(f.actor(me), c).Continuation
	if c.Continuation == "" {
		t.Fatal("the first page has no continuation")
	}
	return f, f.actor(me), c
}

func (f *fixture) wantContinuationRefused(actor *model.Actor, c Query) {
	f.t.Helper()
	f.wantRefused(actor, c, "continuation_invalid", "continuation")
}

func TestContinuationLeadsToTheNextPage(t *testing.T) {
	f, actor, c := continued(t)
	want := []string{"Bob C", "Bob D"}
	r := f.mustSearch(actor, c)
	if got := f.shownNames(r.Hits); !slices.Equal(got, want) || r.First != 2 || r.Continuation != "" {
		t.Errorf("got %q from %d on, then %q; want %q from 2 on and the end", got, r.First, r.Continuation, want)
	}
	t.Run("with other sizes and more shown", func(t *testing.T) {
		c := c
		c.PageSize, c.IncludeTotal = 1, true
		if got := f.shownNames(f.mustSearch(actor, c).Hits); !slices.Equal(got, want[:1]) {
			t.Errorf("got %q, want %q", got, want[:1])
		}
	})
	t.Run("after a restart, and on another node", func(t *testing.T) {
		f.close()
		f.open()
		if got := f.shownNames(f.mustSearch(actor, c).Hits); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("it does not show what it holds, and is never the same", func(t *testing.T) {
		text, err := base64.RawURLEncoding.DecodeString(c.Continuation)
		if err != nil || strings.Contains(string(text), "bob") {
			t.Errorf("%q (%v)", text, err)
		}
		first := c
		first.Continuation = ""
		if again := f.mustSearch(actor, first).Continuation; again == c.Continuation {
			t.Error("the same continuation twice")
		}
	})
}

func TestContinuationIsRefusedWhenTamperedWith(t *testing.T) {
	f, actor, c := continued(t)
	whole := c.Continuation
	tamper := func(text string) {
		t.Helper()
		c.Continuation = text
		f.wantContinuationRefused(actor, c)
	}
	for i := range whole {
		other := byte('A')
		if whole[i] == other {
			other = 'B'
		}
		tamper(whole[:i] + string(other) + whole[i+1:])
		if i > 0 {
			tamper(whole[:i])
			tamper(whole[i:])
		}
	}
	for _, text := range []string{"x", "=", whole + "=", whole + "A", whole + "\n", whole[:8] + "\r\n" + whole[8:],
		" " + whole, whole + whole, "é", strings.Repeat("A", 1<<20)} {
		tamper(text)
	}
}

func TestContinuationIsRefusedForAnotherSearch(t *testing.T) {
	f, actor, c := continued(t)
	for name, change := range map[string]func(*Query){
		"another text":      func(c *Query) { c.Must = must("display_name", "bo") },
		"another field":     func(c *Query) { c.Must = must("any", "bob") },
		"no criteria":       func(c *Query) { c.Must, c.MustNot = nil, nil },
		"must for must not": func(c *Query) { c.Must, c.MustNot = c.MustNot, c.Must },
		"another type":      func(c *Query) { c.Types = nil },
		"another order":     func(c *Query) { c.Sort = []string{"-display_name"} },
		"a directory":       func(c *Query) { c.Directory = actor.Organizations() },
	} {
		t.Run(name, func(t *testing.T) {
			c := c
			change(&c)
			f.wantContinuationRefused(actor, c)
		})
	}
	t.Run("another account", func(t *testing.T) {
		f.wantContinuationRefused(f.actor(f.named("Bob E", actor.Organizations()...)), c)
	})
	t.Run("another installation", func(t *testing.T) {
		newFixture(t).wantContinuationRefused(actor, c)
	})
}

func FuzzContinuation(f *testing.F) {
	fixture, actor, c := continued(f)
	whole := c.Continuation
	f.Add(whole)
	f.Add("")
	f.Add(whole[:20])
	f.Add(whole + "=")
	f.Add(strings.Repeat("A", len(whole)))
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || text == whole {
			return
		}
		fixture := *fixture
		fixture.t = t
		c := c
		c.Continuation = text
		fixture.wantContinuationRefused(actor, c)
	})
}
