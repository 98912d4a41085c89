package metamorphic

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"signet/internal/model"
)

// world is the platform as the contract tells it.
type world struct {
	now           time.Time
	retention     time.Duration // of events
	tick          tick
	accounts      []*account
	organizations []*organization // deleted ones too
	groups        []*group        // deleted ones too
	messages      []*message      // all that were ever sent
	notes         []*note         // all that were ever written
	escalations   []*escalation   // all that were ever begun
}

// tick orders what happens; it only grows.
type tick int64

func (w *world) next() tick {
	w.tick++
	return w.tick
}

// account is a person. The first one is the operator, who administers everything.
type account struct {
	name     string
	id       model.AccountID
	operator bool
	home     *organization          // which created it; nil: none did
	joined   map[*organization]tick // of its memberships
	queue    []*event
	roster   map[subject]*conversation
	requests map[string]*request
}

type organization struct {
	id      model.OrganizationID
	name    string
	ttl     *int // minutes
	maxTTL  *int
	dor     bool
	forward bool
	deleted bool
}

type group struct {
	id           model.GroupID
	organization *organization
	creator      *account
	members      []*account // in the order in which they joined
	replay       bool
	public       bool
	deleted      bool // members are those at that moment
	rota         *rota
}

// message is what was sent, and what became of it.
type message struct {
	id           model.MessageID
	organization *organization
	sender       *account
	recipient    *account // one to one
	group        *group   // or to a group
	body         string
	created      time.Time
	expires      time.Time // zero: never
	ttl          int
	dor          bool
	priority     int
	original     *model.Original
	reply        *message
	replay       bool // sent to a group while its history was on
	recalled     bool
	sent         tick
	copies       map[*account]*received
	escalation   *escalation // nil: it has none
	step         int         // which sent it, of the escalation of another one; 0: none
}

// received is one recipient's copy.
type received struct {
	status  model.Status
	since   time.Time // of the status
	got     tick
	history bool // it came with a group's history
}

// subject is where a conversation is kept: one peer or group in an organization.
type subject struct {
	organization *organization
	entity       model.EntityID
	group        bool
}

type conversation struct {
	listed  bool
	last    time.Time // of the last message; zero: none
	cleared tick      // what is not after it counts no more
	removed tick      // what is not after it is gone for the account
}

// event is an entry of a queue.
type event struct {
	id           string // as the service named it, once it was seen
	at           time.Time
	kind         model.EventKind
	organization *organization // nil: of none
	message      *message
	content      bool // it carries the message
	said         said
}

// said is what an event without a message says, as far as it is compared.
type said struct {
	account model.AccountID // whose status; subject of a bang
	status  model.Status
	time    time.Time
	recall  bool
	added   bool
	entity  model.EntityID
	caller  model.AccountID
	step    int    // of an escalation
	to      string // whom it asked
}

type request struct {
	entity  model.EntityID
	content string
	message *message
	created time.Time
}

func (a *account) memberOf(o *organization) bool { return a.joined[o] != 0 }

func (a *account) entity() model.EntityID { return model.EntityID(a.id) }

// organizationsOf lists where an account belongs, the oldest membership first.
func (w *world) organizationsOf(a *account) []*organization { return w.shared(a, a) }

// shared lists the organizations that two accounts have in common, first the one that
// the second has belonged to longest.
func (w *world) shared(a, b *account) (out []*organization) {
	for _, o := range w.organizations {
		if a.memberOf(o) && b.memberOf(o) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(x, y *organization) int { return cmp.Compare(b.joined[x], b.joined[y]) })
	return out
}

func (g *group) has(a *account) bool { return slices.Contains(g.members, a) }

// seenBy: members and administrators; a public one, anyone of the organization.
func (g *group) seenBy(a *account) bool {
	return !g.deleted && (a.operator || a.memberOf(g.organization) && (g.has(a) || g.public))
}

// changedBy: members and administrators.
func (g *group) changedBy(a *account) bool {
	return a.operator || a.memberOf(g.organization) && g.has(a)
}

// controlledBy: the creator and administrators.
func (g *group) controlledBy(a *account) bool {
	return a.operator || a.memberOf(g.organization) && g.creator == a
}

// conversation returns an account's entry for a subject, which is made if need be.
func (a *account) conversation(p subject) *conversation {
	c := a.roster[p]
	if c == nil {
		c = &conversation{}
		a.roster[p] = c
	}
	return c
}

// subjectOf is where an account keeps a message: under the group, or under the other
// of the two.
func (m *message) subjectOf(a *account) subject {
	switch {
	case m.group != nil:
		return subject{m.organization, model.EntityID(m.group.id), true}
	case m.sender == a:
		return subject{m.organization, m.recipient.entity(), false}
	default:
		return subject{m.organization, m.sender.entity(), false}
	}
}

// token is empty for nil.
func (m *message) token() string {
	if m == nil {
		return ""
	}
	return m.id.String()
}

