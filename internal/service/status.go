package service

import (
	"context"
	"slices"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
	"signet/internal/tally"
)

// StatusLimit is how many message ids one status call takes.
const StatusLimit = 500

// markedRows is how many rows a status changes: the copy twice, its event, the counts of the
// conversation and of the message's end, the sender's event, old and new.
const markedRows = 7

// Marks are messages that their reader moves on, by the status that they reach.
type Marks struct{ Delivered, Read, Confirmed []model.MessageID }

// MarkStatus moves messages that the actor received on to Delivered, Read or Confirmed, and
// tells their senders. Other ids are ignored (contract, call 16). Many ids take several
// transactions, those that get furthest first, which are Read and Delivered then.
func (s *Service) MarkStatus(ctx context.Context, actor *model.Actor, m Marks) error {
	if len(m.Delivered)+len(m.Read)+len(m.Confirmed) > StatusLimit {
		most := max(len(m.Delivered), len(m.Read), len(m.Confirmed))
		switch most {
		case len(m.Delivered):
			return tooManyIDs("delivered")
		case len(m.Read):
			return tooManyIDs("read")
		}
		return tooManyIDs("confirmed")
	}
	now := s.now()
	for _, reached := range []struct {
		ids    []model.MessageID
		status model.Status
	}{{m.Confirmed, model.Confirmed}, {m.Read, model.Read}, {m.Delivered, model.Delivered}} {
		for some := range slices.Chunk(reached.ids, fanout.Rows/markedRows) {
			if err := s.mark(ctx, actor, some, reached.status, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark moves messages on to a status, in one transaction.
func (s *Service) mark(ctx context.Context, actor *model.Actor, ids []model.MessageID, status model.Status,
	now time.Time) error {
	var senders []model.AccountID
	var moved *marks
	err := s.spare(ctx, func(tx *store.Tx) error {
		opens, err := s.access.AskCalls(tx, actor)
		if err != nil {
			return err
		}
		if err := tx.LockCopies(actor.Account, actor.Organizations(), ids...); err != nil {
			return err
		}
		found, err := visibleAmong(tx, actor, ids, now)
		if err == nil {
			err = tx.Await()
		}
		if err == nil {
			err = opens()
		}
		if err != nil {
			return err
		}
		moved = &marks{found: found, now: now}
		for _, id := range ids {
			moved.add(id, status)
		}
		senders, err = moved.write(tx)
		return err
	}, store.ShortOf(actor.Account))
	if err != nil {
		return err
	}
	s.counts.Delivered.Add(moved.delivered)
	s.counts.Read.Add(moved.read)
	s.counts.Confirmed.Add(moved.confirmed)
	moved.tell(s.tally)
	s.hub.Wake(ctx, senders...)
	return nil
}

func tooManyIDs(field string) *model.Error {
	return model.Invalidf("too_many_ids", field, "At most %d message ids are taken at a time.", StatusLimit)
}

// marks are the statuses of an account's copies that one transaction moves on.
type marks struct {
	now   time.Time
	found map[model.MessageID]visibleMessage // without those that were added
	list  []mark

	delivered, read, confirmed int64 // copies that got there
}

type mark struct {
	row      store.MessageRow
	delivery store.Delivery
	status   model.Status
	moved    bool           // the copy got there
	sender   *store.Members // whether it is in the organization still; nil: it is not to be told
}

// add notes that a message reached a status, if the actor received it, it is not
// over, and it was not there yet.
func (m *marks) add(id model.MessageID, status model.Status) {
	v := m.found[id]
	delete(m.found, id)
	if d := v.access.delivery; d != nil && d.Status < status && !v.row.Recalled {
		m.list = append(m.list, mark{row: v.row, delivery: *d, status: status})
	}
}

// reads reports whether the copy is read by the mark, and was not before.
func (k *mark) reads() bool { return k.status >= model.Read && k.delivery.Status < model.Read }

// tell counts the copies that were read, but for those that came with a group's history.
func (m *marks) tell(t *tally.Tally) {
	for i := range m.list {
		if k := &m.list[i]; k.moved && k.reads() && !k.delivery.Replayed {
			t.Read(&k.row.Message, m.now)
		}
	}
}

// write moves the statuses on, keeps the counters, starts the end of what is
// deleted on read, and queues an event for each sender. It returns the senders.
func (m *marks) write(tx *store.Tx) ([]model.AccountID, error) {
	if len(m.list) == 0 {
		return nil, nil
	}
	senders := make([]model.AccountID, len(m.list))
	for i := range m.list {
		senders[i] = m.list[i].row.Sender
	}
	var position int64
	if err := tx.AskPosition(&position, len(m.list), senders...); err != nil {
		return nil, err
	}
	for i := range m.list {
		k := &m.list[i]
		if err := k.advance(tx, m.now); err != nil {
			return nil, err
		}
		if k.delivery.Replayed {
			continue
		}
		var err error
		if k.sender, err = tx.AskMembers(k.row.Organization, k.row.Sender, k.row.Sender); err != nil {
			return nil, err
		}
	}
	if err := tx.Await(); err != nil {
		return nil, err
	}
	// The counters come last, without waiting for answers in between: the sweep and other readers wait for them.
	for i := range m.list {
		if k := &m.list[i]; k.moved {
			if err := m.writeOne(tx, k, position+int64(i)); err != nil {
				return nil, err
			}
		}
	}
	return senders, nil
}

// advance asks for the copy to be moved on.
func (k *mark) advance(tx *store.Tx, at time.Time) error {
	row, d := &k.row, &k.delivery
	if row.DOR && d.Status == model.Read { // it goes when it would have gone: its time is that of the reading
		at = d.StatusTime
	}
	return tx.AskAdvance(row.Organization, row.ID, d.Account, k.status, at, &k.moved)
}

func (m *marks) writeOne(tx *store.Tx, k *mark, position int64) error {
	row, d := &k.row, &k.delivery
	m.count(k)
	if err := tx.NoteQueuedStatus(d, k.status.OfMessage()); err != nil {
		return err
	}
	if k.reads() {
		if err := tx.NoteRead(row, d); err != nil {
			return err
		}
		if err := m.endIfAllRead(tx, row); err != nil {
			return err
		}
	}
	if k.status >= model.Read && !row.Escalation.Message.IsZero() && !d.Replayed {
		if err := escalation.EndByStatus(tx, row, k.status, m.now); err != nil {
			return err
		}
	}
	if k.sender == nil || !k.sender.Both() {
		return nil
	}
	change := store.Payload{Account: d.Account, Status: k.status, Time: m.now.UnixMilli()}
	return tx.ReplaceStatusEvent(row, d, position, statusKind(row.Group), change.Encode())
}

// count counts a copy that got there.
func (m *marks) count(k *mark) {
	if k.delivery.Status < model.Delivered {
		m.delivered++
	}
	if k.reads() {
		m.read++
	}
	if k.status == model.Confirmed {
		m.confirmed++
	}
}

// endIfAllRead ends a delete-on-read message a grace period after its last
// recipient read it.
func (m *marks) endIfAllRead(tx *store.Tx, row *store.MessageRow) error {
	if !row.DOR {
		return nil
	}
	all, err := tx.StatusesOf(row.Organization, row.ID)
	if err != nil || all.Least < model.Read {
		return err
	}
	return tx.EndMessage(row.Organization, row.ID, all.Last.Add(model.ReadGrace))
}
