package audit

import (
	"context"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
)

// SumUp writes how many acts of past days, and hours, were counted and have no line.
func (l *Log) SumUp(ctx context.Context, now time.Time) error {
	past, err := store.Read(ctx, l.Store, func(tx *store.Tx) ([]quota.Count, error) {
		regular, err := quota.PastCounts(tx, quota.DayOf(now), regularLines)
		if err != nil {
			return nil, err
		}
		told, err := quota.PastTold(tx, now)
		return append(regular, told...), err
	})
	if err != nil {
		return err
	}
	return SumUp(ctx, l.Store, now, slices.DeleteFunc(past, func(c quota.Count) bool { return moreOf(c) == nil }))
}

// SumUp removes counts, and writes how many of the acts have no line of their own.
func SumUp(ctx context.Context, kept *store.Store, now time.Time, counts []quota.Count) error {
	for _, c := range counts {
		err := kept.Update(ctx, func(tx *store.Tx) error {
			taken, found, err := quota.Take(tx, c)
			if err != nil || !found { // another server was faster
				return err
			}
			return RecordMore(tx, now, taken)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeCounts removes what was counted of an account that ends, for RecordMore.
func TakeCounts(tx *store.Tx, account model.AccountID) ([]quota.Count, error) {
	return quota.TakeOf(tx, account)
}

// RecordMore adds the lines of acts that were counted and have none of their own, of one account.
func RecordMore(tx *store.Tx, now time.Time, taken ...quota.Count) error {
	for _, c := range taken {
		line := moreOf(c)
		if line == nil {
			continue
		}
		line.Time.Time = now.UTC()
		id := line.Account
		if id.IsZero() {
			id = line.User
		}
		owner, _, err := tx.Account(id)
		if err != nil {
			return err
		}
		if err := AtHome(tx, line, &owner); err != nil {
			return err
		}
		if err := Record(tx, line); err != nil {
			return err
		}
	}
	return nil
}

// moreOf returns the line of the acts of a count that have none of their own: what was done with
// regular keys on a day, or by administrators of another organization within an hour. It is nil
// where all of them have, or something else was counted.
func moreOf(c quota.Count) *model.AuditEntry {
	line := model.AuditEntry{Action: model.ActionMore, Outcome: model.AuditOK}
	if by, account, _, told := quota.ParseTold(c.Counter); told {
		line.Times, line.Organization, line.User = c.Sent-1, by, account
	} else if account, kind, counter := quota.ParseCounter(c.Counter); kind == counterKind {
		line.Times, line.Account = c.Sent-regularLines, account
		if !strings.Contains(counter, ":") { // else of the sign-ins of an account
			line.Key = counter
		}
	}
	if line.Times < 1 {
		return nil
	}
	return &line
}
