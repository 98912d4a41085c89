package cli

import (
	"cmp"
	"strings"

	"signet/internal/commandline"
	"signet/internal/licenses"
)

type licensesCommand struct {
	Text bool `xor:"form" help:"Print the texts of all licences, and the notices that go with them."`
	JSON bool `name:"json" xor:"form" help:"Print JSON, one value on a line."`
}

func (licensesCommand) Help() string {
	return `The modules are those that this very program is linked of, with their versions; npm: is what the pages
in a browser are made of, and data: what comes without code.

Example:

  signet licenses --text | less`
}

func (l *licensesCommand) Run(con *console) error {
	if l.Text {
		return licenses.Write(con.stdout)
	}
	parts, err := licenses.Parts()
	if err != nil {
		return err
	}
	return table(con, access{commandline.Access{JSON: l.JSON}}, parts, nil, "", func(p licenses.Part) string {
		name := p.Name
		if p.Changed {
			name += " (changed)"
		}
		return cells(name, cmp.Or(p.Version, "-"), strings.Join(p.Licenses, " AND "))
	})
}