func (m *message) to() model.EntityID {
	if m.group != nil {
		return model.EntityID(m.group.id)
	}
	return m.recipient.entity()
}

// ended: expired, or delete on read and everybody's time is over.
func (m *message) ended(now time.Time) bool {
	if !m.expires.IsZero() && !now.Before(m.expires) {
		return true
	}
	if !m.dor {
		return false
	}
	recipients := 0
	for _, c := range m.copies {
		if c.history {
			continue
		}
		if recipients++; c.status < model.Read || now.Before(c.since.Add(model.ReadGrace)) {
			return false
		}
	}
	return recipients > 0
}

// after reports whether an account still has what it got at a moment: its
// membership is older, and the conversation was not removed since.
func (a *account) after(m *message, got tick) bool {
	if !a.memberOf(m.organization) || got <= a.joined[m.organization] {
		return false
	}
	c := a.roster[m.subjectOf(a)]
	return c == nil || got > c.removed
}

// asSender reports whether an account sees a message as the one that it sent.
func (w *world) asSender(a *account, m *message) bool {
	return m.sender == a && !m.ended(w.now) && a.after(m, m.sent)
}

// asRecipient returns the copy as which an account sees a message, or nil.
func (w *world) asRecipient(a *account, m *message) *received {
	c := m.copies[a]
	switch {
	case c == nil, m.ended(w.now), !a.after(m, c.got):
		return nil
	case m.dor && c.status >= model.Read && !w.now.Before(c.since.Add(model.ReadGrace)):
		return nil
	}
	return c
}

func (w *world) sees(a *account, m *message) bool {
	return w.asSender(a, m) || w.asRecipient(a, m) != nil
}

// least is the least advanced status of all to whom a message was sent.
func (m *message) least() model.Status {
	least, found := model.Confirmed, false
	for _, c := range m.copies {
		if !c.history {
			least, found = min(least, c.status), true
		}
	}
	if !found {
		return model.New
	}
	return least
}

// counts reports whether a message is one that an account has not read in a subject.
func (w *world) counts(a *account, m *message, p subject) bool {
	c := m.copies[a]
	if c == nil || c.status >= model.Read || m.recalled || m.ended(w.now) || !a.memberOf(p.organization) ||
		m.subjectReceived(a) != p {
		return false
	}
	entry := a.roster[p]
	return c.got > a.joined[p.organization] && (entry == nil || c.got > entry.cleared)
}

// subjectReceived is where a recipient keeps a message: of one to itself, too.
func (m *message) subjectReceived(a *account) subject {
	if m.group != nil {
		return m.subjectOf(a)
	}
	return subject{m.organization, m.sender.entity(), false}
}

// unread counts an account's unread messages in a subject.
func (w *world) unread(a *account, p subject) (messages, priority int) {
	for _, m := range w.messages {
		if w.counts(a, m, p) {
			messages++
			if m.priority > 0 {
				priority++
			}
		}
	}
	return messages, priority
}

// queued reports whether an entry of an account's queue is to be seen: young
// enough, and if it carries a message, that is not over for the reader.
func (w *world) queued(a *account, e *event) bool {
	if w.tooOld(e) {
		return false
	}
	if !e.content {
		return true
	}
	c := e.message.copies[a]
	return !e.message.recalled && !e.message.ended(w.now) &&
		!(e.message.dor && c.status >= model.Read && !w.now.Before(c.since.Add(model.ReadGrace)))
}

func (w *world) tooOld(e *event) bool { return !e.at.After(w.now.Add(-w.retention)) }

// visibleQueue is what a read of the queue shows.
func (w *world) visibleQueue(a *account) (out []*event) {
	for _, e := range a.queue {
		if w.queued(a, e) {
			out = append(out, e)
		}
	}
	return out
}

// withdraw takes entries out of a queue.
func (a *account) withdraw(which func(*event) bool) { a.queue = slices.DeleteFunc(a.queue, which) }

// tell queues an event.
func (w *world) tell(a *account, e event) {
	e.at = w.now
	a.queue = append(a.queue, &e)
}

func (w *world) tellSettings(a *account, o *organization) {
	w.tell(a, event{kind: model.EventSettings, organization: o})
}

func (w *world) tellFriend(a *account, p subject, added bool) {
	w.tell(a, event{kind: model.EventFriends, organization: p.organization, said: said{added: added, entity: p.entity}})
}

func compareIDs[K any](a, b model.ID[K]) int { return bytes.Compare(a[:], b[:]) }

// The texts of things in the log of a failure.

func (a *account) GoString() string { return a.name }

func (o *organization) GoString() string {
	if o == nil {
		return "none"
	}
	return o.name
}

func (g *group) GoString() string   { return "group " + g.id.String() }
func (m *message) GoString() string { return "message " + m.id.String() }
func (e *event) GoString() string   { return string(e.kind) + " " + e.id }
