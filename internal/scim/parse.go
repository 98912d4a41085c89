package scim

import (
	"encoding/json"
	"strconv"
	"strings"

	"signet/internal/model"
)

// What a filter may be at most: directories send one comparison, or two.
const (
	maxFilter = 8 << 10 // bytes
	maxNested = 16      // parentheses and brackets in one another
	maxTerms  = 100
)

// ParseFilter reads a filter. An empty one is nil, which lets all through.
func (k *Kind) ParseFilter(s string) (*Filter, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	p := parser{kind: k, text: s}
	if len(s) > maxFilter {
		return nil, p.wrong("is longer than %d bytes", maxFilter)
	}
	c, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(s) {
		return nil, p.wrong("has something after its end")
	}
	return &Filter{c}, nil
}

// parser reads the text of a filter by recursive descent.
type parser struct {
	kind   *Kind
	inside *attribute // whose brackets the parser is in; nil: in none
	text   string
	at     int
	nested int
	terms  int
}

func (p *parser) wrong(format string, args ...any) *model.Error {
	return model.Invalidf(CodeFilter, "filter", "The filter "+format+" (character %d).", append(args, p.at+1)...)
}

func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next reports whether a sign comes next, and passes over it then.
func (p *parser) next(sign byte) bool {
	if p.skip(); p.at < len(p.text) && p.text[p.at] == sign {
		p.at++
		return true
	}
	return false
}

// word reads up to the next blank, bracket or quotation mark. It may be empty.
func (p *parser) word() string {
	p.skip()
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n()[]\"", p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[start:p.at]
}

// keyword passes over a word, whatever its case, where it comes next.
func (p *parser) keyword(word string) bool {
	start := p.at
	if strings.EqualFold(p.word(), word) {
		return true
	}
	p.at = start
	return false
}

// deeper goes into a parenthesis or a bracket.
func (p *parser) deeper() error {
	if p.nested++; p.nested > maxNested {
		return p.wrong("is nested more than %d times", maxNested)
	}
	return nil
}

func (p *parser) either() (condition, error) {
	a, err := p.both()
	for err == nil && p.keyword("or") {
		var b condition
		b, err = p.both()
		a = either{a, b}
	}
	return a, err
}

func (p *parser) both() (condition, error) {
	a, err := p.one()
	for err == nil && p.keyword("and") {
		var b condition
		b, err = p.one()
		a = both{a, b}
	}
	return a, err
}

func (p *parser) one() (condition, error) {
	start := p.at
	negated := p.keyword("not")
	if p.next('(') {
		if err := p.deeper(); err != nil {
			return nil, err
		}
		c, err := p.either()
		if err != nil {
			return nil, err
		}
		if !p.next(')') {
			return nil, p.wrong("lacks a closing parenthesis")
		}
		if p.nested--; negated {
			c = not{c}
		}
		return c, nil
	}
	p.at = start // an attribute may be called `not`
	return p.comparison()
}

// comparison reads `attribute operator value`, `attribute pr`, or `attribute[...]`, after which a part of that
// value may be compared, too: Entra sends `emails[type eq "work"].value eq "..."`.
func (p *parser) comparison() (condition, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, p.wrong("has more than %d comparisons", maxTerms)
	}
	at, err := p.place()
	if err != nil {
		return nil, err
	}
	if !p.next('[') {
		return p.compare(at)
	}
	if p.inside != nil || at.part != nil || at.attribute == nil && !at.unknown ||
		at.attribute != nil && at.attribute.kind != complexes {
		return nil, p.wrong("has brackets after what has no parts")
	}
	of := at.attribute
	if of == nil {
		of = &attribute{}
	}
	inner, err := p.bracketed(of)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		p.inside = of
		part, err := p.place()
		if err != nil {
			return nil, err
		}
		also, err := p.compare(part)
		if p.inside = nil; err != nil {
			return nil, err
		}
		inner = both{inner, also}
	}
	return within{at, inner}, nil
}

// bracketed reads what is said of the parts of an attribute, behind the opening bracket.
func (p *parser) bracketed(of *attribute) (condition, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	p.inside = of
	inner, err := p.either()
	p.inside = nil
	if err != nil {
		return nil, err
	}
	if !p.next(']') {
		return nil, p.wrong("lacks a closing bracket")
	}
	p.nested--
	return inner, nil
}

// place reads the name of an attribute, or in brackets of a part.
func (p *parser) place() (place, error) {
	start := p.at
	name := p.word()
	if p.inside == nil {
		at, good := p.kind.locate(name)
		if !good {
			p.at = start
			return at, p.wrong("lacks the name of an attribute")
		}
		return at, nil
	}
	if !isName(name) {
		p.at = start
		return place{}, p.wrong("lacks the name of an attribute")
	}
	part := find(p.inside.parts, name)
	return place{attribute: part, unknown: part == nil}, nil
}

func (p *parser) compare(at place) (condition, error) {
	start := p.at
	operator := strings.ToLower(p.word())
	switch operator {
	case "pr":
		return present{at}, nil
	case "eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le":
	default:
		p.at = start
		return nil, p.wrong("lacks an operator")
	}
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	leaf := at.leaf()
	switch {
	case at.unknown || leaf == nil:
	case leaf.kind == yesOrNo:
		if value != nil {
			if value, err = readYesOrNo(leaf, value); err != nil || value == nil {
				return nil, p.wrong("compares %s, which is true or false, with something else", leaf.name)
			}
		}
		if operator != "eq" && operator != "ne" {
			return nil, p.wrong("asks for an order of %s, which is true or false", leaf.name)
		}
	default:
		value = asText(value)
	}
	return compared{at, operator, value}, nil
}

// asText is a value as text, as which numbers and such are kept; nil stays.
func asText(value any) any {
	switch value := value.(type) {
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return value
}

// value reads a JSON text, number, true, false or null.
func (p *parser) value() (value any, err error) {
	p.skip()
	start := p.at
	if p.at < len(p.text) && p.text[p.at] == '"' {
		for p.at++; p.at < len(p.text) && p.text[p.at] != '"'; p.at++ {
			if p.text[p.at] == '\\' {
				p.at++
			}
		}
		p.at = min(p.at+1, len(p.text))
	} else {
		p.word()
	}
	token := p.text[start:p.at]
	switch lower := strings.ToLower(token); lower {
	case "true", "false", "null":
		token = lower // whatever their case
	}
	if token == "" || json.Unmarshal([]byte(token), &value) != nil {
		p.at = start
		return nil, p.wrong("lacks a value: a text in quotation marks, a number, true, false or null")
	}
	if text, ok := value.(string); ok && !model.IsText(text) {
		p.at = start
		return nil, p.wrong("compares with a text that has a control character")
	}
	return value, nil
}
