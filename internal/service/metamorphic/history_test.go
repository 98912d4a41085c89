package metamorphic

import (
	"cmp"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// history is what an account sees of a conversation, the newest first (contract, section 7).
func (w *world) history(a *account, p subject) (out []*message) {
	for _, m := range slices.Backward(w.messages) {
		if m.subjectOf(a) == p && w.sees(a, m) {
			out = append(out, m)
		}
	}
	return out
}

// statusSeen is the status with which an account sees a message.
func (w *world) statusSeen(a *account, m *message) model.Status {
	if w.asSender(a, m) {
		return m.least()
	}
	return m.copies[a].status
}

// shown is a message as an account sees it: the sender sees who confirmed it, too.
func (w *world) shown(a *account, m *message) seenMessage {
	out := m.seenWith(w.statusSeen(a, m))
	if w.asSender(a, m) {
		out.confirmed = fmt.Sprint(m.confirmedBy())
	}
	return out
}

// subjects are those in which an account ever had a message.
func (w *world) subjects(a *account) (out []subject) {
	for _, m := range w.messages {
		if p := m.subjectOf(a); (m.sender == a || m.copies[a] != nil) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// conversations are subjects, and the groups of which an account ever had a note.
func (w *world) conversations(a *account) []subject {
	out := w.subjects(a)
	for _, n := range w.notes {
		if p := n.group.subject(); n.got[a] != 0 && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// subjectFound reports whether an account finds a subject without any message.
func (w *world) subjectFound(a *account, p subject) bool {
	for _, g := range w.groups {
		if g.subject() == p {
			return g.seenBy(a)
		}
	}
	for _, to := range w.accounts {
		if to.entity() == p.entity {
			_, code := w.findSubject(a, to, nil, p.organization)
			return code == fine || a.operator && to.memberOf(p.organization)
		}
	}
	return false
}

// compareHistories pages through the conversations of an account, in both directions.
func (p *play) compareHistories(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	if !p.everything() {
		return
	}
	for _, subject := range p.world.conversations(a) {
		want := p.world.history(a, subject)
		what := fmt.Sprintf("conversation of %s with %s in %#v", a.name, subject.entity, subject.organization)
		ask := service.HistoryCommand{Entity: subject.entity.String(), Organization: subject.organization.id,
			Limit: rapid.SampledFrom([]int{1, 3, 50}).Draw(t, "page")}
		if len(want) == 0 && !p.world.subjectFound(a, subject) {
			_, err := p.service.History(t.Context(), actor, ask)
			agree(t, what, err, notFound)
			continue
		}
		p.comparePages(t, what, a, actor, ask, want)
		var zero int64
		ask.After = &zero
		slices.Reverse(want)
		p.comparePages(t, what+", from its beginning", a, actor, ask, want)
		if subject.group {
			p.compareNotes(t, what+" with notes, from its beginning", a, actor, ask, subject)
			ask.After = nil
			p.compareNotes(t, what+" with notes", a, actor, ask, subject)
		}
	}
}

func (p *play) comparePages(t *rapid.T, what string, a *account, actor *model.Actor, ask service.HistoryCommand,
	want []*message) {
	t.Helper()
	last := int64(0)
	for {
		got, err := p.service.History(t.Context(), actor, ask)
		agree(t, what, err, fine)
		part := want[:min(len(want), ask.Limit)]
		want = want[len(part):]
		wantSame(t, what+" has more", got.More, len(want) > 0)
		wantSame(t, what+": messages of a page", len(got.Messages), len(part))
		for i, m := range part {
			wantSame(t, what, asSeen(&got.Messages[i]), p.world.shown(a, m))
			sort := got.Messages[i].Sort
			if last != 0 && (sort > last) != (ask.After != nil) {
				t.Fatalf("%s: %d follows on %d", what, sort, last)
			}
			last = sort
		}
		if len(want) == 0 {
			return
		}
		sort := last
		if ask.After != nil {
			ask.After = &sort
		} else {
			ask.Before = &sort
		}
	}
}

// seenConversation is what is compared of an entry of the list.
type seenConversation struct {
	organization     model.OrganizationID
	entity           model.EntityID
	group            bool
	last             model.MessageID // zero: none
	unread, priority int
}

// compareConversations pages through the list of an account's conversations.
func (p *play) compareConversations(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	if !p.everything() {
		return
	}
	ask := service.ConversationsCommand{PageSize: rapid.SampledFrom([]int{1, 2, 50}).Draw(t, "page")}
	got, want := []seenConversation{}, []seenConversation{}
	sort := int64(1 << 62)
	for pages := 0; ; pages++ {
		page, next, err := p.service.Conversations(t.Context(), actor, ask)
		agree(t, "conversations of "+a.name, err, fine)
		for _, e := range page {
			c := e.Conversation
			seen := seenConversation{c.Organization, c.Entity, c.Group, model.MessageID{}, c.Unread, c.UnreadPriority}
			if e.LastMessage != nil {
				seen.last = e.LastMessage.ID
			}
			got = append(got, seen)
			if c.LastSort > sort {
				t.Fatalf("the conversations of %s are not the newest first", a.name)
			}
			if sort = c.LastSort; e.LastMessage != nil && e.LastMessage.Sort > sort {
				t.Fatalf("%s has a newer message than its last", c.Entity)
			}
			if shown := entityOf(&e.Entity); shown != c.Entity {
				t.Fatalf("the conversations of %s show %s as %s", a.name, c.Entity, shown)
			}
		}
		if ask.Continuation = next; next == "" {
			break
		}
		if len(page) != ask.PageSize {
			t.Fatalf("a page of %d has %d conversations, and is not the last", ask.PageSize, len(page))
		}
	}
	subjects := p.world.subjects(a)
	for subject := range a.roster {
		if !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	for _, subject := range subjects {
		c, messages := a.roster[subject], p.world.history(a, subject)
		listed := c != nil && c.listed
		if !a.memberOf(subject.organization) || !listed && len(messages) == 0 {
			continue
		}
		seen := seenConversation{organization: subject.organization.id, entity: subject.entity, group: subject.group}
		if listed {
			seen.unread, seen.priority = p.world.unread(a, subject)
		}
		if len(messages) > 0 {
			seen.last = messages[0].id
		}
		want = append(want, seen)
	}
	order := func(a, b seenConversation) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), compareIDs(a.entity, b.entity))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	wantSame(t, "conversations of "+a.name, got, want)
}

// readConversation marks a conversation Read, up to some message of it.
func (p *play) readConversation(t *rapid.T) {
	a := p.anybody(t, "who")
	subject := pick(t, p.world.subjects(a), "conversation")
	seen := p.world.history(a, subject)
	m := pick(t, seen, "up to")
	actor := p.actor(t, a)
	shown, err := p.service.Message(t.Context(), actor, m.id)
	agree(t, "the message up to which is read", err, fine)
	var read []*message
	for _, other := range slices.Backward(seen[slices.Index(seen, m):]) {
		if p.world.asRecipient(a, other) != nil {
			read = append(read, other)
		}
	}
	p.tick()
	_, err = p.service.ReadConversation(t.Context(), actor, subject.entity.String(), subject.organization.id, shown.Sort)
	p.world.mark(a, nil, read, nil)
	agree(t, "read a conversation", err, fine)
}
