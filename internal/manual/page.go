package manual

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Page is a manual page.
type Page struct {
	Name    string // signet-org
	Section int    // 1: commands, 5: files
	Text    string // troff
}

// File is what a page's file is called: signet-org.1.
func (p Page) File() string { return fmt.Sprintf("%s.%d", p.Name, p.Section) }

// Version is what the pages say of the program that they were made by.
type Version struct {
	Name string    // v0.1.0
	Date time.Time // of its commit; zero: not known
}

// page collects the text of a page.
type page struct {
	b strings.Builder
}

// begin writes the title, and what the page is about.
func begin(name string, section int, version Version, about string) *page {
	p := new(page)
	date := version.Date.UTC().Format(time.DateOnly)
	if version.Date.IsZero() {
		date = "undated"
	}
	p.line(`.TH %s %d %s %s %s`, quoted(strings.ToUpper(name)), section, `"`+date+`"`,
		quoted("signet "+strings.TrimPrefix(version.Name, "v")), quoted("Signet"))
	p.line(".SH NAME")
	p.line(`%s \- %s`, escaped(name), escaped(strings.TrimSuffix(about, ".")))
	return p
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// heading begins a section, at the highest level.
func (p *page) heading(title string) { p.line(".SH %s", quoted(strings.ToUpper(title))) }

// subheading begins a part of a section.
func (p *page) subheading(title string) { p.line(".SS %s", quoted(title)) }

// entry is a flag or a setting with what it means. name is troff.
func (p *page) entry(name, text string) {
	p.line(".TP")
	p.line("%s", name)
	p.line("%s", words(text))
}

// prose writes paragraphs that are apart by an empty line. What is indented, such as an
// example, keeps its lines. first says that nothing stands before it in its section.
func (p *page) prose(text string, first bool) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		if !first {
			p.line(".PP")
		}
		first = false
		if !regexp.MustCompile(`(?m)^(  |\t)`).MatchString(paragraph) {
			p.line("%s", words(paragraph))
			continue
		}
		p.line(".RS 4\n.nf")
		for line := range strings.SplitSeq(paragraph, "\n") {
			p.line("%s", escaped(strings.TrimRight(strings.TrimPrefix(line, "  "), " ")))
		}
		p.line(".fi\n.RE")
	}
}

// words is prose of one paragraph.
func words(text string) string { return escaped(strings.Join(strings.Fields(text), " ")) }

var troff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`, `"`, `\(dq`, "'", `\(aq`)

// escaped is text in which troff finds no command.
func escaped(text string) string {
	text = troff.Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}

// quoted is an argument of a macro.
func quoted(text string) string { return `"` + escaped(text) + `"` }

// bold and italic are text in a face of its own.
func bold(text string) string   { return `\fB` + escaped(text) + `\fR` }
func italic(text string) string { return `\fI` + escaped(text) + `\fR` }
