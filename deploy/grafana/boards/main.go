package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: boards DIRECTORY")
		os.Exit(2)
	}
	for _, b := range boards() {
		if err := b.write(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "boards:", err)
			os.Exit(1)
		}
	}
}

// boards are all boards, in the order in which somebody looks at them.
func boards() []board {
	return []board{overview(), calls(), messages(), store(), streams(), background(), keys(), runtime()}
}

// write writes a board, in the form in which Grafana exports it.
func (b *board) write(directory string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(b.dashboard()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, b.uid+".json"), text.Bytes(), 0o644)
}
