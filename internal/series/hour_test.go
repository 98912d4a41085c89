package series

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	stored "signet/internal/store/series"
	"signet/internal/tally"
	"signet/internal/testenv"
)

// A day and some hours, minute by minute: hours tell the same when they are made as before, minutes
// go when their time is over, and days add up.
func TestADayOfMinutesBecomesHours(t *testing.T) {
	testenv.Long(t)
	h := newHouse(t)
	s := h.first
	s.shared = Shared{Database: new(int64(1))}
	const hours = 30
	before := map[string][]float64{} // as told from minutes, as soon as it can be
	for hour := range hours {
		for minute := range 60 {
			s.send(&h.org, 1, 1, 2)
			s.here = Here{Streams: int64(minute)}
			*s.shared.Database = int64(hour*60 + minute)
			if minute%10 == 0 {
				s.call(&h.org, hour, 1000+minute/10) // in each hour somebody new, and six who always call
			}
			h.pass(time.Minute, s)
			s.settle()
		}
		told := h.told(&h.org, Ask{Since: begin.Add(time.Duration(hour) * time.Hour), Step: time.Hour})
		for name, points := range told.Series {
			before[name] = append(before[name], points[0])
		}
	}
	after := h.told(&h.org, Ask{Since: begin, Until: begin.Add(hours * time.Hour), Step: time.Hour})
	for _, name := range []string{"sent", "active_people"} {
		if got, want := text(after.Series[name]), text(before[name]); got != want {
			t.Errorf("%s: when hours are made it is %q, before it was %q", name, got, want)
		}
	}
	h.want(&h.org, time.Hour, 0, "sent", "60 60 60")
	h.want(&h.org, time.Hour, 0, "active_people", "7 7 7")
	h.want(&h.org, time.Hour, 0, "unread_over_1h", "120 120 120")
	h.want(&h.org, time.Hour, 0, "read_within_5m", "0 0 0")
	h.want(nil, time.Hour, 0, "streams", "59 59 59")
	h.want(nil, time.Hour, 0, "storage_bytes.database", "59 119 179")
	// The day that began 8 hours before has 16 hours of these, and the next one 14.
	h.want(nil, day, 0, "sent", "960 840")
	h.want(&h.org, day, 0, "sent", "960 840")
	h.want(&h.org, day, 0, "active_people", "22 20")
	h.want(&h.org, day, 0, "unread_over_1h", "1920 -")
	h.want(&h.org, time.Minute, 5*time.Hour, "sent", "1 1")
	h.want(&h.org, time.Minute, 0, "sent", "- -") // 30 hours ago
	if n, most := h.rows(60), 3*60*28+100; n > most {
		t.Errorf("there are %d rows of minutes, want at most %d", n, most)
	}
	lately := h.clock.Now().Add(-25 * time.Hour)
	if told := h.told(&h.org, Ask{Since: lately, Step: time.Minute}); len(told.Times) != 1500 {
		t.Errorf("it is told of %d minutes", len(told.Times))
	} else {
		for i, sent := range told.Series["sent"] {
			if sent != 1 {
				t.Fatalf("%v: %v, want 1: minutes are kept for 25 hours", told.Times[i], sent)
			}
		}
	}
}

// After hours in which no job was done, as of all servers being away, each hour is made once, and
// as it would have been.
func TestHoursAreMadeAfterAnOutage(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		for hour := range 5 {
			h.first.send(&h.org, hour+1, 0, 1)
			h.first.call(&h.org, hour)
			h.pass(time.Hour, h.first)
		}
		h.want(&h.org, time.Hour, 0, "sent", "1 2 3 4 5") // of which nothing is made yet
		h.want(&h.org, day, 0, "active_people", "5")
		h.clock.Advance(10 * time.Hour) // nobody is there
		two, three := h.server(), h.server()
		two.settle()
		three.settle()
		h.want(&h.org, time.Hour, 0, "sent", "1 2 3 4 5 - -")
		h.want(&h.org, day, 0, "active_people", "5")
		if n := h.rows(3600); n != 10 { // of the installation and of one organization
			t.Errorf("there are %d rows of hours, want 10", n)
		}
		done := two.work.Kinds()[0].Done() + three.work.Kinds()[0].Done()
		two.settle()
		if again := two.work.Kinds()[0].Done() + three.work.Kinds()[0].Done(); again != done {
			t.Errorf("after that %d steps more are done, want none", again-done)
		}
		h.pass(20*time.Hour, two)
		two.settle()
		h.want(&h.org, time.Hour, 0, "sent", "1 2 3 4 5 - -")
		if n := h.rows(60); n > 20*60*2+10 {
			t.Errorf("there are still %d rows of minutes", n)
		}
	})
}

