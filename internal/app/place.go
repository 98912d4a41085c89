package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names within the data directory.
const (
	databaseFile   = "signet.db"
	blobsDirectory = "blobs"
	lockFile       = "lock"    // made by sqlite.LockDirectory
	reserveFile    = "reserve" // made by disk.NewReserve, also where a start is refused

	// Where the settings name no other place. Neither is in a backup.
	masterFile  = "master.json"
	keyringFile = "keyring"
)

// databasePath is the embedded store of a data directory.
func databasePath(dir string) string { return filepath.Join(dir, databaseFile) }

// blobsLocation is where the files of an installation are, in the form of the
// setting "blobs", which is empty for the directory in the data directory.
func blobsLocation(dir, setting string) string {
	return cmp.Or(setting, "dir:"+filepath.Join(dir, blobsDirectory))
}

func noDataDirectory(dir string) error { return fmt.Errorf("%s is no data directory of a server", dir) }

// isFresh reports whether nothing was ever stored in a data directory.
func isFresh(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
