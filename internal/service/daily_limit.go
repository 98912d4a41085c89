package service

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
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
	limit := s.messagesPerDay(actor)
	if limit <= 0 {
		return nil
	}
	sent, err := tx.MessagesSent(actor.Key.Counter, store.DayOf(now))
	if err == nil && sent >= limit {
		err = dailyLimit(limit, now)
	}
	return err
}

// countAgainstLimit counts a message that withinDailyLimit let through. It refuses one
// all the same where another server on the database has counted in between.
func (s *Service) countAgainstLimit(tx *store.Tx, actor *model.Actor, now time.Time) error {
	limit := s.messagesPerDay(actor)
	if limit <= 0 {
		return nil
	}
	sent, err := tx.CountMessage(actor.Key.Counter, store.DayOf(now))
	if err == nil && sent > limit {
		err = dailyLimit(limit, now)
	}
	return err
}

func dailyLimit(limit int, now time.Time) *model.Error {
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	e := &model.Error{Kind: model.TooMany, Code: "daily_limit", RetryAfter: midnight.Sub(now)}
	e.Message = "The messages of this day are used up; ask the operator for a higher allowance."
	return e
}
