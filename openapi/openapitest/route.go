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
// the contract has it.
type route struct {
	static     map[string]*route
	param      *route
	operations map[string]*operation // by method
}

func (r *route) add(op *operation) error {
	for segment := range strings.SplitSeq(strings.TrimPrefix(op.Pattern, "/"), "/") {
		if strings.HasPrefix(segment, ":") {
			if r.param == nil {
				r.param = &route{}
			}
			r = r.param
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
func (r *route) find(escaped string) (*route, []string) {
	return r.walk(strings.TrimSuffix(escaped, "/"), nil)
}

func (r *route) walk(path string, values []string) (*route, []string) {
	if path == "" {
		if len(r.operations) == 0 {
			return nil, nil
		}
		return r, values
	}
	segment, rest, more := strings.Cut(path[1:], "/")
	if more {
		rest = "/" + rest
	}
	if decoded, err := url.PathUnescape(segment); err == nil {
		segment = decoded
	}
	if next := r.static[segment]; next != nil {
		if found, all := next.walk(rest, values); found != nil {
			return found, all
		}
	}
	if r.param == nil || segment == "" {
		return nil, nil
	}
	return r.param.walk(rest, append(slices.Clip(values), segment))
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
