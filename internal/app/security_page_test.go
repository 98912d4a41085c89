package app

import (
	"cmp"
	"fmt"
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

	"signet/internal/home"
)

// mustReadSecurityPages returns the pages below a directory of docs/security by their
// paths in docs. They are for those who answer for a server's security, and name the code
// that keeps each promise, and the tests that try to break it.
func mustReadSecurityPages(t *testing.T, directory string) map[string]string {
	t.Helper()
	docs := filepath.Join(moduleRoot, "docs")
	pages := map[string]string{}
	read := func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(docs, file)
		pages[filepath.ToSlash(name)] = string(text)
		return err
	}
	if err := filepath.WalkDir(filepath.Join(docs, "security", directory), read); err != nil {
		t.Fatal(err)
	}
	return pages
}

// declared is what the module's sources declare.
type declared struct {
	tests map[string]bool // Test and Fuzz functions
	code  map[string]bool // package.Name and package.Type.Method, of files that are no tests
	files []parsed        // of files that are no tests
}

type parsed struct {
	path string
	*ast.File
}

// module is what mustParseModule returned: with the race detector it takes seconds.
var module *declared

func mustParseModule(t *testing.T) *declared {
	t.Helper()
	if module != nil {
		return module
	}
	d := &declared{tests: map[string]bool{}, code: map[string]bool{}}
	for _, file := range sourceFiles(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(moduleRoot, file.path), nil,
			parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if !file.test {
			d.files = append(d.files, parsed{file.path, tree})
		}
		for _, decl := range tree.Decls {
			d.note(file.test, tree.Name.Name, decl)
		}
	}
	module = d
	return d
}

// note remembers what a declaration declares.
func (d *declared) note(test bool, pkg string, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		switch {
		case test && decl.Recv == nil && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz")):
			d.tests[name] = true
		case !test && decl.Recv == nil:
			d.code[pkg+"."+name] = true
		case !test:
			d.code[pkg+"."+receiver(decl.Recv.List[0].Type)+"."+name] = true
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.code[pkg+"."+spec.Name.Name] = d.code[pkg+"."+spec.Name.Name] || !test
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					d.code[pkg+"."+name.Name] = d.code[pkg+"."+name.Name] || !test
				}
			}
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

var (
	quoted    = regexp.MustCompile("`([^`]+)`")
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+|web/tests/[\\w/-]+\\.spec\\.ts)`")
)

// pageItem is a threat, a safeguard or a requirement: an item of a list, which names
// code and tests.
type pageItem struct {
	title, code, tests string
}

// mustReadItems reads the lists of a page in which each item says what keeps it.
func mustReadItems(t *testing.T, page, text string) (items []pageItem) {
	t.Helper()
	section := regexp.MustCompile(`(?m)^## `)
	item := regexp.MustCompile(`(?m)^- \*\*`)
	for _, part := range section.Split(text, -1) {
		if !strings.Contains(part, "Code:") {
			continue // not a list of threats
		}
		for _, text := range item.Split(part, -1)[1:] {
			title, _, _ := strings.Cut(text, "**")
			if strings.HasSuffix(title, " not met:") || strings.HasSuffix(title, " does not apply:") {
				continue // promises nothing
			}
			_, rest, hasCode := strings.Cut(text, "Code:")
			code, tests, hasTests := strings.Cut(rest, "Tests:")
			if !hasCode || !hasTests {
				t.Errorf("docs/%s: %q does not end with code and tests", page, title)
				continue
			}
			items = append(items, pageItem{title, code, tests})
		}
	}
	return items
}

// A test or a piece of code that is renamed or gone must not stay in the pages as a
// promise, and no threat may be without either.
func TestSecurityPagesNameCodeAndTestsThatExist(t *testing.T) {
	d := mustParseModule(t)
	items := 0
	for name, page := range mustReadSecurityPages(t, "") {
		for _, match := range namedTest.FindAllStringSubmatch(page, -1) {
			if !d.tests[match[1]] && !home.Exists(filepath.Join(moduleRoot, filepath.FromSlash(match[1]))) {
				t.Errorf("docs/%s names %s, which is no test", name, match[1])
			}
		}
		for _, item := range mustReadItems(t, name, page) {
			items++
			if !namedTest.MatchString(item.tests) {
				t.Errorf("docs/%s: %q names no test", name, item.title)
			}
			named := quoted.FindAllStringSubmatch(item.code, -1)
			if len(named) == 0 {
				t.Errorf("docs/%s: %q names no code", name, item.title)
			}
			for _, match := range named {
				if !d.code[match[1]] && !home.Exists(filepath.Join(moduleRoot, filepath.FromSlash(match[1]))) {
					t.Errorf("docs/%s names %s, which is neither declared anywhere nor a file", name, match[1])
				}
			}
		}
	}
	if items < 90 {
		t.Errorf("the pages have %d threats and safeguards", items)
	}
}

