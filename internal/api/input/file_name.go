package input

import (
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentName returns the name of a file as the client wrote it in a Content-Disposition, and whether
// the part is named as a file at all. The extended form wins (RFC 6266, section 4.3). Where that
// cannot be read the plain one does, whatever of the many ways it is written in.
func sentName(header string) (name string, isFile bool) {
	_, params, _ := mime.ParseMediaType(header)
	plain, isFile := params["filename"]
	extended, isExtended := extendedName(header)
	switch read, ok := readExtended(extended); {
	case ok:
		return read, true
	case isExtended && (!isFile || plain == ""):
		return extended[strings.LastIndexByte(extended, '\'')+1:], true
	}
	if strings.HasPrefix(plain, "=?") && strings.HasSuffix(plain, "?=") {
		words := mime.WordDecoder{CharsetReader: readEncoded}
		if decoded, err := words.DecodeHeader(plain); err == nil {
			return decoded, isFile
		}
	}
	return decodeName(plain), isFile
}

// extendedName returns the value of `filename*` as it is written: mime takes it away where it
// does not know the charset.
func extendedName(header string) (value string, found bool) {
	start, quoted := 0, false
	for i := 0; i <= len(header); i++ {
		switch {
		case i < len(header) && quoted && header[i] == '\\':
			i++
			continue
		case i < len(header) && header[i] == '"':
			quoted = !quoted
			continue
		case i < len(header) && (quoted || header[i] != ';'):
			continue
		}
		name, value, _ := strings.Cut(header[start:min(i, len(header))], "=")
		if strings.EqualFold(strings.TrimSpace(name), "filename*") {
			return strings.Trim(value, " \t\""), true
		}
		start = i + 1
	}
	return "", false
}

// readExtended reads `charset'language'value` (RFC 8187).
func readExtended(value string) (name string, ok bool) {
	parts := strings.SplitN(value, "'", 3)
	if len(parts) != 3 {
		return "", false
	}
	known, fault := charsetNamed(parts[0], "")
	bytes, err := url.PathUnescape(parts[2])
	if fault != nil || err != nil {
		return "", false
	}
	if known == nil {
		return decodeName(bytes), true
	}
	return decode(bytes, known), true
}

// encodedByBrowsers are the characters of a file name that browsers write so.
var encodedByBrowsers = strings.NewReplacer("%22", `"`, "%0D", "", "%0A", "")

// fileName returns a name under which a file can be offered for download: the
// last element of what was sent, without control characters and marks that turn
// the direction of writing (which disguise an ending), of at most 255 bytes, of which
// the last are its ending.
func fileName(sent string) string {
	sent = encodedByBrowsers.Replace(sent)
	if i := strings.LastIndexAny(sent, `/\`); i >= 0 {
		sent = sent[i+1:]
	}
	sent = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, sent)
	sent = strings.TrimSpace(sent)
	const longest, longestEnding = 255, 32
	if len(sent) > longest {
		ending := path.Ext(sent)
		if len(ending) > longestEnding {
			ending = ""
		}
		end := longest - len(ending)
		for !utf8.RuneStart(sent[end]) {
			end--
		}
		sent = sent[:end] + ending
	}
	if strings.Trim(sent, ".") == "" {
		return "attachment"
	}
	return sent
}
