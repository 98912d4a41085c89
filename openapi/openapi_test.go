package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func mustJSON(t *testing.T, prefix, namespace string) []byte {
	t.Helper()
	text, err := JSON(prefix, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDocumentIsValidOpenAPI(t *testing.T) {
	d, err := openapi3.NewLoader().LoadFromData(mustJSON(t, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	// Examples are compared in TestExamplesMatchTheirSchemas.
	if err := d.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

func TestDocumentIsValidAsOpenAPI30(t *testing.T) {
	text, err := JSON30("", "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	if d.OpenAPI != "3.0.3" || d.Paths.Len() != len(mustTree(t).at("/paths").(map[string]any)) {
		t.Errorf("version %s with %d paths, want 3.0.3 with all", d.OpenAPI, d.Paths.Len())
	}
}

func TestJSONKeepsTheOrderOfTheDocument(t *testing.T) {
	text := mustJSON(t, "", "")
	last := -1
	for _, name := range []string{`"openapi":"3.1.0"`, `"info":`, `"servers":`, `"security":`, `"tags":`, `"paths":`,
		`"components":`} {
		at := bytes.Index(text[last+1:], []byte(name))
		if at < 0 {
			t.Fatalf("%s does not come after what is before it in the document", name)
		}
		last += 1 + at
	}
	if !bytes.Equal(text, mustJSON(t, "", "")) {
		t.Error("a second conversion differs from the first")
	}
}

func TestJSONMayBeChangedByItsCaller(t *testing.T) {
	clear(mustJSON(t, "", ""))
	if !json.Valid(mustJSON(t, "", "")) {
		t.Error("the next caller got what the first one did to it")
	}
}

func TestJSONHasTheVendorsNames(t *testing.T) {
	for _, c := range []struct {
		prefix, namespace string
		want              []string
		none              []string
	}{
		{"", "", []string{`"TT-X-Message-Id"`, `"tigertext:iq:message"`}, nil},
		{"TT", "tigertext", []string{`"TT-X-Message-Id"`, `"tigertext:iq:message"`}, nil},
		{"AC", "", []string{`"AC-X-Message-Id"`, `"tigertext:iq:message"`}, []string{"TT-X-"}},
		{"", "acme", []string{`"TT-X-Message-Id"`, `"acme:iq:message"`}, []string{"tigertext"}},
		{"AC", "acme", []string{`"AC-X-Message-Id"`, `"acme:iq:message"`}, []string{"TT-X-", "tigertext"}},
		{`a"b`, `c\d`, []string{`"a\"b-X-Message-Id"`, `"c\\d:iq:message"`}, []string{"TT-X-", "tigertext"}},
	} {
		text := mustJSON(t, c.prefix, c.namespace)
		if !json.Valid(text) {
			t.Errorf("JSON(%q, %q) is no JSON", c.prefix, c.namespace)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("JSON(%q, %q) does not have %s", c.prefix, c.namespace, want)
			}
		}
		for _, none := range c.none {
			if strings.Contains(string(text), none) {
				t.Errorf("JSON(%q, %q) still has %s", c.prefix, c.namespace, none)
			}
		}
	}
}

func TestToJSON(t *testing.T) {
	for _, c := range []struct{ name, yaml, want, wantErr string }{
		{"order and types", "b: 1\na: [true, null, -1.5, x]\n", `{"b":1,"a":[true,null,-1.5,"x"]}`, ""},
		{"times stay texts", "at: 2026-11-21T08:15:30.120Z\n", `{"at":"2026-11-21T08:15:30.120Z"}`, ""},
		{"quoted numbers stay texts", "a: '1'\n1: b\n", `{"a":"1","1":"b"}`, ""},
		{"HTML stays", "a: <b> & c\n", `{"a":"<b> & c"}`, ""},
		{"empty", "a: {}\nb: []\n", `{"a":{},"b":[]}`, ""},
		{"a name twice", "a: 1\nb: 2\na: 3\n", "", `line 3: the member "a" is there twice`},
		{"an alias", "a: &x {}\nb: *x\n", "", "line 2: anchors and aliases"},
		{"a merge", "a: &x {}\nb:\n  <<: *x\n", "", "line 3: the name of a member is no text"},
		{"a tag", "a: !!binary aGk=\n", "", "line 1: values of type !!binary"},
		{"nothing", "", "", "want one YAML document"},
		{"no YAML", "a: [", "", "yaml:"},
	} {
		got, err := toJSON([]byte(c.yaml))
		switch {
		case c.wantErr == "" && err != nil, c.wantErr != "" && (err == nil || !strings.Contains(err.Error(), c.wantErr)):
			t.Errorf("%s: got error %v, want %q", c.name, err, c.wantErr)
		case c.wantErr == "" && string(got) != c.want:
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
