package openapitest

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"signet/openapi"
)

// Operation is one call that the document describes.
type Operation struct {
	ID      string // operationId
	Method  string // GET
	Pattern string // `/v2/user/:user`, as the router's table has it
	Tag     string // of the part of the interface that it belongs to
}

// document is the OpenAPI document, ready to compare with. It never changes once
// it is loaded.
type document struct {
	operations []*operation
	paths      route

	notFound         *response // of a path that the document does not have
	unauthorized     *response
	unavailable      *response
	methodNotAllowed *response
	streamEvent      *jsonschema.Schema
	auditEvent       *jsonschema.Schema // of a stream of the audit log
	queuedTypes      map[string]bool    // of events that the queue holds

	root     any
	compiler *jsonschema.Compiler
}

// operation is what the document says of one call.
type operation struct {
	Operation
	plain        bool // answers text and not JSON: what monitoring asks
	parameters   []parameter
	body         map[string]*jsonschema.Schema // by content type; nil: none is read
	bodyRequired bool
	responses    map[int]*response
}

type parameter struct {
	name, in string
	required bool
	schema   *jsonschema.Schema
}

type response struct {
	headers []responseHeader
	content map[string]*jsonschema.Schema // by content type; empty: no body
}

type responseHeader struct {
	name     string
	required bool
	schema   *jsonschema.Schema
}

// standard is the document with the default vendor names, for all tests of a
// process: reading it takes longer than most of them.
var standard = sync.OnceValues(func() (*document, error) { return load("", "") })

// load reads the document with a vendor's names.
func load(prefix, namespace string) (*document, error) {
	text, err := openapi.JSON(prefix, namespace)
	if err != nil {
		return nil, err
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &document{root: root, compiler: jsonschema.NewCompiler(), queuedTypes: map[string]bool{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource(resource, openapi.WithConditions(root)); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if err := d.readComponents(); err != nil {
		return nil, err
	}
	return d, d.readPaths()
}

// resource is the name under which schemas are compiled.
const resource = "openapi:document"

func (d *document) readComponents() (err error) {
	for name, place := range map[string]**response{
		"NotFound": &d.notFound, "Unauthorized": &d.unauthorized, "Unavailable": &d.unavailable,
		"MethodNotAllowed": &d.methodNotAllowed,
	} {
		if *place, err = d.readResponse(part{d.root, ""}.at("components", "responses", name)); err != nil {
			return err
		}
	}
	schemas := part{d.root, ""}.at("components", "schemas")
	if d.streamEvent, err = d.compile(schemas.at("StreamEvent")); err != nil {
		return err
	}
	if d.auditEvent, err = d.compile(schemas.at("AuditStreamEvent")); err != nil {
		return err
	}
	d.queuedTypes["tigertext:iq:audit"] = true // it has an id: too
	queued := schemas.at("QueuedEvent", "properties", "event", "properties")
	for _, name := range queued.names() {
		d.queuedTypes[name] = true
	}
	return nil
}

func (d *document) readPaths() error {
	paths := part{d.root, ""}.at("paths")
	for _, path := range paths.names() {
		item := paths.at(path)
		for _, method := range item.names() {
			if !slices.Contains(methods, method) {
				continue
			}
			op, err := d.readOperation(item.at(method))
			if err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
			op.Method = strings.ToUpper(method)
			op.Pattern = strings.NewReplacer("{", ":", "}", "").Replace(path)
			d.operations = append(d.operations, op)
			if err := d.paths.add(op); err != nil {
				return err
			}
		}
	}
	return nil
}

var methods = []string{"get", "put", "post", "delete", "patch", "head", "options"}

func (d *document) readOperation(p part) (*operation, error) {
	op := &operation{responses: map[int]*response{}}
	op.ID = p.at("operationId").text()
	if tags := p.at("tags"); tags.value != nil {
		op.Tag = tags.at("0").text()
	}
	for _, i := range p.at("parameters").names() {
		given := d.resolve(p.at("parameters", i))
		schema, err := d.compile(given.at("schema"))
		if err != nil {
			return nil, err
		}
		op.parameters = append(op.parameters,
			parameter{given.at("name").text(), given.at("in").text(), given.at("required").isTrue(), schema})
	}
	if body := p.at("requestBody"); body.value != nil {
		op.bodyRequired = body.at("required").isTrue()
		op.body = map[string]*jsonschema.Schema{}
		for _, kind := range body.at("content").names() {
			schema, err := d.compile(body.at("content", kind, "schema"))
			if err != nil {
				return nil, err
			}
			op.body[kind] = schema
		}
	}
	for _, status := range p.at("responses").names() {
		code, err := strconv.Atoi(status)
		if err != nil {
			return nil, fmt.Errorf("response %q: want a status", status)
		}
		if op.responses[code], err = d.readResponse(p.at("responses", status)); err != nil {
			return nil, err
		}
	}
	if ok := op.responses[http.StatusOK]; ok != nil {
		_, op.plain = ok.content["text/plain"]
	}
	return op, nil
}

func (d *document) readResponse(p part) (*response, error) {
	p = d.resolve(p)
	r := &response{content: map[string]*jsonschema.Schema{}}
	for _, name := range p.at("headers").names() {
		given := d.resolve(p.at("headers", name))
		schema, err := d.compile(given.at("schema"))
		if err != nil {
			return nil, err
		}
		r.headers = append(r.headers, responseHeader{name, given.at("required").isTrue(), schema})
	}
	for _, kind := range p.at("content").names() {
		schema, err := d.compile(p.at("content", kind, "schema"))
		if err != nil {
			return nil, err
		}
		r.content[kind] = schema
	}
	return r, nil
}

// resolve follows a reference of something that is no schema; the compiler
// follows those of schemas.
func (d *document) resolve(p part) part {
	ref := p.at("$ref").text()
	if ref == "" {
		return p
	}
	target := part{d.root, ""}
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		target = target.at(unescapePointer.Replace(name))
	}
	return target
}

func (d *document) compile(p part) (*jsonschema.Schema, error) {
	if p.value == nil {
		return nil, fmt.Errorf("%s: there is no schema", p.pointer)
	}
	location := resource + "#" + (&url.URL{Fragment: p.pointer}).EscapedFragment()
	return d.compiler.Compile(location)
}

// part is a place in the document; its value is nil where there is nothing.
type part struct {
	value   any
	pointer string // RFC 6901
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// at goes down by names of members and indexes of lists.
func (p part) at(names ...string) part {
	for _, name := range names {
		p.pointer += "/" + escapePointer.Replace(name)
		switch value := p.value.(type) {
		case map[string]any:
			p.value = value[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(value) {
				return part{nil, p.pointer}
			}
			p.value = value[i]
		default:
			return part{nil, p.pointer}
		}
	}
	return p
}

// names lists what at can go down to, in order.
func (p part) names() []string {
	switch value := p.value.(type) {
	case map[string]any:
		return slices.Sorted(maps.Keys(value))
	case []any:
		out := make([]string, len(value))
		for i := range value {
			out[i] = strconv.Itoa(i)
		}
		return out
	default:
		return nil
	}
}

func (p part) text() string {
	text, _ := p.value.(string)
	return text
}

func (p part) isTrue() bool { return p.value == true }
