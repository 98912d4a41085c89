package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/notes"
	"signet/internal/store/threads"
)

// HistoryCommand asks for messages of a conversation (contract, section 7).
type HistoryCommand struct {
	Entity       string // an address
	Organization model.OrganizationID
	Before       *int64 // exclusive, as is the next; at most one of them is there
	After        *int64
	Limit        int
	Notes        bool // of a group, in one order with the messages
}

// History is a page of a conversation: the newest first or, after a place, the oldest.
type History struct {
	Messages    []model.Message
	Notes       []model.Note // where these were asked for
	OldestFirst bool
	More        bool // there are others behind the last
	Looked      int  // how many messages and notes were looked at
}

// Precedes reports whether a note comes before a message on the page.
func (h *History) Precedes(n *model.Note, m *model.Message) bool {
	return (n.Sort < m.Sort) == h.OldestFirst
}

// History returns messages of a conversation that the actor may still see: those, and no
// others, that Message returns to it. It marks none of them.
func (s *Service) History(ctx context.Context, actor *model.Actor, c HistoryCommand) (out History, err error) {
	if c.Before != nil && c.After != nil {
		return out, model.Invalidf("before_and_after", "after", "At most one of before and after is taken.")
	}
	known := s.messages.reading()
	err = fill(ctx, func(room *answerRoom) error {
		read := func(prompt bool) func(*store.Tx) error {
			return func(tx *store.Tx) (err error) {
				*room = answerRoom{small: room.small} // it may run again
				r := &historyReader{service: s, tx: tx, actor: actor, known: known, now: s.now(), prompt: prompt}
				out, err = r.page(ctx, &c, room)
				return err
			}
		}
		if room.small && c.Limit <= DefaultEvents {
			if err := s.store.View(ctx, read(true), store.Short); !errors.Is(err, errWaits) {
				return err
			}
		}
		return s.store.View(ctx, read(false))
	})
	return out, err
}

// page reads a page of a conversation.
func (r *historyReader) page(ctx context.Context, c *HistoryCommand, room *answerRoom) (out History, err error) {
	talk, err := r.service.talk(ctx, r, c.Entity, c.Organization)
	if err != nil {
		return out, err
	}
	thread := talk.thread
	if c.Before != nil {
		thread.Before = min(thread.Before, *c.Before)
	}
	if c.After != nil {
		thread.OldestFirst, thread.After = true, max(thread.After, *c.After)
	}
	messages, err := r.visible(ctx, &thread, c.Limit+1, room)
	if err != nil {
		return out, err
	}
	out = History{Messages: messages, OldestFirst: thread.OldestFirst, More: room.full}
	if c.Notes && talk.group {
		if out.Notes, err = r.notes(ctx, c, &thread); err != nil {
			return out, err
		}
	}
	out.Looked = r.looked + len(out.Notes)
	out.cut(c.Limit)
	return out, r.setStatuses(&thread, out.Messages)
}

// cut leaves what a page has room for: up to limit messages and notes together. Where messages
// were left out for their size, no note is behind the last of those that are there.
func (h *History) cut(limit int) {
	if len(h.Notes) == 0 { // the messages were read while there was room
		h.More = h.More || len(h.Messages) > limit
		h.Messages = h.Messages[:min(limit, len(h.Messages))]
		return
	}
	messages, notes, bytes := 0, 0, 0
	for {
		first := messages+notes == 0
		switch {
		case messages+notes == limit:
			h.More = h.More || messages < len(h.Messages) || notes < len(h.Notes)
		case notes < len(h.Notes) && (messages < len(h.Messages) && h.Precedes(&h.Notes[notes], &h.Messages[messages]) ||
			messages == len(h.Messages) && !h.More):
			if bytes += noteBytes(&h.Notes[notes]); first || bytes <= answerBytes {
				notes++
				continue
			}
			h.More = true
		case messages < len(h.Messages):
			if bytes += messageBytes(&h.Messages[messages]); first || bytes <= answerBytes {
				messages++
				continue
			}
			h.More = true
		}
		h.Messages, h.Notes = h.Messages[:messages], h.Notes[:notes]
		return
	}
}

