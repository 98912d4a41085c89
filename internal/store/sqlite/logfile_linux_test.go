package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signet/internal/store"
)

// systemWrites is how many calls that write this process has made.
func systemWrites(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "syscw: ")
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPagesOfATransactionAreWrittenTogether(t *testing.T) {
	e := mustOpen(t, Options{})
	before := systemWrites(t)
	if err := e.Update(t.Context(), insert("large", make([]byte, 200*pageSize)...)); err != nil {
		t.Fatal(err)
	}
	if n := systemWrites(t) - before; n > 40 {
		t.Errorf("%d calls of the system wrote 200 pages, want some seven and not two for each", n)
	}
}

// someRoom is room for a part of what such a transaction writes.
const someRoom = 200 << 10

func TestTransactionIsGivenUpWhenTheDiskFillsUnderItsPages(t *testing.T) {
	disk := t.TempDir()
	// Without the right to mount, the next test still shows what a write that fails does.
	if err := syscall.Mount("signet", disk, "tmpfs", 0, "size=8m,mode=0700"); err != nil {
		t.Logf("no file system of its own: %v", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	ballast := filepath.Join(disk, "ballast")
	wantGivenUp(t, disk, store.ErrFull, func(*Engine) {
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		size := int64(0)
		for piece := 1 << 20; piece > 0; {
			n, err := f.Write(make([]byte, piece))
			size += int64(n)
			if errors.Is(err, syscall.ENOSPC) {
				piece /= 2
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Truncate(size - someRoom); err != nil {
			t.Fatal(err)
		}
	}, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTransactionIsGivenUpWhenItsPagesCannotBeWritten(t *testing.T) {
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	limit := func(size uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: usual.Max}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { limit(usual.Cur) })
	wantGivenUp(t, t.TempDir(), store.ErrUnavailable, func(e *Engine) {
		limit(uint64(mustLogSize(t, e) + someRoom))
	}, func() { limit(usual.Cur) })
}

// wantGivenUp fails transactions in the middle of their pages, which strike sees to until mend, and
// wants nothing of them to be there, then and after what is written next. With a small cache the pages
// are written, and read again, before the transaction ends.
func wantGivenUp(t *testing.T, dir string, want error, strike func(*Engine), mend func()) {
	t.Helper()
	for _, cache := range []int64{0, smallCache} {
		e := mustOpenAt(t, filepath.Join(dir, fmt.Sprintf("%d.db", cache)), Options{CacheBytes: cache})
		mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (name)) WITHOUT ROWID`)
		if err := e.Update(t.Context(), insert("before", random(2*logBuffer)...)); err != nil {
			t.Fatal(err)
		}
		// The next pages are behind all that the log ever had.
		strike(e)
		failed := e.Update(t.Context(), insert("large", random(4*logBuffer)...))
		ignored := e.Update(t.Context(), func(s store.Session) error {
			for i := range 8 * logBuffer / pageSize {
				if insert(fmt.Sprintf("%d", i*7919%1000), random(pageSize/2)...)(s) != nil {
					break
				}
				if _, err := count(s); err != nil {
					break
				}
			}
			return nil
		})
		wantItems(t, e, "before")
		mend()
		wantError(t, failed, want)
		wantError(t, ignored, store.ErrUnavailable)
		wantItems(t, mustOpenAt(t, copyFiles(t, e), Options{}), "before")
		if err := e.Update(t.Context(), insert("after", random(logBuffer)...)); err != nil {
			t.Fatal(err)
		}
		wantItems(t, e, "after", "before")
		wantItems(t, mustOpenAt(t, copyFiles(t, e), Options{}), "after", "before")
		wantIntact(t, e.path)
	}
}
