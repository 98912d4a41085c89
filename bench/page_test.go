package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// page is docs/performance.md: the prose is people's, what stands between markers
// is written here.
type page struct {
	size    size
	machine machine
	begin   time.Time
	took    time.Duration
	figures figures
	costs   costs
}

// pageFile is the page as it is, and plotDirectory where its plots are beside it.
const (
	pageFile      = "../docs/performance.md"
	plotDirectory = "performance"
)

// mustWrite writes the page and its plots into a directory.
func (p *page) mustWrite(t *testing.T, out string) {
	t.Helper()
	_, text := mustReadWithParts(t, pageFile, p.parts())
	written := map[string]string{filepath.Base(pageFile): text}
	for name, plot := range p.plots() {
		written[filepath.Join(plotDirectory, name+".svg")] = plot.svg()
	}
	for name, content := range written {
		mustWriteText(t, filepath.Join(out, name), content)
	}
	t.Logf("wrote %s in %v", filepath.Join(out, filepath.Base(pageFile)), p.took.Round(time.Second))
}

// mustReadWithParts returns a page as it is, and as it is with other parts.
func mustReadWithParts(t *testing.T, file string, parts map[string]string) (is, changed string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is = string(text)
	for name, content := range parts {
		if text, err = replacePart(text, name, content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return is, string(text)
}

// replacePart replaces what stands between a part's markers.
func replacePart(text []byte, name, content string) ([]byte, error) {
	begin, end := "<!-- bench: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended || strings.Contains(after, begin) {
		return nil, fmt.Errorf("the page has not one part %q", name)
	}
	return []byte(before + begin + content + end + after), nil
}

// parts are the written ones, by name.
func (p *page) parts() map[string]string {
	return map[string]string{
		"machine":    p.describe(),
		"aims":       table(aimHead, p.aims()),
		"embedded":   p.engineTables(embedded),
		"postgresql": p.engineTables(postgreSQL),
		"pgbench":    table(baselineHead, p.baselines()),
		"growth":     table(growthHead, p.growth()),
		"costs":      table(costHead, p.costTable()),
	}
}

// describe says where, when and how long was measured.
func (p *page) describe() string {
	return wrapped(fmt.Sprintf("%s Taken on %s in %.0f minutes: medians of %s on the embedded store, of %s on "+
		"PostgreSQL and of %s of the cost over stored messages, "+
		"each %v after %v of warm-up; in parentheses the least and the most. Idle streams were looked at once, for %v.",
		p.machine, p.begin.UTC().Format("2006-01-02"), p.took.Minutes(),
		runs(p.size.repeats), runs(p.size.databaseRepeats), runs(p.size.growthRepeats), p.size.duration, p.size.warmup,
		max(p.size.duration, p.size.idle)))
}

func runs(n int) string {
	if n == 1 {
		return "one run"
	}
	return fmt.Sprintf("%d runs", n)
}

// wrapped breaks a text into lines as long as the page's others.
func wrapped(text string) string {
	const most = 110
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch {
		case length == 0:
		case length+1+len([]rune(word)) > most:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len([]rune(word))
	}
	return b.String() + "\n"
}

// table writes rows as Markdown.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}
