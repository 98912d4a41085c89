package model

import (
	"strings"
	"unicode"
)

// PhoneDigits returns the digits of a phone number, with the + that it begins with:
// without the dots, dashes, blanks, slashes, parentheses and invisible marks that people and
// their programs write it with. It returns nothing for a text that has anything else in it,
// or no digit. Digits of all scripts are digits.
func PhoneDigits(text string) string {
	var b strings.Builder
	digits := false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Nd, r):
			b.WriteByte('0' + digitValue(r))
			digits = true
		case (r == '+' || r == '＋') && b.Len() == 0:
			b.WriteByte('+')
		case unicode.Is(unicode.Pd, r), invisible(r), strings.ContainsRune("./()．／（）−", r):
		default:
			return ""
		}
	}
	if !digits {
		return ""
	}
	return b.String()
}

// digitValue is the value of a decimal digit of any script: each has its ten in a row,
// beginning with zero.
func digitValue(r rune) byte {
	for _, span := range unicode.Nd.R16 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return byte((r - rune(span.Lo)) % 10)
		}
	}
	for _, span := range unicode.Nd.R32 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return byte((r - rune(span.Lo)) % 10)
		}
	}
	return 0
}
