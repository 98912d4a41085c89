package series

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/testenv"
)

// Servers that share a store count for themselves; what they tell is the same, and of all.
func TestServersAddUp(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		one, two := h.first, h.server()
		one.here = Here{Streams: 3, Memory: new(int64(100)), Free: new(int64(70))}
		two.here = Here{Streams: 4, Memory: new(int64(10)), Free: new(int64(50))}
		one.shared, two.shared = Shared{Queued: new(int64(9)), Database: new(int64(4096))}, Shared{Queued: new(int64(9))}
		one.send(&h.org, 2, 0, 1)
		two.send(&h.org, 1, 0, 5)
		one.call(&h.org, 1, 2, 3)
		two.call(&h.org, 3, 4) // one of whom called there, too
		two.tally.Refused()
		h.pass(time.Minute, one, two)
		h.want(nil, time.Minute, 0, "sent", "3")
		h.want(nil, time.Minute, 0, "copies", "7")
		h.want(nil, time.Minute, 0, "streams", "7")
		h.want(nil, time.Minute, 0, "memory_bytes", "110")
		h.want(nil, time.Minute, 0, "storage_bytes.free", "50")
		h.want(nil, time.Minute, 0, "storage_bytes.database", "4096")
		h.want(nil, time.Minute, 0, "refused", "1")
		h.want(nil, time.Minute, 0, "queued", "9")
		h.want(nil, time.Minute, 0, "send_p50", "0.002")
		h.want(&h.org, time.Minute, 0, "sent", "3")
		h.want(&h.org, time.Minute, 0, "active_people", "4")
		if one.asked != 1 || two.asked != 0 {
			t.Errorf("the store was asked %d and %d times, want once, by the first", one.asked, two.asked)
		}
		h.pass(time.Minute, two, one) // now the other one is the first
		if one.asked != 1 || two.asked != 1 {
			t.Errorf("the store was asked %d and %d times, want once by each", one.asked, two.asked)
		}
		h.want(&h.org, time.Minute, 0, "sent", "3 0")
	})
}

// A server that starts again in the middle of a minute counts nothing twice, and its streams not
// beside those that it had.
func TestRestartInTheMiddleOfAMinute(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		before := h.first
		before.here = Here{Streams: 5, CPU: new(2 * time.Second)}
		before.send(&h.org, 2, 0, 1)
		before.call(&h.org, 1)
		h.clock.Advance(20 * time.Second)
		h.must(before.recorder.Flush(t.Context()))
		h.must(before.recorder.Flush(t.Context())) // what is told twice counts once
		if before.asked != 0 {
			t.Errorf("as it stops, it asks the store %d times", before.asked)
		}
		after := h.server()
		after.here, after.shared = Here{Streams: 5}, Shared{Queued: new(int64(9))}
		after.send(&h.org, 3, 0, 1)
		after.call(&h.org, 1, 2)
		h.pass(time.Minute, after)
		h.want(nil, time.Minute, 0, "sent", "5")
		h.want(nil, time.Minute, 0, "streams", "5")
		h.want(nil, time.Minute, 0, "queued", "9")
		h.want(nil, time.Minute, 0, "cpu_seconds", "2")
		h.want(&h.org, time.Minute, 0, "active_people", "2")
	})
}

// A minute without a server is unknown, and one in which nothing happened is 0. Of an organization
// nothing is known before it was made.
func TestGapsAreUnknown(t *testing.T) {
	h := newHouse(t)
	h.first.send(&h.org, 1, 0, 1)
	h.pass(2*time.Minute, h.first)
	h.clock.Advance(3 * time.Minute)
	again := h.server()
	h.pass(time.Minute, again)
	h.want(nil, time.Minute, 0, "sent", "1 0 - - - 0")
	h.want(&h.org, time.Minute, 0, "sent", "1 0 - - - 0")
	h.want(&h.org, time.Minute, 0, "active_people", "0 0 - - - 0")
	h.want(&h.org, time.Minute, -2*time.Minute, "sent", "- - 1 0 - - - 0")
	h.pass(30*time.Minute, again)
	h.want(&h.other, time.Minute, 28*time.Minute, "sent", "- - 0 0")
	h.want(&h.org, time.Hour, -time.Hour, "sent", "- 1")
	h.want(&h.other, time.Hour, 0, "sent", "0") // it came within the hour
	if told := h.told(nil, Ask{Since: begin, Step: time.Minute}); len(told.Times) != 36 ||
		!told.Times[35].Equal(h.clock.Now().Add(-time.Minute)) {
		t.Errorf("it is told of %d minutes, up to %v: want those that are over", len(told.Times), told.Times)
	}
}

