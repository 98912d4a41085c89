package openapi

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// tree is the document as the tests below walk through it.
type tree struct {
	t        *testing.T
	root     any
	compiler *jsonschema.Compiler
}

func mustTree(t *testing.T) *tree {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustJSON(t, "", "")))
	if err != nil {
		t.Fatal(err)
	}
	d := &tree{t: t, root: root, compiler: jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource("document", WithConditions(root)); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns what a JSON pointer points to, or nil.
func (d *tree) at(pointer string) any {
	value := d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// walk visits every object of the document, in order, with its pointer.
func (d *tree) walk(visit func(pointer string, object map[string]any)) {
	var down func(string, any)
	down = func(pointer string, value any) {
		switch v := value.(type) {
		case map[string]any:
			visit(pointer, v)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				down(pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), v[name])
			}
		case []any:
			for i, item := range v {
				down(pointer+"/"+strconv.Itoa(i), item)
			}
		}
	}
	down("", d.root)
}

// object returns an object of the document, whatever reference leads to it.
func (d *tree) object(value any) map[string]any {
	object, _ := value.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		return d.object(d.at(strings.TrimPrefix(ref, "#")))
	}
	return object
}

// described is one operation of the document.
type described struct {
	method, path, pointer string
	operation             map[string]any
}

func (d *tree) operations() (all []described) {
	for path, item := range d.at("/paths").(map[string]any) {
		for method, operation := range item.(map[string]any) {
			pointer := "/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method
			all = append(all, described{strings.ToUpper(method), path, pointer, operation.(map[string]any)})
		}
	}
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.pointer, b.pointer) })
	return all
}

func (d *tree) mustCompile(pointer string) *jsonschema.Schema {
	d.t.Helper()
	schema, err := d.compiler.Compile("document#" + (&url.URL{Fragment: pointer}).EscapedFragment())
	if err != nil {
		d.t.Fatalf("%s: %v", pointer, err)
	}
	return schema
}

func TestEveryReferenceResolves(t *testing.T) {
	d := mustTree(t)
	d.walk(func(pointer string, object map[string]any) {
		refs := []any{object["$ref"]}
		if mapping, ok := object["mapping"].(map[string]any); ok {
			refs = slices.Collect(maps.Values(mapping))
		}
		for _, ref := range refs {
			if text, ok := ref.(string); ok && (!strings.HasPrefix(text, "#/components/") || d.at(text[1:]) == nil) {
				t.Errorf("%s: %s leads nowhere", pointer, text)
			}
		}
	})
}

func TestEveryComponentIsUsed(t *testing.T) {
	d := mustTree(t)
	used := map[string]bool{}
	d.walk(func(_ string, object map[string]any) {
		if ref, ok := object["$ref"].(string); ok {
			used[ref] = true
		}
	})
	for kind, components := range d.at("/components").(map[string]any) {
		if kind == "securitySchemes" {
			continue
		}
		for name := range components.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("%s is not used", ref)
			}
		}
	}
}

