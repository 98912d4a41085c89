package output

import "strings"

// Disposition writes a Content-Disposition that gives a file its name (RFC 6266). What reads no
// `filename*` takes the plain name, which is ASCII and comes first. Browsers decode a percent
// escape in a plain name, and not all read a backslash in one.
func Disposition(kind, name string) string {
	const hex = "0123456789ABCDEF"
	var plain, extended strings.Builder
	same := true
	for _, r := range name {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			same = false
			r = '_'
		}
		plain.WriteRune(r)
	}
	header := kind + `; filename="` + plain.String() + `"`
	if same {
		return header
	}
	for i := range len(name) {
		if b := name[i]; isAttrChar(b) {
			extended.WriteByte(b)
		} else {
			extended.Write([]byte{'%', hex[b>>4], hex[b&15]})
		}
	}
	return header + "; filename*=UTF-8''" + extended.String()
}

// isAttrChar reports whether an extended value has a byte as it is (RFC 8187, section 3.2.1).
func isAttrChar(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		strings.IndexByte("!#$&+-.^_`|~", b) >= 0
}
