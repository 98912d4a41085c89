package duty

import (
	"bytes"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"signet/internal/model"
)

func TestTheCalendarIsReadByAnotherProgram(t *testing.T) {
	from := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	long := strings.Repeat("Kardiologie, Dienst; \\ Größe ☃\n", 10)
	c := Calendar{Group: model.GroupID{7}, Name: long, Zone: "Europe/Berlin", Made: from,
		People: map[model.AccountID]string{ann: "Ann, \"A\"", bob: "Bob: 2\x00\r"},
		Shifts: []Shift{{From: from, To: from.Add(12 * time.Hour), Account: ann},
			{From: from.Add(12 * time.Hour), To: from.Add(24 * time.Hour), Account: bob, Override: true}}}
	text := c.Bytes()
	for line := range bytes.SplitSeq(text, []byte("\r\n")) {
		if len(line) > 75 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	read, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, text)
	}
	events := read.Events()
	if len(events) != len(c.Shifts) {
		t.Fatalf("%d events, want %d", len(events), len(c.Shifts))
	}
	for i, event := range events {
		shift := c.Shifts[i]
		begins, err := event.GetStartAt()
		if err != nil {
			t.Fatal(err)
		}
		ends, err := event.GetEndAt()
		if err != nil {
			t.Fatal(err)
		}
		if !begins.Equal(shift.From) || !ends.Equal(shift.To) {
			t.Errorf("event %d from %s to %s, want %+v", i, begins, ends, shift)
		}
		want := long + ": " + strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, c.People[shift.Account])
		got := ics.FromText(event.GetProperty(ics.ComponentPropertySummary).Value)
		if got != want {
			t.Errorf("event %d: %q, want %q", i, got, want)
		}
		if over := event.GetProperty(ics.ComponentPropertyCategories) != nil; over != shift.Override {
			t.Errorf("event %d is an override: %t", i, over)
		}
	}
	if events[0].Id() == events[1].Id() || events[0].Id() == "" {
		t.Errorf("identifiers %q and %q", events[0].Id(), events[1].Id())
	}
}

func TestACalendarWithoutShiftsIsOne(t *testing.T) {
	c := Calendar{Name: "None", Zone: "UTC"}
	if read, err := ics.ParseCalendar(bytes.NewReader(c.Bytes())); err != nil || len(read.Events()) != 0 {
		t.Errorf("read %v, %v", read, err)
	}
}
