package input

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"signet/internal/model"
)

// charsetField is the field of a form in which browsers name its charset.
const charsetField = "_charset_"

// parseForm reads an application/x-www-form-urlencoded body of a charset into fields. A broken
// escape or broken UTF-8 anywhere is a fault of the body.
func parseForm(body string, from *charset, f *Fields) *model.Error {
	for pair := range strings.SplitSeq(body, "&") {
		if label, found := strings.CutPrefix(pair, charsetField+"="); found && from == nil {
			var fault *model.Error
			if from, fault = charsetNamed(label, charsetField); fault != nil {
				return fault
			}
		}
	}
	for pair := range strings.SplitSeq(body, "&") {
		if pair == "" {
			continue
		}
		name, value, fault := formPair(pair, from)
		if fault != nil {
			return fault
		}
		if f.full() {
			return tooManyFields(f.most)
		}
		f.putText(name, value, nil)
	}
	return nil
}

// ParseQuery reads a query of at most so many names and values into fields; 0 is no
// limit. Clients add all kinds of things to a URL: a broken parameter, or one with a control
// character, is a fault only where it is one that the endpoint reads.
func ParseQuery(query string, most int, f *Fields) {
	f.query, f.most = true, most
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair == "" {
			continue
		}
		name, value, fault := formPair(pair, nil)
		if fault == nil {
			if fault = WantText(name, value); fault != nil {
				value = ""
			}
		}
		if f.full() {
			f.Refuse(tooManyFields(f.most))
			return
		}
		f.putText(name, value, fault)
	}
}

// formPair decodes `name=value`. The name is returned even with a fault of the
// value.
func formPair(pair string, from *charset) (name, value string, fault *model.Error) {
	name, value, _ = strings.Cut(pair, "=")
	if name, fault = formText(name, "", from); fault != nil {
		return "", "", fault
	}
	value, fault = formText(value, name, from)
	return name, value, fault
}

func formText(s, name string, from *charset) (string, *model.Error) {
	if strings.ContainsAny(s, "%+") {
		decoded, err := url.QueryUnescape(s)
		if err != nil {
			return "", model.Invalidf(CodeBodyInvalid, shownName(name), "The percent-encoding is malformed.")
		}
		s = decoded
	}
	s = decode(s, from)
	if !utf8.ValidString(s) {
		return "", model.Invalidf(CodeTextInvalid, shownName(name), "The text is not valid UTF-8.")
	}
	return s, nil
}
