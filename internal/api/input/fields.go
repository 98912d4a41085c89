package input

import (
	"net/http"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"signet/internal/model"
)

// Fields are the named values that a request carries, in one form for all three
// content types and for the query. The zero value has none.
//
// The getters take the name of a known field and return its value, or the zero
// value where it is absent (a JSON null is absent). A value that cannot be read so
// is a fault of the request: Err returns the first one, and an endpoint asks it once
// after it has read all that it needs. Fields that no getter asks for are ignored.
// Fields are not safe for concurrent use.
type Fields struct {
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
	// firm fields are left out by nobody who writes them, empty or not: a query's, a header's.
	firm bool
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
func (f *Fields) get(name string) *field {
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
func (f *Fields) full() bool {
	f.count++
	return f.most > 0 && f.count > f.most
}

func tooManyFields(most int) *model.Error {
	return model.Invalidf(CodeTooManyFields, "", "There are more than %d fields.", most)
}

// put adds a field whose name is new.
func (f *Fields) put(given field) {
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
func (f *Fields) putText(name, value string, flaw *model.Error) {
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
func (f *Fields) given(name string) *field {
	found := f.get(name)
	if found != nil && found.kind != nullKind {
		return found
	}
	if f.beside == nil {
		return nil
	}
	return f.beside(name)
}

// Beside lets fields that the body lacks come from the query, or else from a header of
// the vendor's, whose names begin with prefix: `sender_token` from TT-X-Sender-Token.
// Published clients end a mute so, with an empty object as the body.
func (f *Fields) Beside(query func() *Fields, h http.Header, prefix string) {
	f.beside = func(name string) *field {
		if given := query().get(name); given != nil {
			firm := *given
			firm.firm = true
			return &firm
		}
		lines := h[textproto.CanonicalMIMEHeaderKey(prefix+strings.ReplaceAll(name, "_", "-"))]
		if len(lines) == 0 {
			return nil
		}
		given := &field{name: name, kind: formKind, text: lines[0], more: lines[1:], firm: true}
		given.flaw = WantText(name, strings.Join(lines, ""))
		return given
	}
}

// known returns a field that is there and not null, unless it is flawed.
func (f *Fields) known(name string) *field {
	given := f.given(name)
	if given == nil {
		return nil
	}
	if given.flaw != nil {
		f.Refuse(given.flaw)
		return nil
	}
	return given
}

// scalar returns a known field that was given once.
func (f *Fields) scalar(name string) *field {
	given := f.known(name)
	if given != nil && len(given.more) > 0 {
		f.Refuse(repeated(name))
		return nil
	}
	return given
}

// filled returns a scalar that is no text, such as a number. Of these an input of a form
// that nobody filled in counts as left out; a query is no form that somebody fills in.
func (f *Fields) filled(name string) *field {
	given := f.scalar(name)
	if given != nil && given.kind == formKind && given.text == "" && !f.query && !given.firm {
		return nil
	}
	return given
}

// Err returns the first fault, or nil.
func (f *Fields) Err() error {
	if f.fault == nil {
		return nil
	}
	return f.fault
}

// Refuse notes a fault. The first one counts.
func (f *Fields) Refuse(fault *model.Error) {
	if f.fault == nil {
		f.fault = fault
	}
}

// RefuseRepeated refuses a name that was given more than once.
func (f *Fields) RefuseRepeated(name string) { f.Refuse(repeated(name)) }

// Wrong refuses a field that is not what the endpoint wants, in the words of want.
func (f *Fields) Wrong(name, want string) {
	f.Refuse(model.Invalidf(CodeFieldInvalid, shownName(name), "The field has to be %s.", want))
}

// Has reports whether a field is there and not null.
func (f *Fields) Has(name string) bool { return f.given(name) != nil }

// Names returns the names of all fields that are not null, in the order given:
// for the endpoints where the body itself is the object.
func (f *Fields) Names() []string {
	names := make([]string, 0, len(f.list))
	for i := range f.list {
		if f.list[i].kind != nullKind {
			names = append(names, f.list[i].name)
		}
	}
	return names
}

// Spelt returns how the request spells a name, whose case does not matter; empty
// where it has none such.
func (f *Fields) Spelt(name string) string {
	for i := range f.list {
		if strings.EqualFold(f.list[i].name, name) {
			return f.list[i].name
		}
	}
	return ""
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
	return model.Invalidf(CodeFieldRepeated, shownName(name), "The field is there more than once.")
}
