package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"signet/internal/build"
	"signet/internal/manual"
)

type manualCommand struct {
	Directory string `arg:"" help:"Directory, which is made where it is missing; the pages go to man1 and man5 in it."`
}

func (manualCommand) Help() string {
	return `The packages have these pages. Where the program was installed by hand:

  signet manual /usr/local/share/man`
}

func (m *manualCommand) Run(ctx context.Context, con *console) error {
	parser, err := con.newParser(ctx, slices.Collect(maps.Keys(new(commands).withSettings())), func(int) {})
	if err != nil {
		return err
	}
	name, _ := build.Info()
	made := manual.Version{Name: name, Date: build.Time()}
	pages := append(manual.Commands(parser.Model, made, exitMeanings), manual.Settings(made))
	for _, page := range pages {
		dir := filepath.Join(m.Directory, fmt.Sprintf("man%d", page.Section))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, page.File()), []byte(page.Text), 0o644); err != nil {
			return err
		}
	}
	con.printf("%d pages written to %s\n", len(pages), m.Directory)
	return nil
}
