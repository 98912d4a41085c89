package load

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestMarksAreFoundInEvents(t *testing.T) {
	for _, test := range []struct {
		worker int
		number uint64
	}{{0, 1}, {9999, 1 << 63}, {255, 0xdeadbeef}} {
		line := `data: {"event_id":"x","event":{"tigertext:iq:message":{"body":"` + mark(test.worker, test.number) +
			`xxxx"}}}`
		if worker, number, found := findMark([]byte(line)); !found || worker != test.worker || number != test.number {
			t.Errorf("%s: got %d, %d, %v, want %d, %d", line, worker, number, found, test.worker, test.number)
		}
	}
	for _, line := range []string{"", ": signet", markPrefix, mark(1, 2)[:markLength-1],
		markPrefix + "0000000g:0000000000000000", markPrefix + "00000001 0000000000000001"} {
		if _, _, found := findMark([]byte(line)); found {
			t.Errorf("a mark was found in %q", line)
		}
	}
	if len(mark(1, 2)) != markLength {
		t.Errorf("a mark has %d bytes, want %d", len(mark(1, 2)), markLength)
	}
}

// A message may be longer than what a stream's reader holds.
func TestLinesOfStreamsHaveAnyLength(t *testing.T) {
	long := strings.Repeat("long ", lineBuffer)
	l := &listening{r: bufio.NewReaderSize(strings.NewReader("short\n"+long+"\n\nend\n"), lineBuffer)}
	var got []string
	for {
		line, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	if want := []string{"short", long, "", "end"}; !slices.Equal(got, want) {
		t.Errorf("%d lines came, not the %d that were written", len(got), len(want))
	}
}

func TestIdentifiersOfEventsAreFound(t *testing.T) {
	answer := `{"status":"success","reply":[{"event_id":"a-1","event":{}},{"event_id":"b","event":{}}]}`
	if got := eventIDs([]byte(answer)); !slices.Equal(got, []string{"a-1", "b"}) {
		t.Errorf("got %q", got)
	}
	if got := eventIDs([]byte(`{"reply":[]}`)); got != nil {
		t.Errorf("got %q of none", got)
	}
}
