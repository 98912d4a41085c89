package spreadsheet

import (
	"regexp"
	"strings"
)

// row is a line of cells, or several where cells have ends of lines in quotes.
type row struct {
	line  int // in the file, from 1, where it begins
	cells []string
}

// separators are what stands between cells, the usual one first.
const separators = ",;\t"

// announced is how Excel writes the separator into a line of its own.
var announced = regexp.MustCompile(`^(?i:"?sep=([,;|\t])"?)(?:\r\n|\r|\n|$)`)

// split takes a text apart. Rows end with any of the ends of lines. A quote counts where a cell
// begins with it, and is a character elsewhere.
func split(text string) ([]row, *Problem) {
	s := splitter{text: text, line: 1}
	if found := announced.FindStringSubmatch(text); found != nil {
		s.separator, s.at, s.line = found[1][0], len(found[0]), 2
	} else {
		s.separator = separatorOf(text)
	}
	for s.at < len(text) {
		s.step()
	}
	if s.quoted {
		return nil, &Problem{Code: QuoteOpen, Row: s.opened}
	}
	s.endRow()
	return s.rows, nil
}

// separatorOf returns the separator that the first row has most of which is not empty.
func separatorOf(text string) byte {
	var counts [len(separators)]int
	quoted, begun, filled := false, false, false
	for i := range len(text) {
		c := text[i]
		at := strings.IndexByte(separators, c)
		switch {
		case c == '"' && (quoted || !begun):
			quoted, begun, filled = !quoted, true, true
		case quoted:
		case at >= 0:
			counts[at]++
			begun = false
		case (c == '\r' || c == '\n') && filled:
			return most(counts)
		case c == '\r' || c == '\n':
			counts = [len(separators)]int{}
			begun = false
		case c != ' ':
			begun, filled = true, true
		}
	}
	return most(counts)
}

func most(counts [len(separators)]int) byte {
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return separators[best]
}

// splitter is where in a text the reading is.
type splitter struct {
	text      string
	separator byte
	at        int
	line      int
	rows      []row
	row       row
	cell      strings.Builder
	filled    bool // the cell has more than blanks
	quoted    bool // it is within quotes
	wasQuoted bool
	opened    int // the line of the last opening quote
}

// step takes a character, or two that belong together.
func (s *splitter) step() {
	if s.row.line == 0 {
		s.row.line = s.line
	}
	c, next := s.text[s.at], byte(0)
	if s.at++; s.at < len(s.text) {
		next = s.text[s.at]
	}
	end := c == '\n' || c == '\r'
	if c == '\r' && next == '\n' {
		s.at++
	}
	switch {
	case s.quoted:
		s.stepQuoted(c, next, end)
	case c == '"' && !s.filled && !s.wasQuoted:
		s.cell.Reset()
		s.quoted, s.wasQuoted, s.opened = true, true, s.line
	case c == s.separator:
		s.endCell()
	case end:
		s.endRow()
		s.line++
	default:
		s.filled = s.filled || c != ' ' && c != '\t'
		s.cell.WriteByte(c)
	}
}

// stepQuoted is step within quotes, of which two stand for one.
func (s *splitter) stepQuoted(c, next byte, end bool) {
	switch {
	case c == '"' && next == '"':
		s.at++
		s.cell.WriteByte(c)
	case c == '"':
		s.quoted = false
	case end:
		s.line++
		s.cell.WriteByte('\n')
	default:
		s.cell.WriteByte(c)
	}
}

func (s *splitter) endCell() {
	s.row.cells = append(s.row.cells, s.cell.String())
	s.cell.Reset()
	s.filled, s.wasQuoted = false, false
}

func (s *splitter) endRow() {
	s.endCell()
	s.rows = append(s.rows, s.row)
	s.row = row{}
}
