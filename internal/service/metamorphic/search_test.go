package metamorphic

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// compareSearches looks for messages as an account. It finds those of its histories that match, but
// for those that go once they were read.
func (p *play) compareSearches(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	if !p.everything() {
		return
	}
	ask, subjects, sender := p.drawSearch(t, a)
	want := []seenMessage{}
	for _, subject := range subjects {
		for _, m := range p.world.history(a, subject) {
			if finds(&ask, sender, m) {
				want = append(want, p.world.shown(a, m))
			}
		}
	}
	got := []seenMessage{}
	last := int64(1 << 62)
	for {
		page, err := p.service.SearchMessages(t.Context(), actor, ask)
		if ask.Entity != "" && !p.world.subjectFound(a, subjects[0]) && len(p.world.history(a, subjects[0])) == 0 {
			agree(t, "a search in a conversation", err, notFound)
			return
		}
		agree(t, "a search of "+a.name, err, fine)
		for i := range page.Hits {
			m := &page.Hits[i].Message
			if got = append(got, asSeen(m)); m.Sort > last {
				t.Fatalf("what %s finds is not the newest first", a.name)
			}
			last = m.Sort
		}
		if ask.Continuation = page.Continuation; ask.Continuation == "" {
			break // a page that is not the last may have fewer messages: it ends when it was much work
		}
	}
	order := func(a, b seenMessage) int { return slices.Compare(a.id[:], b.id[:]) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	wantSame(t, "what "+a.name+" finds", got, want)
}

// drawSearch draws what an account looks for, the conversations in which that is, and whose messages
// alone they are to be; nil: anybody's.
func (p *play) drawSearch(t *rapid.T, a *account) (ask service.MessageSearchCommand, subjects []subject,
	sender *account) {
	subjects = p.world.subjects(a)
	ask = service.MessageSearchCommand{PageSize: rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "page"),
		Text: rapid.SampledFrom([]string{"body", "same", "bod 1"}).Draw(t, "text")}
	if len(subjects) > 0 && rapid.Bool().Draw(t, "of one conversation") {
		subjects = []subject{pick(t, subjects, "conversation")}
		ask.Entity, ask.Organization = subjects[0].entity.String(), subjects[0].organization.id
	}
	if rapid.IntRange(0, 2).Draw(t, "of one sender") == 0 {
		sender = p.anybody(t, "sender")
		ask.Sender = sender.id.String()
	}
	if len(p.world.messages) > 0 && rapid.IntRange(0, 2).Draw(t, "within times") == 0 {
		ask.Since = pick(t, p.world.messages, "since").created
		ask.Until = ask.Since.Add(pick(t, p.world.messages, "until").created.Sub(ask.Since).Abs())
	}
	return ask, subjects, sender
}

// finds reports whether a search that asks for one sender, or for anybody's, finds a message.
func finds(ask *service.MessageSearchCommand, sender *account, m *message) bool {
	switch {
	case m.recalled, m.dor, sender != nil && m.sender != sender:
		return false
	case !ask.Since.IsZero() && m.created.Before(ask.Since), !ask.Until.IsZero() && !m.created.Before(ask.Until):
		return false
	default:
		return says(m.body, ask.Text)
	}
}

// says reports whether each word begins one of a body.
func says(body, words string) bool {
	for _, word := range strings.Fields(words) {
		if !slices.ContainsFunc(strings.Fields(body), func(s string) bool { return strings.HasPrefix(s, word) }) {
			return false
		}
	}
	return true
}