// What became of messages is told of the time in which they were sent, once it can be told.
func TestReadingIsOfTheTimeOfSending(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		one, two := h.first, h.server()
		urgent := one.send(&h.org, 1, 1, 4)
		plain := one.send(&h.org, 1, 0, 2)
		read := func(by *server, m *model.Message) { by.tally.Read(m, h.clock.Now()) }
		h.pass(3*time.Minute, one, two)
		read(two, urgent) // at another server
		read(one, urgent)
		h.want(&h.org, time.Minute, 0, "read_within_5m", "-")
		h.pass(3*time.Minute, one, two)
		read(one, urgent) // too late to be soon
		h.pass(2*time.Minute, one, two)
		h.want(&h.org, time.Minute, 0, "read_within_5m", "0.5")
		h.want(&h.org, time.Minute, time.Minute, "read_within_5m", "-") // nothing urgent was sent
		h.pass(49*time.Minute, one, two)
		read(two, plain)
		h.want(&h.org, time.Minute, 0, "unread_over_1h", "-")
		h.pass(4*time.Minute, one, two)
		h.clock.Advance(time.Second)
		read(one, plain) // too late
		h.pass(3*time.Minute, one, two)
		h.want(&h.org, time.Minute, 0, "unread_over_1h", "2 0")
		h.want(&h.org, time.Hour, 0, "unread_over_1h", "-")
		h.pass(59*time.Minute, one, two)
		h.want(&h.org, time.Hour, 0, "unread_over_1h", "2")
		h.want(&h.org, time.Hour, 0, "read_within_5m", "0.5")
		h.pass(6*time.Minute, one, two)
		two.settle()
		h.want(&h.org, time.Hour, 0, "unread_over_1h", "2") // now that the hour is made
		h.want(&h.org, time.Hour, 0, "read_within_5m", "0.5")
	})
}

// Who called in which minute is not told: administrators see to the hour when members were active.
func TestPeopleAreToldByTheHour(t *testing.T) {
	h := newHouse(t)
	for minute := range 70 {
		if minute%30 == 10 {
			h.first.call(&h.org, minute)
		}
		h.pass(time.Minute, h.first)
	}
	h.want(&h.org, time.Minute, 8*time.Minute, "active_people", "2 2 2 2")
	h.want(&h.org, time.Minute, 58*time.Minute, "active_people", "2 2 0 0")
	h.want(&h.org, time.Hour, 0, "active_people", "2 0")
	h.first.call(&h.org, 1)
	h.pass(time.Minute, h.first)
	h.want(&h.org, time.Minute, 58*time.Minute, "active_people", "2 2 1 1")
}

// A call costs the rows that it reads: a time in which there was no server costs nothing, and an hour that
// goes on is made out of all minutes of its day.
func TestFiguresCostTheRowsThatAreRead(t *testing.T) {
	h := newHouse(t)
	for range 90 {
		h.first.call(&h.org, 1)
		h.pass(time.Minute, h.first)
	}
	for what, c := range map[string]struct {
		ask         Ask
		least, most int
	}{
		"a time long ago": {Ask{Since: begin.Add(-9000 * day), Until: begin.Add(-day), Step: day}, 0, 0},
		"since long ago":  {Ask{Since: begin.Add(-9000 * day), Step: day}, 90, 100},
		"one hour":        {Ask{Since: begin.Add(time.Hour), Step: time.Hour}, 90, 100},
	} {
		if got := h.told(&h.org, c.ask).Rows; got < c.least || got > c.most {
			t.Errorf("%s: %d rows, want %d to %d", what, got, c.least, c.most)
		}
	}
}

