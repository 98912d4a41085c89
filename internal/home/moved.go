package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"signet/internal/config"
)

// movedFile tells in a data directory that its installation was moved to a database.
const movedFile = "moved.json"

// moved is what it holds.
type moved struct {
	To   string    `json:"to"` // without a password
	Time time.Time `json:"time"`
}

// NoteMoved marks a data directory whose installation lives elsewhere from now on. What
// a server would take in the old place would be in no other.
func NoteMoved(dir, database string) error {
	path := filepath.Join(dir, movedFile)
	if Exists(path) { // the move was finished before, and is only told again
		return nil
	}
	text, err := json.MarshalIndent(moved{config.HideSecrets(database), time.Now().UTC().Truncate(time.Second)}, "", "  ")
	if err != nil {
		return err
	}
	f, err := Stage(path, append(text, '\n'))
	if err == nil {
		err = errors.Join(f.Commit(), f.Discard())
	}
	if err != nil {
		return fmt.Errorf("note the move: %w", err)
	}
	return nil
}

// MovedError says that a data directory's installation was moved.
type MovedError struct {
	Dir, To string
	Time    time.Time
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s was moved to %s at %s: what a server takes here would be in no other place. Start it on the "+
		"database (setting database); to serve the old data all the same, say --serve-moved, or remove %s to go back for "+
		"good", e.Dir, e.To,
		e.Time.Format(time.RFC3339), filepath.Join(e.Dir, movedFile))
}

// Moved is a *MovedError for a server that would use a data directory which was moved.
func Moved(cfg *config.Config) error {
	if cfg.Database != "" {
		return nil
	}
	return WantNotMoved(Absolute(cfg.Data))
}

// WantNotMoved is a *MovedError where a data directory was moved.
func WantNotMoved(dir string) error {
	path := filepath.Join(dir, movedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // the latter is reported elsewhere
		return nil
	}
	note := moved{To: "a PostgreSQL database"}
	if err == nil {
		err = json.Unmarshal(text, &note)
	}
	if err != nil {
		return fmt.Errorf("this data directory was moved, as there is %s, which cannot be read: %w", path, err)
	}
	return &MovedError{dir, note.To, note.Time}
}
