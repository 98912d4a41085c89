package service

import (
	"context"
	"time"
	"unicode/utf8"

	"signet/internal/continuation"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/threads"
)

// MessageSearchCommand says which messages to look for (contract, section 7).
type MessageSearchCommand struct {
	Text         string // none, or
	Attachment   bool   // those that have one; at least one of both is asked for
	Entity       string // an address: only of the conversation with it
	Organization model.OrganizationID
	Sender       string // an address; what names nobody has sent nothing
	Since, Until time.Time
	PageSize     int
	Continuation string
}

// MessageHit is a message that was found, in the conversation with an entity.
type MessageHit struct {
	Message model.Message
	Entity  model.Entity
}

// FoundMessages is a page of what was found, the newest first.
type FoundMessages struct {
	Hits         []MessageHit
	SearchedTo   time.Time // when the oldest message was sent that was looked at; zero: there was none
	Continuation string    // empty: there is nothing behind
	Looked       int       // how many messages were looked at
}

// maxSearchText bounds what is looked for, in characters.
const maxSearchText = 200

// messageSearchLimits bound what one call does. Tests make them small.
type messageSearchLimits struct {
	opened int           // messages
	work   time.Duration // after which no further batch is begun
	batch  int           // messages that are read together, at most
	bytes  int           // of content, about, that is read together
}

var usualSearchLimits = messageSearchLimits{opened: 20_000, work: 200 * time.Millisecond, batch: 512, bytes: 1 << 20}

// firstBatch is small, so that what is found at once costs little.
const firstBatch = 64

// SearchMessages looks through the messages of the actor's conversations, from the newest on,
// for those that History shows it. It opens them: nothing that they say is in any index. Where
// that is much work it ends early, and its continuation goes on there. What goes once it was
// read is not looked at.
func (s *Service) SearchMessages(ctx context.Context, actor *model.Actor, c MessageSearchCommand) (out FoundMessages,
	err error) {
	q := &messageSearch{command: &c, limits: s.messageSearch, sought: threads.Sought{Since: c.Since, Until: c.Until,
		Attachment: c.Attachment}}
	if err := q.validate(); err != nil {
		return out, err
	}
	organizations := actor.Organizations()
	if c.Organization != "" && c.Entity == "" {
		if !actor.MemberOf(c.Organization) {
			return out, model.Missing()
		}
		organizations = []model.OrganizationID{c.Organization}
	}
	list := continuation.List{Secret: s.store.Secret(), Purpose: "message search 1", Asked: []any{actor.Account,
		c.Organization, c.Text, c.Attachment, c.Entity, c.Sender, store.Millis(c.Since), store.Millis(c.Until)}}
	var from *threads.Place
	if c.Continuation != "" {
		from = &threads.Place{}
		if err := list.Open(c.Continuation, from); err != nil {
			return out, err
		}
	}
	known := s.messages.reading()
	var behind *threads.Place
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		q.historyReader = historyReader{service: s, tx: tx, actor: actor, known: known, now: s.now()}
		q.presenter = presenter{service: s, tx: tx, actor: actor}
		q.walk = messageWalk{reader: &q.historyReader, organizations: organizations, from: from, since: q.after()}
		if err := q.begin(ctx); err != nil {
			return err
		}
		out, behind, err = q.page(ctx)
		return err
	})
	if err == nil && behind != nil {
		out.Continuation, err = list.Seal(behind)
	}
	return out, err
}

// messageSearch is a search in one transaction.
type messageSearch struct {
	historyReader
	presenter presenter
	command   *MessageSearchCommand
	limits    messageSearchLimits
	sought    threads.Sought
	text      search.Text
	walk      messageWalk
}

// validate refuses what is wrong whatever there is to find, and reads the text.
func (q *messageSearch) validate() error {
	c := q.command
	switch {
	case c.Text == "" && !c.Attachment:
		return model.Invalidf("text_or_has_required", "text", "One of text and has is required.")
	case utf8.RuneCountInString(c.Text) > maxSearchText:
		return model.Invalidf("too_long", "text", "At most %d characters are allowed.", maxSearchText)
	case !c.Since.IsZero() && !c.Until.IsZero() && c.Since.After(c.Until):
		return model.Invalidf("since_after_until", "since", "The time since is after the time until.")
	}
	words := false
	if q.text, words = search.NewText(c.Text); c.Text != "" && !words {
		return model.Invalidf("text_without_word", "text", "The text has no letter and no digit.")
	}
	return nil
}

// after is the sort up to which no message was sent at the time since. A message gets its sort
// after its time, from the same clock.
func (q *messageSearch) after() int64 {
	if q.command.Since.IsZero() {
		return 0
	}
	return q.command.Since.UnixMilli()*1000 - 1
}

// begin finds what the command names.
func (q *messageSearch) begin(ctx context.Context) error {
	c := q.command
	if c.Entity != "" {
		talk, err := q.service.talk(ctx, &q.historyReader, c.Entity, c.Organization)
		if err != nil {
			return err
		}
		if err := q.walk.only(&talk.thread); err != nil {
			return err
		}
	}
	if c.Sender != "" {
		sender, _, err := q.service.access.Named(q.tx, q.actor, c.Sender)
		if err != nil {
			return err
		}
		id := model.AccountID(sender)
		q.sought.Sender = &id
	}
	return q.findMuted()
}

