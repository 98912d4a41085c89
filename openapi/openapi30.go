package openapi

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

var converted30 = sync.OnceValues(func() (string, error) {
	root, err := parse(document)
	if err == nil {
		err = (&downgrade{components: member(member(root, "components"), "schemas")}).document(root)
	}
	if err != nil {
		return "", fmt.Errorf("convert the OpenAPI document to 3.0: %w", err)
	}
	var b bytes.Buffer
	if err := writeNode(&b, root); err != nil {
		return "", fmt.Errorf("convert the OpenAPI document to 3.0: %w", err)
	}
	return b.String(), nil
})

// JSON30 is JSON in the form of OpenAPI 3.0.3, for generators of clients that do not
// take 3.1. It describes the same calls, somewhat less closely: what only 3.1 can say
// is left out, and a field of a request that may also come as a text (`"ttl": "60"`)
// is described as what it is.
func JSON30(prefix, namespace string) ([]byte, error) {
	text, err := converted30()
	if err != nil {
		return nil, err
	}
	return withNames(text, prefix, namespace)
}

// downgrade turns the document from OpenAPI 3.1 into 3.0: its tree is changed in place.
type downgrade struct {
	components *yaml.Node // the schemas that have names
}

func (d *downgrade) document(root *yaml.Node) error {
	if member(root, "openapi") == nil {
		return fmt.Errorf("it has no version")
	}
	setMember(root, "openapi", text("3.0.3"))
	removeMembers(root, "jsonSchemaDialect")
	removeMembers(member(root, "info"), "summary")
	removeMembers(member(member(root, "info"), "license"), "identifier")
	for i := 1; i < len(d.components.Content); i += 2 {
		d.schema(d.components.Content[i])
	}
	d.outside(root)
	return nil
}

// outside looks for schemas in what is none. It leaves out the examples, which show
// the texts that values may come as, too.
func (d *downgrade) outside(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			d.outside(item)
		}
		return
	}
	removeMembers(n, "example", "examples")
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch name, value := n.Content[i].Value, n.Content[i+1]; {
		case name == "schema":
			d.schema(value)
		case value != d.components:
			d.outside(value)
		}
	}
}

// only31 are the keywords that OpenAPI 3.0 does not have and that only narrow what a
// schema takes.
var only31 = []string{
	"if", "then", "else", "x-conditions", "dependentRequired", "unevaluatedProperties", "propertyNames", "contentSchema",
	"examples",
}

func (d *downgrade) schema(n *yaml.Node) {
	removeMembers(n, only31...)
	if kind := member(n, "contentMediaType"); kind != nil {
		removeMembers(n, "contentMediaType")
		if kind.Value == "application/octet-stream" {
			setMember(n, "format", text("binary"))
		}
	}
	if value := member(n, "const"); value != nil {
		removeMembers(n, "const")
		setMember(n, "enum", list(value))
	}
	d.oneType(n)
	for _, name := range []string{"anyOf", "oneOf"} {
		d.alternatives(n, name)
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		if members := member(n, name); members != nil {
			for _, item := range members.Content {
				d.schema(item)
			}
		}
	}
	if items := member(n, "items"); items != nil {
		d.schema(items)
	}
	if more := member(n, "additionalProperties"); more != nil && more.Kind == yaml.MappingNode {
		d.schema(more)
	}
	if properties := member(n, "properties"); properties != nil {
		d.properties(properties)
	}
	d.gather(n)
}

// properties takes those out that a schema forbids by a bare false.
func (d *downgrade) properties(n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); {
		if n.Content[i+1].Kind == yaml.ScalarNode {
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		d.schema(n.Content[i+1])
		i += 2
	}
}

