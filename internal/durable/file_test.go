package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, error %v, want %q", path, got, err, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v, error %v, want that of its owner alone", path, info.Mode(), err)
	}
}

// wantNames reports what is in a directory beyond these.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the directory holds %q, want %q", got, want)
	}
}

func TestReplaceTakesThePlaceOfWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two, which is longer", ""} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, text)
	}
	wantNames(t, dir, "file")
}

func TestPutNewReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := PutNew(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := PutNew(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want fs.ErrExist", err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want fs.ErrExist", err)
	}
	wantFile(t, path, "one")
	wantNames(t, dir, "file")
}

func TestCreateMakesAFileOfItsOwnName(t *testing.T) {
	dir := t.TempDir()
	for name, finish := range map[string]func(*File) error{"closed": (*File).Close, "committed": (*File).Commit} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("text"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(finish(f), f.Close()); err != nil {
			t.Error(err)
		}
		wantFile(t, filepath.Join(dir, name), "text")
	}
	wantNames(t, dir, "closed", "committed")
}

func TestWhatIsNotCommittedIsDiscarded(t *testing.T) {
	dir, incoming := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Replace(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*File) error{
		"untouched": func(*File) error { return nil },
		"closed":    (*File).Close,
		"refused":   func(f *File) error { _ = f.CommitNew(); return nil },
	} {
		f, err := NewIn(incoming, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("half"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(spoil(f), f.Discard(), f.Discard()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := NewIn(incoming, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Commit(), f.Discard()); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "new")
	wantNames(t, dir, "file")
	wantNames(t, incoming)
}

// The directory cannot take the name: what was there stays, and nothing else does.
func TestReplaceThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("text")); err == nil {
		t.Error("a directory was replaced")
	}
	wantNames(t, dir, "file")
	if err := Replace(filepath.Join(dir, "missing", "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}

// generations are the texts that replaceForever writes in turn.
var generations = [2][]byte{bytes.Repeat([]byte("a"), 300<<10), bytes.Repeat([]byte("b"), 200<<10)}

func replaceForever(path string) error {
	for i := 0; ; i++ {
		if err := Replace(path, generations[i%2]); err != nil {
			return err
		}
	}
}

// A process that replaces a file again and again is killed at any moment.
func TestKilledProcessLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Replace(path, generations[0]); err != nil {
		t.Fatal(err)
	}
	wantWhole := func() {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(text, generations[0]) && !bytes.Equal(text, generations[1]) {
			t.Fatalf("the file holds %d bytes that nobody wrote together, error %v", len(text), err)
		}
	}
	for round := range 8 {
		child := exec.Command(os.Args[0], "replace", path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for reads := 0; reads <= round; { // of another file than before
			wantWhole()
			after, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if !os.SameFile(before, after) {
				before, reads = after, reads+1
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
		wantWhole()
		remains, err := Remains(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range remains {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		wantNames(t, dir, "file")
	}
}
