package service

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
)

// messagesPerDay is the actor's daily allowance; 0 is no limit.
func (s *Service) messagesPerDay(actor *model.Actor) int {
	if actor.Key.MessagesPerDay != nil {
		return *actor.Key.MessagesPerDay
	}
	return s.limits.MessagesPerDay
}

// withinDailyLimit refuses a sender who has used the day's allowance. It writes nothing.
func (s *Service) withinDailyLimit(tx *store.Tx, actor *model.Actor, now time.Time) error {
	sent, err := s.askDailyLimit(tx, actor, now)
	if err == nil {
		err = tx.Await()
	}
	if err != nil {
		return err
	}
	return s.leftOf(sent, actor, now)
}

// askDailyLimit asks how many messages the actor has sent on a day; nil where any number may
// be.
func (s *Service) askDailyLimit(tx *store.Tx, actor *model.Actor, now time.Time) (*store.Asked[int], error) {
	if s.messagesPerDay(actor) <= 0 {
		return nil, nil
	}
	return quota.AskMessagesSent(tx, actor.Key.Counter, quota.DayOf(now))
}

// leftOf refuses one more message than were sent, where that is past the actor's allowance.
func (s *Service) leftOf(sent *store.Asked[int], actor *model.Actor, now time.Time) error {
	if sent == nil {
		return nil
	}
	return s.refusePast(actor, sent.Row+1, now)
}

// countAgainstLimit counts a message that withinDailyLimit let through. It refuses one
// all the same where another server on the database has counted in between.
func (s *Service) countAgainstLimit(tx *store.Tx, actor *model.Actor, now time.Time) error {
	if s.messagesPerDay(actor) <= 0 {
		return nil
	}
	sent, err := quota.CountMessage(tx, actor.Key.Counter, quota.DayOf(now))
	if err != nil {
		return err
	}
	return s.refusePast(actor, sent, now)
}

// refusePast refuses the message of a number on a day that is past the actor's allowance.
func (s *Service) refusePast(actor *model.Actor, number int, now time.Time) error {
	if number <= s.messagesPerDay(actor) {
		return nil
	}
	return model.UntilMidnight("daily_limit",
		"The messages of this day are used up; ask the operator for a higher allowance.", now)
}

// countGroup counts a group that is made with a regular key, or refuses it. Nothing else
// locks this counter, so that it may come before queues.
func (s *Service) countGroup(tx *store.Tx, actor *model.Actor) error {
	limit := s.limits.GroupsPerDay
	if limit <= 0 || actor.Administrative() {
		return nil
	}
	now := s.now()
	made, err := quota.CountMessage(tx, quota.Counter(actor.Account, "groups", actor.Key.Counter), quota.DayOf(now))
	if err == nil && made > limit {
		err = model.UntilMidnight("growth_limit", "Enough groups were made with this key on this day.", now)
	}
	return err
}
