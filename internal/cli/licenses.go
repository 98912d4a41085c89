package cli

import (
	"cmp"
	"errors"
	"strings"

	"signet/internal/licenses"
)

type licensesCommand struct {
	Text bool `help:"Print the texts of all licences, and the notices that go with them."`
}

func (licensesCommand) Help() string {
	return `The modules are those that this very program is linked of, with their versions; npm: is what the pages
in a browser are made of, and data: what comes without code.

Example:

  signet licenses --text | less`
}

func (l *licensesCommand) Run(con *console) error {
	switch {
	case l.Text && con.asJSON:
		return wrongConfiguration{errors.New("--text and --json: choose one, the texts are for people")}
	case l.Text:
		return licenses.Write(con.stdout)
	}
	parts, err := licenses.Parts()
	if err != nil {
		return err
	}
	return table(con, parts, nil, "", func(p licenses.Part) string {
		name := p.Name
		if p.Changed {
			name += " (changed)"
		}
		return cells(name, cmp.Or(p.Version, "-"), strings.Join(p.Licenses, " AND "))
	})
}
