package model

import (
	"math"
	"testing"
)

func TestCursorComesBackAsItWasWritten(t *testing.T) {
	for _, c := range []Cursor{{"a", 0}, {"U1u31Zym", 1795242846901886}, {"x", math.MaxInt64}} {
		if got, ok := ParseCursor(c.String()); !ok || got != c {
			t.Errorf("ParseCursor(%q) = %+v, %v", c.String(), got, ok)
		}
	}
}

func TestCursorIsWrittenInOneWayOnly(t *testing.T) {
	for _, text := range []string{"", "-", "a-", "-1", "a--1", "a-01", "a-A", "a-1 ", "a1", "a-zzzzzzzzzzzzzzzzzzzz",
		"083088e0-8e28-469c-8e90-e9ef24978f2c"} {
		if got, ok := ParseCursor(text); ok {
			t.Errorf("ParseCursor(%q) = %+v, want none", text, got)
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	for _, seed := range []string{"", "a-0", "U1u31Zym-hocz6f8y9q", "a-01", "ev-7", "-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := ParseCursor(text); ok && (c.String() != text || c.Position < 0 || c.Epoch == "") {
			t.Fatalf("ParseCursor(%q) = %+v, written %q", text, c, c.String())
		}
	})
}
