package search

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is what is looked for in texts that no index has: every word of it begins some word of
// them, as in a search for people. It is safe for concurrent use.
type Text struct {
	wanted []string // sorted, none the beginning of another
}

// NewText reads what is looked for. ok is false where that has no word.
func NewText(text string) (t Text, ok bool) {
	t.wanted = searchWords(text)
	return t, len(t.wanted) > 0
}

// In reports whether every word begins one of the words of these texts.
func (t Text) In(texts ...string) bool {
	missing := append(make([]string, 0, 16), t.wanted...)
	for _, text := range texts {
		if missing = without(missing, text); len(missing) == 0 {
			return true
		}
	}
	return false
}

// without returns the sorted words that begin no word of a text.
func without(missing []string, text string) []string {
	if plain(text) {
		return withoutPlain(missing, text)
	}
	if simple, ok := latin(text); ok {
		return withoutPlain(missing, simple)
	}
	for _, run := range runs(text) {
		missing = withoutRun(missing, run)
	}
	if strings.ContainsAny(text, apostrophes) { // the parts beside one are words too
		for _, run := range runs(parted(text)) {
			missing = withoutRun(missing, run)
		}
	}
	return missing
}

// withoutRun does the same for a run, and for the words that begin within it where it is of a
// script without blanks.
func withoutRun(missing []string, run string) []string {
	missing = strike(missing, run)
	if plain(run) {
		return missing
	}
	at := 0
	for i, r := range norm.NFC.String(run) { // a syllable of Hangul is one character
		if len(missing) == 0 {
			break
		}
		if i > 0 && unspaced(r) {
			missing = strike(missing, run[at:])
		}
		at += len(norm.NFKD.String(string(r)))
	}
	return missing
}

// strike leaves out the word that begins a text. It is one at most, and of all that are not
// behind the text in their order the last, for none of them is the beginning of another.
func strike(missing []string, text string) []string {
	behind, same := slices.BinarySearch(missing, text)
	if same {
		behind++
	}
	if behind > 0 && strings.HasPrefix(text, missing[behind-1]) {
		return slices.Delete(missing, behind-1, behind)
	}
	return missing
}

// plain reports whether a text is ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// withoutPlain is without for ASCII, as most texts are: nothing has to be folded but capitals,
// and nothing is allocated.
func withoutPlain(missing []string, text string) []string {
	begun := false // a run of letters and digits, with apostrophes in between
	for i := 0; i < len(text) && len(missing) > 0; i++ {
		switch c := lower(text[i]); {
		case c == 0:
			begun = begun && isApostrophe(text[i])
		case i > 0 && lower(text[i-1]) != 0:
		default:
			for j, word := range missing {
				if word[0] == c && begins(text[i:], word, begun) {
					missing = slices.Delete(missing, j, j+1)
					break // no other is the beginning of the same
				}
			}
			begun = true
		}
	}
	return missing
}

// begins reports whether the word with which a text in ASCII begins has this beginning.
// Apostrophes in the word are left out, unless it follows on one: then it ends at the next.
func begins(text, word string, part bool) bool {
	at := 0
	for i := 0; i < len(text) && at < len(word); i++ {
		if c := lower(text[i]); c == word[at] {
			at++
		} else if c != 0 || part || !isApostrophe(text[i]) {
			return false
		}
	}
	return at == len(word)
}

func isApostrophe(c byte) bool { return c == '\'' || c == '`' }

// lower is the small form of a letter or digit of ASCII, or 0 for what is neither.
func lower(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// latin returns a text in letters of ASCII, in which the same words begin; ok is false where it
// has others than those of Latin scripts.
func latin(text string) (simple string, ok bool) {
	table := latinLetters()
	out := make([]byte, 0, len(text)+16)
	for _, r := range text {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
		} else if letter, known := table[r]; known {
			out = append(out, letter...)
		} else {
			return "", false
		}
	}
	return string(out), true
}

// latinLetters are what the letters, marks and punctuation of texts in Latin scripts are in ASCII:
// what they are folded to, a plain apostrophe for each other one, a blank for what ends a word.
var latinLetters = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for _, block := range [][2]rune{{0x80, 0x24f}, {0x300, 0x36f}, {0x1e00, 0x1eff}, {0x2000, 0x206f}, {0x20a0, 0x20bf}} {
		for r := block[0]; r <= block[1]; r++ {
			folded := fold(string(r))
			switch {
			case strings.ContainsRune(apostrophes, r):
				table[r] = "'"
			case strings.ContainsAny(folded, apostrophes): // within a letter
			case plain(folded):
				table[r] = folded
			case strings.IndexFunc(folded, inWord) < 0:
				table[r] = " "
			}
		}
	}
	return table
})

// inWord reports whether a character is part of a word, or is one.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}
