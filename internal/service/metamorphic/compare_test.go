package metamorphic

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// recentMessages is how many of the last messages are compared after every call.
const recentMessages = 10

// everything reports whether it is the turn of all that takes long.
func (p *play) everything() bool { return p.finished || p.compared%6 == 0 }

// compare asks for everything that each account can see, on both sides.
func (p *play) compare(t *rapid.T) {
	p.compared++
	if err := p.kept.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.doSteps(t)
	for _, a := range p.world.accounts {
		actor := p.actor(t, a)
		p.compareReader(t, a, actor)
	}
	p.compareScopes(t)
	p.compareGroups(t)
	p.compareOrganizations(t)
}

// compareReader compares all that an account is shown of messages.
func (p *play) compareReader(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	p.compareQueue(t, a, actor)
	p.compareMessages(t, a, actor)
	p.compareRoster(t, a, actor)
	p.compareUnread(t, a, actor)
	p.compareHistories(t, a, actor)
	p.compareConversations(t, a, actor)
	p.compareSearches(t, a, actor)
}

func wantSame(t *rapid.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\nthe service  %+v\nthe contract %+v", what, got, want)
	}
}

// seenMessage is what is compared of a message as one reader sees it.
type seenMessage struct {
	id                model.MessageID
	organization      model.OrganizationID
	sender            model.AccountID
	recipient         model.EntityID
	group             bool
	body              string
	created, expires  time.Time
	ttl, priority     int
	dor, recalled     bool
	status            model.Status
	originalSender    model.AccountID
	originallyCreated time.Time
	reply             model.MessageID
	step              model.EscalationPart
	confirmed         string
}

func asSeen(m *model.Message) seenMessage {
	out := seenMessage{
		m.ID, m.Organization, m.Sender, m.Recipient, m.Group, m.Body, m.Created, m.Expires, m.TTL, m.Priority, m.DOR,
		m.Recalled, m.Status.OfMessage(), model.AccountID{}, time.Time{}, m.ReplyTo, model.EscalationPart{},
		fmt.Sprint(m.ConfirmedBy),
	}
	if m.Escalation.Step > 0 {
		out.step = m.Escalation
	}
	if m.Forwarded != nil {
		out.originalSender, out.originallyCreated = m.Forwarded.Sender, m.Forwarded.Created
	}
	return out
}

func (m *message) seenWith(status model.Status) seenMessage {
	out := seenMessage{
		m.id, m.organization.id, m.sender.id, m.to(), m.group != nil, m.body, m.created, m.expires, m.ttl, m.priority, m.dor,
		m.recalled, status.OfMessage(), model.AccountID{}, time.Time{}, model.MessageID{}, m.part(), "[]",
	}
	if m.recalled {
		out.body = ""
	} else if m.reply != nil {
		out.reply = m.reply.id
	}
	if m.original != nil {
		out.originalSender, out.originallyCreated = m.original.Sender, m.original.Created
	}
	return out
}

// seenEvent is what is compared of an event.
type seenEvent struct {
	kind         model.EventKind
	organization model.OrganizationID // where the kind tells it
	message      seenMessage
	about        model.MessageID
	said         said
}

func (p *play) compareQueue(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	got, err := p.service.Poll(t.Context(), actor, service.PollOptions{Limit: service.MaxEvents})
	if err != nil {
		t.Fatal(err)
	}
	want := p.world.visibleQueue(a)
	for i := range max(len(got), len(want)) {
		var service, contract any
		if i < len(got) {
			service = asSeenEvent(&got[i])
		}
		if i < len(want) {
			contract = want[i].seenBy(a)
		}
		wantSame(t, fmt.Sprintf("event %d of %d in the queue of %s", i+1, len(want), a.name), service, contract)
		if want[i].id != "" && want[i].id != got[i].ID {
			t.Fatalf("event %d in the queue of %s has another id than before", i+1, a.name)
		}
		want[i].id = got[i].ID
	}
}

