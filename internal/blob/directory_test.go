package blob

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/model"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

var _ Store = (*Directory)(nil)

func mustOpen(t testing.TB) *Directory {
	t.Helper()
	d, err := OpenDirectory(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func blobID(n byte) model.BlobID { return model.BlobID{0x01, 0x90, 14: n, 15: n * 7} }

func mustPut(t testing.TB, d *Directory, id model.BlobID, content []byte) {
	t.Helper()
	size, err := d.Put(t.Context(), id, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(content)) {
		t.Fatalf("size %d, want %d", size, len(content))
	}
}

// wantBlob reads a blob whole.
func wantBlob(t testing.TB, d *Directory, id model.BlobID, want []byte) {
	t.Helper()
	b, err := d.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	got, err := io.ReadAll(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) || b.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, size %d, want %d", len(got), b.Size(), len(want))
	}
}

// wantFiles compares the number of files anywhere in the directory.
func wantFiles(t testing.TB, d *Directory, want int) {
	t.Helper()
	var got []string
	err := filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != want {
		t.Fatalf("files %q, want %d", got, want)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func TestPutIntoADirectory(t *testing.T) {
	t.Run("is_for_the_owner_alone", func(t *testing.T) {
		d := mustOpen(t)
		mustPut(t, d, blobID(1), []byte("secret"))
		err := filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	t.Run("leaves_nothing_when_the_disk_is_full", func(t *testing.T) {
		full := "/dev/full"
		if _, err := os.Stat(full); err != nil {
			full = "" // other systems have no such device; the translation is tested below
		}
		d := mustOpen(t)
		if full != "" {
			f, err := os.OpenFile(full, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			_, err = f.Write([]byte("x"))
			wantError(t, translated("keep blob", err), ErrUnavailable)
		}
		wantError(t, translated("keep blob", &fs.PathError{Err: syscall.ENOSPC}), ErrUnavailable)
		wantError(t, translated("keep blob", &fs.PathError{Err: syscall.EIO}), ErrUnavailable)
		// A directory in the place of the blob makes the last step fail.
		if err := os.MkdirAll(filepath.Join(d.path(blobID(1)), "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Put(t.Context(), blobID(1), bytes.NewReader([]byte("x"))); err == nil {
			t.Error("the blob was kept")
		}
		wantFiles(t, d, 0)
	})

	t.Run("does_not_hold_a_blob_in_memory", func(t *testing.T) {
		d := mustOpen(t)
		const size = 64 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := d.Put(t.Context(), blobID(1),
			io.LimitReader(readerFunc(func(p []byte) (int, error) { return len(p), nil }), size))
		runtime.ReadMemStats(&after)
		if err != nil || n != size {
			t.Fatalf("size %d, error %v", n, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%d bytes were allocated for a blob of %d", used, size)
		}
	})
}

func TestListOfADirectoryPassesOverWhatIsNoBlob(t *testing.T) {
	d := mustOpen(t)
	mustPut(t, d, blobID(1), nil)
	for _, name := range []string{"README", "13/notes", "incoming/123456", "ab", "01/07/NOTHEXADECIMALNOTHEXADECIMALNOT"} {
		path := filepath.Join(d.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("not a blob"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []model.BlobID
	err := d.List(t.Context(), func(id model.BlobID, _ time.Time) error { got = append(got, id); return nil })
	if err != nil || !slices.Equal(got, []model.BlobID{blobID(1)}) {
		t.Errorf("got %v, error %v", got, err)
	}
}

func TestOpenDirectory(t *testing.T) {
	t.Run("finds_what_was_kept_before", func(t *testing.T) {
		d := mustOpen(t)
		mustPut(t, d, blobID(1), []byte("x"))
		again, err := OpenDirectory(d.root)
		if err != nil {
			t.Fatal(err)
		}
		wantBlob(t, again, blobID(1), []byte("x"))
		mustPut(t, again, blobID(1+1), []byte("y"))
	})

	t.Run("removes_what_a_crash_left_but_no_upload_under_way", func(t *testing.T) {
		d := mustOpen(t)
		left, under := filepath.Join(d.incoming, "left"), filepath.Join(d.incoming, "under way")
		if err := os.WriteFile(under, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-2 * unfinishedAge)
		clearing := map[string]func() error{
			"OpenDirectory": func() error { _, err := OpenDirectory(d.root); return err },
			"List":          func() error { return d.List(t.Context(), func(model.BlobID, time.Time) error { return nil }) },
		}
		for name, clear := range clearing {
			if err := errors.Join(os.WriteFile(left, []byte("half"), 0o600), os.Chtimes(left, old, old), clear()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wantFiles(t, d, 1)
			if _, err := os.Stat(under); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("fails_where_it_cannot_be", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenDirectory(path); err == nil {
			t.Error("a file was opened as a directory")
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
