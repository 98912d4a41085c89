package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"signet/internal/store"
)

// mustBreakCopier has the copier synchronize a file that is closed, until mend is called.
func mustBreakCopier(t *testing.T, e *Engine) (mend func()) {
	t.Helper()
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	use := func(f *files) {
		t.Helper()
		err := e.writer.do(t.Context(), func() error {
			e.writer.settle()
			e.writer.copier.files = f
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	broken := *e.writer.files
	broken.db = closed
	use(&broken)
	return func() { t.Helper(); use(e.writer.files) }
}

// mustKeepFile reads the database file. lose then makes it what it was, as a disk does that took nothing
// of what was written meanwhile.
func mustKeepFile(t *testing.T, f *os.File) (lose func()) {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, info.Size())
	if _, err := f.ReadAt(content, 0); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := f.WriteAt(content, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(info.Size()); err != nil {
			t.Fatal(err)
		}
	}
}

// A part of the log is copied, which the disk then loses, and says so once.
func TestWhatTheDiskLosesOfACheckpointIsCopiedAgain(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Update(t.Context(), insert("before", random(10*pageSize)...)); err != nil {
		t.Fatal(err)
	}
	lose, mend := mustKeepFile(t, e.writer.files.db), mustBreakCopier(t, e)
	err := e.View(t.Context(), func(s store.Session) error {
		if _, err := count(s); err != nil { // up to here the log may be copied
			return err
		}
		if err := e.Update(context.Background(), insert("meanwhile", random(10*pageSize)...)); err != nil {
			return err
		}
		return beside(e, true, func(w *writer) error {
			state, err := w.files.logState()
			if err != nil || state.backfilled == 0 || state.backfilled == state.frames {
				t.Errorf("the log is in the state %+v, %v, want a part of it copied", state, err)
			}
			w.settle()
			if n := w.checkpoints.unscrubbed.size; n < int(state.pages) {
				t.Errorf("%d of %d pages are to be scrubbed, want all", n, state.pages)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	mend()
	lose()
	wantItems(t, e, "before", "meanwhile")
	if err := e.Update(t.Context(), insert("after", random(10*pageSize)...)); err != nil {
		t.Fatal(err)
	}
	wantItems(t, mustOpenAt(t, copyFiles(t, e), Options{}), "after", "before", "meanwhile")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantItems(t, mustOpenAt(t, e.path, Options{}), "after", "before", "meanwhile")
	wantIntact(t, e.path)
}

// Another process makes a checkpoint just then: what was copied is taken back before the next one here.
func TestWhatTheDiskLosesIsCopiedAgainOnceAnotherProcessLetsThis(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Update(t.Context(), insert("before", random(10*pageSize)...)); err != nil {
		t.Fatal(err)
	}
	lose, mend := mustKeepFile(t, e.writer.files.db), mustBreakCopier(t, e)
	var release func()
	err := beside(e, true, func(w *writer) error {
		release = mustHoldCheckpoints(t, e.path)
		w.settle()
		if !w.checkpoints.doubted {
			t.Error("what was copied is not in doubt")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	release()
	mend()
	lose()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantItems(t, mustOpenAt(t, e.path, Options{}), "before")
	wantIntact(t, e.path)
}
