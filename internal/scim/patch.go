package scim

import (
	"maps"
	"slices"
	"strings"

	"signet/internal/model"
)

// maxOperations is how many operations a PATCH has at most.
const maxOperations = 2000

// operation is one of a PATCH (RFC 7644, section 3.5.2).
type operation struct {
	op    string // add, replace, remove
	path  *path  // nil: there is none
	value any
}

// path is what an operation changes.
type path struct {
	place
	of condition // which of the values; nil: all
}

// Patch is a PATCH that was read.
type Patch struct {
	kind       *Kind
	operations []operation
}

// ParsePatch reads the body of a PATCH.
func (k *Kind) ParsePatch(body map[string]any) (*Patch, error) {
	given, _ := member(body, "Operations").([]any)
	if len(given) == 0 || len(given) > maxOperations {
		return nil, model.Invalidf(CodeSyntax, "Operations", "A PATCH has 1 to %d Operations.", maxOperations)
	}
	p := &Patch{kind: k}
	for _, one := range given {
		from, ok := one.(map[string]any)
		if !ok {
			return nil, model.Invalidf(CodeSyntax, "Operations", "An operation is an object.")
		}
		o, err := k.parseOperation(from)
		if err != nil {
			return nil, err
		}
		p.operations = append(p.operations, o)
	}
	return p, nil
}

// member is a value of an object by its name, whatever its case.
func member(of map[string]any, name string) any {
	if value, ok := of[name]; ok {
		return value
	}
	for other, value := range of {
		if strings.EqualFold(other, name) {
			return value
		}
	}
	return nil
}

func (k *Kind) parseOperation(from map[string]any) (o operation, err error) {
	op, _ := member(from, "op").(string)
	switch o.op = strings.ToLower(op); o.op {
	case "add", "replace", "remove":
	default:
		return o, model.Invalidf(CodeSyntax, "op", "An operation is add, replace or remove.")
	}
	o.value = member(from, "value")
	switch named := member(from, "path").(type) {
	case nil:
	case string:
		if strings.TrimSpace(named) == "" {
			break
		}
		if o.path, err = k.parsePath(named); err != nil {
			return o, err
		}
	default:
		return o, model.Invalidf(CodePath, "path", "A path is a text.")
	}
	if o.path == nil && o.op == "remove" {
		return o, model.Invalidf(CodeTarget, "path", "What is to be removed needs a path.")
	}
	return o, nil
}

// parsePath reads `attribute`, `attribute.part`, `attribute[filter]` or `attribute[filter].part`.
func (k *Kind) parsePath(s string) (*path, error) {
	s = strings.TrimSpace(s)
	wrong := model.Invalidf(CodePath, "path", "The path is none.")
	name, rest, filtered := strings.Cut(s, "[")
	at, good := k.locate(strings.TrimSpace(name))
	if !good || len(s) > maxFilter {
		return nil, wrong
	}
	out := &path{place: at}
	if !filtered {
		return out, nil
	}
	of := at.attribute
	switch {
	case at.unknown:
		of = &attribute{}
	case of == nil || at.part != nil || of.kind != complexes:
		return nil, wrong
	}
	p := parser{kind: k, text: rest}
	condition, err := p.bracketed(of)
	if err != nil {
		return nil, model.Invalidf(CodePath, "path", "%s", strings.Replace(err.(*model.Error).Message, "filter", "path", 1))
	}
	out.of = condition
	switch left := strings.TrimSpace(p.text[p.at:]); {
	case left == "":
	case left[0] != '.' || !isName(left[1:]):
		return nil, wrong
	case !at.unknown:
		if out.part = find(of.parts, left[1:]); out.part == nil {
			out.unknown = true
		}
	}
	return out, nil
}

