package scim

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Filter says which resources are asked for (RFC 7644, section 3.4.2.2).
type Filter struct{ root condition }

// Matches reports whether a resource is one of them. No filter lets all through.
func (f *Filter) Matches(o Object) bool { return f == nil || f.root.holds(o) }

// Pin is a value that an attribute has to have.
type Pin struct{ Attribute, Value string } // userName, name.familyName: as schemas spell it

// Pins are what every resource that matches has for certain, so that an index can find those which may
// match. There may be none.
func (f *Filter) Pins() []Pin {
	if f == nil {
		return nil
	}
	return f.root.pins("")
}

// Asks reports whether an attribute decides, so that what is asked has to have it.
func (f *Filter) Asks(attribute string) bool { return f != nil && f.root.asks(attribute) }

// condition is a filter, or a part of one.
type condition interface {
	holds(o Object) bool
	pins(within string) []Pin
	asks(attribute string) bool
}

type (
	both   struct{ a, b condition }
	either struct{ a, b condition }
	not    struct{ of condition }
	// present asks whether an attribute has a value.
	present struct{ at place }
	// compared asks for the value of an attribute.
	compared struct {
		at       place
		operator string
		value    any // text, bool, float64; nil: null
	}
	// within asks for one value of an attribute of which several things hold.
	within struct {
		at place
		of condition
	}
)

func (c both) holds(o Object) bool   { return c.a.holds(o) && c.b.holds(o) }
func (c either) holds(o Object) bool { return c.a.holds(o) || c.b.holds(o) }
func (c not) holds(o Object) bool    { return !c.of.holds(o) }

func (c both) pins(in string) []Pin { return append(c.a.pins(in), c.b.pins(in)...) }
func (c either) pins(string) []Pin  { return nil }
func (c not) pins(string) []Pin     { return nil }
func (c present) pins(string) []Pin { return nil }

func (c within) pins(in string) []Pin {
	if c.at.unknown || c.at.attribute == nil {
		return nil
	}
	return c.of.pins(in + c.at.attribute.name + ".")
}

func (c compared) pins(in string) []Pin {
	value, isText := c.value.(string)
	if c.operator != "eq" || !isText || c.at.unknown || c.at.leaf() == nil {
		return nil
	}
	return []Pin{{in + c.at.name(), value}}
}

func (c both) asks(name string) bool     { return c.a.asks(name) || c.b.asks(name) }
func (c either) asks(name string) bool   { return c.a.asks(name) || c.b.asks(name) }
func (c not) asks(name string) bool      { return c.of.asks(name) }
func (c present) asks(name string) bool  { return c.at.is(name) }
func (c compared) asks(name string) bool { return c.at.is(name) }
func (c within) asks(name string) bool   { return c.at.is(name) }

// is reports whether it is in an attribute of the core.
func (p *place) is(name string) bool {
	return p.extension == "" && p.attribute != nil && p.attribute.name == name
}

// name is how schemas spell it, without that of its extension. What has a `value` stands for that.
func (p *place) name() string {
	switch {
	case p.unknown || p.attribute == nil:
		return ""
	case p.part != nil:
		return p.attribute.name + "." + p.part.name
	case find(p.attribute.parts, "value") != nil:
		return p.attribute.name + ".value"
	}
	return p.attribute.name
}

// values are what a resource has in a place: of a list each, and of what has parts its `value`.
func (p *place) values(o Object) []any {
	if p.unknown {
		return nil
	}
	if p.extension != "" {
		inside, ok := o[p.extension].(Object)
		if !ok || p.attribute == nil {
			return nil
		}
		o = inside
	}
	if p.attribute == nil {
		return nil
	}
	all := listed(o[p.attribute.name])
	if p.attribute.kind != complexes {
		return all
	}
	name := "value"
	if p.part != nil {
		name = p.part.name
	}
	var out []any
	for _, one := range all {
		if inside, ok := one.(Object); ok {
			out = append(out, listed(inside[name])...)
		}
	}
	return out
}

// listed is a value, or several, as a list.
func listed(value any) []any {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		return value
	}
	return []any{value}
}

func (c present) holds(o Object) bool {
	if c.at.attribute != nil && c.at.part == nil && c.at.attribute.kind == complexes {
		return c.at.within(o)[c.at.attribute.name] != nil
	}
	return len(c.at.values(o)) > 0
}

func (p *place) within(o Object) Object {
	if p.extension == "" {
		return o
	}
	inside, _ := o[p.extension].(Object)
	return inside
}

func (c within) holds(o Object) bool {
	if c.at.unknown || c.at.attribute == nil {
		return false
	}
	return slices.ContainsFunc(listed(c.at.within(o)[c.at.attribute.name]), func(one any) bool {
		inside, ok := one.(Object)
		return ok && c.of.holds(inside)
	})
}

func (c compared) holds(o Object) bool {
	values := c.at.values(o)
	switch {
	case c.value == nil && c.operator == "eq":
		return len(values) == 0
	case c.value == nil:
		return c.operator == "ne" && len(values) > 0
	case c.operator == "ne":
		return !slices.ContainsFunc(values, func(v any) bool { return c.is("eq", v) })
	}
	return slices.ContainsFunc(values, func(v any) bool { return c.is(c.operator, v) })
}

// is compares one value with that of the filter.
func (c *compared) is(operator string, value any) bool {
	if yes, ok := value.(bool); ok {
		return operator == "eq" && yes == c.value
	}
	has, ok := value.(string)
	wants, text := c.value.(string)
	if !ok || !text {
		return false
	}
	leaf := c.at.leaf()
	if leaf == nil || !leaf.exact {
		has, wants = strings.ToLower(has), strings.ToLower(wants)
	}
	switch operator {
	case "eq":
		return order(leaf, has, wants) == 0
	case "co":
		return strings.Contains(has, wants)
	case "sw":
		return strings.HasPrefix(has, wants)
	case "ew":
		return strings.HasSuffix(has, wants)
	case "gt":
		return order(leaf, has, wants) > 0
	case "ge":
		return order(leaf, has, wants) >= 0
	case "lt":
		return order(leaf, has, wants) < 0
	case "le":
		return order(leaf, has, wants) <= 0
	}
	return false
}

// order compares times as times, and all else as text.
func order(leaf *attribute, a, b string) int {
	if leaf != nil && leaf.kind == moment {
		x, errX := time.Parse(time.RFC3339, strings.ToUpper(a))
		y, errY := time.Parse(time.RFC3339, strings.ToUpper(b))
		if errX == nil && errY == nil {
			return x.Compare(y)
		}
	}
	return cmp.Compare(a, b)
}
