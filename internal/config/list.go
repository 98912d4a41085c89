package config

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// listField is a list of texts: comma-separated in flags and variables, a
// sequence in the file.
type listField struct {
	target  *[]string
	initial []string
}

func (f listField) reset()       { *f.target = slices.Clone(f.initial) }
func (f listField) text() string { return strings.Join(*f.target, ",") }

func (f listField) parse(text string) error {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	*f.target = items
	return nil
}

// decode takes a single text for a list of one, and for what a variable would
// hold.
func (f listField) decode(node *yaml.Node) error {
	wrong := errors.New("want a list of texts, such as [https://a.example, https://b.example]")
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
		return f.parse(node.Value)
	}
	if node.Kind != yaml.SequenceNode {
		return wrong
	}
	var items []string
	for _, item := range node.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			return wrong
		}
		items = append(items, item.Value)
	}
	*f.target = items
	return nil
}

// inLine is how long a list may be that stands in one line, so that a terminal shows all of it.
const inLine = 70

func (f listField) encode() *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	if len(f.text()) > inLine {
		node.Style = 0 // an item in each line
	}
	for _, item := range *f.target {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: item})
	}
	return node
}

func list(target *[]string, key, hint string, check func([]string) error, doc string) *setting {
	limits := func() error { return check(*target) }
	return &setting{
		key: key, hint: hint, doc: strings.TrimSpace(doc), many: true,
		value: listField{target: target}, limits: limits,
	}
}

// listOf is a list that is not empty by default.
func listOf(target *[]string, key string, initial []string, hint string, check func([]string) error,
	doc string) *setting {
	s := list(target, key, hint, check, doc)
	s.value = listField{target, initial}
	return s
}
