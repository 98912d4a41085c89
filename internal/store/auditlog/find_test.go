package auditlog

import (
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// Whatever is looked for, an index gives the lines in the order of their numbers: no look reads
// more of the log than its window.
func TestFindReadsByAnIndex(t *testing.T) {
	kept, e := enginetest.OpenExplained(t)
	steps := func() (out []string) {
		for _, p := range e.Plans {
			out = append(out, p.Steps...)
		}
		return out
	}
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
			e.Plans = nil
			err := kept.View(t.Context(), func(tx *store.Tx) error {
				_, err := Find(tx, &c.filter, Span{Chain: chain, Before: store.Never, Newest: newest}, 10, 100)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			plans := steps()
			if len(plans) != len(c.want) {
				t.Errorf("%+v is read by %q, want %q", c.filter, plans, c.want)
				continue
			}
			for i, plan := range plans {
				if !strings.HasPrefix(plan, "SEARCH audit_entries") || !strings.HasSuffix(plan, c.want[i]) {
					t.Errorf("%+v is read by %q, want %q", c.filter, plan, c.want[i])
				}
			}
		}
	}

	e.Plans = nil
	err := kept.View(t.Context(), func(tx *store.Tx) error {
		_, err := Between(tx, Span{Chain: chain}, time.UnixMilli(1), time.UnixMilli(2))
		return err
	})
	plans := steps()
	if err != nil || len(plans) != 2 || !strings.Contains(plans[0], "audit_entries_at (chain=? AND at>?)") {
		t.Errorf("times are looked for by %q (%v)", plans, err)
	}
}
