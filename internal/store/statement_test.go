package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A statement is one of those that a function of the sources runs, as it reads when
// what the function puts together is put together.
type statement struct {
	by  string // "Tx.Events", "erasure.OnlyIn"
	sql string
}

// unread stands in a statement for what its sources do not tell.
const unread = "\x00"

// sources are the parsed files of a directory, to find the statements in.
type sources struct {
	functions map[string]*ast.FuncDecl
	given     map[string]*ast.FuncDecl // those that are given statements, by the bare name
	constants map[string]ast.Expr
	found     []statement
}

// statementsIn returns the statements of the functions of a directory.
func statementsIn(t *testing.T, directory string) []statement {
	t.Helper()
	found := newSources(t, directory).in(t, directory)
	for i := range found {
		found[i].by = named(directory, found[i].by)
	}
	return found
}

// named is a function's name with its package, where that is below this one.
func named(directory, by string) string {
	if directory == "." {
		return by
	}
	return directory + "." + by
}

// newSources is for the sources of a directory. Those below this package use its constants, and
// what it offers that is given a clause.
func newSources(t *testing.T, directory string) *sources {
	t.Helper()
	s := &sources{functions: map[string]*ast.FuncDecl{}, given: map[string]*ast.FuncDecl{},
		constants: map[string]ast.Expr{}}
	if directory == "." {
		return s
	}
	above := newSources(t, ".")
	above.parse(t, ".")
	s.constants = above.constants
	for name, f := range above.given {
		if ast.IsExported(name) && parameterName(f, queryParameter(f)) == "where" {
			s.given[name] = f
		}
	}
	return s
}

// in reads a directory and returns the statements in it.
func (s *sources) in(t *testing.T, directory string) []statement {
	t.Helper()
	s.parse(t, directory)
	for _, name := range slices.Sorted(maps.Keys(s.functions)) {
		if f := s.functions[name]; queryParameter(f) < 0 && f.Body != nil {
			s.read(name, f, map[string][]string{})
		}
	}
	return s.found
}

func (s *sources) parse(t *testing.T, directory string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				s.functions[owner(d)] = d
				if queryParameter(d) >= 0 {
					s.given[d.Name.Name] = d
				}
			case *ast.GenDecl:
				addConstants(s.constants, d)
			}
		}
	}
}

func addConstants(to map[string]ast.Expr, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST && len(v.Names) == len(v.Values) {
			for i, name := range v.Names {
				to[name.Name] = v.Values[i]
			}
		}
	}
}

// owner is a function's name, with the type that it is a method of.
func owner(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	return receiver.(*ast.Ident).Name + "." + f.Name.Name
}

// queryParameter is the place of the parameter by which a function is given a
// statement, or its end, by those that call it; -1 where it has none.
func queryParameter(f *ast.FuncDecl) int {
	place := 0
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			if name.Name == "query" || name.Name == "where" {
				return place
			}
			place++
		}
	}
	return -1
}

// parameterName is the name of the parameter at a place.
func parameterName(f *ast.FuncDecl, place int) string {
	for _, field := range f.Type.Params.List {
		if place < len(field.Names) {
			return field.Names[place].Name
		}
		place -= len(field.Names)
	}
	return ""
}

// read notes the statements that a function runs, itself or by functions that it
// gives them to.
func (s *sources) read(by string, f *ast.FuncDecl, known map[string][]string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && n.Tok == token.CONST {
					known[v.Names[0].Name] = s.texts(v.Values[0], known)
				}
			}
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Rhs) == 1 {
				if texts := s.texts(n.Rhs[0], known); !slices.Contains(texts, unread) {
					known[name.Name] = texts
				}
			}
		case *ast.RangeStmt:
			if list, ok := n.X.(*ast.CompositeLit); ok && n.Value != nil {
				for _, element := range list.Elts {
					name := n.Value.(*ast.Ident).Name
					known[name] = append(known[name], s.texts(element, known)...)
				}
			}
		case *ast.CallExpr:
			s.readCall(by, n, known)
		}
		return true
	})
}

