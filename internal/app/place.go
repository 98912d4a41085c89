package app

import (
	"cmp"
	"path/filepath"
)

// Names within the data directory.
const (
	databaseFile   = "signet.db"
	blobsDirectory = "blobs"
)

// databasePath is the embedded store of a data directory.
func databasePath(dir string) string { return filepath.Join(dir, databaseFile) }

// blobsLocation is where the files of an installation are, in the form of the
// setting "blobs", which is empty for the directory in the data directory.
func blobsLocation(dir, setting string) string {
	return cmp.Or(setting, "dir:"+filepath.Join(dir, blobsDirectory))
}
