package e2e

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"testing"
)

// readMetrics reads the text format of Prometheus: each series under its name
// with labels, and the sum of all series of a name under that.
func readMetrics(t *testing.T, r io.Reader) map[string]int {
	t.Helper()
	out := map[string]int{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		// A label may hold blanks: the value is what follows the last one.
		series, value, found := cutLast(lines.Text(), " ")
		n, err := strconv.ParseFloat(value, 64)
		if !found || err != nil || strings.HasPrefix(series, "#") {
			continue
		}
		out[series] = int(n)
		if name, _, labelled := strings.Cut(series, "{"); labelled {
			out[name] += int(n)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}
