package helm

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"signet/internal/config"
)

var update = flag.Bool("update", false,
	"rewrite the table of signet/README.md, the settings of values.schema.json, and the rules")

// value is a value of values.yaml: one that is no section.
type value struct {
	path     string
	fallback any    // what it is where nobody says otherwise
	comment  string // above it
	shown    string // its default, as YAML has it on one line
}

// values reads values.yaml in its order.
func values(t *testing.T) (out []value) {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(mustRead(t, "signet/values.yaml")), &document); err != nil {
		t.Fatal(err)
	}
	var walk func(prefix string, section *yaml.Node)
	walk = func(prefix string, section *yaml.Node) {
		for i := 0; i < len(section.Content); i += 2 {
			key, node := section.Content[i], section.Content[i+1]
			v := value{path: prefix + key.Value, comment: uncommented(key.HeadComment)}
			// A section has no comment of its own: its values have.
			if node.Kind == yaml.MappingNode && len(node.Content) > 0 && v.comment == "" {
				walk(v.path+".", node)
				continue
			}
			var err error
			if err = node.Decode(&v.fallback); err == nil {
				v.shown, err = flow(v.fallback)
			}
			if err != nil {
				t.Fatalf("%s: %v", v.path, err)
			}
			out = append(out, v)
		}
	}
	walk("", document.Content[0])
	if len(out) < 80 {
		t.Fatalf("values.yaml has %d values", len(out))
	}
	return out
}

// uncommented joins the lines of a comment. Of several with an empty line between, as at the
// beginning of the file, the last is meant.
func uncommented(comment string) string {
	comments := strings.Split(comment, "\n\n")
	var words []string
	for line := range strings.Lines(comments[len(comments)-1]) {
		words = append(words, strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
	return strings.Join(words, " ")
}

// flow writes a value as JSON, without the escapes that are for HTML.
func flow(v any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(out.String()), err
}

const tableBegins, tableEnds = "<!-- values:begin -->\n", "<!-- values:end -->"

// README.md has every value with what values.yaml says of it.
func TestReadmeHasEveryValue(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| value | default | what it is |\n|---|---|---|\n")
	for _, v := range values(t) {
		if len(v.comment) < 10 || !strings.HasSuffix(v.comment, ".") {
			t.Errorf("values.yaml says of %s: %q, want a sentence", v.path, v.comment)
		}
		shown := "`" + v.shown + "`"
		if len(v.shown) > 60 {
			shown = "see `values.yaml`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", v.path, shown, strings.ReplaceAll(v.comment, "|", `\|`))
	}
	const name = "signet/README.md"
	page := mustRead(t, name)
	before, rest, begins := strings.Cut(page, tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", name)
	}
	want := before + tableBegins + table.String() + tableEnds + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if page != want {
		t.Errorf("%s is out of date: go test ./deploy/helm -update", name)
	}
}

// same are the values that stand for a setting, in a form of their own where that is said.
var same = map[string]string{
	"baseURL": "base_url", "trustedProxies": "trusted_proxies", "blobs.location": "blobs",
	"shutdown.graceSeconds": "shutdown.grace", "nats.login.kind": "nats_login", "nats.ca.configMap": "nats_ca",
	"nats.existingSecret": "nats", "keyring.copy.existingSecret": "keyring.copy", "tls.existingSecret": "tls.cert",
}

// differs are the settings that the chart gives another default, with the reason.
var differs = map[string]string{
	"listen":         "a pod has no use for loopback",
	"data":           "the image has its volume there",
	"metrics.listen": "Prometheus asks from outside the pod",
	"log.format":     "who collects the logs of pods reads JSON",
	"shutdown.delay": "proxies hear later than a pod that it stops",
	"master_key":     "a Secret has it",
	"database":       "several servers share one",
	"keyring":        "the same",
	"blobs":          "the same",
}

// Each default is that of the setting, except for those in differs.
func TestDefaultsAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	byPath, settings := map[string]value{}, map[string]config.Setting{}
	for _, v := range values(t) {
		byPath[v.path] = v
	}
	for _, s := range config.Settings() {
		settings[s.Key] = s
	}
	for path, key := range same {
		v, found := byPath[path]
		if _, setting := settings[key]; !found || !setting {
			t.Errorf("there is no value %s, or no setting %s", path, key)
			continue
		}
		got := strings.Trim(v.shown, `[]"`)
		if strings.HasSuffix(path, "Seconds") {
			got += "s"
		}
		if want := settings[key].Default; got != want {
			t.Errorf("the default of %s is %q, and that of %s is %q", path, got, key, want)
		}
	}
	// With as few values as there can be, the rest is as the program has it.
	all := objects(t, mustRender(t, release{Name: "signet", Values: examples(t)["ingress.yaml"]})[0].Files)
	given := []string{"base_url", "trusted_proxies"} // by the example
	for _, e := range mustLoad(t, variables(t, all)).Effective() {
		_, other := differs[e.Key]
		isOther := e.Source != config.FromDefault && !slices.Contains(given, e.Key) &&
			e.Value != settings[e.Key].Default
		if isOther != other && !slices.Contains(given, e.Key) {
			t.Errorf("%s is %q, and the program's own is %q", e.Key, e.Value, settings[e.Key].Default)
		}
	}
}

// values.schema.json has the types of all settings.
func TestSchemaHasEverySetting(t *testing.T) {
	t.Parallel()
	const name = "signet/values.schema.json"
	var schema map[string]any
	if err := json.Unmarshal([]byte(mustRead(t, name)), &schema); err != nil {
		t.Fatal(err)
	}
	settings := section()
	for _, s := range config.Settings() {
		under, key := settings, s.Key
		if before, after, nested := strings.Cut(s.Key, "."); nested && before != "keyring" {
			properties := settings["properties"].(map[string]any)
			if properties[before] == nil {
				properties[before] = section()
			}
			under, key = properties[before].(map[string]any), after
		}
		under["properties"].(map[string]any)[key] = schemaOf(s)
	}
	// keyring is a setting, and has one below it.
	delete(settings["properties"].(map[string]any), "keyring.copy")
	settings["properties"].(map[string]any)["keyring"] = map[string]any{"type": []string{"string", "object"}}
	schema["properties"].(map[string]any)["config"] = settings
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if out.String() != mustRead(t, name) {
		t.Errorf("%s is out of date: go test ./deploy/helm -update", name)
	}
}

func section() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

// schemaOf is the type of a setting's value.
func schemaOf(s config.Setting) map[string]any {
	out := map[string]any{"type": "string", "description": strings.ReplaceAll(s.Doc, "\n", " ")}
	switch {
	case s.List:
		out["type"], out["items"] = "array", map[string]any{"type": "string"}
	case s.Toggle:
		out["type"] = "boolean"
	case s.Hint == "N":
		out["type"], out["minimum"] = "integer", 0
	case s.Hint == "SHARE":
		out["type"], out["minimum"], out["maximum"] = "number", 0, 1
	case s.Hint == "DURATION":
		out["pattern"] = `^([0-9]+d)?([0-9]+(\.[0-9]+)?(ms|s|m|h))*$`
	}
	return out
}
