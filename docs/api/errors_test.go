package apidocs

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryCodeOfAnErrorIsDescribed compares the codes that the source can answer
// with those of errors.md, both ways.
func TestEveryCodeOfAnErrorIsDescribed(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(mustReadPage(t, "errors.md"),
		-1) {
		if described[m[1]] {
			t.Errorf("errors.md describes %s twice", m[1])
		}
		described[m[1]] = true
	}
	used := mustFindCodes(t)
	if len(used) < 50 {
		t.Fatalf("found only the codes %v in the source", used)
	}
	for code, where := range used {
		if !described[code] {
			t.Errorf("errors.md does not describe %s, which %s answers", code, where)
		}
	}
	for code := range described {
		if used[code] == "" {
			t.Errorf("errors.md describes %s, which nothing answers", code)
		}
	}
}

// TestEveryCodeThatAPageNamesExists looks at what the other pages say of errors.
func TestEveryCodeThatAPageNamesExists(t *testing.T) {
	t.Parallel()
	used := mustFindCodes(t)
	named := regexp.MustCompile("\\b40[013] `([a-z_]+)`|\\b(?:413|429|503) `([a-z_]+)`|\"code\": \"([a-z_]+)\"")
	for _, page := range mustListPages(t) {
		for _, m := range named.FindAllStringSubmatch(mustReadPage(t, page), -1) {
			if code := m[1] + m[2] + m[3]; used[code] == "" {
				t.Errorf("%s names the code %s, which nothing answers", page, code)
			}
		}
	}
}

// codes finds the codes of errors in the source: the arguments of functions whose
// parameter is called `code`, and what is given to the field Code.
type codes struct {
	t         *testing.T
	position  map[string]int    // of the parameter, by the function's name
	others    map[string]bool   // names of functions that have no such parameter
	constants map[string]string // by package and name
	found     map[string]string // where, by code
}

// answering are the packages that make what a caller is told.
var answering = regexp.MustCompile(`/internal/(model|store|continuation|content|search|access|people|service|export|alert|duty|push|webhook|identity|scim|stream|api|api/guard|api/input|api/output|api/sink|app)$`)

// mustFindCodes returns where each code is.
func mustFindCodes(t *testing.T) map[string]string {
	t.Helper()
	files := mustParseModule(t, func(file string) bool {
		return answering.MatchString(path.Dir(file)) && !strings.HasSuffix(file, "_test.go")
	})
	c := &codes{t: t, position: map[string]int{}, others: map[string]bool{}, constants: map[string]string{},
		found: map[string]string{}}
	for name, file := range files {
		c.declare(filepath.Dir(name), file)
	}
	for name, file := range files {
		c.collect(name, file)
	}
	return c.found
}

func (c *codes) declare(dir string, file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			at, has := 0, false
			for _, p := range d.Type.Params.List {
				for _, name := range p.Names {
					if name.Name == "code" {
						c.position[d.Name.Name], has = at, true
					}
					at++
				}
			}
			c.others[d.Name.Name] = c.others[d.Name.Name] || !has
		case *ast.GenDecl:
			if d.Tok != token.CONST {
				continue
			}
			for _, spec := range d.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if i < len(value.Values) {
						if text, ok := literal(value.Values[i]); ok {
							c.constants[dir+"."+name.Name] = text
						}
					}
				}
			}
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, err := strconv.Unquote(l.Value)
		return text, err == nil
	}
	return "", false
}

func (c *codes) collect(name string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				called = f.Name
			case *ast.SelectorExpr:
				called = f.Sel.Name
			}
			if at, ok := c.position[called]; ok && at < len(n.Args) && !c.add(name, n.Args[at]) && !c.others[called] {
				c.t.Errorf("%s: the code that is given to %s is neither a text nor a constant", name, called)
			}
			if called == "RequiredText" {
				if field, ok := literal(n.Args[0]); ok {
					c.found[field+"_required"] = name
				}
			}
		case *ast.KeyValueExpr:
			if field, ok := n.Key.(*ast.Ident); ok && field.Name == "Code" && !c.add(name, n.Value) {
				c.t.Errorf("%s: the Code of an error is neither a text nor a constant", name)
			}
		}
		return true
	})
}

// add notes a code, and reports whether it can be: it is a text or a constant,
// or else one that a caller hands through, where it is found.
func (c *codes) add(name string, e ast.Expr) bool {
	if text, ok := literal(e); ok {
		c.found[text] = name
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		text, ok := c.constants[filepath.Dir(name)+"."+e.Name]
		if ok {
			c.found[text] = name
		}
		return ok || e.Name == "code"
	case *ast.SelectorExpr:
		for constant, text := range c.constants {
			if of, ok := e.X.(*ast.Ident); ok && strings.HasSuffix(constant, "/"+of.Name+"."+e.Sel.Name) {
				c.found[text] = name
				return true
			}
		}
		return e.Sel.Name == "Code" // of an error that is shown
	case *ast.BinaryExpr: // RequiredText itself
		text, _ := literal(e.Y)
		return text == "_required"
	}
	return false
}
