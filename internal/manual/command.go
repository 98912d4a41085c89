package manual

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// Commands returns the pages of a command line: one that lists all of it, and one for each
// of its commands that is not hidden. exits are the meanings of the exit codes, by their number.
func Commands(app *kong.Application, version Version, exits []string) []Page {
	pages := []Page{overview(app, version, exits)}
	for _, command := range app.Children {
		if !command.Hidden {
			pages = append(pages, ofCommand(app, command, version))
		}
	}
	return pages
}

// overview is the page of the program.
func overview(app *kong.Application, version Version, exits []string) Page {
	p := begin(app.Name, 1, version, "a self-hosted secure-messaging server, and its client")
	p.heading("Synopsis")
	p.line(`%s %s [%s]`, bold(app.Name), italic("command"), italic("arguments"))
	p.heading("Description")
	p.prose(app.Help, true)
	p.prose(app.Detail, false)
	p.heading("Commands")
	var groups []*kong.Group
	for _, command := range app.Children {
		if !command.Hidden && !slices.Contains(groups, command.Group) {
			groups = append(groups, command.Group)
		}
	}
	for _, group := range groups {
		if group != nil {
			p.subheading(strings.TrimSuffix(group.Title, ":"))
			p.prose(group.Description, true)
		}
		for _, command := range app.Children {
			if command.Group == group && !command.Hidden {
				p.entry(bold(app.Name+"-"+command.Name)+"(1)", command.Help)
			}
		}
	}
	p.options("Options", app.Flags)
	p.heading("Exit status")
	for code, meaning := range exits {
		p.entry(strconv.Itoa(code), strings.ToUpper(meaning[:1])+meaning[1:]+".")
	}
	p.heading("Files")
	p.entry(italic("/etc/signet/signet.yaml"), "The server's settings, where it came in a package: see signet.yaml(5).")
	p.entry(italic("/var/lib/signet"), "Its data directory there. Elsewhere it is ./data.")
	p.heading("See also")
	p.line("%s(5)", bold("signet.yaml"))
	return Page{app.Name, 1, p.b.String()}
}

// ofCommand is the page of a command, and of all below it.
func ofCommand(app *kong.Application, command *kong.Node, version Version) Page {
	name := app.Name + "-" + command.Name
	p := begin(name, 1, version, lower(command.Help))
	leaves := command.Leaves(true)
	if command.Leaf() {
		leaves = []*kong.Node{command}
	}
	p.heading("Synopsis")
	for i, leaf := range leaves {
		if i > 0 {
			p.line(".br")
		}
		p.line("%s", synopsis(leaf))
	}
	p.heading("Description")
	p.prose(command.Help, true)
	p.prose(command.Detail, false)
	if command.Leaf() {
		p.arguments(command)
		p.options("Options", command.Flags)
	} else {
		p.heading("Commands")
		for _, leaf := range leaves {
			p.subheading(path(leaf))
			p.prose(leaf.Help, true)
			p.prose(leaf.Detail, false)
			for _, argument := range leaf.Positional {
				p.entry(italic(argument.Name), argument.Help)
			}
			p.flags(leaf.Flags)
		}
	}
	p.heading("See also")
	p.line("%s(1), %s(5)", bold(app.Name), bold("signet.yaml"))
	return Page{name, 1, p.b.String()}
}

// path is a command as one types it, without its other names.
func path(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return path(n.Parent) + " " + n.Name
}

// synopsis is the shape of a command line.
func synopsis(n *kong.Node) string {
	parts := []string{bold(path(n))}
	optional := false
	for _, flag := range n.Flags {
		switch {
		case flag.Hidden || flag.Name == "help":
		case flag.Required:
			parts = append(parts, bold("--"+flag.Name)+"="+italic(flag.FormatPlaceHolder()))
		default:
			optional = true
		}
	}
	if optional {
		parts = append(parts, "["+italic("options")+"]")
	}
	for _, argument := range n.Positional {
		text := italic(argument.Name)
		if argument.IsCumulative() {
			text += " ..."
		}
		if !argument.Required {
			text = "[" + text + "]"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// arguments is the section of what is no flag.
func (p *page) arguments(n *kong.Node) {
	if len(n.Positional) == 0 {
		return
	}
	p.heading("Arguments")
	for _, argument := range n.Positional {
		p.entry(italic(argument.Name), argument.Help)
	}
}

// options is a section of flags, where there are any.
func (p *page) options(title string, flags []*kong.Flag) {
	if len(flags) == 0 {
		return
	}
	p.heading(title)
	p.flags(flags)
}

func (p *page) flags(flags []*kong.Flag) {
	for _, flag := range flags {
		if !flag.Hidden {
			p.entry(flagName(flag), cmp.Or(flag.Help, flag.Name))
		}
	}
}

// flagName is a flag in all its forms.
func flagName(flag *kong.Flag) string {
	var forms []string
	if flag.Short != 0 {
		forms = append(forms, bold("-"+string(flag.Short)))
	}
	name := "--" + flag.Name
	if flag.Tag.Negatable != "" {
		name = "--[no-]" + flag.Name
	}
	long := bold(name)
	if !flag.IsBool() && !flag.IsCounter() {
		long += "=" + italic(flag.FormatPlaceHolder())
	}
	return strings.Join(append(forms, long), ", ")
}

// lower is a sentence as it goes on after a dash.
func lower(text string) string {
	if len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z' {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
