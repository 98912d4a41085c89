//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package seal

import (
	"errors"
	"io/fs"
	"os"
)

// openReplaced opens a file that another one is about to replace; nil where there is
// none.
func openReplaced(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}
