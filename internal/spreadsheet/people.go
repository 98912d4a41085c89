package spreadsheet

import "slices"

// People are those of a file.
type People struct {
	Columns []Column
	Rows    []Person
	// Problems are what is wrong with the columns. Nothing of such a column is read, until somebody
	// chooses what it holds.
	Problems []*Problem
	Example  int  // the line of the template's example, which is left out; 0: it is not there
	Latin    bool // the file is no UTF-8, and was read as windows-1252: somebody should look at the names
}

// ReadPeople reads a file whose first row names the columns, unless they are chosen. Empty rows and
// empty columns are left out. The error is a *Problem: nothing of the file can be read.
func ReadPeople(file []byte, choices Choices) (People, error) {
	found, problem := readPeople(file, choices)
	if problem != nil {
		return People{}, problem
	}
	return found, nil
}

func readPeople(file []byte, choices Choices) (out People, problem *Problem) {
	text, latin, problem := decode(file)
	if problem != nil {
		return out, problem
	}
	rows, problem := split(text)
	if problem != nil {
		return out, problem
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return !slices.ContainsFunc(r.cells, func(cell string) bool { return trim(cell) != "" })
	})
	if len(rows) < 2 {
		return out, &Problem{Code: Empty}
	}
	out.Latin = latin
	out.Columns, out.Problems = columnsOf(rows[0], choices)
	unnamed := make([]bool, len(out.Columns)) // and told
	for _, r := range rows[1:] {
		person := Person{Row: r.line}
		for i, cell := range r.cells {
			text := trim(cell)
			wrong := func(code, name string) *Problem {
				return &Problem{Code: code, Row: r.line, Column: i + 1, Name: name, Cell: text}
			}
			switch {
			case text == "":
			case i >= len(out.Columns):
				person.Problems = append(person.Problems, wrong(ColumnUnnamed, ""))
			case out.Columns[i].Field != "":
				if !person.set(out.Columns[i].Field, cell) {
					person.Problems = append(person.Problems, wrong(CellBoolean, out.Columns[i].Name))
				}
			case out.Columns[i].Name == "" && !unnamed[i]:
				unnamed[i] = true
				out.Problems = append(out.Problems, wrong(ColumnUnnamed, ""))
			}
		}
		if person.isExample() {
			out.Example = person.Row
		} else {
			out.Rows = append(out.Rows, person)
		}
	}
	if len(out.Rows) == 0 {
		return People{}, &Problem{Code: Empty}
	}
	return out, nil
}