func asSeenEvent(e *model.Event) seenEvent {
	out := seenEvent{kind: e.Kind}
	switch {
	case e.Message != nil:
		out.organization, out.message = e.Message.Organization, asSeen(e.Message)
	case e.Status != nil && e.Status.Recalled:
		out.about, out.said.recall = e.Status.Message, true
	case e.Status != nil:
		out.about, out.said = e.Status.Message, said{account: e.Status.Account, status: e.Status.Status, time: e.Status.Time}
	case e.Escalated != nil:
		out.about = e.Escalated.Message
		out.said = said{step: e.Escalated.Step, to: fmt.Sprint(e.Escalated.To), time: e.Escalated.Time}
	case e.Friend != nil:
		out.organization, out.said = e.Friend.Organization, said{added: e.Friend.Added, entity: entityOf(&e.Friend.Entity)}
	case e.Bang != nil:
		out.organization = e.Bang.Target.Organization
		out.said = said{added: e.Bang.Added, entity: entityOf(&e.Bang.Target), caller: e.Bang.Caller.Account.ID,
			account: e.Bang.Subject.Account.ID, time: e.Bang.Created}
	case e.Entity != nil:
		out.organization, out.said.entity = e.Entity.Organization, entityOf(e.Entity)
	case e.Settings != nil:
		out.organization = e.Settings.Organization
	case e.AdminRequest != nil:
		out.organization, out.said.entity = e.AdminRequest.Organization, model.EntityID(e.AdminRequest.Group)
	}
	return out
}

func entityOf(e *model.Entity) model.EntityID {
	if e.Group != nil {
		return e.Group.Entity()
	}
	return model.EntityID(e.Account.ID)
}

func (e *event) seenBy(a *account) seenEvent {
	out := seenEvent{kind: e.kind, said: e.said}
	switch {
	case e.content:
		out.organization, out.message = e.organization.id, e.message.seenWith(e.message.copies[a].status)
	case e.message != nil:
		out.about = e.message.id
	default:
		out.organization = e.organization.token()
	}
	return out
}

func (p *play) compareMessages(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	// A look at every old message after every call would be most of the work: they
	// have their turn now and then, and at the end.
	messages := p.world.messages
	if n := len(messages); n > recentMessages && !p.everything() {
		messages = messages[n-recentMessages:]
	}
	statuses, err := p.service.MessageStatuses(t.Context(), actor, ids(messages))
	if err != nil {
		t.Fatal(err)
	}
	known := map[model.MessageID]service.MessageStatus{}
	for _, s := range statuses {
		known[s.Message] = s
	}
	for _, m := range messages {
		what := fmt.Sprintf("%#v for %s", m, a.name)
		status, visible := known[m.id]
		wantSame(t, what+" is visible", visible, p.world.sees(a, m))
		if visible {
			wantSame(t, "statuses of "+what, status, p.world.statusFor(a, m))
		}
		// What is in the queue was compared there; the sender's least of all was not.
		if !p.everything() && a != m.sender {
			continue
		}
		got, err := p.service.Message(t.Context(), actor, m.id)
		if !visible {
			agree(t, what, err, notFound)
			continue
		}
		agree(t, what, err, fine)
		wantSame(t, what, asSeen(&got), p.world.shown(a, m))
	}
}

// statusFor is call 15: each recipient's for the sender, its own for a recipient.
func (w *world) statusFor(a *account, m *message) service.MessageStatus {
	out := service.MessageStatus{Message: m.id, Recalled: m.recalled}
	for reader, c := range m.copies {
		if w.asSender(a, m) && !c.history || !w.asSender(a, m) && reader == a {
			out.Rows = append(out.Rows, model.StatusRow{Account: reader.id, Status: c.status, Time: c.since})
		}
	}
	slices.SortFunc(out.Rows, func(a, b model.StatusRow) int { return compareIDs(a.Account, b.Account) })
	return out
}