// oneType gives a schema the one type that 3.0 wants: of several, the one that is no
// text; of values without a type, theirs.
func (d *downgrade) oneType(n *yaml.Node) {
	if types := member(n, "type"); types != nil && types.Kind == yaml.SequenceNode {
		removeMembers(n, "type")
		if rest := without(types.Content, isText); len(rest) == 1 {
			setMember(n, "type", rest[0])
		}
		return
	}
	values := member(n, "enum")
	if values == nil || member(n, "type") != nil {
		return
	}
	if rest := without(values.Content, func(v *yaml.Node) bool { return v.Tag == "!!str" }); len(rest) > 0 {
		values.Content = rest
	}
	switch values.Content[0].Tag {
	case "!!int":
		setMember(n, "type", text("integer"))
	case "!!bool":
		setMember(n, "type", text("boolean"))
	default:
		setMember(n, "type", text("string"))
	}
}

func isText(kind *yaml.Node) bool { return kind.Value == "string" }

// alternatives takes out of anyOf or oneOf what a generator can do nothing with:
// conditions on what stands beside, the text that a value may come as too, null.
func (d *downgrade) alternatives(n *yaml.Node, name string) {
	given := member(n, name)
	if given == nil {
		return
	}
	rest := without(given.Content, func(a *yaml.Node) bool { return d.typeOf(a) == "null" })
	if len(rest) < len(given.Content) {
		setMember(n, "nullable", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	removeMembers(n, name)
	shaped := without(rest, func(a *yaml.Node) bool { return d.typeOf(a) == "" })
	if len(shaped) == 0 || member(n, "type") != nil || member(n, "allOf") != nil {
		return // they only say more of what is described beside
	}
	if other := without(shaped, func(a *yaml.Node) bool { return d.typeOf(a) == "string" }); len(other) > 0 &&
		len(other) < len(shaped) {
		shaped = other[:1]
	}
	if len(shaped) > 1 {
		setMember(n, name, list(shaped...))
		return
	}
	if member(shaped[0], "$ref") != nil {
		setMember(n, "allOf", list(shaped[0]))
		return
	}
	n.Content = append(n.Content, shaped[0].Content...)
	d.oneType(n)
}

// typeOf is the type that a schema has, "" where it has none, as for one that only
// requires members.
func (d *downgrade) typeOf(n *yaml.Node) string {
	if kind := member(n, "type"); kind != nil {
		return kind.Value
	}
	if ref := member(n, "$ref"); ref != nil {
		const below = "#/components/schemas/"
		if named := member(d.components, ref.Value[len(below):]); named != nil {
			if kind := d.typeOf(named); kind != "" {
				return kind
			}
		}
		return "object"
	}
	for _, name := range []string{"properties", "allOf", "anyOf", "oneOf"} {
		if member(n, name) != nil {
			return "object"
		}
	}
	return ""
}

// gather puts what stands beside a reference, or beside allOf, into one list: 3.0
// ignores the first, and generators the second.
func (d *downgrade) gather(n *yaml.Node) {
	if ref := member(n, "$ref"); ref != nil && len(n.Content) > 2 {
		removeMembers(n, "$ref")
		setMember(n, "allOf", list(mapping("$ref", ref)))
	}
	all := member(n, "allOf")
	if all == nil {
		return
	}
	beside := mapping("type", text("object"))
	for _, name := range []string{"properties", "required"} {
		if value := member(n, name); value != nil {
			removeMembers(n, name)
			setMember(beside, name, value)
		}
	}
	if len(beside.Content) > 2 {
		removeMembers(n, "type")
		all.Content = append(all.Content, beside)
	}
}

// member returns the value of a member of a mapping, or nil.
func member(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func setMember(n *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, text(name), value)
}

func removeMembers(n *yaml.Node, names ...string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); {
		if slices.Contains(names, n.Content[i].Value) {
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		i += 2
	}
}

// without returns the nodes that a condition does not take out.
func without(nodes []*yaml.Node, out func(*yaml.Node) bool) (rest []*yaml.Node) {
	for _, n := range nodes {
		if !out(n) {
			rest = append(rest, n)
		}
	}
	return rest
}

func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

func mapping(name string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{text(name), value}}
}
