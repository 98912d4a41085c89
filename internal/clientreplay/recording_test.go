package clientreplay

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// row is one recorded request, with its placeholders.
type row struct {
	number  int
	method  string
	target  string
	headers []recordedHeader
	body    string
}

// recordedHeader is a header as the recordings abbreviate it.
type recordedHeader struct{ name, value string }

func (r *row) header(name string) string {
	for _, h := range r.headers {
		if strings.EqualFold(h.name, name) {
			return h.value
		}
	}
	return ""
}

var recordedRow = regexp.MustCompile("^\\| (\\d+) \\| ([A-Z]+) (\\S+) \\| (.*?) \\| `(.*)` \\|$")

// mustReadRecording reads the table of a recording.
func mustReadRecording(t *testing.T, name string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < 3 || line[0] != '|' || line[2] < '0' || line[2] > '9' {
			continue
		}
		m := recordedRow.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: the row %q cannot be read", name, line)
		}
		number, _ := strconv.Atoi(m[1])
		if number != len(rows)+1 {
			t.Fatalf("%s: row %d comes after row %d", name, number, len(rows))
		}
		r := row{number: number, method: m[2], target: m[3], body: m[5]}
		for h := range strings.SplitSeq(m[4], ", ") {
			name, value, _ := strings.Cut(h, "=")
			r.headers = append(r.headers, recordedHeader{name, value})
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return rows
}
