package app

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/health"
	"signet/internal/home"
)

const (
	exposureTopic = "files_open" // of the warning
	exposureLook  = time.Minute  // how often modes are looked at
)

// exposure tells of secrets and content that others on this machine may read. The package
// that reads the master key checks it.
type exposure struct {
	dir      string   // the data directory
	files    []string // also where the directory is closed: a copy of the whole, or a mount elsewhere, may not be
	warnings *health.Warnings
	log      *slog.Logger
}

func (a *App) exposure() *exposure {
	ring := filepath.Join(a.dir, home.KeyringFile)
	if a.cfg.Keyring != "" {
		ring = strings.TrimPrefix(a.cfg.Keyring, "file:") // a database's address is no file
	}
	files := []string{home.Database(a.dir), ring, filepath.Join(a.dir, home.OperatorFile)}
	if key, isFile := strings.CutPrefix(a.cfg.Standby.Key, "file:"); isFile {
		files = append(files, key)
	}
	return &exposure{dir: a.dir, files: files, warnings: a.warnings, log: a.log}
}

// tell logs what is open, once at a start.
func (e *exposure) tell() error {
	info, err := os.Stat(e.dir)
	if err != nil {
		return fmt.Errorf("look at the data directory: %w", err)
	}
	if isOpen(info) {
		e.log.Warn("the data directory is open to other users of this machine", "dir", e.dir,
			"mode", info.Mode().Perm().String(), "advice", "chmod 700")
	}
	for _, path := range e.files {
		if info, err := os.Stat(path); err == nil && isOpen(info) {
			e.log.Warn("a file with secrets or content is open to other users of this machine", "file", path,
				"mode", info.Mode().Perm().String(), "advice", "chmod 600")
		}
	}
	return nil
}

// run looks until ctx ends.
func (e *exposure) run(ctx context.Context) {
	tick := time.NewTicker(exposureLook)
	defer tick.Stop()
	for {
		e.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look warns while something is open that the server may close. The mode of a mount may be
// another's to change: a warning of it would never end.
func (e *exposure) look() {
	for _, path := range append([]string{e.dir}, e.files...) {
		if info, err := os.Stat(path); err == nil && isOpen(info) && isOurs(info) {
			e.warnings.Set(exposureTopic, "others on this machine can read the data: chmod 700 the data directory, and 600 "+
				"the files that the log of the start names", "path", path)
			return
		}
	}
	e.warnings.Clear(exposureTopic)
}

func isOpen(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
