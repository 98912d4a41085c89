package api

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"signet/internal/model"
)

// fields are the named values that a request carries, in one form for all three
// content types and for the query.
//
// The getters take the name of a known field and return its value, or the zero
// value where it is absent (a JSON null is absent). What is there but cannot be
// read so is a fault of the request: the first one is kept for call.err, which an
// endpoint asks once after it has read everything it needs. Fields that no
// getter asks for are ignored.
type fields struct {
	list  []field
	index map[string]int // of list, once that is long
	fault *model.Error
	most  int // names and values that there may be; 0: no limit
	count int
	// beside finds what was given for a name outside of the list; nil where a field
	// can come from nowhere else.
	beside func(name string) *field
	query  bool // they are those of a query
}

// field is one name and what was given for it.
type field struct {
	name string
	kind kind
	// text is the decoded text of a textKind or formKind, and the JSON text of
	// everything else.
	text string
	raw  string   // of a textKind: its JSON text, quotes included
	more []string // of a formKind: the values of its repetitions
	flaw *model.Error
}

// kind is what sort of value a field was given.
type kind int

const (
	nullKind   kind = iota
	textKind        // a JSON string
	numberKind      // a JSON number
	boolKind        // true or false
	listKind        // a JSON array
	objectKind      // a JSON object
	formKind        // text of a form, a multipart body or a query
)

// indexedFrom is the number of fields past which a map finds them faster than
// looking at each; it also keeps a body of many names from costing their square.
const indexedFrom = 16

// get returns a field by its name, or nil.
func (f *fields) get(name string) *field {
	if f.index != nil {
		if i, ok := f.index[name]; ok {
			return &f.list[i]
		}
		return nil
	}
	for i := range f.list {
		if f.list[i].name == name {
			return &f.list[i]
		}
	}
	return nil
}

// full counts another value, and reports whether that is one too many: what a body
// takes in memory is a multiple of its bytes where they are all short names.
func (f *fields) full() bool {
	f.count++
	return f.most > 0 && f.count > f.most
}

func tooManyFields(most int) *model.Error {
	return model.Invalidf(codeTooManyFields, "", "There are more than %d fields.", most)
}

// put adds a field whose name is new.
func (f *fields) put(given field) {
	if f.list == nil {
		f.list = make([]field, 0, 8)
	}
	f.list = append(f.list, given)
	switch {
	case f.index != nil:
		f.index[given.name] = len(f.list) - 1
	case len(f.list) > indexedFrom:
		f.index = make(map[string]int, 4*indexedFrom)
		for i := range f.list {
			f.index[f.list[i].name] = i
		}
	}
}

// putText adds a value of a form, a multipart body or a query, where a name may
// come several times. A flawed value is a fault only once its field is asked for.
func (f *fields) putText(name, value string, flaw *model.Error) {
	given := f.get(name)
	if given == nil {
		f.put(field{name: name, kind: formKind, text: value, flaw: flaw})
		return
	}
	given.more = append(given.more, value)
	if given.flaw == nil {
		given.flaw = flaw
	}
}

// given returns a field that is not null, of the list before from beside it.
func (f *fields) given(name string) *field {
	found := f.get(name)
	if found != nil && found.kind != nullKind {
		return found
	}
	if f.beside == nil {
		return nil
	}
	return f.beside(name)
}

// known returns a field that is there and not null, unless it is flawed.
func (f *fields) known(name string) *field {
	given := f.given(name)
	if given == nil {
		return nil
	}
	if given.flaw != nil {
		f.refuse(given.flaw)
		return nil
	}
	return given
}

// scalar returns a known field that was given once.
func (f *fields) scalar(name string) *field {
	given := f.known(name)
	if given != nil && len(given.more) > 0 {
		f.refuse(repeated(name))
		return nil
	}
	return given
}

// filled returns a scalar that is no text, such as a number. Of these an input of a form
// that nobody filled in counts as left out; a query is no form that somebody fills in.
func (f *fields) filled(name string) *field {
	given := f.scalar(name)
	if given != nil && given.kind == formKind && given.text == "" && !f.query {
		return nil
	}
	return given
}

// refuse keeps the first fault.
func (f *fields) refuse(fault *model.Error) {
	if f.fault == nil {
		f.fault = fault
	}
}

// wrong refuses a field that is not what the endpoint wants.
func (f *fields) wrong(name, want string) {
	f.refuse(model.Invalidf(codeFieldInvalid, shownName(name), "The field has to be %s.", want))
}

// Has reports whether a field is there and not null.
func (f *fields) Has(name string) bool { return f.given(name) != nil }

// Names returns the names of all fields that are not null, in the order given:
// for the endpoints where the body itself is the object.
func (f *fields) Names() []string {
	names := make([]string, 0, len(f.list))
	for i := range f.list {
		if f.list[i].kind != nullKind {
			names = append(names, f.list[i].name)
		}
	}
	return names
}

