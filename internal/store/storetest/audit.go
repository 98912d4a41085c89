package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// auditLines puts lines of two chains into the log that differ in all that a filter looks at, and
// returns those of the first.
func (p *platform) auditLines(t *testing.T, chain, other model.OrganizationID,
	accounts []model.AccountID) []auditlog.Row {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() model.AccountID { return accounts[random.IntN(len(accounts))] }
	actions := []model.AuditAction{model.ActionUserCreate, model.ActionUserRead, model.ActionLogin, model.ActionAuditRead}
	outcomes := []string{model.AuditOK, model.AuditOK, model.AuditOK, "not_allowed", "not_found"}
	var rows []auditlog.Row
	at := time.UnixMilli(1_000_000).UTC()
	for i := range 200 {
		if random.IntN(3) == 0 { // others are of the same moment
			at = at.Add(time.Second)
		}
		e := model.AuditEntry{Chain: chain, Number: int64(i + 1), Time: model.AuditTime{Time: at},
			Action: actions[random.IntN(len(actions))], Outcome: outcomes[random.IntN(len(outcomes))], Times: 1,
			Account: pick(), User: pick()}
		rows = append(rows, auditlog.Row{AuditEntry: e, Hash: []byte{byte(i)}})
	}
	p.mustUpdate(t, func(tx *store.Tx) error {
		for i := range rows {
			if err := auditlog.Append(tx, &rows[i]); err != nil {
				return err
			}
			there := rows[i]
			there.Chain = other
			if err := auditlog.Append(tx, &there); err != nil {
				return err
			}
		}
		return nil
	})
	return rows
}

// auditFilters looks for lines with every filter, in both directions, whatever a look and a page
// hold.
func auditFilters(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	chain, other := p.organizationID(), p.organizationID()
	accounts := []model.AccountID{p.id(), p.id(), p.id(), {}}
	rows := p.auditLines(t, chain, other, accounts)
	since, until := rows[50].Time.Time, rows[150].Time.Time
	for _, f := range manyFilters(accounts[0]) {
		want := slices.DeleteFunc(slices.Clone(rows), func(r auditlog.Row) bool {
			return r.Time.Before(since) || !r.Time.Before(until) || !wanted(&f, &r)
		})
		for _, newest := range []bool{false, true} {
			if newest {
				slices.Reverse(want)
			}
			for _, size := range []struct{ limit, window int }{{1000, 1000}, {3, 8}} {
				what := fmt.Sprintf("%+v, newest first: %t, %+v", f, newest, size)
				span := auditlog.Span{Chain: chain, Before: store.Never, Newest: newest}
				got := mustRead(t, p, func(tx *store.Tx) ([]auditlog.Row, error) {
					span, err := auditlog.Between(tx, span, since, until)
					if err != nil {
						return nil, err
					}
					return foundByAndBy(t, tx, &f, span, size.limit, size.window)
				})
				wantEqual(t, what, numbersOf(got), numbersOf(want))
			}
		}
	}
}

// manyFilters are those of all kinds, each with the others.
func manyFilters(about model.AccountID) (out []auditlog.Filter) {
	for _, about := range []model.AccountID{{}, about} {
		for _, outcome := range []string{"", model.AuditOK, "not_found", model.AuditRefused} {
			for _, actions := range [][]model.AuditAction{nil, {model.ActionLogin},
				{model.ActionUserRead, model.ActionUserCreate, "nothing"}} {
				out = append(out, auditlog.Filter{About: about, Outcome: outcome, Actions: actions},
					auditlog.Filter{About: about, Outcome: outcome, Actions: actions, NoReads: true})
			}
		}
	}
	return out
}

// wanted reports whether a filter wants a line.
func wanted(f *auditlog.Filter, r *auditlog.Row) bool {
	switch {
	case !f.About.IsZero() && r.Account != f.About && r.User != f.About,
		f.Outcome != "" && f.Outcome != model.AuditRefused && r.Outcome != f.Outcome,
		f.Outcome == model.AuditRefused && r.Outcome == model.AuditOK,
		len(f.Actions) > 0 && !slices.Contains(f.Actions, r.Action):
		return false
	case !f.NoReads || r.Outcome != model.AuditOK:
		return true
	default:
		return r.Action != model.ActionUserRead && r.Action != model.ActionAuditRead
	}
}

// foundByAndBy are all lines of a span that fit a filter, some at a time.
func foundByAndBy(t *testing.T, tx *store.Tx, f *auditlog.Filter, span auditlog.Span, limit, window int) (
	all []auditlog.Row, err error) {
	for {
		found, err := auditlog.Find(tx, f, span, limit, window)
		if err != nil {
			return nil, err
		}
		if len(found.Rows) > limit || found.More && found.Left == span {
			t.Fatalf("%+v: %d lines at a time, and %+v is left of %+v", f, len(found.Rows), found.Left, span)
		}
		all, span = append(all, found.Rows...), found.Left
		if !found.More {
			return all, nil
		}
	}
}

func numbersOf(rows []auditlog.Row) []int64 {
	out := []int64{}
	for i := range rows {
		out = append(out, rows[i].Number)
	}
	return out
}

// auditNames are kept beside their line, and go with it or with their account.
func auditNames(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	chain := p.organizationID()
	ann := p.mustAccount(t, "ann").ID
	names := auditlog.Names{Account: ann, Salt: []byte{1}, AuditNames: model.AuditNames{
		Old: map[string]string{"display_name": "Ann"}, New: map[string]string{"display_name": "Änne \"A\""}}}
	p.mustUpdate(t, func(tx *store.Tx) error {
		for n := range int64(3) {
			e := model.AuditEntry{Chain: chain, Number: n + 1, Time: model.AuditTime{Time: time.UnixMilli(5).UTC()},
				Action: model.ActionUserRename, Outcome: model.AuditOK, Times: 1, User: ann}
			if err := auditlog.Append(tx, &auditlog.Row{AuditEntry: e, Hash: []byte{1}}); err != nil {
				return err
			}
			if err := auditlog.PutNames(tx, chain, n+1, &names); err != nil {
				return err
			}
		}
		return auditlog.Delete(tx, chain, 1)
	})
	rows := mustRead(t, p, func(tx *store.Tx) ([]auditlog.Row, error) {
		return auditlog.Entries(tx, auditlog.Query{Chain: chain}, 10)
	})
	if len(rows) != 2 || rows[0].Names == nil {
		t.Fatalf("the lines are %+v", rows)
	}
	wantEqual(t, "names", *rows[0].Names, names)
	keeps := func() bool {
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return auditlog.KeepsNames(tx, ann) })
	}
	wantEqual(t, "the names of one who is there are kept", keeps(), true)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.NoteAccount(tx, ann, time.UnixMilli(9)) })
	wantEqual(t, "the names of one who is going are kept", keeps(), false)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.FinishAccount(tx, ann) })
	rows = mustRead(t, p, func(tx *store.Tx) ([]auditlog.Row, error) {
		return auditlog.Entries(tx, auditlog.Query{Chain: chain}, 10)
	})
	if len(rows) != 2 || rows[0].Renamed() != nil || rows[1].Renamed() != nil {
		t.Errorf("after the erasure the lines are %+v", rows)
	}
}
