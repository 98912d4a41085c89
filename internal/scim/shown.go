package scim

import (
	"maps"
	"strings"
)

// Shown says which attributes of resources are wanted (RFC 7644, section 3.9).
type Shown struct {
	kind   *Kind
	only   []place // nil: all
	except []place
}

// ReadShown reads the parameters `attributes` and `excludedAttributes`: lists with commas. What is not kept here
// is passed over.
func (k *Kind) ReadShown(attributes, excluded string) *Shown {
	return &Shown{k, k.places(attributes), k.places(excluded)}
}

func (k *Kind) places(list string) (out []place) {
	if strings.TrimSpace(list) == "" {
		return nil
	}
	out = []place{}
	for name := range strings.SplitSeq(list, ",") {
		if at, good := k.locate(strings.TrimSpace(name)); good && !at.unknown {
			out = append(out, at)
		}
	}
	return out
}

// always are shown whatever is asked for.
func always(name string) bool { return name == "id" || name == "schemas" }

// Hides reports whether an attribute is not wanted, so that it need not be read.
func (s *Shown) Hides(name string) bool {
	names := func(list []place) bool {
		for i := range list {
			if p := &list[i]; p.extension == "" && p.attribute != nil && p.attribute.name == name {
				return true
			}
		}
		return false
	}
	if s.only != nil {
		return !names(s.only)
	}
	for i := range s.except {
		if p := &s.except[i]; p.part == nil && p.extension == "" && p.attribute != nil && p.attribute.name == name {
			return true
		}
	}
	return false
}

// Of returns what is wanted of a resource.
func (s *Shown) Of(o Object) Object {
	if s.only == nil && len(s.except) == 0 {
		return o
	}
	out := maps.Clone(o)
	if s.only != nil {
		out = Object{}
		for name, value := range o {
			if always(name) {
				out[name] = value
			}
		}
		for i := range s.only {
			s.only[i].copy(o, out)
		}
		return out
	}
	for i := range s.except {
		s.except[i].drop(out)
	}
	return out
}

// copy puts what is in a place of one resource into another one.
func (p *place) copy(from, to Object) {
	if p.extension != "" {
		inside, ok := from[p.extension].(Object)
		if !ok {
			return
		}
		if p.attribute == nil {
			to[p.extension] = inside
			return
		}
		already, _ := to[p.extension].(Object)
		from, to[p.extension] = inside, with(already, nil)
		to = to[p.extension].(Object)
	}
	name := p.attribute.name
	switch value := from[name].(type) {
	case nil:
	case Object:
		if p.part == nil {
			to[name] = value
		} else if inside, there := value[p.part.name]; there {
			already, _ := to[name].(Object)
			to[name] = with(already, Object{p.part.name: inside})
		}
	case []any:
		if p.part == nil {
			to[name] = value
			return
		}
		already, _ := to[name].([]any)
		list := make([]any, len(value))
		for i, one := range value {
			inside, _ := one.(Object)
			had := Object{}
			if i < len(already) {
				had, _ = already[i].(Object)
			}
			list[i] = with(had, nil)
			if value, there := inside[p.part.name]; there {
				list[i].(Object)[p.part.name] = value
			}
		}
		to[name] = list
	default:
		to[name] = value
	}
}

// drop takes what is in a place out of a resource, whose own parts it does not change.
func (p *place) drop(o Object) {
	if p.extension != "" {
		if inside, ok := o[p.extension].(Object); ok && p.attribute != nil {
			inside = with(inside, nil)
			delete(inside, p.attribute.name)
			o[p.extension] = inside
		} else {
			delete(o, p.extension)
		}
		return
	}
	name := p.attribute.name
	if p.part == nil {
		if !always(name) {
			delete(o, name)
		}
		return
	}
	switch value := o[name].(type) {
	case Object:
		value = with(value, nil)
		delete(value, p.part.name)
		o[name] = value
	case []any:
		list := make([]any, len(value))
		for i, one := range value {
			inside, _ := one.(Object)
			inside = with(inside, nil)
			delete(inside, p.part.name)
			list[i] = inside
		}
		o[name] = list
	}
}