// Text returns a text. A JSON number or boolean is no text.
func (f *fields) Text(name string) string {
	text, _ := f.text(name)
	return text
}

// OptionalText returns a text, or nil where the field is absent.
func (f *fields) OptionalText(name string) *string {
	if text, ok := f.text(name); ok {
		return &text
	}
	return nil
}

// RequiredText returns a text that has to be there and not blank; the code is
// the name with `_required`.
func (f *fields) RequiredText(name string) string {
	text, ok := f.text(name)
	if f.fault == nil && (!ok || strings.TrimSpace(text) == "") {
		f.refuse(model.Invalidf(name+"_required", name, "The field is required."))
	}
	return text
}

func (f *fields) text(name string) (string, bool) {
	given := f.scalar(name)
	switch {
	case given == nil:
		return "", false
	case given.kind != textKind && given.kind != formKind:
		f.wrong(name, "a text")
		return "", false
	case !f.storable(name, given.text):
		return "", false
	}
	return given.text, true
}

// storable refuses U+0000, which not every database can hold in a text.
func (f *fields) storable(name, text string) bool {
	if strings.IndexByte(text, 0) < 0 {
		return true
	}
	f.refuse(model.Invalidf(codeTextInvalid, shownName(name), "The text contains the character U+0000."))
	return false
}

// Scalar returns a text, a number or a boolean as the text it was written with,
// for values that are kept as given.
func (f *fields) Scalar(name string) string {
	given := f.scalar(name)
	switch {
	case given == nil:
		return ""
	case given.kind == listKind, given.kind == objectKind:
		f.wrong(name, "a text, a number or a boolean")
		return ""
	case !f.storable(name, given.text):
		return ""
	}
	return given.text
}

// List returns a list of texts: a JSON array of strings, a repeated field, or
// one text with commas between them. It is nil where the field is absent, and
// empty but not nil where an empty list was given. Around commas, blanks and
// empty pieces are dropped; the texts of an array are taken as they are.
func (f *fields) List(name string) []string {
	given := f.known(name)
	if given == nil {
		return nil
	}
	list := make([]string, 0, 1+strings.Count(given.text, ","))
	switch given.kind {
	case textKind, formKind:
		list = splitList(list, given.text)
		for _, text := range given.more {
			list = splitList(list, text)
		}
	case listKind:
		if !eachText(given.text, func(text string) { list = append(list, text) }) {
			f.wrong(name, "a list of texts")
			return nil
		}
	default:
		f.wrong(name, "a list of texts")
		return nil
	}
	for _, text := range list {
		if !f.storable(name, text) {
			return nil
		}
	}
	return list
}

func splitList(list []string, text string) []string {
	for piece := range strings.SplitSeq(text, ",") {
		if piece = strings.TrimSpace(piece); piece != "" {
			list = append(list, piece)
		}
	}
	return list
}

// Raw returns the JSON text of a field of any type, or nil. In a form, where
// everything is text, it is the JSON that the text holds.
func (f *fields) Raw(name string) json.RawMessage {
	if f.filled(name) == nil {
		return nil
	}
	if all := f.Raws(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Raws is Raw for a list, which in a form may be a repeated field: one JSON text for
// each time that the field was given.
func (f *fields) Raws(name string) (all []json.RawMessage) {
	given := f.known(name)
	switch {
	case given == nil:
		return nil
	case given.kind == textKind:
		return []json.RawMessage{json.RawMessage(given.raw)}
	case given.kind != formKind:
		return []json.RawMessage{json.RawMessage(given.text)}
	}
	for _, text := range append([]string{given.text}, given.more...) {
		if text == "" {
			continue
		}
		if fault := checkJSON(text, name); fault != nil {
			f.refuse(fault)
			return nil
		}
		all = append(all, json.RawMessage(text))
	}
	return all
}

// Decode reads a nested field into a value that encoding/json can fill, and
// reports whether the field was there and fitted. Want says in words what it has
// to be, for the error.
func (f *fields) Decode(name string, into any, want string) bool {
	raw := f.Raw(name)
	return raw != nil && f.decode(name, raw, into, want)
}

func (f *fields) decode(name string, raw json.RawMessage, into any, want string) bool {
	if err := json.Unmarshal(raw, into); err != nil {
		f.wrong(name, want)
		return false
	}
	return true
}

// shownName returns a field's name as an error may show it: what the client sent
// as one can be long, or not text.
func shownName(name string) string {
	const longest = 64
	if len(name) > longest || !utf8.ValidString(name) {
		return ""
	}
	return name
}

func repeated(name string) *model.Error {
	return model.Invalidf(codeFieldRepeated, shownName(name), "The field is there more than once.")
}
