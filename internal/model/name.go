package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks are characters that show nothing without being spaces or ignorable by Unicode's
// tables: the empty Braille pattern, a musical note without a head, blank hieroglyphs.
const blanks = "\u2800\U0001D159\U00013441\U00013442"

// fillers are letters of Hangul that show a blank, and that Unicode's tables call ignorable.
const fillers = "\u115f\u1160\u3164\uffa0"

// ShowsBlank reports whether a character by itself shows an empty place.
func ShowsBlank(r rune) bool {
	return unicode.In(r, unicode.White_Space, unicode.Z) || strings.ContainsRune(blanks+fillers, r)
}

// ShowsNothing reports whether a character by itself shows nothing, not even an empty place.
func ShowsNothing(r rune) bool { return invisible(r) && !ShowsBlank(r) }

// invisible reports whether a character by itself shows nothing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Z,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || strings.ContainsRune(blanks, r)
}

// FoldName returns the form in which a directory's names of people and groups are compared: upper and lower case are
// the same (RFC 7643, section 2.2: caseExact is false).
func FoldName(name string) string { return strings.ToLower(name) }

// TidyName returns a name without the blanks and invisible characters at its ends: nothing
// where it shows nothing. Two names that look the same at their ends are the same there.
func TidyName(name string) string {
	name = strings.TrimLeftFunc(name, invisible)
	bare := strings.TrimRightFunc(name, invisible)
	return bare + shaping(bare, name[len(bare):])
}

// shaping returns the beginning of what follows a name that changes how its last character
// looks: a variation of an ideograph or a symbol (a coloured heart, 辻 with one dot), or
// the tags that make a flag that of England.
func shaping(name, rest string) string {
	last, _ := utf8.DecodeLastRuneInString(name)
	first, size := utf8.DecodeRuneInString(rest)
	if unicode.Is(unicode.Variation_Selector, first) && unicode.In(last, unicode.Han, unicode.S) {
		return rest[:size]
	}
	if last == '🏴' {
		return rest[:len(rest)-len(strings.TrimLeftFunc(rest, isTag))]
	}
	return ""
}

func isTag(r rune) bool { return '\U000E0020' <= r && r <= '\U000E007F' }
