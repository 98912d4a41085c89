package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "compare with the file in place of writing it")
	if flag.Parse(); flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: licenses [-check] ROOT")
		os.Exit(2)
	}
	file := filepath.Join(flag.Arg(0), "internal", "licenses", "notices.txt")
	content, err := notices(flag.Arg(0))
	switch {
	case err != nil:
	case *check:
		var there []byte
		if there, err = os.ReadFile(file); err == nil && !bytes.Equal(there, content) {
			err = errors.New("internal/licenses/notices.txt is not what the modules say: run make generate")
		}
	default:
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// notice is a text with the parts that it goes with.
type notice struct {
	licenses []string // identifiers of SPDX
	parts    []string
	text     string
}

// notices makes the file of a repository.
func notices(root string) ([]byte, error) {
	parts, err := gather(root)
	if err != nil {
		return nil, err
	}
	judge, err := newJudge()
	if err != nil {
		return nil, err
	}
	var (
		all   []*notice
		wrong []string
	)
	for _, p := range parts {
		granted := false
		for _, t := range p.texts {
			licenses, err := judge.licenses(t)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", p.name, err))
				continue
			}
			granted = granted || len(licenses) > 0
			all = add(all, p.name, licenses, t.text)
		}
		if !granted {
			wrong = append(wrong, p.name+": no licence was found")
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("\n%s", strings.Join(wrong, "\n"))
	}
	var b bytes.Buffer
	for _, n := range all {
		fmt.Fprintf(&b, "==== %s\n", cmp.Or(strings.Join(n.licenses, " "), "notice"))
		for _, name := range n.parts {
			fmt.Fprintf(&b, "  %s\n", name)
		}
		fmt.Fprintf(&b, "\n%s\n\n", n.text)
	}
	return b.Bytes(), nil
}

// add puts a text to the others; one that is there already gets one more part.
func add(notices []*notice, part string, licenses []string, text string) []*notice {
	text = tidy(text)
	key := strings.Join(strings.Fields(text), " ")
	for _, n := range notices {
		if strings.Join(strings.Fields(n.text), " ") == key {
			if !slices.Contains(n.parts, part) {
				n.parts = append(n.parts, part)
			}
			return notices
		}
	}
	return append(notices, &notice{licenses, []string{part}, text})
}

// tidy is a text without the blanks at its edges and at the ends of its lines.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
