package postgres

import (
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// The tests' server looks at nothing by itself. One that does not know of the messages reads all
// of an organization's to find each that is acknowledged.
func TestMessagesAreFoundOneByOneOnceThereAreMany(t *testing.T) {
	for name, through := range map[string]func(string) string{
		"directly":  func(url string) string { return url },
		"by_pooler": func(url string) string { return postgrestest.Pooled(t, url) },
	} {
		t.Run(name, func(t *testing.T) { messagesAreFoundOneByOne(t, through(postgrestest.URL(t))) })
	}
}

func messagesAreFoundOneByOne(t *testing.T, url string) {
	e, kept := mustExplain(t, url)
	for statement := range strings.SplitSeq(fillMessages, ";") {
		mustExec(t, e.Engine, statement)
	}
	for range growthCommits {
		mustExec(t, e.Engine, `UPDATE meta SET value = value WHERE name = 'schema'`)
	}
	const seen = `SELECT CAST(reltuples AS INTEGER) FROM pg_class WHERE oid = 'messages'::regclass`
	for begun := time.Now(); mustCount(t, e.Engine, seen) != 5000; {
		if time.Since(begun) > time.Minute {
			t.Fatal("the database has not looked at the messages")
		}
	}
	e.plans = nil
	err := kept.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.Arrivals(model.AccountID{15: 7}, []int64{7, 107}, 0, time.UnixMilli(0))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range e.plans[:2] {
		if _, found, _ := strings.Cut(plan, "messages_pkey on messages"); !strings.Contains(found, "(message = e") {
			t.Errorf("messages are not looked for one by one:\n%s", plan)
		}
	}
}
