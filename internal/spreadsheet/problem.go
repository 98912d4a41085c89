package spreadsheet

import "fmt"

// Problem is what is wrong with a file, a column or a cell, and where.
type Problem struct {
	Code   string `json:"code"`
	Row    int    `json:"row,omitempty"`    // the line of the file, from 1
	Column int    `json:"column,omitempty"` // from 1
	Name   string `json:"name,omitempty"`   // of the column
	Cell   string `json:"cell,omitempty"`
}

// The codes of problems.
const (
	Empty         = "empty"          // there is nobody below the names of the columns
	Workbook      = "workbook"       // it is no text, but what spreadsheets save by themselves
	Encoding      = "encoding"       // characters that were lost before, or of no known encoding
	QuoteOpen     = "quote_open"     // a quote is never closed
	ColumnUnknown = "column_unknown" // a name that is no field of a person
	ColumnTwice   = "column_twice"   // two columns of one field that has one value
	ColumnUnnamed = "column_unnamed" // a cell in a column without a name
	CellBoolean   = "cell_boolean"   // neither yes nor no
)

func (p *Problem) Error() string {
	switch p.Code {
	case Empty:
		return "there is no row below the names of the columns, or only the example of the template"
	case Workbook:
		return "it is a workbook: save it as CSV"
	case Encoding:
		return fmt.Sprintf("row %d has characters that cannot be read: save the file as CSV in UTF-8", p.Row)
	case QuoteOpen:
		return fmt.Sprintf("row %d begins a quote that never ends", p.Row)
	case ColumnUnknown:
		return fmt.Sprintf("column %d is called %q, which is no field of a person", p.Column, p.Name)
	case ColumnTwice:
		return fmt.Sprintf("column %d is called %q, as is another one", p.Column, p.Name)
	case ColumnUnnamed:
		return fmt.Sprintf("row %d has the cell %q in column %d, which has no name", p.Row, p.Cell, p.Column)
	case CellBoolean:
		return fmt.Sprintf("row %d, column %d (%s): %q is neither yes nor no", p.Row, p.Column, p.Name, p.Cell)
	}
	return p.Code
}