// page looks for a page of messages, and returns the place behind which the next one begins, or
// nil.
func (q *messageSearch) page(ctx context.Context) (out FoundMessages, behind *threads.Place, err error) {
	begun, opened := time.Now(), 0
	room := &answerRoom{small: true}
	var last step
	for size := min(firstBatch, q.limits.batch); ; {
		steps, err := q.walk.next(min(size, q.limits.opened-opened))
		if err != nil {
			return out, nil, err
		}
		found, err := q.match(ctx, steps)
		if err != nil {
			return out, nil, err
		}
		opened, out.Looked = opened+found.opened, out.Looked+len(steps)
		for i := range steps {
			hit, seen, err := q.hit(ctx, &steps[i], found.messages)
			if err != nil {
				return out, nil, err
			}
			if seen && !room.take(messageBytes(&hit.Message)+entityBytes(&hit.Entity)-entryBytes) {
				return q.end(out, last, true)
			}
			last = steps[i]
			if !seen {
				continue
			}
			if out.Hits = append(out.Hits, hit); len(out.Hits) == q.command.PageSize {
				return q.end(out, last, i+1 < len(steps))
			}
		}
		if len(steps) == 0 || opened >= q.limits.opened || time.Since(begun) >= q.limits.work {
			return q.end(out, last, false)
		}
		size = q.limits.following(size, found.bytes)
	}
}

// following is how many messages are read together after so many.
func (l *messageSearchLimits) following(size, bytes int) int {
	if bytes > l.bytes {
		return max(size/8, 1)
	}
	return min(2*size, l.batch)
}

// end says how far a page has come, and whether there is more: it may be known.
func (q *messageSearch) end(out FoundMessages, last step, more bool) (_ FoundMessages, behind *threads.Place,
	err error) {
	if last.thread == nil {
		return out, nil, nil
	}
	if !more {
		if more, err = q.walk.more(); err != nil {
			return out, nil, err
		}
	}
	if more {
		behind = &last.Place
	}
	if n := len(out.Hits); n > 0 && out.Hits[n-1].Message.ID == last.Message {
		out.SearchedTo = out.Hits[n-1].Message.Created
		return out, behind, nil
	}
	heads, err := q.tx.MessageHeads([]model.OrganizationID{last.thread.Organization}, []model.MessageID{last.Message},
		time.Time{})
	if len(heads) > 0 {
		out.SearchedTo = heads[0].Created
	}
	return out, behind, err
}

// matched is what a batch has of what is looked for.
type matched struct {
	messages      map[model.MessageID]bool
	opened, bytes int
}

// match opens messages, and finds those that say what is looked for.
func (q *messageSearch) match(ctx context.Context, steps []step) (out matched, err error) {
	ids := map[model.OrganizationID][]model.MessageID{}
	for i := range steps {
		o := steps[i].thread.Organization
		ids[o] = append(ids[o], steps[i].Message)
	}
	out.messages = map[model.MessageID]bool{}
	for organization, ids := range ids {
		err := threads.EachContent(q.tx, organization, ids, &q.sought, q.now, func(row *store.MessageRow) error {
			out.opened++
			out.bytes += len(row.Sealed)
			content, err := q.service.vault.OpenMessage(ctx, row)
			if err != nil {
				return q.service.leaveOut(ctx, "a message that is searched", err)
			}
			name := ""
			if content.Attachment != nil {
				name = content.Attachment.Name
			}
			if q.command.Text == "" || q.text.In(content.Body, name) {
				out.messages[row.ID] = true
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// hit shows a message that matches, if the actor sees it in its history.
func (q *messageSearch) hit(ctx context.Context, at *step, matches map[model.MessageID]bool) (hit MessageHit, seen bool,
	err error) {
	if !matches[at.Message] {
		return hit, false, nil
	}
	thread := *at.thread
	thread.After, thread.Before = at.Sort-1, at.Sort+1
	entries, _, err := threads.Read(q.tx, &thread, firstLook, q.now, q.known)
	if err != nil {
		return hit, false, err
	}
	cleared := func(model.EntityID) (int64, error) { return thread.Cleared, nil }
	for i := range entries {
		if e := &entries[i]; e.Message == nil || e.Message.ID != at.Message {
			continue
		}
		if hit.Message, seen, err = q.see(ctx, &thread, &entries[i], cleared); err != nil || !seen {
			return hit, false, err
		}
		shown := []model.Message{hit.Message}
		if err := q.setStatuses(&thread, shown); err != nil {
			return hit, false, err
		}
		hit.Message = shown[0]
		hit.Entity, err = q.entity(&thread)
		return hit, !hit.Entity.Gone, err
	}
	return hit, false, nil
}

// entity shows whom a conversation is with, a group that the actor has left as it was then.
func (q *messageSearch) entity(t *threads.Thread) (model.Entity, error) {
	e, err := q.presenter.entity(t.Organization, t.Entity, t.Group)
	if err != nil || e.Group == nil || !e.Group.Deleted {
		return e, err
	}
	c, _, err := q.tx.PastConversation(q.actor.Account, t.Organization, model.GroupID(t.Entity))
	return then(e, c.Name), err
}
