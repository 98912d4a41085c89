package search

import (
	"strings"

	"golang.org/x/net/idna"
)

// ownLetters writes international domains in what is looked for in their own letters, as e-mail
// addresses are stored: browsers make anna@xn--bcher-kva.example of anna@bücher.example.
func ownLetters(text string) string {
	lower := strings.ToLower(text)
	if !strings.Contains(lower, "xn--") {
		return text
	}
	words := strings.Fields(lower)
	for i, word := range words {
		at := strings.LastIndexByte(word, '@') + 1
		if shown, err := idna.Lookup.ToUnicode(word[at:]); err == nil {
			words[i] = word[:at] + shown
		}
	}
	return strings.Join(words, " ")
}