// What is stored is counted once in an hour in which somebody called, and stays what it was.
func TestStorageIsCountedOnceAnHour(t *testing.T) {
	testenv.Long(t)
	h := newHouse(t)
	s := h.first
	sender, reader := account(1), account(2)
	attach := func(bytes int64) {
		t.Helper()
		m := store.MessageRow{Message: model.Message{ID: model.MessageID(uuid.Must(uuid.NewV7())), Organization: h.org.ID,
			Sender: sender, Recipient: model.EntityID(reader), Created: h.clock.Now(), TTL: model.NoTTL},
			Blob: model.BlobID(uuid.Must(uuid.NewV7())), Sealed: []byte{2}}
		h.must(s.store.Update(t.Context(), func(tx *store.Tx) (err error) {
			if m.Sort, err = tx.Position(1, reader); err != nil {
				return err
			}
			if err := tx.InsertMessage(&m); err != nil {
				return err
			}
			return tx.ReferToBlob(m.Blob, bytes)
		}))
		s.call(&h.org, 1)
	}
	attach(100)
	h.pass(70*time.Minute, s)
	s.settle()
	attach(20)
	for range 2 { // in the second of which nobody calls
		h.pass(time.Hour, s)
		s.settle()
	}
	h.want(&h.org, time.Hour, 0, "storage_bytes", "- 100 120 120")
	h.want(nil, time.Hour, 0, "storage_bytes.blobs", "- 100 120 120")
	h.want(&h.org, time.Minute, 68*time.Minute, "storage_bytes", "- - 100 100")
	h.want(&h.org, time.Minute, 3*time.Hour, "storage_bytes", "120 120")
	h.want(&h.other, time.Hour, 0, "storage_bytes", "- - - -") // nobody has called
	for range 20 {
		h.pass(time.Hour, s)
		s.settle()
	}
	h.want(&h.org, time.Hour, 22*time.Hour, "storage_bytes", "120")
	h.want(&h.other, time.Hour, 22*time.Hour, "storage_bytes", "0") // which was counted at midnight
}

// BenchmarkAYearOfDays reads what 365 days are made of.
func BenchmarkAYearOfDays(b *testing.B) {
	const hours = 365 * 24
	kept := benchStore(b)
	now := begin.Truncate(day)
	from := now.Add(-hours * time.Hour)
	counts := tally.Counts{Sent: 100, Copies: 300}
	for i := range counts.Sends {
		counts.Sends[i] = int64(i)
	}
	w := wholeOf(&counts)
	w.Streams, w.Memory, w.Queued = new(int64(900)), new(int64(9e8)), new(int64(12_345))
	text := w.stored()
	err := kept.Update(b.Context(), func(tx *store.Tx) error {
		for i := range hours {
			row := stored.Row{Step: stored.Hour, Begun: from.Add(time.Duration(i) * time.Hour), Counted: text}
			if err := stored.Put(tx, &row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h, err := store.Read(b.Context(), kept, func(tx *store.Tx) (History, error) {
			return Installation(tx, &Ask{Step: day, Since: from}, now)
		})
		if err != nil || len(h.Times) != 365 || h.Series["sent"][0] != 2400 {
			b.Fatal(err, len(h.Times))
		}
	}
}

func benchStore(b *testing.B) *store.Store {
	engine := enginetest.Open(b, b.TempDir(), enginetest.Options{})
	kept, err := store.Open(b.Context(), engine, func() string { return "epoch" })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = kept.Close() })
	return kept
}
