package service_test

import (
	"strings"
	"testing"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/service"
)

// call is a use case as somebody calls it, of whom there are so many people.
type call struct {
	name    string
	people  int
	arrange func(tb testing.TB, h *house) (prepare, run func()) // prepare comes before each run, and does not count
}

func nothing() {}

// calls are what is measured: what programs do all the time, and what people wait for.
var calls = []call{
	{"authenticate", 1, func(tb testing.TB, h *house) (prepare, run func()) {
		key, err := h.access.IssueKey(tb.Context(), h.actors[0], access.IssueKeyCommand{Account: "me"})
		must(tb, err)
		return nothing, func() { actor(tb, h.access, key.Key.Key, key.Secret) }
	}},
	{"send to a person", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		return func() { h.mustReadActors(tb) }, func() { h.mustSendTo(tb, h.person(1)) }
	}},
	{"send to a group of 10", 100, func(tb testing.TB, h *house) (prepare, run func()) {
		group := h.mustGroup(tb, 10)
		return nothing, func() { h.mustSendTo(tb, group) }
	}},
	{"send to a group of 100", 100, func(tb testing.TB, h *house) (prepare, run func()) {
		group := h.mustGroup(tb, 100)
		return nothing, func() { h.mustSendTo(tb, group) }
	}},
	{"poll that finds nothing", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		return nothing, func() { h.mustPoll(tb, 0, 100) }
	}},
	{"poll of 1", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return nothing, func() { h.mustPoll(tb, 1, 1) }
	}},
	{"poll of 50", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return nothing, func() { h.mustPoll(tb, 50, 50) }
	}},
	{"poll of 50 that nobody remembers", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return func() { h.mustForget(tb) }, func() { h.mustPoll(tb, 50, 50) }
	}},
	{"acknowledge 1", 2, acknowledging(1)},
	{"acknowledge 40", 2, acknowledging(40)},
	{"acknowledge 40 that are acknowledged", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 40)
		ids := h.mustQueue(tb, 40)
		return nothing, func() { must(tb, h.service.Acknowledge(tb.Context(), h.actors[1], ids)) }
	}},
	{"count what is unread", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 10)
		return nothing, func() {
			unread, err := h.service.Unread(tb.Context(), h.actors[1], "me")
			must(tb, err)
			if unread.Messages != 10 {
				tb.Fatalf("%d are unread, want 10", unread.Messages)
			}
		}
	}},
	{"read a message", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		id := h.mustSendTo(tb, h.person(1))
		return nothing, func() {
			_, err := h.service.Message(tb.Context(), h.actors[1], id)
			must(tb, err)
		}
	}},
	{"mark a message Read", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		var id model.MessageID
		return func() { id = h.mustSendTo(tb, h.person(1)) }, func() {
			must(tb, h.service.MarkStatus(tb.Context(), h.actors[1], service.Marks{Read: []model.MessageID{id}}))
		}
	}},
	{"ask for a message's status", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		id := h.mustSendTo(tb, h.person(1))
		return nothing, func() {
			_, err := h.service.MessageStatus(tb.Context(), h.actors[0], id)
			must(tb, err)
		}
	}},
	{"ask for the status of 40 messages", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		var ids []model.MessageID
		for range 40 {
			ids = append(ids, h.mustSendTo(tb, h.person(1)))
		}
		return nothing, func() {
			for i := range 2 { // the sender, and the recipient
				found, err := h.service.MessageStatuses(tb.Context(), h.actors[i], ids)
				must(tb, err)
				if len(found) != len(ids) {
					tb.Fatalf("%d of %d statuses", len(found), len(ids))
				}
			}
		}
	}},
	{"recall a message", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		var id model.MessageID
		return func() { id = h.mustSendTo(tb, h.person(1)) }, func() {
			must(tb, h.service.Recall(tb.Context(), h.actors[0], id))
		}
	}},
	{"roster of 10", 11, func(tb testing.TB, h *house) (prepare, run func()) {
		for i := 1; i <= 10; i++ {
			h.mustSendTo(tb, h.person(i))
		}
		return nothing, func() {
			roster, err := h.service.Roster(tb.Context(), h.actors[0])
			must(tb, err)
			if len(roster) != 10 {
				tb.Fatalf("the roster has %d entries, want 10", len(roster))
			}
		}
	}},
	{"page of 50 of a conversation", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return nothing, func() { h.mustPage(tb, h.person(0)) }
	}},
	{"page of 50 of a group of 100", 100, func(tb testing.TB, h *house) (prepare, run func()) {
		group := h.mustGroup(tb, 100)
		for range 50 {
			h.mustSendTo(tb, group)
		}
		return nothing, func() { h.mustPage(tb, group) }
	}},
	{"search in 50 messages that has none", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return nothing, func() { h.mustFind(tb, "nowhere", 0) }
	}},
	{"search in 50 messages that has all", 2, func(tb testing.TB, h *house) (prepare, run func()) {
		h.mustFillQueue(tb, 50)
		return nothing, func() { h.mustFind(tb, "xx", 50) }
	}},
	{"list of 10 conversations", 11, func(tb testing.TB, h *house) (prepare, run func()) {
		for i := 1; i <= 10; i++ {
			h.mustSendTo(tb, h.person(i))
		}
		return nothing, func() {
			list, _, err := h.service.Conversations(tb.Context(), h.actors[0], service.ConversationsCommand{PageSize: 50})
			must(tb, err)
			if len(list) != 10 {
				tb.Fatalf("there are %d conversations, want 10", len(list))
			}
		}
	}},
	{"search that finds 10", 10, func(tb testing.TB, h *house) (prepare, run func()) {
		query := search.Query{Must: []search.Criterion{{Fields: []string{"any"}, Text: "user"}}, PageSize: 20}
		return nothing, func() {
			result, err := h.service.Search(tb.Context(), h.actors[0], service.SearchCommand{Query: query})
			must(tb, err)
			if len(result.Hits) != 10 {
				tb.Fatalf("the search finds %d, want 10", len(result.Hits))
			}
		}
	}},
}

