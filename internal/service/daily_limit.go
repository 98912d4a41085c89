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
	return s.refusePast(tx, actor, now, 1, quota.MessagesSent)
}

// countAgainstLimit counts a message that withinDailyLimit let through. It refuses one
// all the same where another server on the database has counted in between.
func (s *Service) countAgainstLimit(tx *store.Tx, actor *model.Actor, now time.Time) error {
	return s.refusePast(tx, actor, now, 0, quota.CountMessage)
}

// refusePast refuses so many more messages than were sent on a day, where that is past the
// actor's allowance. Without one, nothing is asked.
func (s *Service) refusePast(tx *store.Tx, actor *model.Actor, now time.Time, more int,
	sent func(tx *store.Tx, counter string, day int64) (int, error)) error {
	limit := s.messagesPerDay(actor)
	if limit <= 0 {
		return nil
	}
	n, err := sent(tx, actor.Key.Counter, quota.DayOf(now))
	if err == nil && n+more > limit {
		err = model.UntilMidnight("daily_limit",
			"The messages of this day are used up; ask the operator for a higher allowance.", now)
	}
	return err
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
