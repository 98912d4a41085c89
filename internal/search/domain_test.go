package search

import "testing"

func TestDomainsAreLookedForInTheirOwnLetters(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"Anna Berg":                      "Anna Berg",
		"anna@bücher.example":            "anna@bücher.example",
		"anna@xn--bcher-kva.example":     "anna@bücher.example",
		"Anna@XN--BCHER-KVA.example nok": "anna@bücher.example nok",
		"xn--bcher-kva":                  "bücher",
		"anna@xn--\u00fc":                "anna@xn--\u00fc", // none
	} {
		if got := ownLetters(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