// apply changes a resource, all of it or, with an error, nothing that anybody looks at. What is not kept here, and what
// nobody may change (id, meta), is passed over: Okta sends the id along with a new name.
func (p *Patch) apply(o Object) error {
	for i := range p.operations {
		op := &p.operations[i]
		if op.path != nil {
			if err := p.kind.change(o, op.op, op.path, op.value); err != nil {
				return err
			}
			continue
		}
		values, ok := op.value.(map[string]any)
		if !ok {
			return model.Invalidf(CodeValue, "value", "Without a path, the value is an object.")
		}
		for _, name := range slices.Sorted(maps.Keys(values)) { // a list before some of its values
			at, err := p.kind.parsePath(name)
			if err != nil {
				return err
			}
			if err := p.kind.change(o, op.op, at, values[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// change carries out one operation on what a path names.
func (k *Kind) change(o Object, op string, at *path, value any) error {
	switch {
	case at.unknown:
		return nil
	case at.attribute == nil:
		return k.changeExtension(o, op, at, value)
	case at.attribute.readOnly || at.part != nil && at.part.readOnly:
		return nil
	}
	target := k.within(o, at.extension)
	var err error
	switch {
	case at.of != nil || at.part != nil && at.attribute.multi:
		err = changeSome(target, op, at, value)
	case at.part != nil:
		err = changePart(target, op, at, value)
	default:
		err = changeWhole(target, op, at.attribute, value)
	}
	if err == nil && at.extension != "" && len(target) == 0 {
		delete(o, at.extension)
	}
	return err
}

// changeExtension changes several attributes of an extension, whose schema is the path.
func (k *Kind) changeExtension(o Object, op string, at *path, value any) error {
	if op == "remove" {
		delete(o, at.extension)
		return nil
	}
	values, ok := value.(map[string]any)
	if !ok {
		return wrongValue(at.extension, "an object")
	}
	for name, value := range values {
		inner := &path{place: place{extension: at.extension, attribute: find(k.extended, name)}}
		if inner.attribute == nil {
			continue
		}
		if err := k.change(o, op, inner, value); err != nil {
			return err
		}
	}
	return nil
}

// set gives an attribute a value, or none.
func set(o Object, a *attribute, value any) {
	if value == nil {
		delete(o, a.name)
		return
	}
	o[a.name] = value
}

// changeWhole changes an attribute. Of what has parts, those stay that the value does not have.
func changeWhole(o Object, op string, a *attribute, value any) error {
	got, err := readValue(a, value)
	switch {
	case err != nil:
		return err
	case op == "remove" && a.multi && value != nil: // a list that names nothing removes nothing
		removeListed(o, a, listed(got))
	case op == "remove":
		delete(o, a.name)
	case a.multi && op == "add":
		addListed(o, a, got)
	case a.multi:
		set(o, a, firstPrimary(got))
	case a.kind == complexes && got != nil:
		merged := Object{}
		if had, ok := o[a.name].(Object); ok {
			for name, value := range had {
				merged[name] = value
			}
		}
		for name, value := range got.(Object) {
			merged[name] = value
		}
		o[a.name] = merged
	default:
		set(o, a, got)
	}
	return nil
}

// keyOf tells one value of a list from the others.
func keyOf(one any) string {
	if inside, ok := one.(Object); ok {
		value, _ := inside["value"].(string)
		return strings.ToLower(value)
	}
	value, _ := one.(string)
	return value
}

// removeListed takes values out of a list: Entra names members so.
func removeListed(o Object, a *attribute, gone []any) {
	keys := map[string]bool{}
	for _, one := range gone {
		keys[keyOf(one)] = true
	}
	setList(o, a, slices.DeleteFunc(slices.Clone(listed(o[a.name])), func(one any) bool { return keys[keyOf(one)] }))
}

// addListed adds values to a list; one that is there already gets the parts that the new one has.
func addListed(o Object, a *attribute, more any) {
	list := slices.Clone(listed(o[a.name]))
	at := make(map[string]int, len(list))
	for i, one := range list {
		at[keyOf(one)] = i
	}
	for _, one := range listed(more) {
		i, there := at[keyOf(one)]
		if !there {
			at[keyOf(one)] = len(list)
			list = append(list, one)
		} else if inside, ok := one.(Object); ok {
			list[i] = with(list[i].(Object), inside)
		}
		if isPrimary(one) {
			onlyPrimary(list, at[keyOf(one)])
		}
	}
	setList(o, a, list)
}

func setList(o Object, a *attribute, list []any) {
	if len(list) == 0 {
		delete(o, a.name)
		return
	}
	o[a.name] = list
}

// with is a value with parts in place of, or beside, its own.
func with(of, parts Object) Object {
	out := Object{}
	for name, value := range of {
		out[name] = value
	}
	for name, value := range parts {
		out[name] = value
	}
	return out
}

// isPrimary reports whether a value is the first of its list.
func isPrimary(one any) bool {
	inside, ok := one.(Object)
	return ok && inside["primary"] == true
}

// onlyPrimary has no other value of a list be the first.
func onlyPrimary(list []any, first int) {
	for i, one := range list {
		if i != first && isPrimary(one) {
			list[i] = with(one.(Object), Object{"primary": false})
		}
	}
}

// firstPrimary has one value of a list be the first at most.
func firstPrimary(value any) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	if i := slices.IndexFunc(list, isPrimary); i >= 0 {
		onlyPrimary(list, i)
	}
	return list
}

// changePart changes a part of an attribute with one value.
func changePart(o Object, op string, at *path, value any) error {
	got, err := readValue(at.part, value)
	if err != nil {
		return err
	}
	if op == "remove" {
		got = nil
	}
	inside, _ := o[at.attribute.name].(Object)
	inside = with(inside, nil)
	if set(inside, at.part, got); len(inside) == 0 {
		delete(o, at.attribute.name)
	} else {
		o[at.attribute.name] = inside
	}
	return nil
}

// changeSome changes those values of a list that a filter picks, or a part of these. Where nothing is there to
// be changed, add and replace make a value of which the filter holds: Entra does not ask beforehand whether there is
// a work address.
func changeSome(o Object, op string, at *path, value any) error {
	picked := func(one any) bool {
		inside, ok := one.(Object)
		return ok && (at.of == nil || at.of.holds(inside))
	}
	list := slices.Clone(listed(o[at.attribute.name]))
	if op == "remove" && at.part == nil {
		setList(o, at.attribute, slices.DeleteFunc(list, picked))
		return nil
	}
	parts, err := partsOf(op, at, value)
	if err != nil {
		return err
	}
	found := false
	for i, one := range list {
		if !picked(one) {
			continue
		}
		found = true
		changed := with(one.(Object), parts)
		for name, value := range changed {
			if value == nil {
				delete(changed, name)
			}
		}
		if list[i] = changed; isPrimary(changed) && parts["primary"] == true {
			onlyPrimary(list, i)
		}
	}
	if !found && op != "remove" {
		made := with(Object{}, parts)
		if at.of != nil {
			demanded(at.of, made)
		}
		if made["value"] != nil {
			if list = append(list, made); isPrimary(made) {
				onlyPrimary(list, len(list)-1)
			}
		}
	}
	list = slices.DeleteFunc(list, func(one any) bool { return one.(Object)["value"] == nil })
	setList(o, at.attribute, list)
	return nil
}

// partsOf is what an operation gives the values that it picks; a part without a value goes.
func partsOf(op string, at *path, value any) (Object, error) {
	if at.part == nil {
		a := *at.attribute
		a.multi = false
		if list, ok := value.([]any); ok && len(list) == 1 {
			value = list[0]
		}
		got, err := readValue(&a, value)
		if err != nil {
			return nil, err
		}
		if got == nil {
			return nil, wrongValue(at.attribute.name, "an object")
		}
		return got.(Object), nil
	}
	got, err := readValue(at.part, value)
	if op == "remove" {
		got = nil
	}
	return Object{at.part.name: got}, err
}

// demanded gives a new value the parts that a filter asks to be equal to something.
func demanded(c condition, made Object) {
	switch c := c.(type) {
	case both:
		demanded(c.a, made)
		demanded(c.b, made)
	case compared:
		if a := c.at.attribute; c.operator == "eq" && a != nil && c.value != nil && made[a.name] == nil {
			made[a.name] = c.value
		}
	}
}
