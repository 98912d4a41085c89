package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/testenv"
)

// searched is a reader with messages of several conversations, and their texts, the newest first.
type searched struct {
	*fixture
	reader *model.Actor
	texts  []string
}

func newSearched(t *testing.T, messages int, more string) *searched {
	t.Helper()
	f := newFixture(t)
	o := f.organization()
	s := &searched{fixture: f, reader: f.actor(f.named("Reader", o))}
	writers := []*model.Actor{f.actor(f.named("Ann", o)), f.actor(f.named("Bob", o)), f.actor(f.named("Carl", o))}
	for i := range messages {
		f.now = f.now.Add(time.Second)
		text := fmt.Sprint("found ", i, more)
		_, err := f.service.Send(t.Context(), writers[i%len(writers)],
			SendCommand{Recipient: s.reader.Account.String(), Body: text})
		if err != nil {
			t.Fatal(err)
		}
		s.texts = append(s.texts, text)
	}
	slices.Reverse(s.texts)
	return s
}

// calls looks for a text to the end, and returns what each call found and looked at.
func (s *searched) calls(text string) (found, looked []int) {
	s.t.Helper()
	var texts []string
	ask := MessageSearchCommand{Text: text, PageSize: 100}
	for {
		page, err := s.service.SearchMessages(s.t.Context(), s.reader, ask)
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range page.Hits {
			texts = append(texts, page.Hits[i].Message.Body)
		}
		found, looked = append(found, len(page.Hits)), append(looked, page.Looked)
		if ask.Continuation = page.Continuation; ask.Continuation == "" {
			break
		}
	}
	if text == "found" && !slices.Equal(texts, s.texts) {
		s.t.Errorf("found %q, want %q", texts, s.texts)
	}
	return found, looked
}

func TestSearchInMessagesEndsWhenItIsMuchWork(t *testing.T) {
	s := newSearched(t, 10, "")
	for _, test := range []struct {
		what   string
		limits messageSearchLimits
		looked []int // of each call
	}{
		{"all at once", usualSearchLimits, []int{10}},
		{"so many are opened", messageSearchLimits{opened: 4, work: time.Hour, batch: 3, bytes: 1 << 20}, []int{4, 4, 2}},
		{"in batches", messageSearchLimits{opened: 100, work: time.Hour, batch: 3, bytes: 1 << 20}, []int{10}},
		{"the time is over", messageSearchLimits{opened: 100, batch: 3, bytes: 1 << 20}, []int{3, 3, 3, 1}},
		{"one after the other", messageSearchLimits{opened: 100, work: time.Hour, batch: 3, bytes: 1}, []int{10}},
	} {
		s.service.messageSearch = test.limits
		for _, text := range []string{"found", "nowhere"} {
			found, looked := s.calls(text)
			if !slices.Equal(looked, test.looked) {
				t.Errorf("%s, %s: the calls looked at %v, want %v", test.what, text, looked, test.looked)
			}
			if text == "found" && !slices.Equal(found, looked) {
				t.Errorf("%s: the calls found %v of %v", test.what, found, looked)
			}
		}
	}
}

// A page ends when it has much content, as that of other lists; the next one goes on.
func TestSearchInMessagesEndsAPageWithMuchContent(t *testing.T) {
	s := newSearched(t, 6, " "+strings.Repeat("long ", 5000))
	found, _ := s.calls("found")
	if want := []int{2, 2, 2}; !slices.Equal(found, want) {
		t.Errorf("the calls found %v, want %v", found, want)
	}
}

// Conversations are looked into in the order of their messages, however many there are.
func TestSearchInMessagesWalksThroughManyConversations(t *testing.T) {
	testenv.Long(t)
	f := newFixture(t)
	o := f.organization()
	s := &searched{fixture: f, reader: f.actor(f.named("Reader", o))}
	var writers []*model.Actor
	for i := range 2*fewConversations + 10 {
		writers = append(writers, f.actor(f.named(fmt.Sprint("Writer", i), o)))
	}
	for i := range 3 * len(writers) {
		f.now = f.now.Add(time.Second)
		text := fmt.Sprint("found ", i)
		_, err := f.service.Send(t.Context(), writers[(i*7)%len(writers)],
			SendCommand{Recipient: s.reader.Account.String(), Body: text})
		if err != nil {
			t.Fatal(err)
		}
		s.texts = append(s.texts, text)
	}
	slices.Reverse(s.texts)
	s.calls("found")
}
