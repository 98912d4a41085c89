package openapitest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is a place in the tree of paths. A path is split before it is decoded,
// one trailing slash is dropped, and a written segment wins over a parameter, as
// the contract has it; but for a username, which may be that segment, where only that has
// the method.
type route struct {
	static     map[string]*route
	param      *route
	username   bool                  // as a parameter it may be one
	operations map[string]*operation // by method
}

func (r *route) add(op *operation) error {
	for segment := range strings.SplitSeq(strings.TrimPrefix(op.Pattern, "/"), "/") {
		if strings.HasPrefix(segment, ":") {
			if r.param == nil {
				r.param = &route{}
			}
			r = r.param
			r.username = r.username || segment == ":user"
			continue
		}
		if r.static == nil {
			r.static = map[string]*route{}
		}
		if r.static[segment] == nil {
			r.static[segment] = &route{}
		}
		r = r.static[segment]
	}
	if r.operations[op.Method] != nil {
		return fmt.Errorf("%s %s is described twice", op.Method, op.Pattern)
	}
	if r.operations == nil {
		r.operations = map[string]*operation{}
	}
	r.operations[op.Method] = op
	return nil
}

// find returns the place of a path in its escaped form, or nil, and the values of
// the parameters on the way, in order.
func (r *route) find(escaped, method string) (*route, []string) {
	return r.walk(strings.TrimSuffix(escaped, "/"), method, nil)
}

func (r *route) walk(path, method string, values []string) (*route, []string) {
	if path == "" {
		if len(r.operations) == 0 {
			return nil, nil
		}
		return r, values
	}
	segment, rest, goesOn := strings.Cut(path[1:], "/")
	if goesOn {
		rest = "/" + rest
	}
	if decoded, err := url.PathUnescape(segment); err == nil {
		segment = decoded
	}
	var found *route
	var all []string
	if next := r.static[segment]; next != nil {
		found, all = next.walk(rest, method, values)
	}
	if r.param == nil || segment == "" || found != nil && (found.operation(method) != nil || !r.param.username) {
		return found, all
	}
	named, more := r.param.walk(rest, method, append(slices.Clip(values), segment))
	if found == nil || named != nil && named.operation(method) != nil {
		return named, more
	}
	return found, all
}

// operation returns what a method does here, or nil. HEAD is answered as GET is.
func (r *route) operation(method string) *operation {
	op := r.operations[method]
	if op == nil && method == http.MethodHead {
		op = r.operations[http.MethodGet]
	}
	return op
}

// allows reports whether a path may list a method in its Allow header.
func (r *route) allows(method string) bool {
	return method == http.MethodOptions || r.operation(method) != nil
}

// plain reports whether what is here answers text and not JSON.
func (r *route) plain() bool {
	for _, op := range r.operations {
		if op.plain {
			return true
		}
	}
	return false
}