// However much is sent, a minute of the installation is three statements; organizations in which
// nothing happens have none, and the others one each, some in a transaction.
func TestAMinuteTakesAFixedNumberOfStatements(t *testing.T) {
	h := newHouse(t)
	const many = 2*together + 7
	h.must(h.first.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range many {
			o := model.Organization{ID: model.OrganizationID(fmt.Sprintf("%024d", i)), Created: begin}
			if err := tx.InsertOrganization(&o); err != nil {
				return err
			}
		}
		return nil
	}))
	h.pass(time.Minute, h.first) // with the first minute of an hour its job is noted
	cost := func() (updates, statements int64) {
		t.Helper()
		h.first.engine.updates.Store(0)
		h.first.engine.statements.Store(0)
		h.pass(time.Minute, h.first)
		return h.first.engine.updates.Load(), h.first.engine.statements.Load()
	}
	if updates, statements := cost(); updates != 2 || statements != 3 {
		t.Errorf("an idle minute takes %d transactions with %d statements, want 2 with 3", updates, statements)
	}
	for range 500 {
		h.first.send(&h.org, 10, 1, 3)
		h.first.call(&h.org, 1, 2, 3)
	}
	if updates, statements := cost(); updates != 3 || statements != 5 { // one that finds whether it stands
		t.Errorf("a minute of 5,000 messages takes %d transactions with %d statements, want 3 with 5", updates, statements)
	}
	for i := range many {
		h.first.call(&model.Organization{ID: model.OrganizationID(fmt.Sprintf("%024d", i))}, 1)
	}
	if updates, statements := cost(); updates != 5 || statements != 3+3+many {
		t.Errorf("a minute of %d organizations takes %d transactions with %d statements, want 5 with %d", many, updates,
			statements, 6+many)
	}
	h.first.engine.updates.Store(0)
	for range 20 {
		h.must(h.first.recorder.Tick(t.Context()))
	}
	if n := h.first.engine.updates.Load(); n != 0 {
		t.Errorf("within a minute there are %d transactions, want none", n)
	}
}

// What was counted while the store was away is written when it is back, up to two hours of it.
func TestMinutesWaitForTheStore(t *testing.T) {
	h := newHouse(t)
	s := h.first
	s.shared.Queued = new(int64(0))
	h.pass(50*time.Minute, s)
	s.engine.away.Store(true)
	for range 150 {
		s.send(&h.org, 1, 0, 1)
		s.call(&h.org, 1)
		h.clock.Advance(time.Minute)
		if err := s.recorder.Tick(t.Context()); err == nil {
			t.Fatal("it is written while the store is away")
		}
	}
	s.engine.away.Store(false)
	h.must(s.recorder.Tick(t.Context()))
	h.want(nil, time.Minute, 78*time.Minute, "sent", "- - 1 1")
	h.want(&h.org, time.Minute, 78*time.Minute, "active_people", "- - 1 1")
	h.want(nil, time.Minute, 198*time.Minute, "sent", "1 1")
	h.want(nil, time.Minute, 198*time.Minute, "streams", "0 0") // as they were then
	h.want(nil, time.Minute, 198*time.Minute, "queued", "- 0")  // what was, nobody can ask the store
	h.clock.Advance(7 * time.Minute)
	s.settle()
	h.clock.Advance(2 * time.Hour)
	s.settle()
	h.want(&h.org, time.Hour, 0, "sent", "0 40 60 20")
}

