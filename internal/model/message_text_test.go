package model

import "testing"

func TestATextIsKeptFromTheSecondTimeOn(t *testing.T) {
	text := NewText(6)
	before, after := []byte("abc"), []byte("def")
	text.Keep(before, after)
	if got := text.Pieces(); got != nil {
		t.Errorf("after the first time there is %q", *got)
	}
	text.Keep(before, after)
	before[0], after[0] = 'x', 'x' // which are pieces of an answer
	if got := text.Pieces(); got == nil || string(got.Before) != "abc" || string(got.After) != "def" {
		t.Errorf("got %q", got)
	}
}

func TestATextThatIsTooLongIsNotKept(t *testing.T) {
	text := NewText(5)
	for range 3 {
		text.Keep([]byte("abc"), []byte("def"))
	}
	if got := text.Pieces(); got != nil {
		t.Errorf("got %q", *got)
	}
	var none *Text
	none.Keep([]byte("abc"), nil)
	if got := none.Pieces(); got != nil {
		t.Errorf("without a text there is %q", *got)
	}
}
