package model

import (
	"errors"
	"strings"
	"testing"
)

func TestLabelOfAKeyIsOneShortLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		" \t\u200b\n":                       "",
		" Wall display, ward 3\n":           "Wall display, ward 3",
		"\u202aÖdland ❤\ufe0f":              "Ödland ❤\ufe0f",
		strings.Repeat("ü", MaxLabel) + " ": strings.Repeat("ü", MaxLabel),
	} {
		if got, err := ParseLabel(text); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{strings.Repeat("ü", MaxLabel+1), "two\nlines", "a\x00b", "a\u0085b", "\xff"} {
		_, err := ParseLabel(text)
		var told *Error
		if !errors.As(err, &told) || told.Code != "label_invalid" || told.Field != "label" {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
