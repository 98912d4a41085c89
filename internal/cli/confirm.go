package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"signet/internal/commandline"
	"signet/internal/offline"
)

// confirmation is the flag of commands that erase for good.
type confirmation struct {
	Confirm string `placeholder:"NAME" help:"Its name, once more: what is erased does not come back. On a terminal you are asked for it if it is not given."`
}

// erasure are the flags of those that work on the server's data.
type erasure struct {
	confirmation
	DryRun bool `help:"Count what would be erased, and change nothing."`
}

// confirmed reports whether the command is to go on after the count that it is given: the
// name was given, or typed. It does not where only the count was asked for, which it prints.
func (e *erasure) confirmed(con *console, what string, d offline.Doomed, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	if e.DryRun {
		con.printf("Would erase %s:\n", described(what, d.Name, d.Token))
		return false, con.lines(counted(d.Rows)...)
	}
	return true, e.confirm(con, what, d)
}

// confirm is an error unless the name of what is about to be erased was given, or is
// typed on a terminal.
func (c *confirmation) confirm(con *console, what string, d offline.Doomed) error {
	text := described(what, d.Name, d.Token)
	for _, line := range counted(d.Rows) {
		text += ", " + strings.Join(strings.Fields(line), " ")
	}
	given := c.Confirm
	if given == "" {
		typed, err := con.ask(fmt.Sprintf("This erases for good: %s.\nType the name of the %s to go on: ", text, what))
		if err != nil {
			return err
		}
		if given = typed; given == "" {
			return wrongConfiguration{fmt.Errorf("nothing was erased. This erases for good: %s. Say --confirm %q to do it", text,
				d.Name)}
		}
	}
	if given != d.Name {
		return wrongConfiguration{fmt.Errorf("nothing was erased: the name of the %s is %q, and %q was given", what, d.Name,
			given)}
	}
	return nil
}

// ask puts a question on the terminal, even where the command's messages go to a file,
// and returns what was typed; "" where there is no terminal.
func (c *console) ask(question string) (string, error) {
	if !commandline.IsTerminal(c.stdin) {
		return "", nil
	}
	shown := c.stderr
	if !commandline.IsTerminal(shown) {
		terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
		if err != nil {
			return "", nil
		}
		defer terminal.Close()
		shown = terminal
	}
	fmt.Fprint(shown, question)
	line, err := bufio.NewReader(c.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

func described(what, name, token string) string {
	if name == token {
		return what + " " + token
	}
	return fmt.Sprintf("%s %q (%s)", what, name, token)
}

// counted returns a line for each kind of row, with its number.
func counted(rows map[string]int64) (lines []string) {
	for _, what := range slices.Sorted(maps.Keys(rows)) {
		lines = append(lines, cells(what, fmt.Sprint(rows[what])))
	}
	return lines
}