// acknowledging takes n messages out of a queue.
func acknowledging(n int) func(tb testing.TB, h *house) (prepare, run func()) {
	return func(tb testing.TB, h *house) (prepare, run func()) {
		var ids []string
		prepare = func() {
			h.mustFillQueue(tb, n)
			ids = h.mustQueue(tb, n)
		}
		return prepare, func() { must(tb, h.service.Acknowledge(tb.Context(), h.actors[1], ids)) }
	}
}

func (h *house) person(i int) string { return h.actors[i].Account.String() }

// mustReadActors has the actors be as calls find them that come now.
func (h *house) mustReadActors(tb testing.TB) {
	tb.Helper()
	for i, a := range h.actors {
		var err error
		h.actors[i], err = h.access.Current(tb.Context(), a)
		must(tb, err)
	}
}

func (h *house) mustGroup(tb testing.TB, members int) string {
	tb.Helper()
	var names []string
	for i := range members {
		names = append(names, h.person(i))
	}
	g, err := h.service.CreateGroup(tb.Context(), h.actors[0], service.GroupCommand{Members: names})
	must(tb, err)
	return g.ID.String()
}

// mustSendTo sends a message of 200 bytes from the first of the house.
func (h *house) mustSendTo(tb testing.TB, recipient string) model.MessageID {
	tb.Helper()
	sent, err := h.service.Send(tb.Context(), h.actors[0],
		service.SendCommand{Recipient: recipient, Body: strings.Repeat("x", 200)})
	must(tb, err)
	return sent.Message
}

// mustFillQueue sends n messages to the second of the house.
func (h *house) mustFillQueue(tb testing.TB, n int) {
	tb.Helper()
	for range n {
		h.mustSendTo(tb, h.person(1))
	}
}

func (h *house) mustPoll(tb testing.TB, want, limit int) []model.Event {
	tb.Helper()
	events, err := h.service.Poll(tb.Context(), h.actors[1], service.PollOptions{Limit: limit})
	must(tb, err)
	if len(events) != want {
		tb.Fatalf("got %d events, want %d", len(events), want)
	}
	return events
}

// mustPage reads 50 messages of a conversation of the second of the house.
func (h *house) mustPage(tb testing.TB, with string) {
	tb.Helper()
	page, err := h.service.History(tb.Context(), h.actors[1], service.HistoryCommand{Entity: with, Limit: 50})
	must(tb, err)
	if len(page.Messages) != 50 {
		tb.Fatalf("the page has %d messages, want 50", len(page.Messages))
	}
}

// mustFind looks for a text in the messages of the second of the house.
func (h *house) mustFind(tb testing.TB, text string, want int) {
	tb.Helper()
	found, err := h.service.SearchMessages(tb.Context(), h.actors[1],
		service.MessageSearchCommand{Text: text, PageSize: 100})
	must(tb, err)
	if len(found.Hits) != want || found.Looked != 50 {
		tb.Fatalf("%d of %d messages are found, want %d of 50", len(found.Hits), found.Looked, want)
	}
}

// mustQueue returns the ids of all that is queued.
func (h *house) mustQueue(tb testing.TB, n int) (ids []string) {
	tb.Helper()
	for _, e := range h.mustPoll(tb, n, 100) {
		ids = append(ids, e.ID)
	}
	return ids
}

// mustForget lets the service forget what it remembers of messages.
func (h *house) mustForget(tb testing.TB) {
	tb.Helper()
	for range 2 {
		h.service.Age()
	}
}
