package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// mustListShownCommands returns the command lines of signet that people are shown, by
// where: in the shell blocks of the pages, and in the help of the commands.
func mustListShownCommands(t *testing.T, parser *kong.Kong) map[string]string {
	t.Helper()
	shown := map[string]string{}
	pages := []string{"../../README.md", "../../DEVELOPING.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md", "../../docs/*/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	command := regexp.MustCompile(`(?m)(?:^|\$\(|\| )[ \t]*(?:\./bin/)?signet (.*)$`)
	find := func(where, text string) {
		for _, m := range command.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
			shown[where+": signet "+m[1]] = m[1]
		}
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			find(filepath.Base(page), block[1])
		}
	}
	var visit func(n *kong.Node)
	visit = func(n *kong.Node) {
		find("help of "+n.FullPath(), n.Detail)
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(parser.Model.Node)
	return shown
}

// arguments splits a line as a shell does, as far as pages need it: what redirects,
// what follows in a pipe, and comments are no arguments; a command's output is a number.
func arguments(line string) []string {
	var out []string
	line = regexp.MustCompile(`\$\([^)]*\)`).ReplaceAllString(line, "1")
	for _, m := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(line, -1) {
		if strings.ContainsAny(m[:1], "#|>&)") {
			break
		}
		out = append(out, strings.Trim(m, `'"`))
	}
	return out
}

func TestCommandsThatPeopleAreShownAreCommands(t *testing.T) {
	settings := []string{"serve", "health", "status", "doctor", "promote", "show"}
	parser, err := kong.New(newCommands(settings), kong.Name("signet"),
		kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}),
		kong.Vars{"version": ""}, kong.ExplicitGroups([]kong.Group{settingsGroup, clientGroup}),
		kong.PostBuild(describe))
	if err != nil {
		t.Fatal(err)
	}
	shown := mustListShownCommands(t, parser)
	if len(shown) < 60 {
		t.Fatalf("found only %d", len(shown))
	}
	for where, line := range shown {
		if _, err := parser.Parse(arguments(line)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
}
