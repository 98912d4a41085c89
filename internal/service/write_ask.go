package service

import (
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// questions are what a transaction asks, all at once, before it writes a message, and their
// answers.
type questions struct {
	first *store.Asked[store.Request] // under its Request-ID; nil: it has none
	sent  *store.Asked[int]           // on this day; nil: there is no limit

	// What was read of sender and recipient a moment ago holds while the numbers of their access are
	// the same, which stay so until the transaction ends, and none of the organizations has ended that
	// it is about. A group has no number; ended is nil where nothing was read a moment ago.
	sender, recipient store.AccessVersion
	ended             *store.Asked[model.OrganizationID]

	// What is asked where it does not hold.
	opens   func() error   // whether what the sender came with opens still
	members *store.Members // sender and recipient, who belong where they did; nil: it is to a group
}

func newQuestions(actor *model.Actor, m *sealedMessage) *questions {
	q := &questions{sender: store.AccessVersion{Account: actor.Account}}
	if m.to.group == nil {
		q.recipient.Account = model.AccountID(m.to.entity)
	}
	return q
}

// access are the numbers that come with the position.
func (q *questions) access() []*store.AccessVersion {
	if q.recipient.Account.IsZero() {
		return []*store.AccessVersion{&q.sender}
	}
	return []*store.AccessVersion{&q.sender, &q.recipient}
}

func (s *Service) askBefore(tx *store.Tx, actor *model.Actor, m *sealedMessage, q *questions, now time.Time) (
	err error) {
	if q.first, err = m.askRepeated(tx, actor, now); err != nil {
		return err
	}
	if m.readAMomentAgo(s, actor) {
		q.ended, err = s.access.AskEnded(tx, actor, m.shared()...)
	} else {
		err = s.askStill(tx, actor, m, q, s.access.AskCalls)
	}
	if err != nil {
		return err
	}
	q.sent, err = s.askDailyLimit(tx, actor, now)
	return err
}

// readAMomentAgo reports whether it was just read that sender and recipient belong where the message
// is to go.
func (m *sealedMessage) readAMomentAgo(s *Service, actor *model.Actor) bool {
	if !s.access.Recent(actor.Read) {
		return false
	}
	o := m.to.organization.ID
	return m.to.group != nil || s.access.Recent(m.to.read) && actor.MemberOf(o) && slices.Contains(m.to.theirs, o)
}

// shared is the organization to which sender and recipient of a message to an account have to belong.
// Of a group its members are asked for.
func (m *sealedMessage) shared() []model.OrganizationID {
	if m.to.group != nil {
		return nil
	}
	return []model.OrganizationID{m.to.organization.ID}
}

// askStill asks whether what the sender came with opens still, and whether sender and recipient are
// where they were.
func (s *Service) askStill(tx *store.Tx, actor *model.Actor, m *sealedMessage, q *questions,
	opens func(*store.Tx, *model.Actor) (func() error, error)) (err error) {
	if q.opens, err = opens(tx, actor); err != nil || m.to.group != nil {
		return err
	}
	q.members, err = tx.AskMembers(m.to.organization.ID, actor.Account, model.AccountID(m.to.entity))
	return err
}

// mayStill refuses a message whose sender may not call any more, or not write to the recipient. Mostly
// nothing has changed since that was read; else it is asked for now.
func (s *Service) mayStill(tx *store.Tx, actor *model.Actor, m *sealedMessage, q *questions) error {
	if q.ended != nil {
		if !q.ended.Found && s.access.OpensUnchanged(actor, &q.sender) &&
			(m.to.group != nil || s.access.Unchanged(m.to.read, &q.recipient)) {
			return nil
		}
		err := s.askStill(tx, actor, m, q, s.access.AskOpens)
		if err == nil {
			err = tx.Await()
		}
		if err != nil {
			return err
		}
	}
	if err := q.opens(); err != nil {
		return err
	}
	if q.members != nil && !q.members.Both() {
		return model.Missing()
	}
	return nil
}
