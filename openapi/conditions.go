package openapi

// WithConditions makes the document's `x-conditions` part of the schemas in which
// they stand, as more members of allOf, and returns it. They stand apart because
// generators and linters cannot use an `if`; code that compares a request or an
// answer with the document needs them. root is the document as encoding/json or
// jsonschema decodes it; it is changed.
func WithConditions(root any) any {
	switch value := root.(type) {
	case map[string]any:
		if conditions, ok := value["x-conditions"].([]any); ok {
			all, _ := value["allOf"].([]any)
			value["allOf"] = append(all[:len(all):len(all)], conditions...)
			delete(value, "x-conditions")
		}
		for _, member := range value {
			WithConditions(member)
		}
	case []any:
		for _, item := range value {
			WithConditions(item)
		}
	}
	return root
}
