package input

import (
	"encoding/json"
	"strings"

	"signet/internal/model"
)

// Text returns a text. A JSON number or boolean is no text.
func (f *Fields) Text(name string) string {
	text, _ := f.text(name)
	return text
}

// OptionalText returns a text, or nil where the field is absent.
func (f *Fields) OptionalText(name string) *string {
	if text, ok := f.text(name); ok {
		return &text
	}
	return nil
}

// RequiredText returns a text that has to be there and not blank; the code is
// the name with `_required`.
func (f *Fields) RequiredText(name string) string {
	text, ok := f.text(name)
	if f.fault == nil && (!ok || strings.TrimSpace(text) == "") {
		f.Refuse(model.Invalidf(name+"_required", name, "The field is required."))
	}
	return text
}

func (f *Fields) text(name string) (string, bool) {
	given := f.scalar(name)
	switch {
	case given == nil:
		return "", false
	case given.kind != textKind && given.kind != formKind:
		f.Wrong(name, "a text")
		return "", false
	case !f.Storable(name, given.text):
		return "", false
	}
	return given.text, true
}

// Values returns all that was given for a field of a query or a form, the first one
// first, without a fault: a value that cannot be decoded is empty.
func (f *Fields) Values(name string) []string {
	given := f.given(name)
	if given == nil {
		return nil
	}
	return append([]string{given.text}, given.more...)
}

// Storable refuses U+0000 in the text of a field, which not every database can hold,
// and reports whether there is none.
func (f *Fields) Storable(name, text string) bool {
	if strings.IndexByte(text, 0) < 0 {
		return true
	}
	f.Refuse(model.Invalidf(CodeTextInvalid, shownName(name), "The text contains the character U+0000."))
	return false
}

// WantText refuses the value of a query or a header that is no text, and names it.
func WantText(name, value string) *model.Error {
	if model.IsText(value) {
		return nil
	}
	return model.Invalidf(CodeTextInvalid, shownName(name), "The text is not valid UTF-8, or has a control character.")
}

// Scalar returns the JSON text of a text, a number or a boolean, for values that are
// kept as given; nil where there is none. All values of a form are texts.
func (f *Fields) Scalar(name string) json.RawMessage {
	given := f.scalar(name)
	switch {
	case given == nil:
		return nil
	case given.kind == listKind, given.kind == objectKind:
		f.Wrong(name, "a text, a number or a boolean")
		return nil
	case !f.Storable(name, given.text):
		return nil
	case given.kind == textKind, given.kind == formKind:
		text, _ := json.Marshal(given.text) // a text always encodes
		return text
	}
	return json.RawMessage(given.text)
}

// List returns a list of texts: a JSON array of strings, a repeated field, or
// one text with commas between them. It is nil where the field is absent, and
// empty but not nil where an empty list was given. Around commas, blanks and
// empty pieces are dropped; the texts of an array are taken as they are.
func (f *Fields) List(name string) []string {
	given := f.known(name)
	if given == nil {
		return nil
	}
	list := make([]string, 0, 1+strings.Count(given.text, ","))
	ok := true
	switch given.kind {
	case textKind, formKind:
		list = splitList(list, given.text)
		for _, text := range given.more {
			list = splitList(list, text)
		}
	case listKind:
		list, ok = appendTexts(list, given.text)
	default:
		ok = false
	}
	if !ok {
		f.Wrong(name, "a list of texts")
		return nil
	}
	for _, text := range list {
		if !f.Storable(name, text) {
			return nil
		}
	}
	return list
}

// SplitList returns the pieces of a text with commas between them, without blanks
// around them and without empty ones.
func SplitList(text string) []string { return splitList(nil, text) }

func splitList(list []string, text string) []string {
	for piece := range strings.SplitSeq(text, ",") {
		if piece = strings.TrimSpace(piece); piece != "" {
			list = append(list, piece)
		}
	}
	return list
}
