package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTidyNameDropsWhatShowsNothingAtTheEnds(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "Bo", "Bo"},
		{"blanks", " \u00a0Bo\u3000\t\n", "Bo"},
		{"zero width", "\u200b\u2060Bo\ufeff", "Bo"},
		{"marks of direction", "\u202aBo\u202c\u200f", "Bo"},
		{"between words they stay", "Bo\u200c \u00a0Li", "Bo\u200c \u00a0Li"},
		{"zero width", "\u200b\u2060", ""},
		{"Hangul filler", "\u3164\u115f\uffa0", ""},
		{"empty Braille pattern", "\u2800", ""},
		{"soft hyphen", "\u00ad", ""},
		{"a tag by itself", "\U000e0041", ""},
		{"a variation of nothing", "\ufe0f", ""},
		{"a variation of a letter", "Bo\ufe0f", "Bo"},
		{"a coloured heart", "Bo ❤\ufe0f ", "Bo ❤\ufe0f"},
		{"an ideograph's variation", "\u8fbb\U000e0100", "\u8fbb\U000e0100"},
		{"a flag by tags", "🏴\U000e0067\U000e0062\U000e007f\u200b", "🏴\U000e0067\U000e0062\U000e007f"},
		{"a mark is seen", "\u0301", "\u0301"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := TidyName(test.text); got != test.want {
				t.Errorf("TidyName(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestTidyNameLeavesNothingToTidy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(" \u200b\ufe0f🏴\U000e0067辻❤")))).
			Draw(t, "name")
		once := TidyName(text)
		if twice := TidyName(once); twice != once {
			t.Fatalf("%q is tidied to %q, and this to %q", text, once, twice)
		}
		if !strings.Contains(text, once) || strings.TrimFunc(once, invisible) != strings.TrimFunc(text, invisible) {
			t.Fatalf("%q became %q", text, once)
		}
	})
}
