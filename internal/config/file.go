package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A configuration file is a page or two; more than this is some other file.
const maxFileBytes = 1 << 20

// loadFile sets what the file names and returns what is wrong with it.
func loadFile(path string, known map[string]*setting) []error {
	content, err := readFile(path)
	if err != nil {
		return []error{fmt.Errorf("read configuration: %w", err)}
	}
	return readYAML(path, content, known)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(content) > maxFileBytes {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFileBytes)
	}
	return content, err
}

// readYAML sets what a document names. Keys may be nested, written with dots,
// or both.
func readYAML(path string, content []byte, known map[string]*setting) []error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil // nothing but comments
	}
	if err != nil {
		return []error{fmt.Errorf("%s: %w", path, err)}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return []error{fmt.Errorf("%s: want a single YAML document", path)}
	}
	r := &fileReader{path: path, known: known, lines: make(map[string]int)}
	r.section("", document.Content[0])
	return r.problems
}

// fileReader walks through a file and collects what is wrong with it.
type fileReader struct {
	path     string
	known    map[string]*setting
	lines    map[string]int // where each key was set
	problems []error
}

func (r *fileReader) section(prefix string, node *yaml.Node) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null":
		return // a section whose settings are all commented out
	case node.Kind != yaml.MappingNode && prefix == "":
		r.problem(node, "want settings, one a line, such as \"listen: 127.0.0.1:8080\"")
		return
	case node.Kind != yaml.MappingNode:
		r.problem(node, "%s is a section: its settings, such as %s, belong below it, indented", prefix, r.firstOf(prefix))
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, content := node.Content[i], node.Content[i+1]
		if name.Kind != yaml.ScalarNode {
			r.problem(name, "want the name of a setting")
			continue
		}
		key := name.Value
		if prefix != "" {
			key = prefix + "." + key
		}
		r.entry(key, name, content)
	}
}

func (r *fileReader) entry(key string, name, content *yaml.Node) {
	// A section is never taken from an alias: one may contain itself.
	if content.Kind == yaml.AliasNode && content.Alias.Kind != yaml.MappingNode {
		content = content.Alias
	}
	s := r.known[key]
	switch {
	case content.Kind == yaml.AliasNode:
		r.problem(name, "%s: an alias cannot stand for a section", key)
		return
	case s == nil && (content.Kind == yaml.MappingNode || r.firstOf(key) != ""),
		s != nil && content.Kind == yaml.MappingNode && r.firstOf(key) != "": // keyring is a setting, and a section too
		r.section(key, content)
		return
	case s == nil:
		r.problem(name, "unknown key %s%s", key, didYouMean(nearestKey(key, r.known)))
		return
	case r.lines[key] != 0:
		r.problem(name, "%s is set already in line %d", key, r.lines[key])
		return
	}
	r.lines[key] = name.Line
	at := origin{FromFile, fmt.Sprintf("%s:%d", r.path, content.Line)}
	r.problems = append(r.problems, s.set(at, func() error { return s.value.decode(content) }))
}

// firstOf returns the alphabetically first setting of a section, or "" where
// there is no such section.
func (r *fileReader) firstOf(section string) string {
	var inside []string
	for key := range r.known {
		if strings.HasPrefix(key, section+".") {
			inside = append(inside, key)
		}
	}
	slices.Sort(inside)
	return strings.Join(inside[:min(1, len(inside))], "")
}

func (r *fileReader) problem(node *yaml.Node, format string, args ...any) {
	where := fmt.Sprintf("%s:%d: ", r.path, node.Line)
	r.problems = append(r.problems, fmt.Errorf(where+format, args...))
}
