package service

import (
	"slices"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
)

// delivery is what a transaction did with a message: it wrote it, or it found that the
// message was sent before.
type delivery struct {
	repeated *repetition      // not nil: nothing was written, and there is nothing else
	row      store.MessageRow // with its position
	content  model.Content
	copies   int          // how many recipients it has
	plan     *fanout.Plan // of one to a group: how it comes into its readers' queues
	looks    bool         // its position was taken with others: its readers look for it in their queues
}

// message returns the message with its content.
func (d *delivery) message() model.Message {
	m := d.row.Message
	m.Content = d.content
	return m
}

// write puts everything that a message changes into one transaction.
//
// All that may refuse it is asked before the first statement that changes something:
// many requests may share a transaction (store.Short, store.Crowd). One that is refused before it
// wrote leaves the others alone; one that is refused after it wrote undoes them all,
// and they run again.
func (s *Service) write(tx *store.Tx, actor *model.Actor, m *sealedMessage, now time.Time) (*delivery, error) {
	readers, open, err := m.lock(tx, actor)
	if err != nil {
		return nil, err
	}
	m.row.InTurn = len(readers.Ready) < len(readers.Accounts)
	// The position comes before the questions: no other transaction sends for the actor, ends
	// what it came with, or takes sender or recipient out of the organization, once it is handed
	// out. A group has a queue's place of its own, so that its positions grow whoever its members
	// are.
	queues := append(slices.Clip(readers.Accounts), actor.Account)
	if m.row.Group {
		queues = append(queues, model.AccountID(m.row.Recipient))
	}
	done := &delivery{row: m.row, content: m.content, copies: len(readers.Accounts)}
	asked := newQuestions(actor, m)
	if err := tx.AskPositionAndAccess(&done.row.Sort, queues, asked.access()...); err != nil {
		return nil, err
	}
	if err = s.askBefore(tx, actor, m, asked, now); err == nil {
		err = tx.Await()
	}
	if err != nil {
		return nil, err
	}
	if first := m.repetitionOf(asked.first, m.to.entity); first != nil {
		return &delivery{repeated: first}, nil
	}
	if err := s.mayStill(tx, actor, m, asked); err != nil {
		return nil, err
	}
	if !open {
		return nil, model.Missing()
	}
	if m.source != nil {
		if _, err := readable(tx, actor, m.source.ID, now); err != nil {
			return nil, err
		}
	}
	if err := s.leftOf(asked.sent, actor, now); err != nil {
		return nil, err
	}
	if err := s.countAgainstLimit(tx, actor, now); err != nil {
		return nil, err
	}
	if err := m.putRequest(tx, now); err != nil {
		return nil, err
	}
	if m.row.Group {
		done.plan = s.fanout.Plan(tx, now)
	}
	if err := s.insert(tx, done, &readers); err != nil {
		return nil, err
	}
	return done, done.begin(tx, m.to.escalation)
}

// lock keeps others from changing what the message depends on: the group with its members,
// and then the source of a forward, as a recall in that group does. It finds the readers, and
// whether the actor may write to the group.
func (m *sealedMessage) lock(tx *store.Tx, actor *model.Actor) (readers store.Readers, open bool, err error) {
	if m.to.group != nil {
		if err := tx.LockGroups(m.to.group.ID); err != nil {
			return readers, false, err
		}
	}
	if m.source != nil {
		if err := tx.LockMessages(actor.Organizations(), m.source.ID); err != nil {
			return readers, false, err
		}
	}
	if m.to.group == nil {
		recipient := []model.AccountID{model.AccountID(m.to.entity)}
		return store.Readers{Accounts: recipient, Ready: recipient}, true, nil
	}
	id := m.to.group.ID
	group, err := tx.AskGroup(id)
	if err == nil {
		err = tx.AskGroupReaders(m.row.Organization, id, actor.Account, &readers)
	}
	if err == nil {
		err = tx.Await()
	}
	return readers, err == nil && group.Found && !group.Row.Deleted && readers.Member, err
}

// putRequest notes what was sent under the Request-ID.
func (m *sealedMessage) putRequest(tx *store.Tx, now time.Time) error {
	if m.request == "" {
		return nil
	}
	return tx.PutRequest(&store.Request{
		Account: m.row.Sender, ID: m.request, Fingerprint: m.fingerprint,
		Organization: m.row.Organization, Message: m.row.ID, TTL: m.row.TTL, Created: now,
	}, now.Add(-model.RepeatWindow))
}

// insert writes a message, puts it into the queues of its readers, and has their browsers told.
func (s *Service) insert(tx *store.Tx, d *delivery, readers *store.Readers) error {
	if err := tx.InsertMessage(&d.row); err != nil {
		return err
	}
	if a := d.content.Attachment; a != nil {
		if err := tx.ReferToBlob(d.row.Blob, a.Size); err != nil {
			return err
		}
	}
	message := d.message()
	if d.row.Group {
		return d.insertForGroup(tx, readers, &message)
	}
	d.queued(tx, readers.Accounts, &message)
	if err := tx.NoteSent(&d.row); err != nil {
		return err
	}
	if err := deliverToAccount(tx, &d.row, model.AccountID(d.row.Recipient)); err != nil || s.told == nil {
		return err
	}
	return s.told(tx, d.row.Organization, d.row.ID, readers.Accounts)
}

func deliverToAccount(tx *store.Tx, row *store.MessageRow, account model.AccountID) error {
	if err := tx.InsertDelivery(row, account, row.Sort, false); err != nil {
		return err
	}
	if err := tx.InsertEvent(account, row.Sort, row.Organization, model.EventMessage, row.ID, nil); err != nil {
		return err
	}
	return tx.NoteReceived(row, account)
}

// insertForGroup gives all readers their copies, and puts the message into their queues, or
// notes that: where they are very many, that of each waits no longer than that of all.
func (d *delivery) insertForGroup(tx *store.Tx, readers *store.Readers, m *model.Message) error {
	if err := tx.InsertGroupDeliveries(&d.row); err != nil {
		return err
	}
	queued, err := d.plan.Message(&d.row, readers)
	if err != nil {
		return err
	}
	d.queued(tx, queued, m)
	return tx.NoteSentToGroup(&d.row)
}

// queued gives readers the message, unless they look for it.
func (d *delivery) queued(tx *store.Tx, readers []model.AccountID, m *model.Message) {
	if !d.looks {
		tx.QueuedMessage(readers, m)
	}
}
