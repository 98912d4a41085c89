package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"signet/internal/model"
)

// router finds the endpoint of a path. It is a tree of path segments; the
// standard library's mux is not used because it redirects and cleans paths, which
// published clients trip over.
type router struct {
	root node
}

// node is the place in the tree that a path leads to.
type node struct {
	static    map[string]*node
	param     *node
	username  bool                 // as a parameter it takes what people name themselves, a segment of a pattern too
	endpoints map[string]*endpoint // by method; empty where no pattern ends
	allow     string               // value of the Allow header
}

// maxParams is how many parameters a pattern may have.
const maxParams = 4

// add puts an endpoint under its pattern, in which a segment that starts with a
// colon is a parameter.
func (t *router) add(e *endpoint) error {
	if !strings.HasPrefix(e.pattern, "/") || strings.HasSuffix(e.pattern, "/") {
		return fmt.Errorf("route %s %s: want a pattern that starts with a slash and ends without", e.method, e.pattern)
	}
	n := &t.root
	for segment := range strings.SplitSeq(e.pattern[1:], "/") {
		name, isParam := strings.CutPrefix(segment, ":")
		switch {
		case name == "":
			return fmt.Errorf("route %s %s: a segment is empty", e.method, e.pattern)
		case isParam:
			e.params = append(e.params, name)
			if n.param == nil {
				n.param = new(node)
			}
			n = n.param
			n.username = n.username || name == "user"
		default:
			if n.static == nil {
				n.static = make(map[string]*node)
			}
			if n.static[segment] == nil {
				n.static[segment] = new(node)
			}
			n = n.static[segment]
		}
	}
	if len(e.params) > maxParams {
		return fmt.Errorf("route %s %s: more than %d parameters", e.method, e.pattern, maxParams)
	}
	if n.endpoints == nil {
		n.endpoints = make(map[string]*endpoint)
	}
	if n.endpoints[e.method] != nil {
		return fmt.Errorf("route %s %s is there twice", e.method, e.pattern)
	}
	n.endpoints[e.method] = e
	n.allow = n.methods()
	return nil
}

// methods lists what the node answers, in the form of an Allow header.
func (n *node) methods() string {
	var methods []string
	for method := range n.endpoints {
		methods = append(methods, method)
	}
	if n.endpoints[http.MethodGet] != nil && n.endpoints[http.MethodHead] == nil {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// endpoint returns what answers a method here, or nil. HEAD is answered as GET
// is; net/http leaves the body away.
func (n *node) endpoint(method string) *endpoint {
	e := n.endpoints[method]
	if e == nil && method == http.MethodHead {
		e = n.endpoints[http.MethodGet]
	}
	return e
}

// find returns the node of a path in its escaped form, or nil, and the values of
// the parameters on the way to it, appended to params. One trailing slash is
// dropped. A segment of a pattern wins over a parameter in its place, unless that may
// be a username, and it alone has the method.
func (t *router) find(escaped, method string, params []string) (*node, []string) {
	return t.root.find(strings.TrimSuffix(escaped, "/"), method, params)
}

func (n *node) find(path, method string, params []string) (*node, []string) {
	if path == "" {
		if len(n.endpoints) == 0 {
			return nil, params
		}
		return n, params
	}
	if path[0] != '/' {
		return nil, params
	}
	// The path is split before it is decoded, so that an encoded slash stays in
	// its segment.
	segment, rest := path[1:], ""
	if i := strings.IndexByte(segment, '/'); i >= 0 {
		segment, rest = segment[:i], segment[i:]
	}
	if strings.IndexByte(segment, '%') >= 0 {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, params
		}
		segment = decoded
	}
	var found *node
	values := params
	if next := n.static[segment]; next != nil {
		if found, values = next.find(rest, method, params); found != nil && found.endpoint(method) != nil {
			return found, values
		}
	}
	if n.param == nil || segment == "" || found != nil && !n.param.username {
		return found, values
	}
	if named, more := n.param.find(rest, method, append(params, segment)); named != nil &&
		(found == nil || named.endpoint(method) != nil) {
		return named, more
	}
	return found, values
}

// checkText refuses a parameter that nothing can be named, so that the store need not be asked
// for it (404, as for whatever is not there).
func (e *endpoint) checkText(values []string) error {
	for i, name := range e.params {
		switch {
		case model.IsText(values[i]):
		case e.anyText:
			values[i] = "\ufffd" // names nothing either, and is text
		default:
			return &model.Error{Kind: model.NotFound, Code: codeEndpointUnknown, Field: name,
				Message: "There is no such endpoint: the path is not valid UTF-8, or has a control character."}
		}
	}
	return nil
}
