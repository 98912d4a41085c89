package apidocs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"signet/openapi/openapitest"
)

// listed is a row of the tables of calls.
type listed struct {
	number string // of the interface; empty where the interface does not list the call
	method string
	path   string // with parameters in colons, without /v2
	page   string // where it is described; empty: outside /v2, and in no page
	test   string
}

var row = regexp.MustCompile("(?m)^\\| (\\d*) ?\\| (GET|POST|PUT|DELETE) \\| `([^`]+)` \\| " +
	"(?:\\[[^]]+\\]\\(([a-z]+\\.md)(?:#[^)]*)?\\))? ?\\| `(Test\\w+)` \\|$")

// pattern is the call as the router and the OpenAPI document write it.
func (l *listed) pattern() string {
	if strings.HasPrefix(l.path, "/v5/") || l.page == "" {
		return l.path
	}
	return "/v2" + l.path
}

func mustReadCalls(t *testing.T) (calls []listed) {
	t.Helper()
	text, err := os.ReadFile("calls.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		calls = append(calls, listed{m[1], m[2], m[3], m[4], m[5]})
	}
	if rows := strings.Count(string(text), "| `Test"); rows != len(calls) {
		t.Fatalf("%d rows of the tables name a test, and %d can be read", rows, len(calls))
	}
	return calls
}

// TestTablesAndDocumentNameTheSameCalls: that the OpenAPI document and the router
// do is tested where the router is.
func TestTablesAndDocumentNameTheSameCalls(t *testing.T) {
	t.Parallel()
	calls := mustReadCalls(t)
	known := map[string]bool{}
	for _, op := range openapitest.Operations(t) {
		known[op.Method+" "+op.Pattern] = true
	}
	for _, c := range calls {
		call := c.method + " " + c.pattern()
		if c.path == "/message/:message/attachment/1" {
			call = c.method + " /v2/message/:message/attachment/:number" // others are 404
		}
		if !known[call] {
			t.Errorf("%s is not in the OpenAPI document, or twice in the tables", call)
		}
		delete(known, call)
	}
	for call := range known {
		t.Errorf("%s is missing from the tables", call)
	}
}

// interfaceOrder are the calls of the interface as its owner lists them: 26
// regular ones and 10 administrative ones.
const interfaceOrder = `
GET /events
DELETE /events
POST /events/ack
GET /user/:user
POST /group
GET /group/:group
POST /group/:group
DELETE /group/:group
POST /group/:group/members
POST /group/:group/members/remove
POST /message
GET /message/:message
DELETE /message/:message
GET /message/:message/attachment/1
GET /message/:message/status
POST /message/status
POST /message/typing
DELETE /message/typing/:recipient
GET /metadata/:entity
POST /metadata/:entity
GET /roster
POST /roster
DELETE /roster/:entity
POST /search
GET /user/:user/message/unread_count
GET /user/:user/organization/:organization/message/unread_count
GET /user_lookup/:user
POST /user
POST /user/:user/organization
DELETE /user/:user/organization/:organization
GET /user/:user/organization/:organization/roles
POST /user/:user/organization/:organization/roles/:role
DELETE /user/:user/organization/:organization/roles/:role
POST /organization
POST /organization/:organization
GET /organization/:organization
`

func TestTableHasTheCallsOfTheInterfaceInItsOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range mustReadCalls(t) {
		if c.number == "" {
			continue
		}
		got = append(got, c.method+" "+c.path)
		if c.number != strconv.Itoa(len(got)) {
			t.Errorf("%s %s has the number %s, want %d", c.method, c.path, c.number, len(got))
		}
	}
	if want := strings.Split(strings.TrimSpace(interfaceOrder), "\n"); !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEveryCallIsProvedByATestThatExists(t *testing.T) {
	t.Parallel()
	tests := mustFindTests(t)
	for _, c := range mustReadCalls(t) {
		if !tests[c.test] {
			t.Errorf("%s %s is said to be proved by %s, which does not exist", c.method, c.path, c.test)
		}
	}
}

// mustFindTests returns the names of all tests of the module.
func mustFindTests(t *testing.T) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	for _, file := range mustParseModule(t, func(path string) bool { return strings.HasSuffix(path, "_test.go") }) {
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				tests[f.Name.Name] = true
			}
		}
	}
	return tests
}

// moduleRoot is where the module is from here.
const moduleRoot = "../.."

// mustParseModule parses the module's Go files whose paths are wanted.
func mustParseModule(t *testing.T, wanted func(path string) bool) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	set := token.NewFileSet()
	err := filepath.WalkDir(moduleRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() {
			if path != moduleRoot && (strings.HasPrefix(base, ".") || base == "testdata" || base == "data") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || !wanted(filepath.ToSlash(path)) {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		files[path] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEveryCallHasAnExampleOnItsPage: an example is a request with its answer,
// which TestExamplesAnswerAsPrinted carries out.
func TestEveryCallHasAnExampleOnItsPage(t *testing.T) {
	t.Parallel()
	calls := mustReadCalls(t)
	shown := map[string]bool{}
	for _, page := range mustListPages(t) {
		for _, e := range mustReadExamples(t, page) {
			if e.request == nil {
				continue
			}
			path, _, _ := strings.Cut(e.request.Target, "?")
			if c := findCall(calls, e.request.Method, path); c != nil {
				shown[page+" "+c.method+" "+c.path] = true
			}
		}
	}
	for _, c := range calls {
		if c.page != "" && !shown[c.page+" "+c.method+" "+c.path] {
			t.Errorf("%s has no example of %s %s", c.page, c.method, c.path)
		}
	}
}

// findCall returns the call that a path belongs to: of several, the one with the
// fewest parameters.
func findCall(calls []listed, method, path string) (found *listed) {
	for i := range calls {
		c := &calls[i]
		if c.method == method && fits(c.pattern(), path) &&
			(found == nil || strings.Count(c.path, ":") < strings.Count(found.path, ":")) {
			found = c
		}
	}
	return found
}

func fits(pattern, path string) bool {
	segments, given := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(segments) != len(given) {
		return false
	}
	for i, segment := range segments {
		if segment != given[i] && !strings.HasPrefix(segment, ":") {
			return false
		}
	}
	return true
}
