package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// decodeJSON reads one JSON value. Unlike encoding/json it finds fault with a name
// that is there twice and with broken UTF-8: a client may take either value, or
// none.
func decodeJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows after the end of the JSON")
	}
	return value, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(d)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			item, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := d.Token()
		return list, err
	default:
		return token, nil
	}
}

func decodeObject(d *json.Decoder) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string) // what More announces in an object is a name
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the name %q is there twice in one object", name)
		}
		if object[name], err = decodeValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
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

// isNumber reports whether a text is a JSON number.
func isNumber(text string) bool {
	value, err := decodeJSON([]byte(text))
	_, number := value.(json.Number)
	return err == nil && number
}
