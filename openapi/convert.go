package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// toJSON converts YAML to JSON and keeps the order of members. It takes the tree
// and not decoded values: a map would lose the order, and a date would lose the
// digits that the document gives it.
func toJSON(text []byte) ([]byte, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := writeNode(&b, root); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// parse reads YAML into its tree.
func parse(text []byte) (*yaml.Node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, errors.New("want one YAML document")
	}
	return root.Content[0], nil
}

func writeNode(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeMapping(b, n)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeNode(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(b, n)
	default:
		return fmt.Errorf("line %d: anchors and aliases are not used here", n.Line)
	}
}

func writeMapping(b *bytes.Buffer, n *yaml.Node) error {
	names := make(map[string]bool, len(n.Content)/2)
	b.WriteByte('{')
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i]
		if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
			return fmt.Errorf("line %d: the name of a member is no text", name.Line)
		}
		if names[name.Value] {
			return fmt.Errorf("line %d: the member %q is there twice", name.Line, name.Value)
		}
		names[name.Value] = true
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeValue(b, name.Value); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := writeNode(b, n.Content[i+1]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Tag {
	case "!!str", "!!timestamp":
		return writeValue(b, n.Value)
	case "!!int", "!!float", "!!bool", "!!null":
		var v any
		if err := n.Decode(&v); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		return writeValue(b, v)
	default:
		return fmt.Errorf("line %d: values of type %s are not used here", n.Line, n.Tag)
	}
}

func writeValue(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end
	return nil
}
