package search

import (
	"strings"
	"testing"
)

// FuzzText holds what is found in texts to what is found in the index of people, as far as that
// keeps all words: beyond maxBeginnings of a run without blanks it keeps none.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"Potassium 6.1, please call back.", "O'Brien's x-ray", "''a'b c'", "Ärztin größer", "検査結果は明日です",
		"각하 나라", "O’Brien ʼn ŉ", "👍👍 ok", "x", "ﬁne ﬀ", "straße", "l’hôpital – “tôt”", "e\u0301te\u0301 a\u2019\u0301b",
		"38,5 °C", "5 €", "«a»\u00a0b", "เวลา", strings.Repeat("long", 30),
	} {
		for _, wanted := range []string{
			"pot call", "obrien", "brien", "briens", "s", "artzt", "gross", "結果", "나", "👍", "fine", "strasse", "hopit",
			"lhop", "ete", "c", "a b", "cd", strings.Repeat("long", 16), strings.Repeat("long", 40), "ray x o", "ว",
		} {
			f.Add(text, wanted)
		}
	}
	f.Fuzz(func(t *testing.T, text, wanted string) {
		if len(text) > 3*maxBeginnings && !plain(text) {
			return
		}
		looked, ok := NewText(wanted)
		if !ok {
			return
		}
		if got, want := looked.In(text), Beginnings(wanted)(text); got != want {
			t.Errorf("%q is found in %q: %t, want %t", wanted, text, got, want)
		}
	})
}

func TestTextIsFoundInSeveral(t *testing.T) {
	for _, test := range []struct {
		wanted string
		texts  []string
		found  bool
	}{
		{"lab rep", []string{"the lab", "report.pdf"}, true},
		{"lab rep", []string{"the lab", "result.pdf"}, false},
		{"pdf", []string{"", "report.pdf"}, true},
		{"x", nil, false},
		{"x", []string{"", ""}, false},
		{"果明", []string{strings.Repeat("検査結", 100) + "果明日"}, true}, // of whatever length it is
		{"결과", []string{strings.Repeat("검사", 100) + "결과"}, true},
	} {
		text, ok := NewText(test.wanted)
		if !ok {
			t.Fatalf("%q has no word", test.wanted)
		}
		if got := text.In(test.texts...); got != test.found {
			t.Errorf("%q in %q: %t, want %t", test.wanted, test.texts, got, test.found)
		}
	}
	for _, nothing := range []string{"", " \t", "?!", "'", "--"} {
		if _, ok := NewText(nothing); ok {
			t.Errorf("%q has a word", nothing)
		}
	}
}

// BenchmarkText looks for two words, which are not there, in a message of 120 characters.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":  strings.Repeat("Potassium 6.1, please call back at once. ", 3),
		"german": strings.Repeat("Kalium 6,1, bitte rufen Sie zurück, größte Eile. ", 3),
	} {
		b.Run(name, func(b *testing.B) {
			wanted, _ := NewText("creatinine bedside")
			b.ReportAllocs()
			for b.Loop() {
				if wanted.In(text) {
					b.Fatal("it is found")
				}
			}
		})
	}
}
