package api

import (
	"strings"

	"signet/internal/model"
)

// value reads a value of any kind without keeping it.
func (s *scanner) value() (kind, *model.Error) {
	switch c := s.next(); {
	case c == '"':
		_, fault := s.quotedLength()
		return textKind, fault
	case c == '{':
		return objectKind, s.object()
	case c == '[':
		return listKind, s.array()
	case c == '-', '0' <= c && c <= '9':
		return numberKind, s.number()
	case c == 't':
		return boolKind, s.literal("true")
	case c == 'f':
		return boolKind, s.literal("false")
	default:
		return nullKind, s.literal("null")
	}
}

func (s *scanner) literal(word string) *model.Error {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		return s.malformed("The JSON is malformed.")
	}
	s.pos += len(word)
	return nil
}

// deeper enters an object or a list, and reports whether it is empty.
func (s *scanner) deeper(end byte) (bool, *model.Error) {
	if s.depth == maxDepth {
		return false, s.fault(codeBodyTooDeep, "The JSON is nested too deep.")
	}
	s.pos++
	s.blanks()
	if s.next() == end {
		s.pos++
		return true, nil
	}
	s.depth++
	return false, nil
}

func (s *scanner) array() *model.Error {
	more, fault := s.deeper(']')
	for more = !more; more && fault == nil; {
		if _, fault = s.value(); fault == nil {
			more, fault = s.another(']')
		}
	}
	return fault
}

func (s *scanner) object() *model.Error {
	start := len(s.names)
	var many map[string]bool // the names, once they are many
	more, fault := s.deeper('}')
	for more = !more; more && fault == nil; {
		var name string
		if name, fault = s.name(); fault != nil {
			break
		}
		if many == nil && len(s.names)-start == indexedFrom {
			many = make(map[string]bool, 4*indexedFrom)
			for _, earlier := range s.names[start:] {
				many[earlier] = true
			}
		}
		if many != nil {
			if many[name] {
				return s.fault(codeFieldRepeated, "A name is there more than once in one object.")
			}
			many[name] = true
		} else {
			for _, earlier := range s.names[start:] {
				if earlier == name {
					return s.fault(codeFieldRepeated, "A name is there more than once in one object.")
				}
			}
			s.names = append(s.names, name)
		}
		if _, fault = s.value(); fault == nil {
			more, fault = s.another('}')
		}
	}
	s.names = s.names[:start]
	return fault
}

func (s *scanner) number() *model.Error {
	if s.next() == '-' {
		s.pos++
	}
	ok := s.next() == '0'
	if ok {
		s.pos++
	} else {
		ok = s.digits()
	}
	if ok && s.next() == '.' {
		s.pos++
		ok = s.digits()
	}
	if c := s.next(); ok && (c == 'e' || c == 'E') {
		s.pos++
		if c := s.next(); c == '+' || c == '-' {
			s.pos++
		}
		ok = s.digits()
	}
	if !ok {
		return s.malformed("The JSON holds a malformed number.")
	}
	return nil
}

// digits reads digits, and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.pos
	for c := s.next(); '0' <= c && c <= '9'; c = s.next() {
		s.pos++
	}
	return s.pos > start
}
