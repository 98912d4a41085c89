package succession

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/standby"
	"signet/internal/store/sqlite"
)

// RoleOf says what a server with these settings is to be: the first, which serves, or a standby. The
// data directory decides; the settings say what becomes of an empty one. A directory that is neither for
// these settings is refused, with what to do.
func RoleOf(cfg *config.Config, log *slog.Logger) (standby.Role, error) {
	if cfg.Database != "" {
		return standby.First, nil
	}
	dir := home.Absolute(cfg.Data)
	if err := Fenced(dir); err != nil {
		return "", misconfigured(err)
	}
	note, err := readNote(dir)
	if err != nil {
		return "", err
	}
	switch {
	case note != nil && note.Stage != following:
		if cfg.StandbyOf != "" {
			log.Warn("this directory was promoted, and is served as the first: take standby_of out of the settings, so that "+
				"nobody takes it for a standby's", "term", note.Term, "standby_of", cfg.StandbyOf)
		}
		return standby.First, nil
	case note != nil && cfg.StandbyOf == "":
		return "", misconfigured(fmt.Errorf("%s is the directory of a standby, of %s: set standby_of to go on following, or "+
			"make it the server with \"signet promote\"", dir, note.Of))
	case cfg.StandbyOf == "":
		return standby.First, nil
	case note == nil && home.Exists(home.Database(dir)):
		return "", misconfigured(fmt.Errorf("%s holds the data of a server, and would be replaced by a copy of %s: name an "+
			"empty directory, or make it a standby's with \"signet demote\"", dir, cfg.StandbyOf))
	}
	return standby.Standby, nil
}

// Follows reports whether a directory is a standby's.
func Follows(dir string) (bool, error) {
	note, err := readNote(home.Absolute(dir))
	return note != nil && note.Stage == following, err
}

// Settle brings the last commit into the copy of a standby, and returns where that lies. The directory is
// the caller's, who writes nothing to the copy.
func Settle(dir string) (path string, err error) {
	path = CopyPath(home.Absolute(dir))
	replica, err := sqlite.OpenReplica(path)
	if err != nil {
		return "", err
	}
	if !replica.Whole() {
		err = errors.New("this standby has no whole copy yet")
	}
	return path, errors.Join(err, replica.Close())
}

// misconfigured marks an error that trying again cannot mend.
func misconfigured(err error) error { return home.Misconfigured{Err: err} }

// WantFirst refuses a directory on which no command may change anything: that of a standby, whose store is
// another server's, and one from which another server took over.
func WantFirst(dir string) error {
	dir = home.Absolute(dir)
	if err := Fenced(dir); err != nil {
		return err
	}
	note, err := readNote(dir)
	if err != nil || note == nil || note.Stage != following {
		return err
	}
	return fmt.Errorf("%s is the directory of a standby, of %s: run the command there, or make it the server with "+
		"\"signet promote\"", filepath.Clean(dir), note.Of)
}
