package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"signet/internal/model"
)

// maxDepth is how deep the objects and lists of a body may lie in one another;
// the outer object is 1 (contract, section 1).
const maxDepth = 32

// parseJSON reads a body of one JSON object into fields. A blank body has no fields.
// The decoder refuses what encoding/json lets through: repeated names, broken UTF-8,
// lone surrogates. Texts without escapes are parts of one copy of the body.
func parseJSON(body []byte, f *Fields) *model.Error {
	s := openScanner(body)
	defer s.close()
	isObject := s.json.PeekKind() == '{'
	if _, err := s.json.ReadToken(); err == io.EOF {
		return nil
	}
	if !isObject {
		return s.fault(CodeBodyInvalid, "The body has to be one JSON object.")
	}
	for s.json.PeekKind() != '}' {
		given, fault := s.member()
		if fault != nil {
			return fault
		}
		if f.full() {
			return tooManyFields(f.most)
		}
		f.put(given)
	}
	if _, err := s.json.ReadToken(); err != nil {
		return s.malformed(err)
	}
	s.field = ""
	return s.end()
}

// parseDocument reads a body of one JSON object as encoding/json has it. A blank body has none.
func parseDocument(body []byte) (out map[string]any, fault *model.Error) {
	s := openScanner(body)
	defer s.close()
	if s.json.PeekKind() != '{' {
		if _, err := s.json.ReadToken(); err == io.EOF {
			return nil, nil
		}
		return nil, s.fault(CodeBodyInvalid, "The body has to be one JSON object.")
	}
	_, text, fault := s.value()
	if fault == nil {
		fault = s.end()
	}
	if fault != nil {
		return nil, fault
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, s.fault(CodeBodyInvalid, "The JSON is malformed.") // such as a number that no float64 holds
	}
	return out, nil
}

// checkJSON checks the JSON that a field of a form holds as text. It counts as
// deep as it would lie in a JSON body.
func checkJSON(text, name string) *model.Error {
	s := openScanner([]byte(text))
	defer s.close()
	s.field, s.above = name, 1
	if _, _, fault := s.value(); fault != nil {
		return fault
	}
	return s.end()
}

// appendTexts appends the elements of a JSON array that was checked before, and
// reports whether they are all texts.
func appendTexts(list []string, array string) ([]string, bool) {
	s := openScanner([]byte(array))
	defer s.close()
	_, _ = s.json.ReadToken() // [
	for s.json.PeekKind() == '"' {
		text, _, fault := s.quoted()
		if fault != nil {
			return list, false
		}
		list = append(list, text)
	}
	return list, s.json.PeekKind() == ']'
}

// scanner reads JSON (RFC 8259).
type scanner struct {
	body  []byte
	text  string // the same, of which the fields are parts
	field string // outermost member that is being read, for errors
	above int    // how deep the JSON lies in what is around it
	bytes bytes.Buffer
	json  jsontext.Decoder
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func openScanner(body []byte) *scanner {
	s := scanners.Get().(*scanner)
	s.body, s.text, s.field, s.above = body, string(body), "", 0
	s.bytes = *bytes.NewBuffer(body)
	s.json.Reset(&s.bytes)
	return s
}

func (s *scanner) close() {
	s.body, s.text, s.field = nil, "", ""
	s.bytes = bytes.Buffer{}
	s.json.Reset(&s.bytes)
	scanners.Put(s)
}

// member reads a name and its value.
func (s *scanner) member() (given field, fault *model.Error) {
	if s.json.PeekKind() != '"' {
		_, err := s.json.ReadToken()
		return given, s.malformed(err)
	}
	s.field = ""
	given.name, _, fault = s.quoted()
	if fault != nil {
		return given, fault
	}
	s.field = given.name
	if s.json.PeekKind() == '"' {
		given.kind = textKind
		given.text, given.raw, fault = s.quoted()
		return given, fault
	}
	given.kind, given.text, fault = s.value()
	return given, fault
}

// quoted reads a string, and returns its text and its JSON.
func (s *scanner) quoted() (text, raw string, fault *model.Error) {
	value, err := s.json.ReadValue()
	if err != nil {
		return "", "", s.malformed(err)
	}
	end := int(s.json.InputOffset())
	raw = s.text[end-len(value) : end]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], raw, nil
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return "", "", s.malformed(err)
	}
	return string(unquoted), raw, nil
}

// kinds are the kinds of values by the first byte of their JSON.
var kinds = [...]kind{'"': textKind, '0': numberKind, 't': boolKind, 'f': boolKind, '[': listKind, '{': objectKind}

// value reads a value of any kind, and returns its JSON.
func (s *scanner) value() (kind, string, *model.Error) {
	kind := s.json.PeekKind()
	if kind != '[' && kind != '{' {
		value, err := s.json.ReadValue()
		if err != nil {
			return nullKind, "", s.malformed(err)
		}
		end := int(s.json.InputOffset())
		return kinds[kind], s.text[end-len(value) : end], nil
	}
	around := s.json.StackDepth()
	_, err := s.json.ReadToken()
	start := s.json.InputOffset() - 1
	for err == nil && s.json.StackDepth() > around {
		if s.above+s.json.StackDepth() > maxDepth {
			return nullKind, "", model.Invalidf(CodeBodyTooDeep, shownName(s.field), "The JSON is nested too deep.")
		}
		_, err = s.json.ReadToken()
	}
	if err != nil {
		return nullKind, "", s.malformed(err)
	}
	return kinds[kind], s.text[start:s.json.InputOffset()], nil
}

// end checks that nothing follows.
func (s *scanner) end() *model.Error {
	if _, err := s.json.ReadToken(); err != io.EOF {
		return s.fault(CodeBodyInvalid, "Something follows after the end of the JSON.")
	}
	return nil
}

// malformed says what the decoder found wrong.
func (s *scanner) malformed(err error) *model.Error {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case syntax == nil:
	case errors.Is(err, jsontext.ErrDuplicateName):
		if s.above == 0 && s.json.StackDepth() == 1 {
			return repeated(syntax.JSONPointer.LastToken())
		}
		return s.fault(CodeFieldRepeated, "A name is there more than once in one object.")
	case s.isText(syntax.ByteOffset):
		return s.fault(CodeTextInvalid, "The text is not valid UTF-8, or holds half of a surrogate pair.")
	}
	return s.fault(CodeBodyInvalid, "The JSON is malformed.")
}

// isText reports whether what the decoder refused at an offset is a text: a decoder
// that takes every text gets further.
func (s *scanner) isText(offset int64) bool {
	lenient := jsontext.NewDecoder(bytes.NewReader(s.body), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	for {
		_, err := lenient.ReadToken()
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			return syntax.ByteOffset > offset
		}
		if err != nil {
			return true
		}
	}
}

func (s *scanner) fault(code, message string) *model.Error {
	return model.Invalidf(code, shownName(s.field), "%s", message)
}
