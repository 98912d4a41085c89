package spreadsheet

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"reflect"
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
	What    string
	As      string // how the text is a file: UTF-8 if empty, `bytes` for a character each, UTF-16
	Text    string
	People  []Person
	Latin   bool
	Problem *Problem
}

func mustReadVectors(t testing.TB) (all []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
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
		got, problem := readPeople(v.file())
		if !reflect.DeepEqual(problem, v.Problem) {
			t.Errorf("%s: got the problem %+v, want %+v", v.What, problem, v.Problem)
		}
		if !reflect.DeepEqual(got.Rows, v.People) || got.Latin != v.Latin {
			t.Errorf("%s: got %+v (latin: %v), want %+v (latin: %v)", v.What, got.Rows, got.Latin, v.People, v.Latin)
		}
	}
}

// A problem says where it is.
func TestProblemsNameTheirPlace(t *testing.T) {
	for _, v := range mustReadVectors(t) {
		if v.Problem == nil {
			continue
		}
		_, err := ReadPeople(v.file())
		problem, ok := errors.AsType[*Problem](err)
		if !ok || problem.Error() == problem.Code || strings.Contains(problem.Error(), "row 0") {
			t.Errorf("%s: got %v", v.What, err)
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
		got, err := ReadPeople(file)
		if err != nil {
			if problem, ok := errors.AsType[*Problem](err); !ok || problem.Error() == problem.Code || len(got.Rows) > 0 {
				t.Fatalf("got %v, %v", got, err)
			}
			return
		}
		var want []Person
		for i, p := range got.Rows {
			if i > 0 && p.Row <= got.Rows[i-1].Row || strings.ContainsAny(strings.Join(cellsOf(&p), ""), lost+"\x00") {
				t.Fatalf("got %+v", got.Rows)
			}
			for _, cell := range cellsOf(&p)[1:] { // the first one is the password
				if strings.HasPrefix(cell, "'") || strings.Contains(cell, ",'") {
					return // there was an apostrophe before an apostrophe
				}
			}
			if p.Row = 0; !reflect.DeepEqual(p, Person{}) { // one of columns that say nothing
				want = append(want, p)
			}
		}
		if len(want) == 0 {
			return
		}
		again := written(want)
		second, err := ReadPeople([]byte(again))
		for i := range second.Rows {
			second.Rows[i].Row = 0
		}
		if err != nil || !reflect.DeepEqual(second.Rows, want) {
			t.Fatalf("%q: got %+v, %v the second time, %+v the first", again, second.Rows, err, want)
		}
	})
}

// cellsOf are the cells of a person.
func cellsOf(p *Person) []string {
	issue := ""
	if p.IssueKey {
		issue = "yes"
	}
	return []string{p.Password, p.Username, p.DisplayName, p.FirstName, p.LastName, strings.Join(p.Emails, ","),
		strings.Join(p.Phones, ","), p.Title, p.Department, issue}
}

// written is a file as RFC 4180 has it.
func written(people []Person) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"password", "username", "display_name", "first_name", "last_name", "emails", "phones", "title",
		"department", "issue_key"})
	for i := range people {
		_ = w.Write(cellsOf(&people[i])) // into memory: cannot fail
	}
	w.Flush()
	return b.String()
}
