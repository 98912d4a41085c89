package wire

import (
	"math/bits"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// plain returns how many bytes from i on stand for themselves in a JSON string, up to
// the end of the text: eight at a time, because texts are most of an answer.
func plain(s string, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	from := i
	for ; i+8 <= len(s); i += 8 {
		t := s[i : i+8]
		w := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\') // 0 where there is one
		// The high bit of a byte is set where it is past ASCII or less than a blank, or was
		// 0. The first such byte is right: what it borrows from comes after it.
		if odd := (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & high; odd != 0 {
			return i + bits.TrailingZeros64(odd)/8 - from
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i - from
}

// appendString appends a text as a JSON string: as encoding/json does, with HTML left
// alone (RFC 8259, section 7).
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; ; {
		i += plain(s, i)
		if i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, `\b`...)
			case '\f':
				b = append(b, `\f`...)
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		for i < len(s) && s[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + size
			case r == '\u2028' || r == '\u2029': // JavaScript took them for line ends
				b = append(append(b, s[from:i]...), `\u202`...)
				b = append(b, hexDigits[r&15])
				from = i + size
			}
			i += size
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}
