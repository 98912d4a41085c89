package config

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Setting is what there is to know of a setting without a Config at hand.
type Setting struct {
	Key      string // limits.burst
	Variable string // SIGNET_LIMITS_BURST
	Flag     string // --limits.burst
	Hint     string // what a value looks like: N, HOST:PORT, ...
	Default  string // as a flag would give it
	Doc      string // prose of several lines
	List     bool   // a flag may be given several times
	Toggle   bool   // a flag alone is true
}

// Settings lists all settings in the order of the documentation.
func Settings() []Setting {
	var out []Setting
	for _, s := range Default().settings() {
		out = append(out, Setting{
			Key: s.key, Variable: variableName(s.key), Flag: flagName(s.key),
			Hint: s.hint, Default: s.value.text(), Doc: s.doc, List: s.many, Toggle: s.toggle,
		})
	}
	return out
}

// flagName is the command-line flag of a setting: limits.messages_per_day is
// --limits.messages-per-day.
func flagName(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

const describeHead = `# Settings of a Signet server with their defaults. This is a valid configuration
# file: copy what you change, leave out the rest, and start the server with
# "signet serve --config FILE" or SIGNET_CONFIG=FILE. "signet config test FILE"
# checks it. A flag beats an environment variable, a variable beats the file.
`

const commentedHead = `# Settings of a Signet server. Those behind a "#" have their defaults: remove the "#" in
# front of those that you change. "signet config test FILE" checks the file, and
# "signet config show --config FILE" prints what is in force. A flag beats an environment
# variable, a variable beats the file.
`

// Describe writes a configuration file that holds every setting with its
// default and its documentation.
func Describe(w io.Writer) error {
	var b strings.Builder
	b.WriteString(describeHead)
	section := ""
	single := map[string]bool{} // settings that one with a dot stands beside
	for _, s := range Default().settings() {
		name, indent := s.key, ""
		b.WriteString("\n")
		single[s.key] = true
		if before, after, nested := strings.Cut(s.key, "."); nested && !single[before] {
			if before != section {
				b.WriteString(before + ":\n")
			}
			section, name, indent = before, after, "  "
		}
		if err := s.describe(&b, indent, "", name); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// DescribeCommented is Describe with each setting in a comment, under its whole key, so that
// the file changes nothing until somebody removes a comment sign. given are settings that are
// in force nevertheless, by key and as a flag would give them; the error says what is wrong
// with these.
func DescribeCommented(w io.Writer, given map[string]string) error {
	c := Default()
	all := c.settings()
	if err := errors.Join(c.load(Sources{Flags: given}, all)...); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(commentedHead)
	for _, s := range all {
		sign := "#"
		if _, ok := given[s.key]; ok {
			sign = ""
		}
		b.WriteString("\n")
		if err := s.describe(&b, "", sign, s.key); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describe writes a setting under a name, below its documentation. sign stands before its
// line.
func (s *setting) describe(b *strings.Builder, indent, sign, name string) error {
	line, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, s.value.encode(),
	}})
	if err != nil {
		return fmt.Errorf("describe %s: %w", s.key, err)
	}
	b.WriteString(prefixLines(indent+"# ", s.doc+"\n"+variableName(s.key)+", "+flagName(s.key)))
	// The items of a list stand no deeper than its name, so that a text
	// without the signs of comments is what it was with them.
	text := strings.ReplaceAll(strings.TrimSuffix(string(line), "\n"), "\n    - ", "\n- ")
	b.WriteString(prefixLines(indent+sign, text))
	return nil
}

func prefixLines(prefix, text string) string {
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix) + "\n"
}
