package metamorphic

import (
	"slices"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// draw fills what every letter has.
func (p *play) draw(t *rapid.T, l *letter) {
	l.body = p.name("body")
	if rapid.Bool().Draw(t, "with ttl") {
		ttl := rapid.SampledFrom([]int{model.NoTTL, 1, 2, 60, 200}).Draw(t, "ttl")
		l.ttl = &ttl
	}
	if rapid.Bool().Draw(t, "with dor") {
		dor := rapid.Bool().Draw(t, "dor")
		l.dor = &dor
	}
	l.priority = rapid.IntRange(-1, 1).Draw(t, "priority")
	if request := rapid.IntRange(-4, 2).Draw(t, "request"); request >= 0 {
		// Few ids and few bodies, so that requests are repeated and clash.
		l.request = string(rune('a' + request))
		l.body = rapid.SampledFrom([]string{"same", "same", "other"}).Draw(t, "body")
	}
}

func (p *play) send(t *rapid.T) {
	l := &letter{from: p.anybody(t, "from"), to: p.anybody(t, "to")}
	l.named = p.anOrganization(t, p.world.shared(l.from, l.to))
	p.draw(t, l)
	p.drawReply(t, l, p.world.shared(l.from, l.to))
	p.post(t, l)
}

// drawReply has a letter answer a message now and then: mostly one of its conversation, in one of
// these organizations.
func (p *play) drawReply(t *rapid.T, l *letter, in []*organization) {
	if len(p.world.messages) == 0 || rapid.IntRange(0, 2).Draw(t, "reply") > 0 {
		return
	}
	same := []*message{}
	for _, m := range p.world.messages {
		if slices.ContainsFunc(in, func(o *organization) bool { return m.subjectOf(l.from) == l.subject(o) }) {
			same = append(same, m)
		}
	}
	l.reply = mostly(t, same, p.world.messages, "answered")
}

func (p *play) sendToGroup(t *rapid.T) {
	l := &letter{group: p.aGroup(t)}
	l.from = mostly(t, l.group.members, p.world.accounts, "from")
	p.draw(t, l)
	p.drawReply(t, l, []*organization{l.group.organization})
	p.post(t, l)
}

func (p *play) forward(t *rapid.T) {
	l := &letter{forward: recent(t, p.world.messages, "message")}
	readers := []*account{}
	for _, a := range p.world.accounts {
		if p.world.sees(a, l.forward) {
			readers = append(readers, a)
		}
	}
	l.from = mostly(t, readers, p.world.accounts, "from")
	p.draw(t, l)
	l.body, l.ttl, l.dor = "", nil, nil
	if len(p.world.groups) > 0 && rapid.Bool().Draw(t, "to a group") {
		l.group = p.aGroup(t)
	} else {
		l.to = p.anybody(t, "to")
		l.named = p.anOrganization(t, p.world.shared(l.from, l.to))
	}
	p.post(t, l)
}

// post sends a letter on both sides, now and then with a key of one organization.
func (p *play) post(t *rapid.T, l *letter) {
	p.tick()
	actor := p.actor(t, l.from)
	if in := p.world.organizationsOf(l.from); !l.from.operator && len(in) > 0 && l.request == "" &&
		rapid.IntRange(0, 2).Draw(t, "with a scope") == 0 {
		o := rapid.SampledFrom(in).Draw(t, "scope")
		actor = p.scopedActor(t, scoped{l.from, o, l.from.joined[o]})
		joined := l.from.joined
		defer func() { l.from.joined = joined }()
		l.from.joined = map[*organization]tick{o: joined[o]}
	}
	var sent service.Sent
	var err error
	if l.forward != nil {
		sent, err = p.service.Forward(t.Context(), actor, service.ForwardCommand{
			Message: l.forward.id, Recipient: l.entity().String(), SenderOrganization: l.named.token(), Priority: &l.priority,
			RequestID: l.request,
		})
	} else {
		sent, err = p.service.Send(t.Context(), actor, service.SendCommand{
			Recipient: l.entity().String(), SenderOrganization: l.named.token(), RecipientOrganization: l.named.token(),
			Body: l.body, TTL: l.ttl, DOR: l.dor, Priority: &l.priority, RequestID: l.request,
			ReplyTo: l.reply.token(), Escalate: l.escalate(),
		})
	}
	m, repeated, code := p.world.send(l, sent.Message)
	agree(t, "send", err, code)
	if code != fine {
		return
	}
	if sent.Message != m.id || sent.TTL != m.ttl || sent.Repeated != repeated {
		t.Fatalf("send: message %s, ttl %d, repeated %t; want %s, %d, %t", sent.Message, sent.TTL, sent.Repeated, m.id, m.ttl,
			repeated)
	}
	if shown := sent.Row != nil; shown != p.world.sees(l.from, m) {
		t.Fatalf("send: the message is in the answer: %t", shown)
	}
}

func (p *play) acknowledge(t *rapid.T) {
	a := p.anybody(t, "who")
	events := some(t, a.queue, 12, "events")
	ids := []string{"", "nonsense", model.Cursor{Epoch: "other", Position: 1}.String(),
		model.Cursor{Epoch: p.kept.Epoch(), Position: 1}.String()}
	seen := []*event{}
	for _, e := range events {
		if e.id != "" { // one that is over before anybody saw it has no name
			seen, ids = append(seen, e), append(ids, e.id)
		}
	}
	p.tick()
	err := p.service.Acknowledge(t.Context(), p.actor(t, a), ids)
	p.world.acknowledge(a, seen)
	agree(t, "acknowledge", err, fine)
}

func (p *play) deleteEvents(t *rapid.T) {
	a := p.anybody(t, "who")
	p.tick()
	deleted, err := p.service.DeleteEvents(t.Context(), p.actor(t, a), false)
	agree(t, "delete events", err, fine)
	if want := len(p.world.visibleQueue(a)); deleted.Events != want {
		t.Fatalf("delete events: %d are gone, want %d", deleted.Events, want)
	}
	a.queue = nil
}

func (p *play) mark(t *rapid.T) {
	a := p.anybody(t, "who")
	theirs, all := []*message{}, p.world.messages
	for _, m := range all {
		if m.copies[a] != nil && !m.ended(p.world.now) {
			theirs = append(theirs, m)
		}
	}
	if len(all) > 0 { // and one that may be of others
		theirs = append(theirs, pick(t, all, "any"))
	}
	delivered, read := some(t, theirs, 6, "delivered"), some(t, theirs, 6, "read")
	confirmed := some(t, theirs, 3, "confirmed")
	p.tick()
	err := p.service.MarkStatus(t.Context(), p.actor(t, a), service.Marks{Delivered: ids(delivered), Read: ids(read),
		Confirmed: ids(confirmed)})
	p.world.mark(a, delivered, read, confirmed)
	agree(t, "mark", err, fine)
}

func ids(messages []*message) []model.MessageID {
	out := []model.MessageID{{1}} // which nobody sent
	for _, m := range messages {
		out = append(out, m.id)
	}
	return out
}

func (p *play) recall(t *rapid.T) {
	m := recent(t, p.world.messages, "message")
	a := m.sender
	if rapid.IntRange(0, 3).Draw(t, "by another") == 0 {
		a = p.anybody(t, "who")
	}
	p.tick()
	err := p.service.Recall(t.Context(), p.actor(t, a), m.id)
	agree(t, "recall", err, p.world.recall(a, m))
}
