package config

import (
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
		line, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
			{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, s.value.encode(),
		}})
		if err != nil {
			return fmt.Errorf("describe %s: %w", s.key, err)
		}
		doc := s.doc + "\n" + variableName(s.key) + ", " + flagName(s.key)
		b.WriteString(prefixLines(indent+"# ", doc))
		b.WriteString(indent + string(line))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func prefixLines(prefix, text string) string {
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix) + "\n"
}

const markdownHead = `# Configuration

A server needs no configuration. There are three ways to change a setting. Where several of them name the same
setting, the first in this list wins:

1. a flag of ` + "`signet serve`: `--limits.messages-per-day 500`" + `
2. an environment variable: ` + "`SIGNET_LIMITS_MESSAGES_PER_DAY=500`" + `
3. a YAML file, named by ` + "`--config FILE` or `SIGNET_CONFIG`" + `:

   ` + "```yaml" + `
   limits:
     messages_per_day: 500
   ` + "```" + `

   The same key may be written ` + "`limits.messages_per_day: 500`" + ` on one line.

Lists are comma-separated in flags and variables. Durations have units: ` + "`500ms`, `90s`, `8h`, `30d`, `1d12h`" + `.
An unknown key, an unknown ` + "`SIGNET_...`" + ` variable or a value of the wrong type keeps the server from
starting. The message names it and, for a misspelt name, the nearest known one.

- ` + "`signet config describe`" + ` prints all settings as a file to start from.
- ` + "`signet config test FILE`" + ` checks such a file and the files that it names, and lists settings without effect.
- ` + "`signet config show`" + ` prints the settings in force and where each comes from. It hides passwords.

Only the client commands read ` + "`SIGNET_URL`, `SIGNET_API_KEY` and `SIGNET_API_SECRET`" + `. The server ignores the
variables that Kubernetes makes for a Service called ` + "`signet`" + `.

This page is generated from the settings themselves (` + "`make generate`" + `).

## Settings

`

// Markdown writes the page of the documentation that lists the settings.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, s := range Settings() {
		value := "`" + s.Default + "`"
		if s.Default == "" {
			value = "empty"
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\nDefault: %s.\nVariable: `%s`.\nFlag: `%s %s`.\n\n",
			s.Key, s.Doc, value, s.Variable, s.Flag, s.Hint)
	}
	_, err := io.WriteString(w, strings.TrimSpace(b.String())+"\n")
	return err
}
