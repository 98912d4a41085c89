package api

import "signet/internal/model"

// maxDepth is how deep the objects and lists of a body may lie in one another;
// the outer object is 1 (contract, section 1).
const maxDepth = 32

// parseJSON reads a body of one JSON object into fields. It is written for this
// purpose, because encoding/json lets through what the contract refuses:
// repeated names, broken UTF-8, lone surrogates. It holds no copies: texts
// without escapes are parts of the body. A blank body has no fields.
func parseJSON(body string, f *fields) *model.Error {
	s := scanner{text: body}
	s.blanks()
	if s.pos == len(body) {
		return nil
	}
	if s.next() != '{' {
		return s.malformed("The body has to be one JSON object.")
	}
	if fault := s.members(f); fault != nil {
		return fault
	}
	return s.end()
}

// checkJSON checks the JSON that a field of a form holds as text. It counts as
// deep as it would lie in a JSON body.
func checkJSON(text, name string) *model.Error {
	s := scanner{text: text, depth: 1, field: name}
	s.blanks()
	if _, fault := s.value(); fault != nil {
		return fault
	}
	return s.end()
}

// eachText gives the elements of a JSON array that was scanned before, and
// reports whether they are all texts.
func eachText(array string, each func(string)) bool {
	s := scanner{text: array, pos: 1}
	for {
		s.blanks()
		switch s.next() {
		case ']':
			return true
		case ',':
			s.pos++
		case '"':
			text, fault := s.quoted()
			if fault != nil {
				return false
			}
			each(text)
		default:
			return false
		}
	}
}

// scanner reads JSON (RFC 8259) from pos on. Its functions leave pos behind what
// they have read.
type scanner struct {
	text  string
	pos   int
	depth int
	field string   // outermost member that is being read, for errors
	names []string // of the inner objects that are open, innermost last
}

// next returns the byte at pos, or 0 at the end; a 0 in the text fits nowhere
// either.
func (s *scanner) next() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) blanks() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) end() *model.Error {
	s.blanks()
	if s.pos < len(s.text) {
		return s.malformed("Something follows after the end of the JSON.")
	}
	return nil
}

// members reads the outer object, whose members are the request's fields.
func (s *scanner) members(f *fields) *model.Error {
	s.depth++
	s.pos++
	s.blanks()
	if s.next() == '}' {
		s.pos++
		return nil
	}
	for {
		s.field = ""
		name, fault := s.name()
		if fault != nil {
			return fault
		}
		s.field = name
		if f.get(name) != nil {
			return repeated(name)
		}
		given := field{name: name}
		start := s.pos
		if s.next() == '"' {
			given.kind = textKind
			given.text, fault = s.quoted()
			given.raw = s.text[start:s.pos]
		} else {
			given.kind, fault = s.value()
			given.text = s.text[start:s.pos]
		}
		if fault != nil {
			return fault
		}
		if f.full() {
			return tooManyFields(f.most)
		}
		f.put(given)
		more, fault := s.another('}')
		if fault != nil {
			return fault
		}
		if !more {
			s.field = ""
			return nil
		}
	}
}

// name reads the name of a member up to its value.
func (s *scanner) name() (string, *model.Error) {
	if s.next() != '"' {
		return "", s.malformed("The JSON is malformed.")
	}
	name, fault := s.quoted()
	if fault != nil {
		return "", fault
	}
	s.blanks()
	if s.next() != ':' {
		return "", s.malformed("The JSON is malformed.")
	}
	s.pos++
	s.blanks()
	return name, nil
}

// another reads what stands between two members or elements, and reports
// whether a further one follows or the end is reached.
func (s *scanner) another(end byte) (bool, *model.Error) {
	s.blanks()
	switch s.next() {
	case ',':
		s.pos++
		s.blanks()
		return true, nil
	case end:
		s.pos++
		s.depth--
		return false, nil
	}
	return false, s.malformed("The JSON is malformed.")
}

func (s *scanner) malformed(message string) *model.Error {
	return s.fault(codeBodyInvalid, message)
}

func (s *scanner) fault(code, message string) *model.Error {
	return model.Invalidf(code, shownName(s.field), "%s", message)
}