// A server that was cut off when an hour was made has it made again, with what it kept: of the hour,
// and of what became of its messages after it.
func TestHoursAreMadeAgainWithWhatComesLate(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		one, two := h.first, h.server()
		sent := two.send(&h.org, 1, 0, 3)
		h.pass(50*time.Minute, one, two)
		two.engine.away.Store(true)
		two.send(&h.org, 4, 0, 1)
		for range 80 {
			if h.clock.Now().Equal(begin.Add(55 * time.Minute)) {
				two.tally.Read(sent, h.clock.Now())
			}
			h.pass(time.Minute, one)
			_ = two.recorder.Tick(t.Context()) // which fails
		}
		one.settle()
		h.want(&h.org, time.Hour, 0, "sent", "1")
		h.want(&h.org, time.Hour, 0, "unread_over_1h", "3")
		two.engine.away.Store(false)
		h.pass(time.Minute, one, two)
		h.pass(6*time.Minute, one, two)
		one.settle()
		h.want(&h.org, time.Hour, 0, "sent", "5")
		h.want(&h.org, time.Hour, 0, "unread_over_1h", "6")
		if n := h.rows(3600); n != 4 { // three of the installation, and one of the organization
			t.Errorf("there are %d rows of hours", n)
		}
	})
}

// A clock that is put back has a minute counted again, beside what was counted in it.
func TestClockThatIsPutBack(t *testing.T) {
	h := newHouse(t)
	h.first.send(&h.org, 1, 0, 1)
	h.pass(2*time.Minute, h.first)
	h.first.send(&h.org, 2, 0, 1)
	h.clock.Jump(-2 * time.Minute)
	h.must(h.first.recorder.Tick(t.Context()))
	h.first.send(&h.org, 4, 0, 1)
	h.pass(4*time.Minute, h.first)
	h.want(nil, time.Minute, 0, "sent", "5 0 2 0")
}

// What was counted of an organization goes with it, and does not come back.
func TestDeletedOrganizationLeavesNoFigures(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, h *house) {
		for _, o := range []*model.Organization{&h.org, &h.other} {
			h.first.send(o, 1, 0, 1)
		}
		h.pass(time.Minute, h.first)
		for _, o := range []*model.Organization{&h.org, &h.other} {
			h.first.send(o, 1, 0, 1) // in the minute in which it ends
		}
		h.must(h.first.store.Update(t.Context(), func(tx *store.Tx) error { return erasure.EndOrganization(tx, h.org.ID) }))
		for more, at := true, 0; more; {
			h.must(h.first.store.Update(t.Context(), func(tx *store.Tx) (err error) {
				_, at, more, err = erasure.EraseBesides(tx, h.org.ID, at, 100)
				return err
			}))
		}
		h.pass(10*time.Minute, h.first)
		of := func(o *model.Organization) (n int) {
			h.must(h.first.store.View(t.Context(), func(tx *store.Tx) error {
				_, err := tx.One(`SELECT COUNT(*) FROM figures WHERE organization = ?`, []any{o.ID}, &n)
				return err
			}))
			return n
		}
		if gone, kept := of(&h.org), of(&h.other); gone != 0 || kept != 2 {
			t.Errorf("there are %d rows of the one that was deleted, and %d of its neighbour; want 0 and 2", gone, kept)
		}
		h.want(nil, time.Minute, 0, "sent", "2 2 0") // the installation has sent them
	})
}

func TestFiguresByName(t *testing.T) {
	h := newHouse(t)
	h.first.here = Here{Free: new(int64(7))}
	h.pass(time.Minute, h.first)
	all := h.told(nil, Ask{Since: begin, Step: time.Minute}).names()
	want := strings.Fields("copies cpu_seconds memory_bytes oldest_unread queued refused send_p50 send_p99 sent " +
		"storage_bytes.free streams")
	if !slices.Equal(all, want) {
		t.Errorf("got %q, want %q: kinds of storage that are not known are left out", all, want)
	}
	some := h.told(nil, Ask{Since: begin, Step: time.Minute, Names: []string{"storage_bytes", "sent"}}).names()
	if !slices.Equal(some, []string{"sent", "storage_bytes.free"}) {
		t.Errorf("got %q", some)
	}
	of := h.told(&h.org, Ask{Since: begin, Step: time.Minute}).names()
	if want := strings.Fields("active_people read_within_5m sent storage_bytes unread_over_1h"); !slices.Equal(of, want) {
		t.Errorf("got %q, want %q", of, want)
	}
}
