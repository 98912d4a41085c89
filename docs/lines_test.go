package docs

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	markdownColumns = 110
	goColumns       = 120 // a tab counts as one column
	goLines         = 500 // of a file

	// longGoLines is how many lines of Go may be longer. It only ever goes down.
	longGoLines = 290
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

// TestGoLinesFit leaves out files that a program writes.
func TestGoLinesFit(t *testing.T) {
	t.Parallel()
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	var long []string
	for _, file := range mustListFiles(t, ".go") {
		text := mustRead(t, file)
		if generated.MatchString(text) {
			continue
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > goColumns {
				long = append(long, file+": "+strings.TrimSpace(line))
			}
		}
	}
	if len(long) > longGoLines {
		t.Errorf("%d lines of Go have more than %d columns, where %d may:\n%s",
			len(long), goColumns, longGoLines, strings.Join(long, "\n"))
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
