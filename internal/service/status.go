package service

import (
	"context"
	"slices"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/tally"
)

// StatusLimit is how many message ids one status call takes.
const StatusLimit = 500

// markedRows is how many rows a status changes: the copy twice, its event, the counts of the
// conversation and of the message's end, the sender's event, old and new.
const markedRows = 7

// MarkStatus moves messages that the actor received on to Delivered or Read, and
// tells their senders. Other ids are ignored (contract, call 16). Many ids take several
// transactions, those that are Read first, which are Delivered then.
func (s *Service) MarkStatus(ctx context.Context, actor *model.Actor, delivered, read []model.MessageID) error {
	if len(delivered)+len(read) > StatusLimit {
		field := "delivered"
		if len(read) > len(delivered) {
			field = "read"
		}
		return tooManyIDs(field)
	}
	now := s.now()
	for some := range slices.Chunk(read, fanout.Rows/markedRows) {
		if err := s.mark(ctx, actor, some, model.Read, now); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(delivered, fanout.Rows/markedRows) {
		if err := s.mark(ctx, actor, some, model.Delivered, now); err != nil {
			return err
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
		if err := tx.LockMessages(actor.Organizations(), ids...); err != nil {
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
	}, store.Short)
	if err != nil {
		return err
	}
	s.counts.Delivered.Add(moved.delivered)
	s.counts.Read.Add(moved.read)
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

	delivered, read int64 // copies that got there
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

// tell counts the copies that were read, but for those that came with a group's history.
func (m *marks) tell(t *tally.Tally) {
	for i := range m.list {
		if k := &m.list[i]; k.moved && k.status == model.Read && !k.delivery.Replayed {
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
	for i := range m.list {
		if err := m.writeOne(tx, &m.list[i], position+int64(i)); err != nil {
			return nil, err
		}
	}
	return senders, nil
}

func (m *marks) writeOne(tx *store.Tx, k *mark, position int64) error {
	row, d := &k.row, &k.delivery
	moved, err := tx.AdvanceDelivery(row.Organization, row.ID, d.Account, k.status, m.now)
	if err != nil || !moved {
		return err
	}
	k.moved = true
	if d.Status < model.Delivered {
		m.delivered++
	}
	if k.status == model.Read {
		m.read++
	}
	if err := tx.NoteQueuedStatus(d, k.status); err != nil {
		return err
	}
	if k.status == model.Read {
		if err := tx.NoteRead(row, d); err != nil {
			return err
		}
		if err := m.endIfAllRead(tx, row); err != nil {
			return err
		}
	}
	if k.sender == nil || !k.sender.Both() {
		return nil
	}
	change := store.Payload{Account: d.Account, Status: k.status, Time: m.now.UnixMilli()}
	return tx.ReplaceStatusEvent(row, d, position, statusKind(row.Group), change.Encode())
}

// endIfAllRead ends a delete-on-read message a grace period after its last
// recipient read it.
func (m *marks) endIfAllRead(tx *store.Tx, row *store.MessageRow) error {
	if !row.DOR {
		return nil
	}
	least, last, err := tx.LeastStatus(row.Organization, row.ID)
	if err != nil || least < model.Read {
		return err
	}
	return tx.EndMessage(row.Organization, row.ID, last.Add(model.ReadGrace))
}
