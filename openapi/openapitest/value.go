package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// decodeJSON reads one JSON value. Unlike encoding/json it finds fault with a name
// that is there twice and with broken UTF-8: a client may take either value, or
// none.
func decodeJSON(text []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := d.ReadValue(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("something follows after the end of the JSON")
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// differences says how a value is not what a schema wants; empty if it is.
func differences(schema *jsonschema.Schema, value any) string {
	err := schema.Validate(value)
	if err == nil {
		return ""
	}
	_, lines, found := strings.Cut(err.Error(), "\n") // the first one names the schema
	if !found {
		return err.Error()
	}
	return strings.TrimSpace(strings.ReplaceAll(lines, "false schema", "the document does not have this here"))
}

// textDifferences compares the text of a header or a parameter, which may stand
// for a number.
func textDifferences(schema *jsonschema.Schema, text string) string {
	problem := differences(schema, text)
	if problem == "" {
		return ""
	}
	if number := json.Number(text); isNumber(text) && differences(schema, number) == "" {
		return ""
	}
	return problem
}

// isList reports whether a schema is one of lists, such as the texts of a parameter that is given several times are.
func isList(schema *jsonschema.Schema, texts []string) bool {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return differences(schema, list) == ""
}

// isNumber reports whether a text is a JSON number.
func isNumber(text string) bool {
	value, err := decodeJSON([]byte(text))
	_, number := value.(json.Number)
	return err == nil && number
}
