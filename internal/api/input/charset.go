package input

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"signet/internal/model"
)

// charset is how the bytes of a text are to be read. Nil is UTF-8.
type charset = charmap.Charmap

// latin is what ISO-8859-1 and windows-1252 are read as: they differ in control characters, which
// no text has, and what calls itself the one is often the other.
var latin = charmap.Windows1252

// charsetNamed returns the charset that a body or a part declares (RFC 7578, section 5.1.2). None
// declared is UTF-8. ASCII is UTF-8 too.
func charsetNamed(label, field string) (*charset, *model.Error) {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return nil, nil
	case "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252":
		return latin, nil
	}
	return nil, &model.Error{Kind: model.UnsupportedType, Code: CodeTypeUnsupported, Field: shownName(field),
		Message: "The charset has to be UTF-8, ISO-8859-1, windows-1252 or US-ASCII."}
}

// decode returns a text in UTF-8. What cannot be read so comes back as it is: no valid UTF-8.
func decode(text string, from *charset) string {
	if from == nil || isASCII(text) {
		return text
	}
	decoded, err := from.NewDecoder().String(text)
	if err != nil || strings.ContainsRune(decoded, utf8.RuneError) { // five bytes are no character
		return text
	}
	return decoded
}

// decodeName returns a name that no charset is declared for: UTF-8 where it is that, else what
// old programs write.
func decodeName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return decode(name, latin)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readEncoded lets mime decode words of charsets that it does not know itself (RFC 2047).
func readEncoded(label string, from io.Reader) (io.Reader, error) {
	known, fault := charsetNamed(label, "")
	if fault != nil {
		return nil, fault
	}
	if known == nil {
		return from, nil
	}
	return known.NewDecoder().Reader(from), nil
}
