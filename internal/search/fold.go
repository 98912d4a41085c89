package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// letters are those that people write in more than one way, and that Unicode does not take
// apart: with a stroke, two in one, of Arabic beside Persian.
var letters = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "ɖ", "d", "ħ", "h", "ŧ", "t", "ƶ", "z", "ƀ", "b", "ɉ", "j", "ɨ", "i",
	"ŋ", "ng", "æ", "ae", "œ", "oe", "þ", "th", "ı", "i", "ə", "e", "ǝ", "e", "ĸ", "k", "ⱥ", "a", "ǥ", "g", "ɓ", "b",
	"ɗ", "d", "ƙ", "k", "ƴ", "y", "ґ", "г", "ғ", "г", "қ", "к", "ң", "н", "ұ", "у", "ү", "у", "һ", "х", "ҳ", "х", "ө", "о",
	"ә", "а", "є", "е", "і", "и", "ў", "у",
	"ی", "ي", "ى", "ي", "ے", "ي", "ک", "ك", "ة", "ه", "ہ", "ه", "ھ", "ه", "ە", "ه", "ٱ", "ا", "ـ", "",
)

// apostrophes are left out: O’Brien is looked for as obrien, o'brien and OʼBrien.
const apostrophes = "'’‘ʼʻ`＇ʹʾʿ״׳\u02bd\u2032"

// fold brings a text into the form in which the search compares: compatibility
// decomposed, without marks, case folded, of the letters that are one the same.
func fold(text string) string {
	decomposed := norm.NFKD.String(cases.Fold().String(norm.NFKD.String(text)))
	return letters.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return unicode.ToLower(r) // the case folding turns the cases of Cherokee round
	}, decomposed))
}

// alike brings a name into the form in which two that a reader takes for the same are one: that
// in which the search compares, with one blank in place of whatever shows some, without what
// shows nothing and without apostrophes, and with all dashes the same. A name of which nothing is
// left stays as it is.
func alike(name string) string {
	var b strings.Builder
	blank := false
	folded := fold(name)
	for _, r := range folded {
		switch {
		case model.ShowsBlank(r):
			blank = true
			continue
		case model.ShowsNothing(r), strings.ContainsRune(apostrophes, r):
			continue
		case unicode.Is(unicode.Pd, r):
			r = '-'
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(r)
	}
	return cmp.Or(b.String(), folded, name)
}

// maxBeginnings is how many words a run of characters without blanks gives the index.
const maxBeginnings = 32

// words are the different words of a text, folded and sorted: runs of letters and
// digits, of which the first searchindex.MaxWord bytes count, and each picture. What is
// asked for are these.
func words(text string) []string { return distinct(runs(text)) }

// indexWords are the words by which a text is found: besides its words what follows each
// character of a script that is written without blanks, where a word may begin anywhere, and
// the parts beside an apostrophe.
func indexWords(text string) []string {
	var out []string
	for _, run := range append(runs(text), runs(parted(text))...) {
		out = append(out, run)
		begun := 0
		characters := norm.NFC.String(run) // a syllable of Hangul is one
		for i, r := range characters {
			if i > 0 && unspaced(r) && begun < maxBeginnings {
				out = append(out, norm.NFKD.String(characters[i:]))
				begun++
			}
		}
	}
	return distinct(out)
}

// parted is a text with a blank in place of each apostrophe.
func parted(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(apostrophes, r) {
			return ' '
		}
		return r
	}, text)
}

// unspaced reports whether a character is of a script written without blanks between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi) || r == 'ー'
}

// runs are the words of a text in their order, folded.
func runs(text string) (out []string) {
	var run strings.Builder
	end := func() {
		if run.Len() > 0 {
			out = append(out, run.String())
			run.Reset()
		}
	}
	for _, r := range fold(text) {
		switch {
		case unicode.IsLetter(r) && !strings.ContainsRune(apostrophes, r), unicode.IsNumber(r):
			run.WriteRune(r)
		case strings.ContainsRune(apostrophes, r):
		case unicode.Is(unicode.So, r):
			end()
			out = append(out, string(r))
		default:
			end()
		}
	}
	end()
	return out
}

// distinct shortens words to what the index keeps of them, and sorts them, each once.
func distinct(all []string) []string {
	for i, word := range all {
		all[i] = shorten(word, searchindex.MaxWord)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
