package scim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"signet/internal/model"
)

// Object is a resource, or a complex value in one, by the names of its attributes as the schemas spell
// them. Its values are texts, yes or no, Objects, and lists of Objects or texts. What has no value is
// not there.
type Object map[string]any

// read makes the resource of what a request has: what is kept here, in the form in which it is kept. Names
// count whatever their case. What is not kept is left out, as unknown fields are everywhere.
func (k *Kind) read(from map[string]any) (Object, error) {
	out := Object{}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		value := from[name]
		p, good := k.locate(name)
		if !good || p.unknown || p.part != nil {
			continue
		}
		if p.attribute == nil {
			inside, ok := value.(map[string]any)
			if !ok {
				continue
			}
			extended, err := readParts(k.extended, inside)
			if err != nil {
				return nil, err
			}
			if len(extended) > 0 {
				out[p.extension] = extended
			}
			continue
		}
		got, err := readValue(p.attribute, value)
		if err != nil {
			return nil, err
		}
		if got != nil {
			k.within(out, p.extension)[p.attribute.name] = got
		}
	}
	return out, nil
}

// within returns what holds the attributes of an extension in a resource, or the resource itself.
func (k *Kind) within(o Object, extension string) Object {
	if extension == "" {
		return o
	}
	inside, ok := o[extension].(Object)
	if !ok {
		inside = Object{}
		o[extension] = inside
	}
	return inside
}

func readParts(parts []attribute, from map[string]any) (Object, error) {
	out := Object{}
	for name, value := range from {
		part := find(parts, name)
		if part == nil {
			continue
		}
		got, err := readValue(part, value)
		if err != nil {
			return nil, err
		}
		if got != nil {
			out[part.name] = got
		}
	}
	return out, nil
}

// readValue brings a value into the form in which it is kept; nil is none. One value stands for a list of
// one.
func readValue(a *attribute, value any) (any, error) {
	if !a.multi {
		return readOne(a, value)
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []any
	for _, one := range list {
		got, err := readOne(a, one)
		if err != nil {
			return nil, err
		}
		if got != nil {
			out = append(out, got)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

func readOne(a *attribute, value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch a.kind {
	case complexes:
		return readComplex(a, value)
	case yesOrNo:
		return readYesOrNo(a, value)
	}
	switch value := value.(type) {
	case string:
		if value = clean(value); value != "" {
			return value, nil
		}
		return nil, nil
	case bool:
		return strconv.FormatBool(value), nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	}
	return nil, wrongValue(a.name, "a text")
}

// readComplex reads an object. Where it has a value, a text stands for that.
func readComplex(a *attribute, value any) (any, error) {
	inside, ok := value.(map[string]any)
	if !ok {
		if find(a.parts, "value") == nil {
			return nil, wrongValue(a.name, "an object")
		}
		inside = map[string]any{"value": value}
	}
	out, err := readParts(a.parts, inside)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// readYesOrNo reads a boolean, also one that comes as a text: Entra sends "False".
func readYesOrNo(a *attribute, value any) (any, error) {
	switch value := value.(type) {
	case bool:
		return value, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		case "":
			return nil, nil
		}
	}
	return nil, wrongValue(a.name, "true or false")
}

// clean makes a text of one line: a directory may have line ends in a title, which nothing here has.
func clean(s string) string {
	if !model.IsText(s) {
		s = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(s, "\ufffd"))
	}
	return strings.TrimSpace(s)
}
