package openapitest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
)

// requestProblems compares a request that was carried out with the document: what
// the server accepts is what it says that it accepts. Tests send bad input on
// purpose; what was refused is not compared.
func (x *exchange) requestProblems(op *operation, path []string) []string {
	problems := x.parameterProblems(op, path)
	text, known := x.sentBody()
	if !known || op.body == nil {
		return problems
	}
	if len(bytes.TrimSpace(text)) == 0 {
		if op.bodyRequired {
			problems = append(problems, "request: it was carried out without the body that it needs")
		}
		return problems
	}
	given := x.request.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(given)
	schema := op.body[kind]
	if err != nil || schema == nil {
		return append(problems, fmt.Sprintf("request: a body of type %q was accepted", given))
	}
	value, err := decodeBody(kind, params["boundary"], text)
	if err != nil {
		return append(problems, fmt.Sprintf("request: a body was accepted that cannot be read: %v", err))
	}
	return append(problems, wrap("request body: ", differences(schema, value))...)
}

// sentBody returns the request's body; known is false if it was not read to its
// end, or is too large to be kept.
func (x *exchange) sentBody() (text []byte, known bool) {
	if x.sent == nil {
		return nil, true
	}
	return x.sent.whole()
}

func (x *exchange) parameterProblems(op *operation, path []string) (problems []string) {
	query := parseQuery(x.request.URL.RawQuery)
	names := op.pathParameters()
	for _, p := range op.parameters {
		var given []string
		switch p.in {
		case "path":
			for i, name := range names {
				if name == p.name {
					given = path[i : i+1]
				}
			}
		case "query":
			given = query[p.name]
		case "header":
			given = x.request.Header.Values(p.name)
		}
		if p.required && len(given) == 0 {
			problems = append(problems, fmt.Sprintf("request: it was carried out without the %s parameter %s", p.in, p.name))
		}
		if isList(p.schema, given) {
			continue
		}
		for _, value := range given {
			if differs := textDifferences(p.schema, value); differs != "" {
				problems = append(problems,
					fmt.Sprintf("request: %s parameter %s: %q was accepted: %s", p.in, p.name, value, differs))
			}
		}
	}
	return problems
}

// pathParameters lists the names of the parameters in the path, in order.
func (op *operation) pathParameters() (names []string) {
	for segment := range strings.SplitSeq(op.Pattern, "/") {
		if name, ok := strings.CutPrefix(segment, ":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// parseQuery reads the parameters that can be read; others are no parameters.
func parseQuery(raw string) url.Values {
	values, _ := url.ParseQuery(raw)
	return values
}

// decodeBody reads a body into the object that it stands for.
func decodeBody(kind, boundary string, text []byte) (map[string]any, error) {
	switch kind {
	case "application/json":
		return decodeFields(text)
	case "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(text))
		if err != nil {
			return nil, err
		}
		out := map[string]any{}
		for name, given := range values {
			for _, value := range given {
				put(out, name, value)
			}
		}
		return out, nil
	default:
		return decodeParts(multipart.NewReader(bytes.NewReader(text), boundary))
	}
}

// decodeFields reads the fields of a JSON body. One that is null is as good as
// not there.
func decodeFields(text []byte) (map[string]any, error) {
	value, err := decodeJSON(text)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is no object but %T", value)
	}
	for name, field := range object {
		if field == nil {
			delete(object, name)
		}
	}
	return object, nil
}

// decodeParts reads the parts of a multipart body; of a file there is the name.
func decodeParts(r *multipart.Reader) (map[string]any, error) {
	out := map[string]any{}
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		value := p.FileName()
		if value == "" {
			text, err := io.ReadAll(p)
			if err != nil {
				return nil, err
			}
			value = string(text)
		}
		put(out, p.FormName(), value)
	}
}

// put adds a value under a name; a name that is repeated is a list. An empty input of
// a form counts as left out.
func put(fields map[string]any, name, value string) {
	if value == "" {
		return
	}
	switch before := fields[name].(type) {
	case nil:
		fields[name] = value
	case []any:
		fields[name] = append(before, value)
	default:
		fields[name] = []any{before, value}
	}
}
