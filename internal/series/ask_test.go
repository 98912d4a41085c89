package series

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"signet/internal/model"
)

func TestWindowsAreAligned(t *testing.T) {
	now := begin.Add(95*time.Minute + 30*time.Second)
	for _, c := range []struct {
		what        string
		ask         Ask
		first, last time.Time
		n           int
	}{
		{"an hour by the minute", Ask{Step: time.Minute}, begin.Add(35 * time.Minute), begin.Add(94 * time.Minute), 60},
		{"a day by the hour, with the one that goes on", Ask{Step: time.Hour}, begin.Add(-23 * time.Hour),
			begin.Add(time.Hour), 25},
		{"30 days", Ask{Step: day}, begin.Truncate(day).Add(-30 * day), begin.Truncate(day), 31},
		{"what since and until cut is whole", Ask{Step: time.Hour, Since: begin.Add(-90 * time.Minute),
			Until: begin.Add(time.Minute)}, begin.Add(-2 * time.Hour), begin, 3},
		{"in another zone", Ask{Step: day, Since: begin.In(time.FixedZone("", 14*3600)), Until: begin.Add(time.Minute)},
			begin.Truncate(day), begin.Truncate(day), 1},
		{"what is to come is left out", Ask{Step: time.Minute, Since: now.Add(-2 * time.Minute), Until: now.Add(time.Hour)},
			begin.Add(93 * time.Minute), begin.Add(94 * time.Minute), 2},
	} {
		w, err := c.ask.window(now)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		times := w.times()
		if n := len(times); n != c.n || !times[0].Equal(c.first) || !times[n-1].Equal(c.last) {
			t.Errorf("%s: got %d from %v to %v, want %d from %v to %v", c.what, n, times[0], times[n-1], c.n, c.first, c.last)
		}
	}
	w, err := (&Ask{Step: time.Hour, Since: now.Add(24 * time.Hour), Until: now.Add(48 * time.Hour)}).window(now)
	if err != nil || len(w.times()) != 0 {
		t.Errorf("of the future it is told %v, %v", w.times(), err)
	}
}

func TestWindowsAreBounded(t *testing.T) {
	field := func(err error) string {
		var wrong *model.Error
		errors.As(err, &wrong)
		if wrong == nil {
			return ""
		}
		return wrong.Field
	}
	for _, c := range []struct {
		ask   Ask
		field string
	}{
		{Ask{Step: time.Hour, Since: begin.Add(-400 * day), Until: begin}, ""},
		{Ask{Step: time.Hour, Since: begin.Add(-mostPoints * time.Hour), Until: begin}, ""},
		{Ask{Step: time.Hour, Since: begin.Add(-mostPoints*time.Hour - 1), Until: begin}, "since"},
		{Ask{Step: time.Minute, Since: begin.Add(-400 * day), Until: begin}, "since"},
		{Ask{Step: day, Since: time.Unix(0, 0)}, "since"},
		{Ask{Step: time.Hour, Since: begin, Until: begin}, "since"},
		{Ask{Step: time.Hour, Since: begin.Add(time.Hour)}, "since"},
		{Ask{Step: time.Hour, Names: []string{"sent", "storage_bytes"}}, ""},
		{Ask{Step: time.Hour, Names: []string{"sent", "bogus"}}, "names"},
		{Ask{Step: time.Hour, Names: []string{""}}, "names"},
	} {
		for _, check := range []func(time.Time) error{c.ask.CheckInstallation, c.ask.CheckOrganization} {
			if got := field(check(begin)); got != c.field {
				t.Errorf("%+v: the field at fault is %q, want %q", c.ask, got, c.field)
			}
		}
	}
	if field((&Ask{Step: time.Hour, Names: []string{"streams"}}).CheckOrganization(begin)) != "names" {
		t.Error("an organization tells of streams")
	}
}

// Up to 1,024 people are counted one by one; more to some hundredths.
func TestMarksCountNobodyTwice(t *testing.T) {
	by := newMarker([]byte("secret"))
	random := rand.New(rand.NewPCG(1, 2))
	for _, people := range []int{0, 1, 7, 1000, 5000, 60_000} {
		var union marks
		for range 5 { // servers, at each of which most of them called
			var some []model.AccountID
			for n := range people {
				if random.IntN(3) > 0 {
					some = append(some, account(n))
				}
			}
			stored, err := parseMarks(by.of(some).stored())
			if err != nil {
				t.Fatal(err)
			}
			if union = union.with(stored); len(union) > mostMarks {
				t.Fatalf("there are %d marks", len(union))
			}
		}
		var all []model.AccountID
		for n := range people {
			all = append(all, account(n))
		}
		union = union.with(by.of(all))
		got, slack := union.count(), int64(0)
		if people > mostMarks {
			slack = int64(people) / 10
		}
		if off := got - int64(people); off > slack || off < -slack {
			t.Errorf("%d people are counted as %d", people, got)
		}
	}
	if _, err := parseMarks([]byte{1, 2, 3}); err == nil {
		t.Error("marks that are cut off are read")
	}
	if a, b := by.of([]model.AccountID{{1}}), newMarker([]byte("other")).of([]model.AccountID{{1}}); a[0] == b[0] {
		t.Error("marks of two installations are the same")
	}
}
