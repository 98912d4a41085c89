package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"signet/internal/commandline"
)

// show writes a result, or returns the error that came in its place: as JSON, or in the lines that text
// makes of it for people.
func show[T any](con *console, result T, err error, text func(T) []string) error {
	switch {
	case err != nil:
		return err
	case con.asJSON:
		return con.json(result)
	}
	return con.lines(text(result)...)
}

// table is show for a list, with a line for each row below its head, if it has one.
func table[T any](con *console, rows []T, err error, head string, text func(T) string) error {
	if rows == nil {
		rows = []T{} // an empty list, not null
	}
	return show(con, rows, err, func(rows []T) (lines []string) {
		if head != "" {
			lines = append(lines, head)
		}
		for _, row := range rows {
			lines = append(lines, text(row))
		}
		return lines
	})
}

// json writes a value on one line.
func (c *console) json(v any) error { return encodeLine(c.stdout, v) }

// encodeLine writes a value as JSON on one line, with its letters as they are.
func encodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// lines writes lines whose cells are parted by tabs, in columns; with --json as printf does.
func (c *console) lines(lines ...string) error {
	if c.asJSON {
		c.printf("%s", strings.ReplaceAll(strings.Join(lines, "\n"), "\t", "  "))
		return nil
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// cells joins what one line shows.
func cells(texts ...string) string {
	for i := range texts {
		texts[i] = commandline.Plain(texts[i])
	}
	return strings.Join(texts, "\t")
}

// moment writes a time, or a dash where there is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// count writes a number with its noun.
func count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// yes writes a switch.
func yes(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

// longest is how much text from a file or standard input goes into a request;
// the server's own limits are lower.
const longest = 1 << 20

// readText reads a text from a file, or from standard input where the name is
// "-", without the line breaks at its end.
func (c *console) readText(name string) (string, error) {
	r := c.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		r = file
	}
	text, err := io.ReadAll(io.LimitReader(r, longest+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, err)
	case len(text) > longest:
		return "", fmt.Errorf("read %s: it is longer than 1 MiB", name)
	case !utf8.Valid(text):
		return "", wrongConfiguration{fmt.Errorf("read %s: it is not UTF-8", name)}
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// readPassword is readText for a password; no name is no password.
func (c *console) readPassword(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	password, err := c.readText(name)
	if err == nil && password == "" {
		return "", fmt.Errorf("read %s: the password is empty", name)
	}
	return password, err
}