func (s *sources) readCall(by string, call *ast.CallExpr, known map[string][]string) {
	name, function, method := calleeOf(call)
	if name == "WriteString" { // a strings.Builder, of which a function has one
		text := s.texts(call.Args[0], known)[0]
		known[unread] = []string{strings.Join(known[unread], "") + text}
		return
	}
	if f := s.given[name]; f != nil && f.Body != nil && (f.Recv == nil && function || f.Recv != nil && method) {
		place := queryParameter(f)
		s.read(by, f, map[string][]string{parameterName(f, place): s.texts(call.Args[place], known)})
		return
	}
	place, runs := statementArgument[name]
	if runs && len(call.Args) > place {
		for _, sql := range s.texts(call.Args[place], known) {
			sql = strings.ReplaceAll(sql, EventsAndKept, "events e") // PostgreSQL takes the account into both halves
			s.found = append(s.found, statement{by, strings.Join(strings.Fields(sql), " ")})
		}
	}
}

// statementArgument says which argument of what runs statements is the statement.
var statementArgument = map[string]int{
	"Exec": 0, "Post": 0, "Query": 0, "Ask": 0, "One": 0, "First": 1, "AskFirst": 1, "List": 1,
	"AskList": 1, "Column": 1,
}

// calleeOf is the bare name of what is called, and whether that is a function, or a method
// of a variable.
func calleeOf(call *ast.CallExpr) (name string, function, method bool) {
	callee := call.Fun
	if generic, ok := callee.(*ast.IndexExpr); ok {
		callee = generic.X
	}
	switch f := callee.(type) {
	case *ast.SelectorExpr:
		_, method = f.X.(*ast.Ident)
		return f.Sel.Name, false, method
	case *ast.Ident:
		return f.Name, true, false
	}
	return "", false, false
}

// texts returns what a string can be, as far as the sources tell.
func (s *sources) texts(e ast.Expr, known map[string][]string) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return []string{text}
		}
	case *ast.ParenExpr:
		return s.texts(e.X, known)
	case *ast.BinaryExpr:
		var out []string
		for _, left := range s.texts(e.X, known) {
			for _, right := range s.texts(e.Y, known) {
				out = append(out, left+right)
			}
		}
		return out
	case *ast.Ident:
		if texts, ok := known[e.Name]; ok {
			return texts
		}
		if constant, ok := s.constants[e.Name]; ok {
			return s.texts(constant, nil)
		}
	case *ast.SelectorExpr: // of Dialect, or of this package in one below it
		if constant, ok := s.constants[e.Sel.Name]; ok {
			return s.texts(constant, nil)
		}
		if clause, ok := words[e.Sel.Name]; ok {
			return []string{clause}
		}
	case *ast.CallExpr:
		switch callee := e.Fun.(type) {
		case *ast.SelectorExpr:
			if callee.Sel.Name == "String" && known[unread] != nil {
				return known[unread]
			}
			if text, ok := pieces[callee.Sel.Name]; ok {
				return []string{text}
			}
		case *ast.Ident:
			if text, ok := pieces[callee.Name]; ok {
				return []string{text}
			}
		}
	}
	return []string{unread}
}

// words are those of the Dialect of PostgreSQL that stand in statements.
var words = map[string]string{
	"Lock":   "FOR UPDATE",
	"Share":  "FOR SHARE",
	"Skip":   "FOR UPDATE SKIP LOCKED",
	"Queues": "SELECT account, last FROM engine_queues WHERE account IN (?*)",
	"Queue":  "SELECT last FROM engine_queues WHERE account = ?",
}

// pieces are what the functions return, or one of it, that put the locks and orders of the
// search together.
var pieces = map[string]string{"Lock": "FOR UPDATE", "SkipLocked": "FOR UPDATE SKIP LOCKED",
	"column": "e.display_name", "comparison": " >", "direction": " DESC", "Repeat": ")", "from": "events e"}
