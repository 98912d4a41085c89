// Package openapi holds the OpenAPI document of the interface, which is its
// checked promise: tests hold every request and every answer against it
// (openapi/openapitest), and the server shows it at GET /openapi.json (and,
// for generators that do not take OpenAPI 3.1, at GET /openapi-3.0.json).
//
// It owns the document and its form as JSON. It knows nothing of the server, and
// imports nothing but the YAML library.
package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// What the document writes where the vendor's names go.
const (
	DefaultPrefix    = "TT"
	DefaultNamespace = "tigertext"
)

//go:embed v2.yaml
var document []byte

// converted is the document as JSON with the default names. It never changes, so it
// is converted once.
var converted = sync.OnceValues(func() (string, error) {
	text, err := toJSON(document)
	if err != nil {
		return "", fmt.Errorf("convert the OpenAPI document: %w", err)
	}
	return string(text), nil
})

// JSON returns the document as JSON, its members in the order in which the YAML
// has them, with the vendor's names put in: the prefix of headers (`TT` makes
// TT-X-...) and the namespace that starts every type. Empty ones are the
// defaults. The caller may change what it gets.
func JSON(prefix, namespace string) ([]byte, error) {
	text, err := converted()
	if err != nil {
		return nil, err
	}
	return withNames(text, prefix, namespace)
}

// withNames puts the vendor's names into the document.
func withNames(text, prefix, namespace string) ([]byte, error) {
	var changes []string
	for _, change := range []struct{ given, standard, end string }{
		{prefix, DefaultPrefix, "-X-"},
		{namespace, DefaultNamespace, ":"},
	} {
		if change.given == "" || change.given == change.standard {
			continue
		}
		name, err := inString(change.given)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change.standard+change.end, name+change.end)
	}
	return []byte(strings.NewReplacer(changes...).Replace(text)), nil
}

// inString returns a name as it stands within a JSON string.
func inString(name string) (string, error) {
	quoted, err := json.Marshal(name)
	if err != nil {
		return "", fmt.Errorf("write the name %q: %w", name, err)
	}
	return string(quoted[1 : len(quoted)-1]), nil
}
