package model

import (
	"unicode"
	"unicode/utf8"
)

// IsText reports whether what came outside of a body is text: valid UTF-8 without a control
// character. Credentials, segments of paths, queries and headers are asked here before the store
// sees them. Not every database can hold the rest (PostgreSQL takes neither U+0000 nor broken
// UTF-8), and nothing is named by it.
func IsText(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError && !isReplacement(s[i:]) || unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// isReplacement reports whether a text begins with U+FFFD itself, which is valid.
func isReplacement(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size > 1
}
