package audit

import (
	"context"
	"errors"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// Record adds a line to the audit log. It comes last in a transaction, because it
// locks the end of the chain. The platform's chain has a line of the beginning of
// every other one, so that none can vanish as a whole.
func Record(tx *store.Tx, line *model.AuditEntry) error {
	head, err := auditlog.LockHead(tx, line.Chain)
	if err != nil {
		return err
	}
	line.Number = head.Number + 1
	if line.Time.Before(head.Time) {
		line.Time.Time = head.Time
	}
	if err := auditlog.Append(tx, &auditlog.Row{AuditEntry: *line, Hash: Hash(head.Hash, line)}); err != nil {
		return err
	}
	if head.Number > 0 || line.Chain == "" {
		return nil
	}
	return Record(tx, &model.AuditEntry{
		Time: line.Time, Action: model.ActionAuditBegin, Outcome: model.AuditOK, Times: 1, Organization: line.Chain,
	})
}

// CommandLine stands for the address of a client where the command line of the
// server's machine did something to the store itself.
const CommandLine = "command"

// RecordCommand carries out what the command line of the server's machine does to
// the store itself, and adds its line in the same transaction.
func RecordCommand(
	ctx context.Context, kept *store.Store, line model.AuditEntry, fn func(tx *store.Tx, line *model.AuditEntry) error,
) error {
	if line.Times, line.Address = 1, CommandLine; line.Outcome == "" {
		line.Outcome = model.AuditOK
	}
	return kept.Update(ctx, func(tx *store.Tx) error {
		line := line
		if err := fn(tx, &line); err != nil {
			return err
		}
		return Record(tx, &line)
	})
}

// failed is the outcome of a command that was begun and not finished.
const failed = "failed"

// RecordOutcome carries out what a command does beside the store, and adds a line that
// says how it ended.
func RecordOutcome(ctx context.Context, kept *store.Store, action model.AuditAction, do func() error) error {
	line := model.AuditEntry{Action: action}
	err := do()
	if err != nil {
		line.Outcome = failed
	}
	line.Time.Time = time.Now().UTC()
	nothing := func(*store.Tx, *model.AuditEntry) error { return nil }
	return errors.Join(err, RecordCommand(context.WithoutCancel(ctx), kept, line, nothing))
}
