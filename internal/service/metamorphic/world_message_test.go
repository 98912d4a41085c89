package metamorphic

import (
	"slices"
	"time"

	"signet/internal/model"
)

// The codes of the refusals that the model foresees; "" is success.
const (
	fine                 = ""
	notFound             = "not_found"
	notAllowed           = "not_allowed"
	notSender            = "not_sender"
	forwardOff           = "forward_off"
	requestReused        = "request_id_reused"
	replyUnknown         = "reply_to_unknown"
	escalationUnknown    = "escalation_to_unknown"
	organizationRequired = "organization_required"
	ttlTooLong           = "ttl_too_long"
	membersUnknown       = "members_unknown"
	lastAdministrator    = "last_administrator"
)

const (
	requestWindow = 24 * time.Hour
	defaultTTL    = 43200
)

// letter is a send as it is asked for.
type letter struct {
	from     *account
	to       *account // or
	group    *group
	named    *organization // nil: left out
	body     string
	ttl      *int
	dor      *bool
	priority int
	request  string
	forward  *message
	reply    *message // which it answers; nil: none
	steps    []step   // by which it is escalated
	until    model.Status
}

func (l *letter) entity() model.EntityID {
	if l.group != nil {
		return model.EntityID(l.group.id)
	}
	return l.to.entity()
}

// content is what a Request-ID stands for beside the recipient.
func (l *letter) content() string {
	if l.forward != nil {
		return "forward " + l.forward.id.String()
	}
	if l.reply != nil {
		return "reply " + l.reply.id.String() + " body " + l.body
	}
	return "body " + l.body + l.escalated()
}

// subject is that of a letter within an organization.
func (l *letter) subject(o *organization) subject { return subject{o, l.entity(), l.group != nil} }

// send carries a letter out: the message, or the first one of a repeated request,
// or why it is refused.
func (w *world) send(l *letter, id model.MessageID) (m *message, repeated bool, code string) {
	if first := w.repeats(l); first != nil {
		if first.entity != l.entity() || first.content != l.content() {
			return nil, false, requestReused
		}
		return first.message, true, fine
	}
	if code := w.mayForward(l); code != fine {
		return nil, false, code
	}
	o, code := w.route(l)
	if code != fine {
		return nil, false, code
	}
	if r := l.reply; r != nil && (!w.sees(l.from, r) || r.recalled || r.subjectOf(l.from) != l.subject(o)) {
		return nil, false, replyUnknown
	}
	if code := w.mayEscalate(l, o); code != fine {
		return nil, false, code
	}
	ttl, code := o.lifetime(l.ttl)
	if code != fine {
		return nil, false, code
	}
	ttl, dor := l.ends(o, ttl)
	m = &message{
		id: id, organization: o, sender: l.from, recipient: l.to, group: l.group, body: l.body, created: w.now, ttl: ttl,
		dor: dor, priority: l.priority, reply: l.reply, copies: map[*account]*received{},
		sent: w.next(),
	}
	if ttl != model.NoTTL {
		m.expires = w.now.Add(time.Duration(ttl) * time.Minute)
	}
	if f := l.forward; f != nil {
		m.body, m.original = f.body, f.original
		if m.original == nil {
			m.original = &model.Original{Sender: f.sender.id, Created: f.created}
		}
	}
	if l.request != "" {
		l.from.requests[l.request] = &request{l.entity(), l.content(), m, w.now}
	}
	w.put(m)
	if l.steps != nil {
		m.escalation = &escalation{message: m, steps: l.steps, until: l.until, letters: []*message{m}}
		w.escalations = append(w.escalations, m.escalation)
	}
	return m, false, fine
}

// put brings a message to all whom it is for.
func (w *world) put(m *message) {
	w.messages = append(w.messages, m)
	own := m.sender.conversation(m.subjectOf(m.sender))
	own.listed, own.last = true, w.now
	if m.group == nil {
		w.deliver(m, m.recipient, false)
		return
	}
	m.replay = m.group.replay
	for _, member := range m.group.members {
		if member != m.sender {
			w.deliver(m, member, false)
		}
	}
}

// repeats returns the request that a letter repeats; nil where it does not.
func (w *world) repeats(l *letter) *request {
	first := l.from.requests[l.request]
	if l.request == "" || first == nil || !first.created.After(w.now.Add(-requestWindow)) {
		return nil
	}
	return first
}

// mayForward is the code of a refusal to forward what a letter does.
func (w *world) mayForward(l *letter) string {
	f := l.forward
	switch {
	case f == nil:
		return fine
	case !w.sees(l.from, f) || f.recalled:
		return notFound
	case !f.organization.forward:
		return forwardOff
	}
	return fine
}

