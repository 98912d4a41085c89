package seal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"signet/internal/durable"
)

// timeSuffix ends the name of the file beside a ring's own that holds the latest time
// that was believed, in milliseconds since 1970. It is no part of the ring, and a ring
// without it is whole.
const timeSuffix = ".time"

// KnownTime returns the latest time that was noted with the ring; zero where none was.
// A store that is put back to an earlier state knows an earlier one.
func (r *Ring) KnownTime(ctx context.Context) (time.Time, error) { return r.storage.KnownTime(ctx) }

// NoteTime notes the time.
func (r *Ring) NoteTime(ctx context.Context, at time.Time) error { return r.storage.NoteTime(ctx, at) }

// KnownTime implements Storage.
func (f *File) KnownTime(context.Context) (time.Time, error) {
	text, err := os.ReadFile(f.path + timeSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ms, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return time.Time{}, nil // the store knows too; the next note is a whole one
	}
	return time.UnixMilli(ms).UTC(), nil
}

// NoteTime implements Storage.
func (f *File) NoteTime(_ context.Context, at time.Time) error {
	err := f.locked(func() error {
		return durable.Replace(f.path+timeSuffix, fmt.Appendf(nil, "%d\n", at.UnixMilli()))
	})
	if err != nil {
		return fmt.Errorf("%w: note the time beside %s: %w", ErrUnavailable, f.path, err)
	}
	return nil
}
