package input

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Raw returns the JSON text of a field of any type, or nil. In a form, where
// everything is text, it is the JSON that the text holds.
func (f *Fields) Raw(name string) json.RawMessage {
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
func (f *Fields) Raws(name string) (all []json.RawMessage) {
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
			f.Refuse(fault)
			return nil
		}
		all = append(all, json.RawMessage(text))
	}
	return all
}

// Objects returns a list of objects, each as fields of its own, of which it may have so
// many names and values; it is nil where the field is absent. In a form each may be a field. What is
// wrong with the fields of one is told by its own Err. Past most it does not go on.
func (f *Fields) Objects(name string, most, fields int) (list []Fields) {
	raw := f.rawList(name)
	if raw == nil {
		return nil
	}
	s := openScanner(raw)
	defer s.close()
	isList := s.json.PeekKind() == '['
	_, _ = s.json.ReadToken() // it was checked before, as is all that follows
	for isList && s.json.PeekKind() == '{' {
		_, text, fault := s.value()
		object := Fields{most: fields}
		if fault == nil {
			fault = parseJSON([]byte(text), &object)
		}
		if fault != nil {
			object.Refuse(fault)
		}
		if list = append(list, object); len(list) > most {
			return list
		}
	}
	if !isList || s.json.PeekKind() != ']' {
		f.Wrong(name, "a list of objects")
		return nil
	}
	return list
}

// rawList is the JSON text of a list of objects, which in a form may be a repeated field.
func (f *Fields) rawList(name string) json.RawMessage {
	given := f.known(name)
	if given == nil || given.kind != formKind || !strings.HasPrefix(strings.TrimSpace(given.text), "{") {
		return f.Raw(name)
	}
	all := f.Raws(name)
	if all == nil { // it was refused
		return nil
	}
	list := []byte{'['}
	for i, one := range all {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, one...)
	}
	return append(list, ']')
}

// Object returns an object as fields of its own, of which it may have so many names and values; nil where
// the field is absent. What is wrong with these is told by its own Err.
func (f *Fields) Object(name string, fields int) *Fields {
	raw := f.Raw(name)
	if raw == nil {
		return nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		f.Wrong(name, "an object")
		return nil
	}
	object := &Fields{most: fields}
	if fault := parseJSON(raw, object); fault != nil {
		object.Refuse(fault)
	}
	return object
}

// RefuseFor takes over what is wrong with an object that is a field.
func (f *Fields) RefuseFor(object *Fields) {
	if object.fault != nil {
		f.Refuse(object.fault)
	}
}

// Decode reads a nested field into a value that encoding/json can fill, and
// reports whether the field was there, storable and fitted. Want says in words what it has
// to be, for the error.
func (f *Fields) Decode(name string, into any, want string) bool {
	raw := f.Raw(name)
	if raw == nil || holdsNUL(raw) && !f.Storable(name, "\x00") {
		return false
	}
	if json.Unmarshal(raw, into) != nil {
		f.Wrong(name, want)
		return false
	}
	return true
}

// holdsNUL reports whether a text in JSON has the character U+0000, which can only be written as
// an escape: one whose backslash is not itself escaped.
func holdsNUL(raw []byte) bool {
	const escape = `u0000`
	for escaped := false; len(raw) > 0; raw = raw[1:] {
		if escaped && bytes.HasPrefix(raw, []byte(escape)) {
			return true
		}
		escaped = !escaped && raw[0] == '\\'
	}
	return false
}
