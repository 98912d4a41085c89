package audit

import (
	"context"
	"errors"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
)

// regularLines is how many lines of acts that succeed a regular key may leave on a day
// (UTC), together with the keys that count with it. The rest is one line with their
// number, once the day is over (contract, section 1, limits).
const regularLines = 1000

// counterKind tells the counters of these lines from those of messages.
const counterKind = "audit"

// RecordOf adds the line of what an actor did, as Record does. What was done with a regular
// key, or a password, is only counted where the day's lines are used up.
func RecordOf(tx *store.Tx, actor *model.Actor, line *model.AuditEntry) error {
	if actor.Administrative() {
		return Record(tx, line)
	}
	counter := actor.Key.Counter
	if counter == "" { // it signs in with its password
		counter = quota.CounterOf(actor.Account)
	}
	n, err := quota.CountMessage(tx, quota.Counter(line.Account, counterKind, counter), quota.DayOf(line.Time.Time))
	if err != nil || n > regularLines {
		return err
	}
	return Record(tx, line)
}

// SumUp writes how many acts of past days, and hours, were counted and have no line.
func (l *Log) SumUp(ctx context.Context, now time.Time) error {
	return errors.Join(l.sumUpRegular(ctx, now), l.sumUpTold(ctx, now))
}

// sumUpRegular writes how many acts with regular keys were counted on past days and have no line.
func (l *Log) sumUpRegular(ctx context.Context, now time.Time) error {
	past, err := store.Read(ctx, l.Store, func(tx *store.Tx) ([]quota.Count, error) {
		return quota.PastCounts(tx, quota.DayOf(now), regularLines)
	})
	if err != nil {
		return err
	}
	for _, c := range past {
		account, kind, counter := quota.ParseCounter(c.Counter)
		if kind != counterKind {
			continue
		}
		err := l.Store.Update(ctx, func(tx *store.Tx) error {
			deleted, err := quota.DeleteCount(tx, c)
			if err != nil || !deleted { // another server was faster
				return err
			}
			line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionMore,
				Outcome: model.AuditOK, Times: c.Sent - regularLines, Account: account}
			if !strings.Contains(counter, ":") { // of the sign-ins of an account
				line.Key = counter
			}
			owner, _, err := tx.Account(account)
			if err != nil {
				return err
			}
			if err := AtHome(tx, &line, &owner); err != nil {
				return err
			}
			return Record(tx, &line)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
