package docs

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
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

// TestGoLinesFit leaves out files that a program writes, and raw strings (a struct's tag,
// recorded JSON, a script): a break would change them.
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

// riddles are phrases that send a reader to another sentence for what they mean.
var riddles = regexp.MustCompile(`(?i)\b(?:(?:do|does|did|doing) so\b|what of\b|comes to\b|such an? one\b|those of which\b|` +
	`of that(?: (?:one|other|what|it|is|are|where|there)\b|[.,;:)]|$))`)

// TestCommentsSpeakForThemselves: a comment names what it is about.
func TestCommentsSpeakForThemselves(t *testing.T) {
	t.Parallel()
	want := []comment{{1, "one  two"}, {4, "three"}, {5, " four five "}}
	source := "// one\n//  two\na := 1\nb := 2 // three\n/**\n * four\n * five\n */\n"
	if got := commentsOf(source); !slices.Equal(got, want) {
		t.Fatalf("the comments are %+v", got)
	}
	for _, ending := range []string{".go", ".ts", ".tsx"} {
		for _, file := range mustListFiles(t, ending) {
			for _, c := range commentsOf(mustRead(t, file)) {
				if found := riddles.FindString(c.text); found != "" {
					t.Errorf("%s:%d: %q in a comment: say what it stands for", file, c.line, found)
				}
			}
		}
	}
}

// A comment is one line after code, or all lines of a comment that stands alone.
type comment struct {
	line int
	text string // in one line
}

// commentsOf finds the comments of a source in Go or TypeScript. A text with two slashes after
// a space counts as one too.
func commentsOf(source string) (out []comment) {
	var (
		whole  = regexp.MustCompile(`^\s*(?://|/?\*+/?)\s?(.*?)(?:\s*\*/)?$`)
		beside = regexp.MustCompile(`\s//\s(.*)$`)
		goes   = false // the last line was part of a comment that stands alone
	)
	for i, line := range strings.Split(source, "\n") {
		var m []string // most lines are code, which is not looked at twice
		if begins := strings.TrimSpace(line); strings.HasPrefix(begins, "/") || strings.HasPrefix(begins, "*") {
			m = whole.FindStringSubmatch(line)
		} else if !strings.Contains(line, "//") {
			goes = false
			continue
		}
		switch {
		case m != nil && goes:
			out[len(out)-1].text += " " + m[1]
		case m != nil:
			out = append(out, comment{i + 1, m[1]})
		default:
			if m := beside.FindStringSubmatch(line); m != nil {
				out = append(out, comment{i + 1, m[1]})
			}
		}
		goes = m != nil
	}
	return out
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
