package backlog

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// A step that lacks something gets it outside of its transaction, and is done once. What cannot be got is a
// failure of its job, and of no other one.
func TestAStepGetsWhatItLacksOutsideOfItsTransaction(t *testing.T) {
	kept, err := store.Open(t.Context(), enginetest.Open(t, t.TempDir(), enginetest.Options{}),
		func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	now := time.Now()
	ready := map[string]bool{}
	asked, steps := 0, map[string]int{}
	kind := &Kind{Number: count, Name: "lacking"}
	kind.Step = func(tx *store.Tx, j *store.Job) (Next, error) {
		name := string(j.Subject)
		if !ready[name] {
			return Next{}, Unready(func(ctx context.Context) error {
				asked++
				if name == "gone" {
					return fmt.Errorf("the key ring: %w", store.ErrUnavailable)
				}
				// Whoever waits for the writer of an embedded store would wait for ever inside of the transaction.
				ready[name] = true
				return kept.Update(ctx, func(tx *store.Tx) error { return nil })
			})
		}
		next := Over()
		next.Done = func() { steps[name]++ }
		return next, nil
	}
	w := NewWorker(Options{Store: kept, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	w.Register(kind)
	if err := kept.Update(t.Context(), func(tx *store.Tx) error {
		for _, name := range []string{"first", "gone", "second"} {
			if err := tx.NoteJob(&store.Job{Kind: count, Subject: []byte(name), Noted: now}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if steps["first"] != 1 || steps["second"] != 1 || steps["gone"] != 0 || kind.Done() != 2 || kind.Failed() == 0 {
		t.Errorf("steps %v, asked %d times, %d done, %d failed", steps, asked, kind.Done(), kind.Failed())
	}
}
