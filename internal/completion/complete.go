package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Offer is what may stand where the cursor is.
type Offer struct {
	Words       []Word
	Files       bool // the name of a file, which the shell completes
	Directories bool // the same of a directory
}

// Word is one possibility.
type Word struct {
	Text string
	Help string // one line; may be empty
}

// line is a command line as far as it was read.
type line struct {
	node     *kong.Node
	argument int        // how many arguments the command has had that are no flags
	pending  *kong.Flag // the last word was this flag, and its value comes next
	over     bool       // there was a "--": no flags any more
	given    []string   // names of flags
}

// Complete returns what the last of words may become. words are those after the program's
// name; the last is the one at the cursor, and may be empty.
func Complete(app *kong.Application, words []string) Offer {
	if len(words) == 0 {
		return Offer{}
	}
	last := len(words) - 1
	l := &line{node: app.Node}
	for _, word := range words[:last] {
		l.read(word)
	}
	return l.offer(words[last])
}

// read goes on by a word that is complete.
func (l *line) read(word string) {
	switch {
	case l.pending != nil:
		l.pending = nil
	case l.over || !strings.HasPrefix(word, "-") || word == "-":
		l.readArgument(word)
	case word == "--":
		l.over = true
	default:
		name, _, whole := strings.Cut(word, "=")
		if flag := l.flag(name); flag != nil {
			l.given = append(l.given, flag.Name)
			if !whole && takesValue(flag) {
				l.pending = flag
			}
		}
	}
}

func (l *line) readArgument(word string) {
	for _, child := range l.node.Children {
		if child.Name == word || slices.Contains(child.Aliases, word) {
			l.node = child
			return
		}
	}
	l.argument++
}

// flags are those that the command takes: its own, and those of the commands above it.
func (l *line) flags() (all []*kong.Flag) {
	for _, group := range l.node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

// flag finds a flag by what was written, or is nil.
func (l *line) flag(written string) *kong.Flag {
	name, long := strings.CutPrefix(written, "--")
	for _, flag := range l.flags() {
		if long && (flag.Name == name || slices.Contains(flag.Aliases, name)) ||
			!long && flag.Short != 0 && written == "-"+string(flag.Short) {
			return flag
		}
	}
	return nil
}

func takesValue(flag *kong.Flag) bool { return !flag.IsBool() && !flag.IsCounter() }

// offer is what the word at the cursor may become.
func (l *line) offer(word string) Offer {
	switch {
	case l.pending != nil:
		return valuesOf(l.pending.Value, l.pending.PlaceHolder, "", word)
	case !l.over && strings.HasPrefix(word, "-"):
		name, value, whole := strings.Cut(word, "=")
		if flag := l.flag(name); whole && flag != nil {
			return valuesOf(flag.Value, flag.PlaceHolder, name+"=", value)
		}
		return l.offerFlags(word)
	case len(l.node.Children) > 0:
		return l.offerCommands(word)
	}
	if at := min(l.argument, len(l.node.Positional)-1); at >= 0 {
		argument := l.node.Positional[at]
		if at == l.argument || argument.IsCumulative() {
			return valuesOf(argument, argument.Name, "", word)
		}
	}
	return Offer{}
}

func (l *line) offerCommands(word string) (o Offer) {
	for _, child := range l.node.Children {
		if !child.Hidden && strings.HasPrefix(child.Name, word) {
			o.Words = append(o.Words, Word{child.Name, oneLine(child.Help)})
		}
	}
	return o
}

func (l *line) offerFlags(word string) (o Offer) {
	for _, flag := range l.flags() {
		if slices.Contains(l.given, flag.Name) && !flag.IsCumulative() {
			continue
		}
		if name := "--" + flag.Name; strings.HasPrefix(name, word) {
			o.Words = append(o.Words, Word{name, oneLine(flag.Help)})
		}
	}
	return o
}

// valuesOf offers the values of a flag or argument. kind is what its help calls a value, and
// before stands in front of it in the same word.
func valuesOf(v *kong.Value, kind, before, word string) (o Offer) {
	if v.Enum != "" {
		for _, value := range v.EnumSlice() {
			if value != "" && strings.HasPrefix(value, word) {
				o.Words = append(o.Words, Word{Text: before + value})
			}
		}
		return o
	}
	kind = strings.ToUpper(kind)
	switch {
	case v.Tag.Type == "existingdir" || strings.HasSuffix(kind, "DIR") || strings.HasSuffix(kind, "DIRECTORY"):
		o.Directories = true
	case v.Tag.Type == "existingfile" || v.Tag.Type == "path" || strings.HasSuffix(kind, "FILE"):
		o.Files = true
	}
	return o
}

// oneLine is the first sentence of a help text: shells show it beside the word.
func oneLine(help string) string {
	help = strings.Join(strings.Fields(help), " ")
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}
