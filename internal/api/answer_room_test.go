package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"signet/internal/testenv"
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
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	const messages, entry = 24, 260_000
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
	testenv.Long(t)
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

// mustDescribe makes people with so many keys of the largest metadata, and returns their tokens.
func (c *clinic) mustDescribe(people, keys int) (tokens []string) {
	c.t.Helper()
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
		c.t.Fatal(err)
	}
	for _, result := range bulk.Reply.Results {
		metadata := fields{}
		for k := range keys {
			metadata[fmt.Sprint("key", k)] = strings.Repeat(`"`, 4096)
		}
		c.operator.post("/v2/metadata/"+result.User.Token, metadata, in(c.org)).want(204)
		tokens = append(tokens, result.User.Token)
	}
	return tokens
}

// What has no pages is written as it is read: it is whole, however long it is.
func TestALongAnswerIsWrittenAsItIsRead(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	const people, keys, messages, members = 60, 11, 30, 500
	tokens := c.mustDescribe(people, keys)
	written := func(got *answer, into any) {
		t.Helper()
		if got.want(200); got.ContentLength >= 0 {
			t.Errorf("%s: an answer of %d bytes is made whole before it is written", got.what, got.ContentLength)
		}
		if err := json.Unmarshal(got.content, into); err != nil {
			t.Errorf("%s: %v", got.what, err)
		}
	}
	var described struct{ Reply []map[string]string }
	written(c.bob.post("/v2/metadata_bulk", fields{"entities": tokens}, in(c.org)), &described)
	for _, token := range tokens {
		c.bob.post("/v2/roster", fields{"entity": token}, in(c.org)).want(204)
	}
	var roster struct {
		Reply []struct {
			Token    string
			Metadata map[string]string
		}
	}
	written(c.bob.get("/v2/roster?render_metadata=true"), &roster)
	if len(described.Reply) != people || len(roster.Reply) != people {
		t.Fatalf("%d are described, and %d in the roster", len(described.Reply), len(roster.Reply))
	}
	for i := range people {
		if len(described.Reply[i]) != keys || len(roster.Reply[i].Metadata) != keys ||
			!slices.Contains(tokens, roster.Reply[i].Token) {
			t.Errorf("entry %d: %d and %d keys", i, len(described.Reply[i]), len(roster.Reply[i].Metadata))
		}
	}

	everybody := fields{"name": "Everybody", "members": c.mustFillOrganization(c.org, members)}
	group := c.alice.post("/v2/group", everybody, in(c.org)).want(204).Header.Get("TT-X-Group-Token")
	var sent []string
	for range messages {
		sent = append(sent, c.alice.mustSend(group, "x"))
	}
	var statuses struct {
		Reply struct {
			All []struct {
				ID   string            `json:"client_id"`
				Rows []json.RawMessage `json:"statuses"`
			} `json:"bulk_message_statuses"`
		}
	}
	got := c.alice.post("/v2/get_bulk_message_status", fields{"messages": sent})
	written(got, &statuses)
	for i, m := range statuses.Reply.All {
		if i >= len(sent) || m.ID != sent[i] {
			t.Errorf("status %d is of %s", i, m.ID)
		}
	}
	if n := strings.Count(string(got.content), `"New"`); len(statuses.Reply.All) != messages || n != messages*members {
		t.Errorf("there are %d messages with %d statuses", len(statuses.Reply.All), n)
	}
}

func TestASearchEndsAtFourMebibytes(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	const people, keys = 60, 11
	c.mustDescribe(people, keys)
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
