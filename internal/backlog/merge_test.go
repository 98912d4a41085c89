package backlog

import (
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/testenv"
)

// Where very much is noted of one subject, the job of another one is done after a few of its steps.
func TestASubjectOfWhichMuchIsNotedHoldsUpNoOther(t *testing.T) {
	testenv.Long(t)
	const many = 1000
	units := map[byte]int64{'a': many, 'b': 1} // of work that there is to be done
	shared := &Kind{Number: count, Name: "shared", Merges: true, Step: func(tx *store.Tx, j *store.Job) (Next, error) {
		id, n := j.Subject[0], int64(0)
		_, err := tx.One(`SELECT count(*) FROM done WHERE job = ?`, []any{int64(id)}, &n)
		if err != nil || n == units[id] {
			return Over(), err
		}
		next := Again()
		next.Rows = Rows
		return next, tx.Post(`INSERT INTO done (job, step, at) VALUES (?, ?, ?)`, int64(id), n, time.Now().UnixMicro())
	}}
	c := newCity(t)
	s := c.start([]*Kind{shared}, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for range many {
			if err := tx.NoteJob(&store.Job{Kind: count, Subject: []byte{'a'}}); err != nil {
				return err
			}
		}
		return tx.NoteJob(&store.Job{Kind: count, Subject: []byte{'b'}})
	})
	if err != nil {
		t.Fatal(err)
	}
	c.await(s)
	steps := c.done(s)
	if len(steps['a']) != many || len(steps['b']) != 1 {
		t.Fatalf("%d and %d steps were done, want %d and 1", len(steps['a']), len(steps['b']), many)
	}
	before := 0
	for _, at := range steps['a'] {
		if at.Before(steps['b'][0]) {
			before++
		}
	}
	if before > many/10 {
		t.Errorf("%d steps of one subject came before the only one of the other", before)
	}
}
