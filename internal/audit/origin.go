package audit

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// Origin is where a call comes from, for the audit log.
type Origin struct {
	Address   string // of the client
	RequestID string

	recorded bool
}

// Recorded reports whether the call left its line in the audit log.
func (o *Origin) Recorded() bool { return o.recorded }

type originKey struct{}

// WithOrigin tells the use cases of one call where it comes from.
func WithOrigin(ctx context.Context, o *Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// Outlive returns a context for what goes on after a call has returned, as a stream does.
// Of the call's own it keeps only where it comes from: what net/http hangs on that would be
// a good part of an idle stream.
func Outlive(ctx context.Context) context.Context {
	return WithOrigin(context.Background(), originOf(ctx))
}

func originOf(ctx context.Context) *Origin {
	if o, ok := ctx.Value(originKey{}).(*Origin); ok {
		return o
	}
	return new(Origin)
}

// Updater runs a transaction, as a store does.
type Updater interface {
	Update(ctx context.Context, fn func(*store.Tx) error, traits ...store.Trait) error
}

// Act carries out an administrative act at a time: fn does it and says on whom, and the
// line of the audit log is written in the same transaction. A line without a chain is the
// platform's.
func Act(
	ctx context.Context, kept Updater, now time.Time, actor *model.Actor, action model.AuditAction,
	fn func(tx *store.Tx, line *model.AuditEntry) error,
) error {
	return ActRenaming(ctx, kept, now, actor, action, func(tx *store.Tx, line *model.AuditEntry) (*auditlog.Names, error) {
		return nil, fn(tx, line)
	})
}

// NewLine is the line of an act that succeeds now, of an actor who may be nil.
func NewLine(ctx context.Context, now time.Time, actor *model.Actor, action model.AuditAction) model.AuditEntry {
	origin := originOf(ctx)
	line := model.AuditEntry{
		Time: model.AuditTime{Time: now}, Action: action, Outcome: model.AuditOK, Times: 1,
		Address: origin.Address, RequestID: origin.RequestID,
	}
	if actor != nil { // the call was refused before its key was known
		line.Account, line.Key = actor.Account, actor.Key.Key
		if actor.Command {
			line.Address = CommandLine
		}
	}
	return line
}
