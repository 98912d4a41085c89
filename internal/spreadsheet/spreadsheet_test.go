package spreadsheet

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	os.Exit(m.Run())
}

// vector is a file, and what is read of it. The tests of the pages have the same ones.
type vector struct {
	What     string
	As       string // how the text is a file: UTF-8 if empty, `bytes` for a character each, UTF-16
	Text     string
	Choices  Choices
	Columns  []Column // nil: they are not looked at
	People   []Person
	Problems []*Problem
	Example  int
	Latin    bool
	Problem  *Problem
}

func mustReadVectors(t testing.TB) (all []vector) {
	t.Helper()
	mustReadData(t, "vectors.json", &all)
	return all
}

func mustReadData(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (v *vector) file() (out []byte) {
	switch v.As {
	case "bytes":
		for _, r := range v.Text {
			out = append(out, byte(r))
		}
	case "utf-16le":
		for _, unit := range utf16.Encode([]rune(v.Text)) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
	case "utf-16be":
		for _, unit := range utf16.Encode([]rune(v.Text)) {
			out = binary.BigEndian.AppendUint16(out, unit)
		}
	default:
		out = []byte(v.Text)
	}
	return out
}

func TestFilesAreReadAsTheWorldWritesThem(t *testing.T) {
	for _, v := range mustReadVectors(t) {
		got, problem := readPeople(v.file(), v.Choices)
		if !reflect.DeepEqual(problem, v.Problem) {
			t.Errorf("%s: got the problem %+v, want %+v", v.What, problem, v.Problem)
		}
		if v.Columns == nil {
			v.Columns = got.Columns
		}
		want := People{Columns: v.Columns, Rows: v.People, Problems: v.Problems, Example: v.Example, Latin: v.Latin}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, want %s", v.What, shown(got), shown(want))
		}
	}
}

// shown is what a test prints of people.
func shown(p People) string {
	text, _ := json.Marshal(p) // it always encodes
	return string(text)
}

// The tables of names are those of the pages, which the same file holds to them.
func TestTheNamesAreThoseOfThePages(t *testing.T) {
	var want struct {
		Fields []struct {
			Name    string
			Aliases []string
		}
		Yes, No []string
	}
	mustReadData(t, "names.json", &want)
	if len(fields) != len(want.Fields) || !slices.Equal(yes, want.Yes) || !slices.Equal(no, want.No) {
		t.Errorf("got %d fields, %v and %v, want %+v", len(fields), yes, no, want)
	}
	for i, f := range want.Fields {
		if got := fields[i]; got.name != f.Name || !slices.Equal(got.aliases, f.Aliases) {
			t.Errorf("got %v, want %v", got, f)
		}
		for _, alias := range f.Aliases {
			if fold(alias) != alias || fieldOf(alias) != f.Name {
				t.Errorf("%s: %q is %q, and the name of %s", f.Name, alias, fold(alias), fieldOf(alias))
			}
		}
	}
}

func TestRowsAreWrittenAsSpreadsheetsReadThem(t *testing.T) {
	var all []struct {
		What string
		Rows [][]string
		Text string
	}
	mustReadData(t, "written.json", &all)
	for _, v := range all {
		if got := Format(v.Rows); got != v.Text {
			t.Errorf("%s: got %q, want %q", v.What, got, v.Text)
		}
	}
}

// The template is taken back once somebody is in it.
func TestTheTemplateIsReadBack(t *testing.T) {
	if _, err := ReadPeople([]byte(Template()), nil); !isProblem(err, Empty) {
		t.Errorf("the template alone: got %v", err)
	}
	got, err := ReadPeople([]byte(Template()+"Ann Lee,ann\r\n"), nil)
	want := []Person{{Row: 3, DisplayName: "Ann Lee", Username: "ann"}}
	if err != nil || !reflect.DeepEqual(got.Rows, want) || got.Example != 2 || got.Problems != nil {
		t.Errorf("got %s, %v", shown(got), err)
	}
}

func isProblem(err error, code string) bool {
	problem, ok := errors.AsType[*Problem](err)
	return ok && problem.Code == code
}

func TestRowsOfOnePersonShareAnAddress(t *testing.T) {
	a := Person{Username: "Ann", Emails: []string{"A@b.c"}, Phones: []string{"+49 (30) 1"}}
	want := []string{"username ann", "email a@b.c", "phone +49301"}
	if got := a.Addresses(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A problem says where it is.
func TestProblemsNameTheirPlace(t *testing.T) {
	for _, v := range mustReadVectors(t) {
		all := v.Problems
		for i := range v.People {
			all = append(all, v.People[i].Problems...)
		}
		if _, err := ReadPeople(v.file(), v.Choices); err != nil {
			problem, ok := errors.AsType[*Problem](err)
			if !ok {
				t.Fatalf("%s: got %v", v.What, err)
			}
			all = append(all, problem)
		}
		for _, problem := range all {
			if words := problem.Error(); words == problem.Code || strings.Contains(words, "row 0") {
				t.Errorf("%s: got %s", v.What, words)
			}
		}
	}
}

// FuzzReadPeople: no file breaks the reader, nothing that was lost comes out of it, and what it has
// read reads the same when it is written by the rules.
func FuzzReadPeople(f *testing.F) {
	for _, v := range mustReadVectors(f) {
		f.Add(v.file())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := ReadPeople(file, nil)
		if err != nil {
			if problem, ok := errors.AsType[*Problem](err); !ok || problem.Error() == problem.Code || len(got.Rows) > 0 {
				t.Fatalf("got %v, %v", got, err)
			}
			return
		}
		var want []Person
		for i, p := range got.Rows {
			whole := strings.Join(cellsOf(&p), "") + p.Password
			if i > 0 && p.Row <= got.Rows[i-1].Row || strings.ContainsAny(whole, lost+"\x00") {
				t.Fatalf("got %s", shown(got))
			}
			if slices.ContainsFunc(cellsOf(&p), func(cell string) bool { return strings.Contains(cell, ",'") }) {
				return // of several addresses in one cell only the first is marked as no formula
			}
			p.Row, p.Problems, p.Password = 0, nil, "" // which nothing exports
			if !reflect.DeepEqual(p, Person{}) {
				want = append(want, p)
			}
		}
		if len(want) == 0 {
			return
		}
		again := written(want)
		second, err := ReadPeople([]byte(again), nil)
		for i := range second.Rows {
			second.Rows[i].Row = 0
		}
		if err != nil || !reflect.DeepEqual(second.Rows, want) {
			t.Fatalf("%q: got %s, %v the second time, %+v the first", again, shown(second), err, want)
		}
	})
}

// cellsOf are the cells of a person, but for the password.
func cellsOf(p *Person) []string {
	issue := ""
	if p.IssueKey {
		issue = "yes"
	}
	return []string{p.Username, p.DisplayName, p.FirstName, p.LastName, strings.Join(p.Emails, ","),
		strings.Join(p.Phones, ","), p.Title, p.Department, issue}
}

// written is a file of people.
func written(people []Person) string {
	rows := [][]string{{"username", "display_name", "first_name", "last_name", "emails", "phones", "title", "department",
		"issue_key"}}
	for i := range people {
		rows = append(rows, cellsOf(&people[i]))
	}
	return Format(rows)
}
