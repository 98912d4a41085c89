package succession

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"signet/internal/durable"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/standby"
	"signet/internal/store/sqlite"
)

// The names of the files, within the data directory.
const (
	noteFile    = "standby.json"
	copyFile    = "standby.db"
	fencedFile  = "fenced.json"
	requestFile = "promote.json"
)

// stage is how far a directory is on its way from a standby's to a server's.
type stage string

const (
	following stage = "standby"
	promoting stage = "promoting" // the copy is the store; the next start begins the term
	promoted  stage = "promoted"
)

// Note is what a directory that is a standby's, or was, says of itself.
type Note struct {
	ID    string    `json:"id"` // of the copy
	Of    string    `json:"of"` // URL of the server that is followed, or was
	Stage stage     `json:"stage"`
	Term  uint64    `json:"term,omitempty"` // that of the promotion
	Time  time.Time `json:"time"`           // when it became so
}

// CopyPath is where the copy of a standby lies.
func CopyPath(dir string) string { return filepath.Join(dir, copyFile) }

// readJSON reads a file; found is false where there is none. That the directory is none is told by who opens it.
func readJSON(path string, into any) (found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return true, nil
}

// writeJSON replaces a file of the data directory in one step. It belongs to the directory's owner.
func writeJSON(path string, what any) error {
	text, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		return err
	}
	f, err := home.Stage(path, append(text, '\n'))
	if err == nil {
		err = errors.Join(f.Commit(), f.Discard())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDirectory(filepath.Dir(path))
}

// readNote returns the note of a directory; nil where there is none.
func readNote(dir string) (*Note, error) {
	n := new(Note)
	found, err := readJSON(filepath.Join(dir, noteFile), n)
	if err != nil || !found {
		return nil, err
	}
	switch n.Stage {
	case following, promoting, promoted:
		return n, nil
	}
	return nil, fmt.Errorf("%s says %q, which this program does not know", filepath.Join(dir, noteFile), n.Stage)
}

// ClaimID is the ID by which the server of a directory took over in a term; empty where it did not.
func ClaimID(dir string, term uint64) (string, error) {
	n, err := readNote(dir)
	if err != nil || n == nil || n.Stage == following || n.Term != term {
		return "", err
	}
	return n.ID, nil
}

func (n *Note) write(dir string) error {
	n.Time = time.Now().UTC().Truncate(time.Second)
	return writeJSON(filepath.Join(dir, noteFile), n)
}

// BeginCopy makes a directory a standby's, or goes on with one, and returns its note.
func BeginCopy(dir, of string) (*Note, error) {
	n, err := readNote(dir)
	if err != nil {
		return nil, err
	}
	if n == nil {
		n = &Note{ID: model.RandomText(16)}
	}
	if n.Stage == following && home.Exists(home.Database(dir)) { // a demotion was interrupted
		if err := sqlite.ReplicaFrom(home.Database(dir), CopyPath(dir)); err != nil {
			return nil, err
		}
	}
	if n.Of == of && n.Stage == following {
		return n, nil
	}
	n.Of, n.Stage = of, following
	return n, n.write(dir)
}

// fence is what fenced.json says.
type fence struct {
	standby.Claim
	Time time.Time `json:"time"`
}

// NoteFenced notes that another server has taken over: no server starts on the directory from then on.
func NoteFenced(dir string, c standby.Claim) error {
	return writeJSON(filepath.Join(dir, fencedFile), fence{c, time.Now().UTC().Truncate(time.Second)})
}

// FencedError says that another server has taken over from the one of a directory.
type FencedError struct {
	Dir string
	standby.Claim
	Time time.Time
}

// Error says what to do.
func (e *FencedError) Error() string {
	return fmt.Sprintf("another server (%s) took over from the one of %s at %s, as the first of term %d: what is taken "+
		"here would be in no other place. \"signet demote\" makes this its standby, which drops what only this one has; "+
		"\"signet promote --fenced\" takes over from the other, and drops what only that one has",
		e.By, e.Dir, e.Time.Format(time.RFC3339), e.Term)
}

// Fenced is a *FencedError where another server has taken over from the one of a directory.
func Fenced(dir string) error {
	var f fence
	found, err := readJSON(filepath.Join(dir, fencedFile), &f)
	if err != nil || !found {
		return err
	}
	return &FencedError{dir, f.Claim, f.Time}
}
