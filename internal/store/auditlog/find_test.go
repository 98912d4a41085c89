package auditlog

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// planned notes how the engine carries out what is read through it.
type planned struct {
	store.Engine
	plans []string
}

func (p *planned) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return p.Engine.View(ctx, func(s store.Session) error { return fn(&plannedSession{s, p}) }, traits...)
}

type plannedSession struct {
	store.Session
	engine *planned
}

func (s *plannedSession) Query(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Query(query, args, each)
}

func (s *plannedSession) Ask(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Ask(query, args, each)
}

func (s *plannedSession) explain(query string, args []any) error {
	return s.Session.Query("EXPLAIN QUERY PLAN "+query, args, func(row store.Row) error {
		var id, parent, unused int
		var step string
		err := row.Scan(&id, &parent, &unused, &step)
		s.engine.plans = append(s.engine.plans, step)
		return err
	})
}

// Whatever is looked for, an index gives the lines in the order of their numbers: no look reads
// more of the log than its window.
func TestFindReadsByAnIndex(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &planned{Engine: engine}
	kept, err := store.Open(t.Context(), p, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	chain := model.OrganizationID("0123456789abcdefghijABCD")
	const range3 = "(chain=? AND number>? AND number<?)"
	by := func(column string) string {
		pair := "(" + column + ",number)"
		return "audit_entries_" + column + " (chain=? AND " + pair + ">(?,?) AND " + pair + "<(?,?))"
	}
	for _, c := range []struct {
		filter Filter
		want   []string
	}{
		{Filter{NoReads: true}, []string{range3}},
		{Filter{Outcome: model.AuditOK}, []string{range3}},
		{Filter{Outcome: "not_allowed", Actions: []model.AuditAction{model.ActionLogin}},
			[]string{by("outcome")}},
		{Filter{Outcome: model.AuditRefused}, []string{"audit_entries_outcome (chain=? AND outcome>?)"}}, // there are none
		{Filter{Actions: []model.AuditAction{model.ActionLogin, model.ActionLogout}},
			[]string{by("action"), by("action")}},
		{Filter{About: model.AccountID{1}, Outcome: "not_allowed"}, []string{by("account"), by("on_account")}},
	} {
		for _, newest := range []bool{false, true} {
			p.plans = nil
			err := kept.View(t.Context(), func(tx *store.Tx) error {
				_, err := Find(tx, &c.filter, Span{Chain: chain, Before: store.Never, Newest: newest}, 10, 100)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.plans) != len(c.want) {
				t.Errorf("%+v is read by %q, want %q", c.filter, p.plans, c.want)
				continue
			}
			for i, plan := range p.plans {
				if !strings.HasPrefix(plan, "SEARCH audit_entries") || !strings.HasSuffix(plan, c.want[i]) {
					t.Errorf("%+v is read by %q, want %q", c.filter, plan, c.want[i])
				}
			}
		}
	}

	p.plans = nil
	err = kept.View(t.Context(), func(tx *store.Tx) error {
		_, err := Between(tx, Span{Chain: chain}, time.UnixMilli(1), time.UnixMilli(2))
		return err
	})
	if err != nil || len(p.plans) != 2 || !strings.Contains(p.plans[0], "audit_entries_at (chain=? AND at>?)") {
		t.Errorf("times are looked for by %q (%v)", p.plans, err)
	}
}
