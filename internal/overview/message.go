package overview

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// MessageFilter says which messages of an organization are listed; what is zero leaves nothing out.
type MessageFilter struct {
	Sender    string // an address
	Recipient string // an address of an account, or the token of a group
	Since     time.Time
	Until     time.Time // the first moment that is too late
}

const (
	// messagePiece is how many messages are looked at together, and mostMessages after how many a page ends
	// that a filter leaves empty.
	messagePiece = 1000
	mostMessages = 20 * messagePiece
	// clockSlack is by how much the clocks of servers may differ that share a store: twice what keeps one from
	// being ready.
	clockSlack = time.Second
)

// messageCursor is the message up to which a list has come.
type messageCursor struct {
	Message model.MessageID `json:"m"`
}

// Messages lists messages of an organization without what they say, the newest first: so an
// administrator finds the one that somebody complains of. What has ended is not among them; what was
// recalled is, as long as it is stored.
func (c *Overview) Messages(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	f MessageFilter, ask Ask) (out Page[model.Message], err error) {
	list := c.list(actor, "messages", organization, f.Sender, f.Recipient, f.Since.UnixMilli(), f.Until.UnixMilli())
	var from messageCursor
	if ask.Continuation != "" {
		if err := list.Open(ask.Continuation, &from); err != nil {
			return out, err
		}
	}
	err = c.read(ctx, actor, model.ActionMessageList, organization, func(tx *store.Tx) error {
		out = Page[model.Message]{Results: []model.Message{}}
		matches, found, err := c.messageMatcher(tx, actor, f)
		if err != nil || !found {
			return err
		}
		before := from.Message
		if before.IsZero() {
			if before, err = latest(tx, organization, f.Until); err != nil {
				return err
			}
		}
		ids, last, over, err := findMessages(tx, organization, before, f.Since, matches, ask.Size)
		if err != nil {
			return err
		}
		if out.Results, err = c.heads(tx, organization, ids); err != nil || over {
			return err
		}
		out.Continuation, err = list.Seal(messageCursor{last})
		return err
	})
	return out, err
}

// messageMatcher returns what keeps the messages of a filter. found is false where it names somebody whom there is
// not, or whom the actor does not see.
func (c *Overview) messageMatcher(tx *store.Tx, actor *model.Actor, f MessageFilter) (
	matches func(*stored.SentMessage) bool, found bool, err error) {
	var sender model.AccountID
	var recipient model.EntityID
	if f.Sender != "" {
		if sender, err = c.access.ResolveAccount(tx, actor, f.Sender); model.IsNotFound(err) {
			return nil, false, nil
		} else if err != nil {
			return nil, false, err
		}
	}
	if f.Recipient != "" {
		entity, _, there, err := c.access.Resolve(tx, actor, f.Recipient, true)
		if err != nil || !there {
			return nil, false, err
		}
		recipient = entity
	}
	return func(m *stored.SentMessage) bool {
		return (sender.IsZero() || m.Sender == sender) && (recipient.IsZero() || m.Recipient == recipient) &&
			!m.Created.Before(f.Since) && (f.Until.IsZero() || m.Created.Before(f.Until))
	}, true, nil
}

// latest is the place from which messages before a time are looked for; a zero time is none.
func latest(tx *store.Tx, organization model.OrganizationID, until time.Time) (model.MessageID, error) {
	if until.IsZero() {
		return stored.LastToken, nil
	}
	return stored.FirstSentSince(tx, organization, until.Add(clockSlack))
}

// findMessages looks for messages before one, the newest first, until there are so many, or until it has looked at
// very many. It returns the last that it has looked at, and over where there are no more.
func findMessages(tx *store.Tx, organization model.OrganizationID, before model.MessageID, since time.Time,
	matches func(*stored.SentMessage) bool, most int) (ids []model.MessageID, last model.MessageID, over bool,
	err error) {
	last = before
	for looked := 0; looked < mostMessages; looked += messagePiece {
		sent, err := stored.SentBefore(tx, organization, last, messagePiece)
		if err != nil {
			return nil, last, false, err
		}
		for i := range sent {
			if sent[i].Created.Before(since.Add(-clockSlack)) {
				return ids, last, true, nil
			}
			if matches(&sent[i]) {
				if len(ids) == most { // there is one more
					return ids, last, false, nil
				}
				ids = append(ids, sent[i].ID)
			}
			last = sent[i].ID
		}
		if len(sent) < messagePiece {
			return ids, last, true, nil
		}
	}
	return ids, last, false, nil
}

// heads returns messages in the order of their tokens, those that have not ended.
func (c *Overview) heads(tx *store.Tx, organization model.OrganizationID, ids []model.MessageID) ([]model.Message,
	error) {
	out := make([]model.Message, 0, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := tx.MessageHeads([]model.OrganizationID{organization}, ids, c.now())
	if err != nil {
		return nil, err
	}
	byID := byToken(rows, func(m *store.MessageRow) model.MessageID { return m.ID })
	for _, id := range ids {
		if m := byID[id]; m != nil {
			out = append(out, m.Message)
		}
	}
	return out, nil
}