type seenEntry struct {
	organization     model.OrganizationID
	entity           model.EntityID
	group            bool
	last             time.Time
	unread, priority int
}

func (p *play) compareRoster(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	roster, err := p.service.Roster(t.Context(), actor)
	if err != nil {
		t.Fatal(err)
	}
	got, want := []seenEntry{}, []seenEntry{}
	for i, e := range roster {
		c := e.Conversation
		got = append(got, seenEntry{c.Organization, c.Entity, c.Group, c.LastMessage, c.Unread, c.UnreadPriority})
		if i > 0 && got[i].last.After(got[i-1].last) {
			t.Fatalf("the roster of %s is not the newest first", a.name)
		}
		if shown := entityOf(&e.Entity); shown != c.Entity {
			t.Fatalf("the roster of %s shows %s as %s", a.name, c.Entity, shown)
		}
	}
	for subject, c := range a.roster {
		if c.listed && a.memberOf(subject.organization) {
			unread, priority := p.world.unread(a, subject)
			want = append(want, seenEntry{subject.organization.id, subject.entity, subject.group, c.last, unread, priority})
		}
	}
	order := func(a, b seenEntry) int {
		return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.organization, b.organization), compareIDs(a.entity, b.entity))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	wantSame(t, "roster of "+a.name, got, want)
}

func (p *play) compareUnread(t *rapid.T, a *account, actor *model.Actor) {
	t.Helper()
	got, err := p.service.Unread(t.Context(), actor, "me")
	if err != nil {
		t.Fatal(err)
	}
	var all service.Unread
	for _, o := range p.world.organizations {
		var in service.Unread
		for _, subject := range slices.Collect(maps.Keys(a.roster)) {
			if subject.organization == o {
				messages, priority := p.world.unread(a, subject)
				in.Messages += messages
				in.Priority += priority
			}
		}
		all.Messages += in.Messages
		all.Priority += in.Priority
		if !p.everything() {
			continue // the roster has them too
		}
		got, err := p.service.UnreadIn(t.Context(), actor, "me", o.id)
		if !a.memberOf(o) {
			agree(t, "unread in an organization", err, notFound)
			continue
		}
		agree(t, "unread in an organization", err, fine)
		wantSame(t, "unread of "+a.name+" in "+o.name, got, in)
	}
	wantSame(t, "unread of "+a.name, got, all)
}

// compareGroups: the members, in order, as everybody sees them who may.
func (p *play) compareGroups(t *rapid.T) {
	t.Helper()
	for i, g := range p.world.groups {
		a := p.world.accounts[i%len(p.world.accounts)]
		got, err := p.service.Group(t.Context(), p.actor(t, a), g.id)
		if !g.seenBy(a) {
			agree(t, "a group", err, notFound)
			continue
		}
		agree(t, "a group", err, fine)
		var members []model.AccountID
		for _, m := range g.members {
			members = append(members, m.id)
		}
		wantSame(t, "members of a group", got.Members, members)
		wantSame(t, "flags of a group", []bool{got.ReplayHistory, got.Public}, []bool{g.replay, g.public})
	}
}

// compareOrganizations: those of each account, with how many members they have.
func (p *play) compareOrganizations(t *rapid.T) {
	t.Helper()
	for _, a := range p.world.accounts {
		got, err := p.service.OrganizationsOf(t.Context(), p.actor(t, a), "me")
		agree(t, "organizations of "+a.name, err, fine)
		shown, want := map[model.OrganizationID]int{}, map[model.OrganizationID]int{}
		for _, o := range got {
			shown[o.ID] = o.Members
		}
		for _, o := range p.world.organizationsOf(a) {
			want[o.id] = len(inside(p.world.accounts, o))
		}
		wantSame(t, "organizations of "+a.name, shown, want)
	}
}