// The pages of ASVS have each requirement once, and a table counts them. The numbers
// of requirements of level 2 are the standard's.
func TestRequirementsOfASVSAreAllThere(t *testing.T) {
	var page strings.Builder
	for _, text := range mustReadSecurityPages(t, "asvs") {
		page.WriteString(text)
	}
	item := regexp.MustCompile(`(?m)^- \*\*([\d., to]+) (met|not met|does not apply):\*\*`)
	numbers := regexp.MustCompile(`(\d+)\.(\d+)\.(\d+)(?: to \d+\.\d+\.(\d+))?`)
	seen := map[string]bool{}
	var counts [18]map[string]int // by chapter; 0: of all
	for i := range counts {
		counts[i] = map[string]int{}
	}
	for _, found := range item.FindAllStringSubmatch(page.String(), -1) {
		for _, n := range numbers.FindAllStringSubmatch(found[1], -1) {
			chapter, first, last := mustNumber(t, n[1]), mustNumber(t, n[3]), mustNumber(t, cmp.Or(n[4], n[3]))
			for i := first; i <= last; i++ {
				name := fmt.Sprintf("%s.%s.%d", n[1], n[2], i)
				if seen[name] {
					t.Errorf("%s is there twice", name)
				}
				seen[name] = true
				counts[chapter][found[2]]++
				counts[0][found[2]]++
			}
		}
	}
	row := regexp.MustCompile(`(?m)^\| (?:V(\d+) .*|all) \| (\d+) \| (\d+) \| (\d+) \|$`)
	rows := row.FindAllStringSubmatch(page.String(), -1)
	for _, r := range rows {
		chapter := mustNumber(t, cmp.Or(r[1], "0"))
		for i, state := range []string{"met", "not met", "does not apply"} {
			if got, want := r[i+2], strconv.Itoa(counts[chapter][state]); got != want {
				t.Errorf("the table says of chapter %d: %s %s, and the pages have %s", chapter, got, state, want)
			}
		}
	}
	if len(rows) != 18 || len(seen) != 253 {
		t.Errorf("the pages have %d rows and %d requirements, want 18 and 253", len(rows), len(seen))
	}
}

func mustNumber(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil || n > 17 {
		t.Fatalf("%q is no number of the standard", text)
	}
	return n
}

// What serves calls has no means to open a connection: what a caller names is called by the guard
// alone (internal/egress), and what the settings name by packages of their own (dialers_test.go).
func TestServerCallsNobodyThatACallerNames(t *testing.T) {
	serving := []string{"internal/api/", "internal/service/", "internal/model/", "internal/audit/", "internal/live/hub.go",
		"internal/store/", "internal/trace/work.go", "internal/trace/tracer.go", "internal/trace/span.go"}
	engines := []string{"internal/store/postgres/", "internal/store/postgrestest/"}
	calling := map[string][]string{
		"http": {"Get", "Head", "Post", "PostForm", "Client", "DefaultClient", "Transport", "DefaultTransport", "NewRequest",
			"NewRequestWithContext"},
		"net": {"Dial", "DialTimeout", "Dialer", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Resolver", "LookupHost",
			"LookupIP", "LookupAddr"},
		"tls":  {"Dial", "Client", "Dialer", "DialWithDialer"},
		"exec": {"Command", "CommandContext"},
	}
	starts := func(path string, prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(filepath.ToSlash(path), p) })
	}
	looked := 0
	for _, file := range mustParseModule(t).files {
		if !starts(file.path, serving) || starts(file.path, engines) {
			continue
		}
		looked++
		ast.Inspect(file.File, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(calling[pkg.Name], selector.Sel.Name) {
				t.Errorf("%s uses %s.%s: what serves calls makes none", file.path, pkg.Name, selector.Sel.Name)
			}
			return true
		})
	}
	if looked < 100 {
		t.Errorf("looked at %d files", looked)
	}
}

// outsideGo is the one file that leaves Go's checks: it gives SQLite, which is C that was made into
// Go, methods for the write-ahead log.
const outsideGo = "internal/store/sqlite/logfile.go"

// The program neither leaves Go's checks, but in one file, nor hashes and encrypts with what is broken.
func TestProgramImportsNothingUnsafe(t *testing.T) {
	bad := []string{"unsafe", "crypto/md5", "crypto/sha1", "crypto/des", "crypto/rc4", "crypto/dsa"}
	excepted := false
	for _, file := range mustParseModule(t).files {
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			switch {
			case name == "unsafe" && filepath.ToSlash(file.path) == outsideGo:
				excepted = true
			case slices.Contains(bad, name):
				t.Errorf("%s imports %s", file.path, name)
			}
		}
	}
	if !excepted {
		t.Errorf("%s does not import unsafe any more: take away the exception", outsideGo)
	}
}

// Every action that an entry of the audit log can have is on its page.
func TestEveryActionOfTheAuditLogIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(moduleRoot, "docs", "operate", "audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(moduleRoot, "internal", "model", "audit.go"))
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`AuditAction += "([a-z.]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(actions) < 30 {
		t.Errorf("found %d actions", len(actions))
	}
	for _, action := range actions {
		if !strings.Contains(string(page), "`"+action[1]+"`") {
			t.Errorf("docs/operate/audit.md does not say what %s is", action[1])
		}
	}
}