// notes returns the notes of a part of a group's conversation that the actor may see, one more
// than a page has.
func (r *historyReader) notes(ctx context.Context, c *HistoryCommand, t *threads.Thread) ([]model.Note, error) {
	if _, member := r.actor.Membership(t.Organization); !member {
		return nil, nil
	}
	part := notes.Part{Group: model.GroupID(t.Entity), OldestFirst: t.OldestFirst, Before: threads.Whole,
		Since: r.now.Add(-model.NoteLife)}
	if c.Before != nil {
		part.Before = *c.Before
	}
	if c.After != nil {
		part.After = *c.After
	}
	var err error
	if part.Spans, err = notes.Spans(r.tx, part.Group, r.actor.Account); err != nil {
		return nil, err
	}
	rows, err := notes.Read(r.tx, &part, c.Limit+1)
	if err != nil {
		return nil, err
	}
	out := make([]model.Note, 0, len(rows))
	for i := range rows {
		n, err := r.service.vault.OpenNote(ctx, &rows[i])
		if err != nil {
			// It is shown without the names that do not open, so that paging does not end there.
			if err := r.service.leaveOut(ctx, "a name in a note of a group", err); err != nil {
				return nil, err
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// talk is a conversation of an actor with an account or a group in one organization.
type talk struct {
	subject
	thread threads.Thread // all of it that the actor may see some of
}

// talk finds the conversation with an entity that the actor may see, or with which it has
// messages that it may still see; what is neither is Missing.
func (s *Service) talk(ctx context.Context, r *historyReader, address string,
	organization model.OrganizationID) (t talk, err error) {
	if r.prompt {
		return s.promptTalk(r, address, organization)
	}
	t.subject, err = s.subject(r.tx, r.actor, address, organization)
	if err == nil {
		t.thread, err = r.thread(&t.subject)
	}
	if !model.IsNotFound(err) {
		return t, err
	}
	missing := err
	entity, token, err := s.access.Named(r.tx, r.actor, address)
	if err != nil {
		return t, err
	}
	if ended, err := erasure.Erases(r.tx, model.AccountID(entity)); err != nil || ended {
		return t, cmp.Or(err, missing)
	}
	kept, err := r.kept(ctx, entity, false, organization)
	if err == nil && token { // of an account that is gone, or a group that was deleted, or nothing
		var ofGroup []talk
		ofGroup, err = r.kept(ctx, entity, true, organization)
		kept = append(kept, ofGroup...)
	}
	if err != nil {
		return t, err
	}
	if len(kept) == 0 {
		return t, missing
	}
	if len(kept) == 1 {
		return kept[0], nil
	}
	among := make([]model.OrganizationID, len(kept))
	for i := range kept {
		among[i] = kept[i].organization
	}
	o, err := longest(r.tx, model.AccountID(entity), among)
	for _, t := range kept {
		if t.organization == o {
			return t, err
		}
	}
	return t, err
}

// promptTalk is talk with an account that the actor sees. The statuses of what is sent to a
// group, and what is left of a conversation, take as long as they are large.
func (s *Service) promptTalk(r *historyReader, address string, organization model.OrganizationID) (t talk, err error) {
	entity, theirs, seen, err := s.seenAccount(r.tx, r.actor, address)
	if err != nil || !seen {
		return t, cmp.Or(err, errWaits)
	}
	if t.subject, err = accountSubject(r.actor, entity, theirs, organization); err != nil {
		return t, errWaits // it may have been in that organization
	}
	t.thread, err = r.thread(&t.subject)
	return t, err
}

// kept are the conversations with an entity, which is out of sight or gone, of which there
// are messages that the actor sees.
func (r *historyReader) kept(ctx context.Context, entity model.EntityID, group bool,
	organization model.OrganizationID) (kept []talk, err error) {
	for _, o := range r.actor.Organizations() {
		if organization != "" && o != organization {
			continue
		}
		t := talk{subject: subject{entity: entity, group: group, organization: o}}
		if t.thread, err = r.thread(&t.subject); err != nil {
			return nil, err
		}
		messages, err := r.visible(ctx, &t.thread, 1, nil)
		if err != nil {
			return nil, err
		}
		if len(messages) > 0 {
			kept = append(kept, t)
		}
	}
	return kept, nil
}

// historyReader reads conversations for one reader, in one transaction.
type historyReader struct {
	service *Service
	tx      *store.Tx
	actor   *model.Actor
	known   *messageReading
	now     time.Time
	prompt  bool  // it answers errWaits rather than take long
	muted   Muted // nil until it is needed
	looked  int
}

// thread is the part of a conversation of which the actor may see messages.
func (r *historyReader) thread(p *subject) (t threads.Thread, err error) {
	t = threads.Thread{Organization: p.organization, Reader: r.actor.Account, Entity: p.entity, Group: p.group}
	membership, member := r.actor.Membership(p.organization)
	switch {
	case !member: // an administrator: none
	case p.group:
		err = threads.FindPart(r.tx, &t)
	default:
		var c store.Conversation
		c, _, err = r.tx.Conversation(r.actor.Account, p.organization, p.entity)
		t.After, t.Before, t.Cleared = max(c.Cleared, membership.Since), threads.Whole, c.Cleared
	}
	return t, err
}

const (
	// firstLook and mostLooked are how many messages of a thread are looked at together,
	// where many of them are none that the reader may see.
	firstLook  = 8
	mostLooked = 1000
	// promptLook is how many a prompt read looks at, before it leaves that to another one.
	promptLook = 2 * DefaultEvents
)

// visible returns the next of a thread's messages that the actor may see, at most so many, and
// no more than there is room for. It is accessTo that says which, as it is for Message. The
// status of the actor's own to a group is set by setStatuses.
func (r *historyReader) visible(ctx context.Context, t *threads.Thread, most int, room *answerRoom) ([]model.Message,
	error) {
	if t.After >= t.Before {
		return nil, nil
	}
	if err := r.findMuted(); err != nil {
		return nil, err
	}
	cleared := func(model.EntityID) (int64, error) { return t.Cleared, nil }
	rest := *t
	rest.MostBytes = answerBytes
	if room != nil {
		rest.MostBytes = room.content()
	}
	out := make([]model.Message, 0, most)
	for asked := most; ; asked = min(max(2*asked, firstLook), mostLooked) {
		entries, more, err := threads.Read(r.tx, &rest, asked, r.now, r.known)
		if err != nil {
			return nil, err
		}
		r.looked += len(entries)
		for i := range entries {
			e := &entries[i]
			if e.Message == nil {
				continue
			}
			m, seen, err := r.see(ctx, t, e, cleared)
			if err != nil {
				return nil, err
			}
			if !seen {
				continue
			}
			if room != nil && !room.take(messageBytes(&m)) {
				return out, nil
			}
			if out = append(out, m); len(out) == most {
				return out, nil
			}
		}
		if len(entries) < asked && !more {
			return out, nil
		}
		if r.prompt && r.looked > promptLook {
			return nil, errWaits
		}
		if last := entries[len(entries)-1].Sort; t.OldestFirst {
			rest.After = last
		} else {
			rest.Before = last
		}
	}
}

// findMuted reads what the actor has muted, once.
func (r *historyReader) findMuted() (err error) {
	if r.muted == nil {
		r.muted, err = mutedBy(r.tx, r.actor.Account, r.now)
	}
	return err
}

// see shows a message of a thread to the actor, if it may see it.
func (r *historyReader) see(ctx context.Context, t *threads.Thread, e *threads.Entry,
	cleared func(model.EntityID) (int64, error)) (m model.Message, seen bool, err error) {
	row, own := e.Message, e.Copy
	if own != nil && own.Account != r.actor.Account {
		own = nil
	}
	access, err := accessTo(r.actor, row, own, r.now, cleared)
	if err != nil || !access.any() {
		return m, false, err
	}
	if !row.Recalled && !row.Opened {
		if r.prompt && !r.service.vault.Ready(row) {
			return m, false, errWaits
		}
		if row.Content, err = r.service.vault.OpenMessage(ctx, row); err != nil {
			return m, false, r.service.leaveOut(ctx, "a message of a conversation", err)
		}
		r.known.learn(row)
	}
	m = row.Message
	m.Escalates = access.sender && m.Escalation.Begins()
	switch {
	case !access.sender:
		m.Status = own.Status
	case e.Copy != nil && !t.Group:
		if m.Status = e.Copy.Status; m.Status == model.Confirmed {
			m.ConfirmedBy = []model.AccountID{model.AccountID(m.Recipient)}
		}
	}
	m.Muted = r.muted.covers(t.Organization, t.Entity, r.now)
	return m, true, nil
}

// setStatuses sets the statuses of what the actor sent to a group: the least advanced of all, and
// who confirmed it.
func (r *historyReader) setStatuses(t *threads.Thread, messages []model.Message) error {
	if !t.Group {
		return nil
	}
	var sent []model.MessageID
	for i := range messages {
		if messages[i].Sender == r.actor.Account {
			sent = append(sent, messages[i].ID)
		}
	}
	if len(sent) == 0 {
		return nil
	}
	statuses, err := threads.Statuses(r.tx, t.Organization, sent)
	if err != nil {
		return err
	}
	sent = slices.DeleteFunc(sent, func(id model.MessageID) bool { return statuses[id].Most < model.Confirmed })
	var confirmed map[model.MessageID][]model.AccountID
	if len(sent) > 0 {
		if confirmed, err = r.tx.ConfirmedBy(t.Organization, sent); err != nil {
			return err
		}
	}
	for i := range messages {
		if m := &messages[i]; m.Sender == r.actor.Account {
			m.Status, m.ConfirmedBy = statuses[m.ID].Least, confirmed[m.ID]
		}
	}
	return nil
}
