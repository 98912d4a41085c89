package metamorphic

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// TestAClientThatFollowsShowsWhatThereIs plays calls of everybody, and kills of the server,
// beside clients that load their conversations once, follow the events, and ask for what
// came after when they are back: each shows what the contract says that its account sees.
func TestAClientThatFollowsShowsWhatThereIs(t *testing.T) {
	template := newTemplate(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t, template)
		p.open(t)
		clients := map[*account]*follower{}
		for _, a := range p.world.accounts {
			clients[a] = &follower{play: p, account: a, due: true}
		}
		t.Repeat(map[string]func(*rapid.T){
			"send":             p.send,
			"send again":       p.send,
			"send to a group":  p.sendToGroup,
			"send there again": p.sendToGroup,
			"forward":          p.forward,
			"mark":             p.mark,
			"read all":         p.readConversation,
			"recall":           p.recall,
			"unlist":           p.removeFromRoster,
			"create group":     p.createGroup,
			"update group":     p.updateGroup,
			"add to group":     p.addToGroup,
			"add once more":    p.addToGroup,
			"remove of group":  p.removeFromGroup,
			"delete group":     p.deleteGroup,
			"join":             p.join,
			"leave":            p.leave,
			"end organization": p.deleteOrganization,
			"wait a little":    p.waitALittle,
			"wait long":        p.waitLong,
			"sweep":            p.sweep,
			"kill":             p.kill,
			"follow":           func(t *rapid.T) { clients[p.anybody(t, "who")].compare(t) },
			"":                 p.settle,
		})
		for _, a := range p.world.accounts {
			clients[a].compare(t)
		}
	})
}

func (p *play) settle(t *rapid.T) {
	t.Helper()
	if err := p.kept.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// kill ends the server and starts another one on what is on disk.
func (p *play) kill(t *rapid.T) {
	if err := errors.Join(p.kept.Close(), p.start(t)); err != nil {
		t.Fatal(err)
	}
}

// follower is a client of an account.
type follower struct {
	*play
	account *account
	due     bool      // to load everything
	at      time.Time // when it was last here
	last    string    // the event up to which it has followed
	shown   map[model.MessageID]model.Message
	subject map[model.MessageID]subject
	synced  map[subject]int64 // the last sort that it got by asking
}

// compare follows what happened, asks for the rest, and compares what is shown then.
func (f *follower) compare(t *rapid.T) {
	t.Helper()
	actor := f.actor(t, f.account)
	now := f.world.now
	if !f.at.Add(f.world.retention - time.Second).After(now) { // events may be gone
		f.due = true
	}
	f.at = now
	f.follow(t, actor)
	if f.due {
		f.shown, f.subject = map[model.MessageID]model.Message{}, map[model.MessageID]subject{}
		f.synced, f.due = map[subject]int64{}, false
	}
	f.ask(t, actor)
	f.end(t, actor)
	for _, subject := range f.world.subjects(f.account) {
		got, want := []seenText{}, []seenText{}
		for id, m := range f.shown {
			if f.subject[id] == subject {
				got = append(got, seenText{id, m.Body, m.Recalled})
			}
		}
		for _, m := range f.world.history(f.account, subject) {
			text := seenText{m.id, m.body, m.recalled}
			if m.recalled {
				text.body = ""
			}
			want = append(want, text)
		}
		order := func(a, b seenText) int { return compareIDs(a.id, b.id) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		wantSame(t, fmt.Sprintf("what the client of %s shows of %s", f.account.name, subject.entity), got, want)
	}
}

// seenText is what a client shows of a message.
type seenText struct {
	id       model.MessageID
	body     string
	recalled bool
}

// follow reads the events that are new.
func (f *follower) follow(t *rapid.T, actor *model.Actor) {
	t.Helper()
	for {
		events, err := f.service.Poll(t.Context(), actor, service.PollOptions{Limit: service.MaxEvents, After: f.last})
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			e := &events[i]
			f.last = e.ID
			switch {
			case f.due: // all of it comes anyway
			case e.Message != nil:
				f.show(e.Message)
			case e.Status != nil && e.Status.Recalled:
				f.recalled(e.Status.Message)
			case e.Friend != nil && !e.Friend.Added:
				f.forget(e.Friend.Organization, entityOf(&e.Friend.Entity))
			case e.Settings != nil:
				f.due = true
			}
		}
		if len(events) < service.MaxEvents {
			return
		}
	}
}

func (f *follower) show(m *model.Message) {
	for _, o := range f.world.organizations {
		if o.id != m.Organization {
			continue
		}
		at := subject{o, m.Recipient, m.Group}
		if !m.Group && m.Recipient == f.account.entity() {
			at.entity = model.EntityID(m.Sender)
		}
		f.shown[m.ID], f.subject[m.ID] = *m, at
	}
}

func (f *follower) recalled(id model.MessageID) {
	if m, ok := f.shown[id]; ok {
		m.Recalled, m.Content = true, model.Content{}
		f.shown[id] = m
	}
}

// forget removes a conversation, and what is known of it. Of a group that others removed the
// account from, what it may see still is asked for anew; of one that it took from its roster there
// is nothing.
func (f *follower) forget(organization model.OrganizationID, entity model.EntityID) {
	for id, at := range f.subject {
		if at.organization.id == organization && at.entity == entity {
			delete(f.shown, id)
			delete(f.subject, id)
			delete(f.synced, at)
		}
	}
}

// ask loads the list of conversations, and of each what came after the last time.
func (f *follower) ask(t *rapid.T, actor *model.Actor) {
	t.Helper()
	list := service.ConversationsCommand{PageSize: 3}
	for {
		page, next, err := f.service.Conversations(t.Context(), actor, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			if e.LastMessage == nil {
				continue
			}
			for _, o := range f.world.organizations {
				if o.id == e.Conversation.Organization {
					f.askAfter(t, actor, subject{o, e.Conversation.Entity, e.Conversation.Group})
				}
			}
		}
		if list.Continuation = next; next == "" {
			return
		}
	}
}

func (f *follower) askAfter(t *rapid.T, actor *model.Actor, at subject) {
	t.Helper()
	for {
		after := f.synced[at]
		page, err := f.service.History(t.Context(), actor, service.HistoryCommand{Entity: at.entity.String(),
			Organization: at.organization.id, After: &after, Limit: 4})
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Messages {
			f.show(&page.Messages[i])
			f.synced[at] = page.Messages[i].Sort
		}
		if !page.More {
			return
		}
	}
}

// end takes away what has ended: a client knows when a message expires, and asks for those
// that go once they are read. Of its own recalls nobody tells it.
func (f *follower) end(t *rapid.T, actor *model.Actor) {
	t.Helper()
	for _, m := range f.world.messages {
		if m.recalled && m.sender == f.account {
			f.recalled(m.id)
		}
	}
	for id, m := range f.shown {
		ended := !m.Expires.IsZero() && !f.world.now.Before(m.Expires)
		if m.DOR && !ended {
			_, err := f.service.Message(t.Context(), actor, id)
			ended = codeOf(t, err) == notFound
		}
		if ended {
			delete(f.shown, id)
			delete(f.subject, id)
		}
	}
}