func TestEverySchemaCompiles(t *testing.T) {
	d := mustTree(t)
	d.walk(func(pointer string, object map[string]any) {
		if _, ok := object["schema"]; ok {
			d.mustCompile(pointer + "/schema")
		}
	})
	for name := range d.at("/components/schemas").(map[string]any) {
		d.mustCompile("/components/schemas/" + name)
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	d := mustTree(t)
	tags := map[string]bool{}
	for i := range d.at("/tags").([]any) {
		tags[d.at(fmt.Sprintf("/tags/%d/name", i)).(string)] = true
	}
	ids := map[string]string{}
	for _, op := range d.operations() {
		id, _ := op.operation["operationId"].(string)
		if id == "" || ids[id] != "" {
			t.Errorf("%s: operationId %q is empty, or that of %s", op.pointer, id, ids[id])
		}
		ids[id] = op.pointer
		for _, name := range []string{"summary", "description"} {
			if text, _ := op.operation[name].(string); text == "" {
				t.Errorf("%s has no %s", op.pointer, name)
			}
		}
		if given, _ := op.operation["tags"].([]any); len(given) != 1 || !tags[given[0].(string)] {
			t.Errorf("%s: tags %v, want one that is described", op.pointer, given)
		}
		parameters, _ := op.operation["parameters"].([]any)
		var inPath []string
		for _, p := range parameters {
			parameter := d.object(p)
			if parameter["in"] == "path" {
				inPath = append(inPath, parameter["name"].(string))
			}
			for _, name := range []string{"name", "in", "description"} {
				if text, _ := parameter[name].(string); text == "" {
					t.Errorf("%s: the parameter %v has no %s", op.pointer, parameter["name"], name)
				}
			}
		}
		if got, want := strings.Join(inPath, " "), strings.Join(placeholders(op.path), " "); got != want {
			t.Errorf("%s: path parameters %q, want %q", op.pointer, got, want)
		}
	}
}

// placeholders lists the names in braces of a path.
func placeholders(path string) (names []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

func TestEveryOperationHasItsErrors(t *testing.T) {
	d := mustTree(t)
	for _, op := range d.operations() {
		var want []string
		if !strings.HasPrefix(op.path, "/v") {
			continue // about the server itself
		}
		want = append(want, "500", "503")
		if security, own := op.operation["security"].([]any); !own || len(security) > 0 {
			want = append(want, "401", "429")
		}
		if op.method != "GET" {
			want = append(want, "403") // a page of a foreign origin
		}
		if body, ok := op.operation["requestBody"].(map[string]any); ok {
			want = append(want, "400", "413", "415")
			if types := slices.Sorted(maps.Keys(body["content"].(map[string]any))); !slices.Equal(types,
				[]string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}) {
				t.Errorf("%s takes %v, want the three content types", op.pointer, types)
			}
		} else if op.method == "POST" || op.method == "PUT" {
			t.Errorf("%s has no body", op.pointer)
		}
		responses := op.operation["responses"].(map[string]any)
		for _, status := range want {
			if responses[status] == nil {
				t.Errorf("%s does not answer %s", op.pointer, status)
			}
		}
		succeeds := false
		for status, r := range responses {
			succeeds = succeeds || status < "300" || status == "302" || status == "303" // a browser is sent on
			response := d.object(r)
			if status >= "400" {
				d.wantSharedError(op.pointer+" "+status, response)
			}
			for _, name := range []string{"Request-Id", "Cache-Control", "X-Content-Type-Options"} {
				if d.object(response["headers"].(map[string]any)[name])["required"] != true {
					t.Errorf("%s %s: the header %s is not promised", op.pointer, status, name)
				}
			}
		}
		if !succeeds {
			t.Errorf("%s never succeeds", op.pointer)
		}
	}
}

func (d *tree) wantSharedError(where string, response map[string]any) {
	d.t.Helper()
	content, _ := response["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	schema, _ := media["schema"].(map[string]any)
	if len(content) != 1 || schema["$ref"] != "#/components/schemas/Error" {
		d.t.Errorf("%s: want the one Error as application/json", where)
	}
}

// TestExamplesMatchTheirSchemas: whatever has a schema and may show an example,
// which are parameters, headers and bodies, shows one that is right.
func TestExamplesMatchTheirSchemas(t *testing.T) {
	d := mustTree(t)
	compared := 0
	d.walk(func(pointer string, object map[string]any) {
		if object["schema"] == nil {
			return
		}
		schema := d.mustCompile(pointer + "/schema")
		shown := map[string]any{}
		if example, ok := object["example"]; ok {
			shown["example"] = example
		}
		if examples, ok := object["examples"].(map[string]any); ok {
			for name, example := range examples {
				shown[name] = d.object(example)["value"]
			}
		}
		for name, example := range shown {
			compared++
			if err := schema.Validate(example); err != nil {
				t.Errorf("%s: example %s: %v", pointer, name, err)
			}
		}
		// A form's example would be that of JSON once more.
		ofForm := strings.HasSuffix(pointer, "urlencoded") || strings.HasSuffix(pointer, "form-data")
		constant := d.object(object["schema"])["const"] != nil
		if len(shown) == 0 && !ofForm && !constant {
			t.Errorf("%s shows no example", pointer)
		}
	})
	if compared < 100 {
		t.Errorf("only %d examples were found", compared)
	}
}

func TestExampleOfAStreamIsRight(t *testing.T) {
	d := mustTree(t)
	media := "/paths/~1v2~1events/get/responses/200/content/text~1event-stream"
	schema := d.mustCompile(media + "/schema/contentSchema")
	example, _ := d.at(media + "/example").(string)
	events := 0
	for line := range strings.Lines(example) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			events++
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s: %v", data, err)
			}
		}
	}
	if events != 3 {
		t.Errorf("got %d events, want 3", events)
	}
}
