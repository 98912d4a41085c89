package docs

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	markdownColumns = 110
	goColumns       = 120 // a tab counts as one column
	goLines         = 500 // of a file
	pageLines       = 400 // of a document
)

// TestMarkdownLinesFit leaves out what cannot be broken: a row of a table, a line
// that is one link, and the frames that a stream sends.
func TestMarkdownLinesFit(t *testing.T) {
	t.Parallel()
	var (
		row    = regexp.MustCompile(`^\s*\|.*\|$`)
		link   = regexp.MustCompile(`^\s*(?:[-*] )?(?:https?://\S+|!?\[[^]]*\]\(\S+\)[.,:;]?)$`)
		stream = regexp.MustCompile(`^(?:data: |< )\{.*\}$`)
	)
	for _, file := range mustListFiles(t, ".md") {
		for i, line := range strings.Split(mustRead(t, file), "\n") {
			if n := utf8.RuneCountInString(line); n > markdownColumns &&
				!row.MatchString(line) && !link.MatchString(line) && !stream.MatchString(line) {
				t.Errorf("%s:%d has %d columns, more than %d", file, i+1, n, markdownColumns)
			}
		}
	}
}

// TestGoLinesFit leaves out files that a program writes, and what of a line is a raw
// string (a struct's tag, recorded JSON, a script): a break would change it.
func TestGoLinesFit(t *testing.T) {
	t.Parallel()
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	for _, file := range mustListFiles(t, ".go") {
		text := mustRead(t, file)
		if generated.MatchString(text) {
			continue
		}
		for i, line := range strings.Split(withoutRawStrings(text), "\n") {
			if n := utf8.RuneCountInString(line); n > goColumns {
				t.Errorf("%s:%d has %d columns, more than %d", file, i+1, n, goColumns)
			}
		}
	}
}

// withoutRawStrings returns a source in the same lines, without what its raw strings say.
func withoutRawStrings(source string) string {
	var (
		s   scanner.Scanner
		set = token.NewFileSet()
		out strings.Builder
		end int
	)
	file := set.AddFile("", set.Base(), len(source))
	s.Init(file, []byte(source), nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return out.String() + source[end:]
		}
		if kind == token.STRING && text[0] == '`' {
			out.WriteString(source[end:file.Offset(at)])
			out.WriteString(strings.Repeat("\n", strings.Count(text, "\n")))
			end = file.Offset(at) + len(text)
		}
	}
}

// TestGoFilesAreShort holds the size that makes somebody look for the seam.
func TestGoFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, file := range mustListFiles(t, ".go") {
		if n := strings.Count(mustRead(t, file), "\n"); n > goLines {
			t.Errorf("%s has %d lines, more than %d: split it by what is in it", file, n, goLines)
		}
	}
}

// TestPagesAreShort: a reader finds a thing on a page of moderate size. What a program
// writes is left out: the page of all settings is looked through by the name of one.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	for _, file := range mustListFiles(t, ".md") {
		text := mustRead(t, file)
		if !strings.HasPrefix(file, "docs") || strings.Contains(text, "\nThis page is generated from ") {
			continue
		}
		if n := strings.Count(text, "\n"); n > pageLines {
			t.Errorf("%s has %d lines, more than %d: split it by what readers come for", file, n, pageLines)
		}
	}
}
