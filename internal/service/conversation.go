package service

import (
	"context"
	"math"

	"signet/internal/continuation"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/threads"
)

// ConversationsCommand asks for a page of the actor's conversations (contract, section 7).
type ConversationsCommand struct {
	Organization model.OrganizationID // none: all of the actor's
	PageSize     int
	Continuation string
}

// Conversation is what a client shows of a conversation in a list.
type Conversation struct {
	RosterEntry
	LastMessage *model.Message // the newest that the actor may see; nil: there is none
}

// Conversations lists the actor's conversations, those to which something was sent last
// first, and returns the continuation of the next page, or none. There are those of the
// roster, and those with groups that the actor has left, or that were deleted, of which it
// may still see messages.
func (s *Service) Conversations(ctx context.Context, actor *model.Actor, c ConversationsCommand) (out []Conversation,
	next string, err error) {
	organizations := actor.Organizations()
	if c.Organization != "" {
		if !actor.MemberOf(c.Organization) {
			return nil, "", model.Missing()
		}
		organizations = []model.OrganizationID{c.Organization}
	}
	list := continuation.List{Secret: s.store.Secret(), Purpose: "conversations 1",
		Asked: []any{actor.Account, c.Organization}}
	begin := store.ConversationCursor{LastSort: math.MaxInt64}
	if c.Continuation != "" {
		if err := list.Open(c.Continuation, &begin); err != nil {
			return nil, "", err
		}
	}
	known := s.messages.reading()
	var last *store.ConversationCursor
	err = fill(ctx, func(room *answerRoom) error {
		return s.viewCounting(ctx, func(tx *store.Tx) error {
			*room = answerRoom{small: room.small} // it may run again
			l := &conversationList{
				historyReader: historyReader{service: s, tx: tx, actor: actor, known: known, now: s.now()},
				presenter:     presenter{service: s, tx: tx, actor: actor},
				room:          room,
			}
			out, last, err = l.page(ctx, organizations, begin, c.PageSize)
			return err
		})
	})
	if err == nil && last != nil {
		next, err = list.Seal(last)
	}
	return out, next, err
}

// conversationList reads an account's conversations in one transaction.
type conversationList struct {
	historyReader
	presenter presenter
	unswept   map[placed]store.Conversation
	cleared   map[placed]int64 // of the groups that are looked at
	room      *answerRoom
}

// page returns the conversations after a place, and the place after which the next page
// begins, or nil.
func (l *conversationList) page(ctx context.Context, organizations []model.OrganizationID,
	after store.ConversationCursor, size int) (out []Conversation, last *store.ConversationCursor, err error) {
	unswept, err := l.tx.UnsweptUnread(l.actor.Account, l.now)
	if err != nil {
		return nil, nil, err
	}
	l.unswept = make(map[placed]store.Conversation, len(unswept))
	for _, u := range unswept {
		l.unswept[placed{u.Organization, u.Entity}] = u
	}
	out = make([]Conversation, 0, size)
	for {
		asked := size + 1 - len(out)
		rows, err := l.tx.Conversations(l.actor.Account, organizations, after, asked)
		if err != nil {
			return nil, nil, err
		}
		if err := l.presenter.meet(accountsOf(rows)); err != nil {
			return nil, nil, err
		}
		if l.cleared, err = l.clearedGroups(organizations, rows); err != nil {
			return nil, nil, err
		}
		for i := range rows {
			c := &rows[i]
			entry, there, err := l.entry(ctx, c, len(out) < size)
			if err != nil {
				return nil, nil, err
			}
			if there && (len(out) == size || !l.fits(&entry)) {
				return out, last, nil
			}
			after = store.ConversationCursor{LastSort: c.LastSort, Organization: c.Organization, Entity: c.Entity}
			if there {
				out, last = append(out, entry), &store.ConversationCursor{}
				*last = after
			}
		}
		if len(rows) < asked {
			return out, nil, nil
		}
	}
}

// clearedGroups finds up to where the actor has removed the conversations with groups.
func (r *historyReader) clearedGroups(organizations []model.OrganizationID,
	rows []store.Conversation) (map[placed]int64, error) {
	var groups []model.EntityID
	for i := range rows {
		if rows[i].Group {
			groups = append(groups, rows[i].Entity)
		}
	}
	if len(groups) == 0 {
		return nil, nil
	}
	removed, err := r.tx.ConversationsWith(r.actor.Account, organizations, groups)
	cleared := make(map[placed]int64, len(removed))
	for _, c := range removed {
		cleared[placed{c.Organization, c.Entity}] = c.Cleared
	}
	return cleared, err
}

// fits reports whether a page has room for one more conversation.
func (l *conversationList) fits(c *Conversation) bool {
	bytes := entityBytes(&c.Entity)
	if c.LastMessage != nil {
		bytes += messageBytes(c.LastMessage)
	}
	return l.room.take(bytes)
}

// entry shows a conversation; there is false for one of which the actor sees nothing any
// more, and for one with an account that has ended. Where it is not shown, only that is found out.
func (l *conversationList) entry(ctx context.Context, c *store.Conversation, shown bool) (entry Conversation,
	there bool, err error) {
	if !shown && !c.Past {
		return entry, true, nil
	}
	thread := l.threadOf(c, l.cleared[placed{c.Organization, c.Entity}])
	messages, err := l.visible(ctx, &thread, 1, nil)
	if err != nil || len(messages) == 0 && c.Past {
		return entry, false, err
	}
	entry.Muted = l.muted.covers(c.Organization, c.Entity, l.now)
	if len(messages) > 0 {
		if err := l.setStatuses(&thread, messages); err != nil {
			return entry, false, err
		}
		entry.LastMessage = &messages[0]
	}
	entry.Conversation = *c
	u := l.unswept[placed{c.Organization, c.Entity}]
	entry.Conversation.Unread -= u.Unread
	entry.Conversation.UnreadPriority -= u.UnreadPriority
	entry.Entity, err = l.presenter.entity(c.Organization, c.Entity, c.Group)
	if c.Past {
		entry.Entity = then(entry.Entity, c.Name)
	}
	return entry, !entry.Entity.Gone, err
}

// threadOf is the part of a listed conversation of which the actor may see messages. Cleared is
// the position up to which it has removed one with a group.
func (r *historyReader) threadOf(c *store.Conversation, cleared int64) threads.Thread {
	thread := threads.Thread{Organization: c.Organization, Reader: r.actor.Account, Entity: c.Entity, Group: c.Group,
		After: c.Floor, Before: threads.Whole, Cleared: cleared}
	if !c.Group {
		membership, _ := r.actor.Membership(c.Organization)
		thread.After, thread.Cleared = max(c.Floor, membership.Since), c.Cleared
	}
	if c.LastSort != 0 { // so that a group's later messages, which a past member did not get, cost nothing
		thread.Before = c.LastSort + 1
	}
	return thread
}
