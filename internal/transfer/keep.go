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
	return &Kept{dir, lock}, nil
}

// Close lets others in.
func (k *Kept) Close() error { return k.lock.Unlock() }

// Target is where the backup of a moment goes.
func (k *Kept) Target(now time.Time) string { return filepath.Join(k.dir, now.UTC().Format(keptForm)) }

// Prune removes all backups but the newest, and what was left of those that were not finished, and returns the
// names of both. It is called after a backup that is whole.
func (k *Kept) Prune(keep int) (removed []string, err error) {
	entries, err := os.ReadDir(k.dir) // sorted by name, and so by time
	if err != nil {
		return nil, fmt.Errorf("look through the backups: %w", err)
	}
	slices.Reverse(entries)
	whole := 0
	for _, entry := range entries {
		if _, err := time.Parse(keptForm, entry.Name()); err != nil || !entry.IsDir() {
			continue
		}
		path := filepath.Join(k.dir, entry.Name())
		if _, err := os.Lstat(filepath.Join(path, manifestName)); err == nil {
			if whole++; whole <= keep {
				continue
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		if err := remove(path); err != nil {
			return removed, fmt.Errorf("remove an old backup: %w", err)
		}
		removed = append(removed, entry.Name())
	}
	return removed, nil
}

// remove removes a backup. One that is half removed counts as not finished.
func remove(path string) error {
	if err := os.Remove(filepath.Join(path, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(path)
}
