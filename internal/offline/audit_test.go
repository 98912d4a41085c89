package offline

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// watchedEngine calls looks before each View.
type watchedEngine struct {
	store.Engine
	looks func()
}

func (e *watchedEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	e.looks()
	return e.Engine.View(ctx, fn, traits...)
}

// mustWatch opens a store with an engine that is watched, and a key for its audit log.
func mustWatch(t *testing.T) (*watchedEngine, *store.Store, *audit.Key) {
	t.Helper()
	engine := &watchedEngine{Engine: enginetest.Open(t, t.TempDir(), enginetest.Options{}), looks: func() {}}
	kept, err := store.Open(t.Context(), engine, store.NewEpoch)
	must(t, err)
	t.Cleanup(func() { must(t, engine.Close()) })
	text, err := audit.NewKey()
	must(t, err)
	key, err := audit.ParseKey(text)
	must(t, err)
	return engine, kept, key
}

// What the retention removes while the log is verified is nobody's fault.
func TestVerifyOfTheAuditLogGoesOnWhereItWasTrimmed(t *testing.T) {
	const before, after = 2500, 1000
	engine, kept, key := mustWatch(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	write := func(lines int, at time.Time) {
		must(t, kept.Update(t.Context(), func(tx *store.Tx) error {
			for range lines {
				if err := audit.Record(tx, &model.AuditEntry{Time: model.AuditTime{Time: at}, Action: model.ActionAuditExport,
					Outcome: model.AuditOK, Times: 1}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	write(before, now.Add(-2*time.Hour))
	write(after, now)
	must(t, audit.Sign(t.Context(), kept, key, now))
	log := audit.NewLog(audit.Options{Store: kept, Key: key, Retention: time.Hour, Clock: time.Now})
	looks := 0
	engine.looks = func() {
		if looks++; looks == 3 { // at the chains, at the first lines, at the next
			must(t, log.Trim(t.Context(), now))
		}
	}
	lines, err := audit.Verify(t.Context(), kept, key, nil)
	if err != nil || lines != 1000+after {
		t.Errorf("%d lines are right, error %v, want the 1000 before those that went and the %d after them", lines, err,
			after)
	}
	engine.looks = func() {}
	if lines, err := audit.Verify(t.Context(), kept, key, nil); err != nil || lines != after {
		t.Errorf("then %d lines are right, error %v, want %d", lines, err, after)
	}
}

// An organization that is created while the log is verified has a chain that the list of them lacks.
func TestVerifyOfTheAuditLogKnowsWhatBeginsMeanwhile(t *testing.T) {
	engine, kept, key := mustWatch(t)
	write := func(chain model.OrganizationID) {
		must(t, kept.Update(t.Context(), func(tx *store.Tx) error {
			return audit.Record(tx, &model.AuditEntry{Chain: chain, Time: model.AuditTime{Time: time.Now().UTC()},
				Action: model.ActionAuditExport, Outcome: model.AuditOK, Times: 1})
		}))
	}
	write("")
	looks := 0
	engine.looks = func() {
		if looks++; looks == 2 { // at the chains, at the platform's
			write("new")
		}
	}
	lines, err := audit.Verify(t.Context(), kept, key, nil)
	if err != nil || lines != 2 {
		t.Errorf("%d lines are right, error %v, want the two of the platform's chain", lines, err)
	}
	engine.looks = func() {}
	must(t, kept.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Post(`DELETE FROM audit_entries WHERE chain = 'new'`),
			tx.Post(`DELETE FROM audit_chains WHERE chain = 'new'`))
	}))
	if _, err := audit.Verify(t.Context(), kept, key, nil); err == nil {
		t.Error("a chain that is missing as a whole is not reported")
	}
}