// ends is when a letter ends that lasts so long in an organization: one that forwards another
// lasts no longer than that.
func (l *letter) ends(o *organization, within int) (ttl int, dor bool) {
	ttl, dor = within, o.dor && l.dor == nil || l.dor != nil && *l.dor
	if f := l.forward; f != nil {
		dor = dor || f.dor
		if f.ttl != model.NoTTL && (ttl == model.NoTTL || f.ttl < ttl) {
			ttl = f.ttl
		}
	}
	return ttl, dor
}

// route finds the organization of a message (contract, 5.1).
func (w *world) route(l *letter) (*organization, string) {
	if g := l.group; g != nil {
		if g.deleted || !g.has(l.from) || !l.from.memberOf(g.organization) {
			return nil, notFound
		}
		return g.organization, fine
	}
	common := w.shared(l.from, l.to)
	switch {
	case l.named != nil && slices.Contains(common, l.named):
		return l.named, fine
	case l.named != nil || len(common) == 0:
		return nil, notFound
	default:
		return common[0], fine
	}
}

// lifetime is the one in force (contract, section 4).
func (o *organization) lifetime(asked *int) (int, string) {
	ttl := defaultTTL
	if o.ttl != nil {
		ttl = *o.ttl
	}
	if asked != nil {
		ttl = *asked
		if o.maxTTL != nil && ttl > *o.maxTTL {
			return 0, ttlTooLong
		}
	}
	if o.maxTTL != nil && (ttl == model.NoTTL || ttl > *o.maxTTL) {
		ttl = *o.maxTTL
	}
	return ttl, fine
}

// deliver gives an account its copy, in its queue and in its roster.
func (w *world) deliver(m *message, a *account, history bool) {
	m.copies[a] = &received{since: m.created, got: w.next(), history: history}
	kind := model.EventMessage
	if m.group != nil {
		kind = model.EventGroupMessage
	}
	w.tell(a, event{kind: kind, organization: m.organization, message: m, content: true})
	entry := a.conversation(m.subjectReceived(a))
	entry.listed = true
	if m.created.After(entry.last) {
		entry.last = m.created
	}
}

// statusKind is the kind of an event about a message.
func (m *message) statusKind() model.EventKind {
	if m.group != nil {
		return model.EventGroupStatus
	}
	return model.EventStatus
}

// advance moves an account's copy on, and tells the sender.
func (w *world) advance(a *account, m *message, status model.Status) {
	c := w.asRecipient(a, m)
	if c == nil || m.recalled || c.status >= status {
		return
	}
	if !m.dor || c.status < model.Read {
		c.since = w.now
	}
	c.status = status
	w.hear(m, c)
	if c.history || !m.sender.memberOf(m.organization) {
		return
	}
	m.sender.withdraw(func(e *event) bool {
		return e.message == m && !e.content && !e.said.recall && e.said.account == a.id
	})
	w.tell(m.sender, event{kind: m.statusKind(), organization: m.organization, message: m,
		said: said{account: a.id, status: status, time: w.now}})
}

// mark is call 16: what is confirmed is read, and what is read is delivered, too.
func (w *world) mark(a *account, delivered, read, confirmed []*message) {
	for _, m := range confirmed {
		w.advance(a, m, model.Confirmed)
	}
	for _, m := range read {
		w.advance(a, m, model.Read)
	}
	for _, m := range delivered {
		w.advance(a, m, model.Delivered)
	}
}

// acknowledge is call 3. What is older than the retention is not queued any more.
func (w *world) acknowledge(a *account, events []*event) {
	acknowledged := slices.DeleteFunc(slices.Clone(a.queue), func(e *event) bool { return !slices.Contains(events, e) })
	a.withdraw(func(e *event) bool { return slices.Contains(events, e) })
	for _, e := range acknowledged {
		if e.content && !w.tooOld(e) {
			w.advance(a, e.message, model.Delivered)
		}
	}
}

// recall is call 13.
func (w *world) recall(a *account, m *message) (code string) {
	switch {
	case !w.sees(a, m):
		return notFound
	case !w.asSender(a, m):
		return notSender
	case m.recalled:
		return fine
	}
	m.recalled = true
	if m.escalation != nil && m.step == 0 {
		m.escalation.end(model.EscalationRecalled)
	}
	for reader := range m.copies {
		reader.withdraw(func(e *event) bool { return e.message == m && e.content })
		if reader.memberOf(m.organization) {
			w.tell(reader, event{kind: m.statusKind(), organization: m.organization, message: m, said: said{recall: true}})
		}
	}
	return fine
}
