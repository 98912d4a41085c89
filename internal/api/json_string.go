package api

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"signet/internal/model"
)

// quoted reads a string and returns its text.
func (s *scanner) quoted() (string, *model.Error) {
	start := s.pos + 1
	escapes, fault := s.quotedLength()
	if fault != nil {
		return "", fault
	}
	text := s.text[start : s.pos-1]
	if escapes {
		text = unescape(text)
	}
	return text, nil
}

// quotedLength reads a string, checks it, and reports whether it has escapes.
func (s *scanner) quotedLength() (escapes bool, fault *model.Error) {
	s.pos++
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return escapes, nil
		case c == '\\':
			escapes = true
			if fault := s.escape(); fault != nil {
				return false, fault
			}
		case c < ' ':
			return false, s.malformed("The JSON holds a control character in a string.")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return false, s.fault(codeTextInvalid, "The text is not valid UTF-8.")
			}
			s.pos += size
		}
	}
	return false, s.malformed("The JSON ends within a string.")
}

// escape checks an escape sequence.
func (s *scanner) escape() *model.Error {
	s.pos++
	switch s.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
	default:
		return s.malformed("The JSON holds a malformed escape.")
	}
	r, ok := hexRune(s.text[s.pos-1:])
	if !ok {
		return s.malformed("The JSON holds a malformed escape.")
	}
	s.pos += 5
	if !utf16.IsSurrogate(r) {
		return nil
	}
	low, _ := hexRune(s.text[s.pos:])
	if utf16.DecodeRune(r, low) == utf8.RuneError {
		return s.fault(codeTextInvalid, "The text holds half of a surrogate pair.")
	}
	s.pos += 6
	return nil
}

// hexRune reads the \uXXXX that text starts with.
func hexRune(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var r rune
	for i := 2; i < 6; i++ {
		c := rune(text[i])
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | c
	}
	return r, true
}

// unescape replaces the escapes of a string that was checked before.
func unescape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		size := 2
		switch c := text[1]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, _ := hexRune(text)
			size = 6
			if utf16.IsSurrogate(r) {
				low, _ := hexRune(text[6:])
				r = utf16.DecodeRune(r, low)
				size = 12
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
		text = text[size:]
	}
}
