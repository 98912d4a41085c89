package openapitest

import (
	"fmt"
	"net/url"
	"slices"
)

// Unknown says what the document lacks of a request that was sent: the path, the method
// there, or a parameter of the query. It is empty where the document has it all.
func (v *Validator) Unknown(method string, address *url.URL) string {
	place, _ := v.document.paths.find(address.EscapedPath(), method)
	if place == nil {
		return "path"
	}
	op := place.operation(method)
	if op == nil {
		return "method"
	}
	for name := range parseQuery(address.RawQuery) {
		if !slices.ContainsFunc(op.parameters, func(p parameter) bool { return p.in == "query" && p.name == name }) {
			return fmt.Sprintf("parameter %s of the query", name)
		}
	}
	return ""
}
