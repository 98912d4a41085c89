package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// mostAnswer is what an answer of JSON has at most, in bytes (contract, section 1).
const mostAnswer = 4 << 20

// large is a piece of content that is nearly as large as a body may be, half of which JSON escapes.
func large(n int) []fields {
	payload := fmt.Sprint(n, strings.Repeat(`x"`, 80_000))
	return []fields{{"mimetype": "text/plain", "namespace": "of tests", "payload": payload}}
}

// wantRoom checks that an answer is as full as it can be, but for one entry, and no fuller.
func (a *answer) wantRoom(entry int) {
	a.t.Helper()
	if size := len(a.content); size > mostAnswer || size < mostAnswer-2*entry {
		a.t.Errorf("%s: the answer has %d bytes, want nearly %d", a.what, size, mostAnswer)
	}
}

// sortsOf walks a history from page to page, and returns the sorts of its messages.
func (p *person) sortsOf(path, by, at string, entry int) (sorts []int64) {
	p.t.Helper()
	for {
		got := p.get(path + "?limit=200" + at)
		var page struct {
			Reply struct {
				Results []struct {
					Sort int64 `json:"sort_number"`
				}
				Metadata struct{ More bool }
			}
		}
		if err := json.Unmarshal(got.want(200).content, &page); err != nil {
			p.t.Fatal(err)
		}
		for _, m := range page.Reply.Results {
			sorts = append(sorts, m.Sort)
		}
		if !page.Reply.Metadata.More {
			return sorts
		}
		got.wantRoom(entry)
		at = fmt.Sprint("&", by, "=", sorts[len(sorts)-1])
	}
}

// A history ends at 4 MiB, and goes on behind it, in both directions: nothing is left out, and nothing
// comes twice.
func TestAHistoryEndsAtFourMebibytes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const messages, entry = 60, 260_000
	for n := range messages {
		c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": fmt.Sprint(n), "data": large(n)}).want(204)
	}
	path := "/v2/conversation/" + c.alice.token + "/message"
	for range 2 { // as it is read of the store, and as it is remembered
		newest := c.bob.sortsOf(path, "before", "", entry)
		oldest := c.bob.sortsOf(path, "after", "&after=0", entry)
		slices.Reverse(newest)
		if len(newest) != messages || !slices.IsSorted(newest) || !slices.Equal(newest, oldest) {
			t.Errorf("there are %d messages, and %d from the oldest on", len(newest), len(oldest))
		}
	}
}

// pages walks a list from page to page, and returns how many results there are.
func pages(t *testing.T, entry int, get func(continuation string) *answer) (results int) {
	t.Helper()
	for continuation := ""; ; {
		got := get(continuation)
		var page struct {
			Reply struct {
				Results  []json.RawMessage
				Metadata struct{ Continuation string }
			}
		}
		if err := json.Unmarshal(got.want(200).content, &page); err != nil {
			t.Fatal(err)
		}
		results += len(page.Reply.Results)
		if continuation = page.Reply.Metadata.Continuation; continuation == "" {
			return results
		}
		got.wantRoom(entry)
	}
}

func TestTheListOfConversationsEndsAtFourMebibytes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const people = 30
	for n, token := range c.mustFillOrganization(c.org, people) {
		c.bob.post("/v2/message", fields{"recipient": token, "body": "x", "data": large(n)}).want(204)
	}
	got := pages(t, 260_000, func(continuation string) *answer {
		return c.bob.get("/v2/conversation?page_size=200&continuation=" + url.QueryEscape(continuation))
	})
	if got != people {
		t.Errorf("there are %d conversations, want %d", got, people)
	}
}

func TestASearchEndsAtFourMebibytes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const people, keys = 60, 11
	var users []fields
	for n := range people {
		users = append(users, fields{"username": fmt.Sprint("person", n)})
	}
	made := c.operator.post("/v2/user/bulk", fields{"users": users}, in(c.org)).want(200)
	var bulk struct {
		Reply struct {
			Results []struct{ User struct{ Token string } }
		}
	}
	if err := json.Unmarshal(made.content, &bulk); err != nil {
		t.Fatal(err)
	}
	for _, result := range bulk.Reply.Results {
		token := result.User.Token
		metadata := fields{}
		for k := range keys {
			metadata[fmt.Sprint("key", k)] = strings.Repeat(`"`, 4096)
		}
		c.operator.post("/v2/metadata/"+token, metadata, in(c.org)).want(204)
	}
	got := pages(t, 4*keys*4200, func(continuation string) *answer {
		return c.bob.post("/v2/search", fields{"type": "account", "page_size": 200, "render_metadata": true,
			"continuation": continuation, "directory": []string{c.org}})
	})
	if all := pages(t, 0, func(continuation string) *answer {
		return c.bob.post("/v2/search", fields{"type": "account", "page_size": 200, "continuation": continuation,
			"directory": []string{c.org}})
	}); got != all || all < people {
		t.Errorf("%d are found with metadata, and %d without", got, all)
	}
}
