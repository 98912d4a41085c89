package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/conformance"
)

const tea, coffee store.JobKind = 1, 2

// due returns the subjects of jobs that are due.
func (p *platform) due(t *testing.T, by time.Time, after *store.Job, limit int, kinds ...store.JobKind) []string {
	t.Helper()
	var out []string
	p.mustUpdate(t, func(tx *store.Tx) error {
		found, err := tx.DueJobs(kinds, by, after, limit)
		out = out[:0]
		for i := range found {
			out = append(out, string(found[i].Subject))
		}
		return err
	})
	return out
}

func jobs(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	now := p.now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	all := map[string]*store.Job{
		"at once": {Kind: tea},
		"soon":    {Kind: tea, Due: at(1), State: []byte("state"), Noted: now},
		"coffee":  {Kind: coffee, Due: at(2)},
		"later":   {Kind: tea, Due: at(3)},
	}
	p.mustUpdate(t, func(tx *store.Tx) error {
		for subject, j := range all {
			j.Subject = []byte(subject)
			if err := tx.NoteJob(j); err != nil {
				return err
			}
		}
		return nil
	})
	wantEqual(t, "due", p.due(t, at(3), nil, 10, tea, coffee), []string{"at once", "soon", "coffee", "later"})
	wantEqual(t, "of one kind", p.due(t, at(3), nil, 10, tea), []string{"at once", "soon", "later"})
	wantEqual(t, "of no kind", p.due(t, at(3), nil, 10), nil)
	wantEqual(t, "the first two", p.due(t, at(3), nil, 2, tea, coffee), []string{"at once", "soon"})
	wantEqual(t, "behind one", p.due(t, at(3), all["soon"], 10, tea, coffee), []string{"coffee", "later"})
	wantEqual(t, "sooner", p.due(t, at(2).Add(-time.Millisecond), nil, 10, tea, coffee), []string{"at once", "soon"})
	next := func(kinds ...store.JobKind) string {
		t.Helper()
		var due time.Time
		var found bool
		p.mustView(t, func(tx *store.Tx) (err error) {
			due, found, err = tx.NextDue(kinds)
			return err
		})
		return fmt.Sprint(due.UTC(), found)
	}
	wantEqual(t, "the next", next(tea, coffee), fmt.Sprint(time.Time{}, true))
	wantEqual(t, "the next coffee", next(coffee), fmt.Sprint(at(2), true))
	wantEqual(t, "none", next(3), fmt.Sprint(time.Time{}, false))

	// It is put off, claimed, freed and over; whoever has an old one changes nothing.
	var got []store.Job
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		got, err = tx.DueJobs([]store.JobKind{tea, coffee}, at(1), nil, 10)
		return err
	})
	soon := got[1]
	wantEqual(t, "its number", soon.Number(), all["soon"].Number())
	wantEqual(t, "it", fmt.Sprint(soon.Kind, string(soon.State), soon.Due, soon.Noted, soon.Failures),
		fmt.Sprint(tea, "state", at(1), now, 0))
	old := soon
	change := func(what string, want bool, change func(tx *store.Tx) (bool, error)) {
		t.Helper()
		there := false
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			there, err = change(tx)
			return err
		})
		wantEqual(t, what, there, want)
	}
	change("put off", true, func(tx *store.Tx) (bool, error) {
		soon = old
		soon.State, soon.Failures = []byte("further"), 2
		return tx.PutOffJob(&soon, at(5))
	})
	change("an old one is put off", false, func(tx *store.Tx) (bool, error) {
		again := old
		return tx.PutOffJob(&again, at(9))
	})
	change("an old one is over", false, func(tx *store.Tx) (bool, error) { return tx.DeleteJob(&old) })
	wantEqual(t, "due then", p.due(t, at(5), nil, 10, tea, coffee), []string{"at once", "coffee", "later", "soon"})
	change("claimed", true, func(tx *store.Tx) (bool, error) { again := soon; return tx.ClaimJob(&again, at(60)) })
	wantEqual(t, "due meanwhile", p.due(t, at(5), nil, 10, tea, coffee), []string{"at once", "coffee", "later"})
	p.mustUpdate(t, (*store.Tx).FreeJobs)
	free := p.due(t, now, nil, 10, tea)
	slices.Sort(free)
	wantEqual(t, "free again", free, []string{"at once", "soon"})
	for _, j := range []*store.Job{all["at once"], all["coffee"], all["later"]} {
		change("over", true, func(tx *store.Tx) (bool, error) { return tx.DeleteJob(j) })
	}
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		got, err = tx.DueJobs([]store.JobKind{tea}, now, nil, 10)
		return err
	})
	wantEqual(t, "its state", fmt.Sprint(string(got[0].State), got[0].Failures), "further2")
}

// jobsOfSeveral: what one server is at, no other one gets, nor waits for.
func jobsOfSeveral(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	p.mustUpdate(t, func(tx *store.Tx) error {
		for i := range 4 {
			if err := tx.NoteJob(&store.Job{Kind: tea, Subject: []byte{byte('a' + i)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if p.Alone() { // nobody else is at it
		return
	}
	var first, second []store.Job
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		if first, err = tx.DueJobs([]store.JobKind{tea}, p.now(), nil, 3); err != nil {
			return err
		}
		return p.Update(t.Context(), func(tx *store.Tx) (err error) {
			second, err = tx.DueJobs([]store.JobKind{tea}, p.now(), nil, 3)
			return err
		})
	})
	wantEqual(t, "jobs of the first and the second", []int{len(first), len(second)}, []int{3, 1})
}
