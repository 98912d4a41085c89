package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"signet/internal/durable"
)

const (
	// keptForm is the name of a backup among others, by the moment at which it was begun.
	keptForm = "signet-20060102T150405.000Z"
	// keptLock keeps two from working in one directory of backups.
	keptLock = ".lock"
)

// Kept is a directory of backups, of which the newest are kept. Nothing else in it is touched.
type Kept struct {
	dir  string
	lock *durable.Lock
	made string // the name of the backup that is made here; empty: none was asked for yet
}

// OpenKept opens a directory of backups, and makes it, for its owner only, where it is missing. It is
// refused while another backup is made there. The caller closes it.
func OpenKept(dir string) (*Kept, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of backups: %w", err)
	}
	lock, err := durable.TryLock(filepath.Join(dir, keptLock))
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("another backup is being made in %s", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the directory of backups: %w", err)
	}
	return &Kept{dir: dir, lock: lock}, nil
}

// Close lets others in.
func (k *Kept) Close() error { return k.lock.Unlock() }

// Target is where the backup of a moment goes.
func (k *Kept) Target(now time.Time) string {
	k.made = now.UTC().Format(keptForm)
	return filepath.Join(k.dir, k.made)
}

// Prune removes all backups but the newest, and what was left of those that were not finished, and returns the
// names of both. It is called after a backup that is whole, which stays. So does the newest that lacks no
// attachment, whatever its age: it may be the only one that has some.
func (k *Kept) Prune(keep int) (removed []string, err error) {
	names, err := k.newestFirst()
	if err != nil {
		return nil, fmt.Errorf("look through the backups: %w", err)
	}
	finished, complete := 0, false
	for _, name := range names {
		path := filepath.Join(k.dir, name)
		whole, lacking, err := finishedBackup(path)
		if err != nil {
			return removed, err
		}
		if whole {
			finished++
			first := !lacking && !complete
			complete = complete || first
			if finished <= keep || first {
				continue
			}
		}
		if err := remove(path); err != nil {
			return removed, fmt.Errorf("remove an old backup: %w", err)
		}
		removed = append(removed, name)
	}
	return removed, nil
}

// newestFirst names the backups. Those whose names are later than the one that was just made are of a clock that was
// ahead, and count as the oldest.
func (k *Kept) newestFirst() (names []string, err error) {
	entries, err := os.ReadDir(k.dir) // sorted by name, and so by time
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	var later []string
	for _, entry := range entries {
		switch _, err := time.Parse(keptForm, entry.Name()); {
		case err != nil || !entry.IsDir():
		case k.made != "" && entry.Name() > k.made:
			later = append(later, entry.Name())
		default:
			names = append(names, entry.Name())
		}
	}
	return append(names, later...), nil
}

// finishedBackup tells whether a backup was finished, and whether it lacks attachments or does not say.
func finishedBackup(path string) (finished, lacking bool, err error) {
	f, err := os.Open(filepath.Join(path, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, true, nil
	}
	if err != nil {
		return false, true, err
	}
	m, err := readManifest(f)
	return true, err != nil || len(m.Blobs.Lost) > 0, f.Close()
}

// remove removes a backup. One that is half removed counts as not finished.
func remove(path string) error {
	if err := os.Remove(filepath.Join(path, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(path)
}
