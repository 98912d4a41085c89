package model

import "testing"

func TestIsText(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "bob@example.com": true, "Jörg Müller": true, "\u200b\u00a0": true, "\ufffd": true, "\U0001f3e5": true,
		"\x00": false, "a\x00b": false, "\xff": false, "a\xc3": false, "\xed\xa0\x80": false, "a\tb": false, "a\nb": false,
		"\x7f": false, "\u0085": false, "\ufffd\xff": false,
	} {
		if got := IsText(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
