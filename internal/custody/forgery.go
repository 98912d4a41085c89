package custody

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/audit"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// topicForged is that of rows which give access and which no server wrote.
	topicForged = "rows_forged"

	// forgeryRound is how often all rows are looked at: about a second's work for 100,000
	// accounts.
	forgeryRound = time.Hour

	// mostForgeries is how many rows are told one by one.
	mostForgeries = 1000
)

// ForgeryWatch tells of rows with wrong codes: somebody who may write to the database has
// written them. They open nothing, so all that is left is to say so.
type ForgeryWatch struct {
	Store    *store.Store
	Clock    func() time.Time
	Log      *slog.Logger
	Warnings *health.Warnings

	Refused atomic.Int64 // times that such a row was read, and taken for missing

	mu    sync.Mutex // guards the next two
	told  map[store.Forgery]bool
	lines []store.Forgery // that the audit log has not got yet
	next  chan struct{}   // receives when there are some
}

// NewForgeryWatch returns a watch of a store that is opened yet.
func NewForgeryWatch(kept *store.Store, clock func() time.Time, log *slog.Logger,
	warnings *health.Warnings) *ForgeryWatch {
	return &ForgeryWatch{Store: kept, Clock: clock, Log: log, Warnings: warnings, told: map[store.Forgery]bool{},
		next: make(chan struct{}, 1)}
}

// Refuse notes that a row was read and taken for missing (store.Authenticate).
func (w *ForgeryWatch) Refuse(row store.Forgery) {
	w.Refused.Add(1)
	w.tell(row)
}

// tell tells of a row, once.
func (w *ForgeryWatch) tell(row store.Forgery) {
	w.mu.Lock()
	fresh := !w.told[row] && len(w.told) < mostForgeries
	if fresh {
		w.told[row] = true
		w.lines = append(w.lines, row)
	}
	w.mu.Unlock()
	if !fresh {
		return
	}
	w.Log.Error("a row of the database was not written by a server, and opens nothing", "kind", row.Kind, "row", row.Row)
	w.Warnings.Set(topicForged, `rows that give access were changed behind the server's back, and open nothing: `+
		`"signet keys verify" names them, and docs/security/threats/README.md says what to do`)
	select {
	case w.next <- struct{}{}:
	default:
	}
}

// Run looks at all rows now and then, and writes to the audit log what was found, until ctx
// ends.
func (w *ForgeryWatch) Run(ctx context.Context) {
	tick := time.NewTicker(forgeryRound)
	defer tick.Stop()
	round := true
	for {
		var err error
		if round {
			err = w.look(ctx)
		}
		err = errors.Join(err, w.record(ctx))
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
			w.Log.Error("the rows that give access were not looked at; it is tried again", "error", err)
		}
		round = false
		select {
		case <-tick.C:
			round = true
		case <-w.next:
		case <-ctx.Done():
			return
		}
	}
}

// look looks at all rows, and ends the warning where all are right.
func (w *ForgeryWatch) look(ctx context.Context) error {
	found := false
	_, err := w.Store.Forgeries(ctx, func(row store.Forgery) {
		found = true
		w.tell(row)
	})
	if err == nil && !found {
		w.mu.Lock()
		clear(w.told)
		w.mu.Unlock()
		w.Warnings.Clear(topicForged)
	}
	return err
}

// record adds lines to the platform's audit log.
func (w *ForgeryWatch) record(ctx context.Context) error {
	w.mu.Lock()
	lines := w.lines
	w.lines = nil
	w.mu.Unlock()
	if len(lines) == 0 {
		return nil
	}
	err := w.Store.Update(ctx, func(tx *store.Tx) error {
		for _, row := range lines {
			line := model.AuditEntry{Time: model.AuditTime{Time: w.Clock().UTC().Truncate(time.Millisecond)},
				Action: model.ActionRowForged, Outcome: "refused", Times: 1, Detail: row.String()}
			if err := audit.Record(tx, &line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.mu.Lock()
		w.lines = append(lines, w.lines...)
		w.mu.Unlock()
	}
	return err
}
