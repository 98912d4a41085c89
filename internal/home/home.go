package home

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"signet/internal/config"
)

// Names within the data directory.
const (
	DatabaseFile   = "signet.db"
	BlobsDirectory = "blobs"
	LockFile       = "lock"          // made by sqlite.LockDirectory
	ReserveFile    = "reserve"       // made by disk.NewReserve, also where a start is refused
	SocketFile     = "handover.sock" // made by handover.Open, and left there by a crash

	// Where the settings name no other place. Neither is in a backup.
	MasterFile  = "master.json"
	KeyringFile = "keyring"
)

// Database is the embedded store of a data directory.
func Database(dir string) string { return filepath.Join(dir, DatabaseFile) }

// Blobs is where the files of an installation are, in the form of the
// setting "blobs", which is empty for the directory in the data directory.
func Blobs(dir, setting string) string {
	return cmp.Or(setting, "dir:"+filepath.Join(dir, BlobsDirectory))
}

// NoDataDirectory is the error for a directory in which no server ever stored.
func NoDataDirectory(dir string) error {
	return fmt.Errorf("%s is no data directory of a server", dir)
}

// Exists reports whether there is a file, or a link, at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Absolute is a path that does not depend on the working directory.
func Absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// Home says where an installation's data is, for people: without a password.
func Home(cfg *config.Config) string {
	if cfg.Database == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "an unknown machine"
		}
		return Absolute(cfg.Data) + " on " + host
	}
	scheme, rest, _ := strings.Cut(cfg.Database, "://")
	rest, _, _ = strings.Cut(rest, "?")
	place, name, _ := strings.Cut(rest, "/")
	return scheme + "://" + place[strings.LastIndex(place, "@")+1:] + "/" + name
}
