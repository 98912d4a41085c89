package sqlite

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"signet/internal/store"
)

// memoryHeld is what the process has of the machine's memory, in bytes, without what
// Go's heap would give back.
func memoryHeld(t *testing.T) (held int64) {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func TestShrinkGivesTheCachesBack(t *testing.T) {
	e := mustOpen(t, Options{CacheBytes: 128 << 20, Readers: 2})
	const rows, size = 3000, 3000
	err := e.Update(t.Context(), func(s store.Session) error {
		content := make([]byte, size)
		for i := range rows {
			if err := insert(fmt.Sprintf("%06d", i), content...)(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(s store.Session) error {
		n := 0
		err := s.Query(`SELECT length(content) FROM items`, nil, func(store.Row) error { n++; return nil })
		if n != rows {
			t.Errorf("%d rows, want %d", n, rows)
		}
		return err
	}
	if err := e.View(t.Context(), read); err != nil {
		t.Fatal(err)
	}
	before := memoryHeld(t)
	// A reader that is busy is left alone.
	err = e.View(t.Context(), func(s store.Session) error {
		if err := e.Shrink(t.Context()); err != nil {
			return err
		}
		return read(s)
	})
	if err == nil {
		err = e.Shrink(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if after := memoryHeld(t); after > before-rows*size {
		t.Errorf("the process has %d bytes and had %d before, want at least %d less", after, before, rows*size)
	}
	if err := e.View(t.Context(), read); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, e.Shrink(t.Context()), store.ErrClosed)
}
