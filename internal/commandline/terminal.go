package commandline

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// IsTerminal reports whether a stream is a terminal, at which somebody sits.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Plain returns a text without what could move a terminal's cursor or look like another
// line: other people wrote it.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// Complain says what went wrong, each line with the program's name.
func Complain(stderr io.Writer, program string, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "%s: %s\n", program, line)
	}
}
