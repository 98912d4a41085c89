package seal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// mustOpenCopied opens the ring of a place with a copy, which is what the ring is.
func mustOpenCopied(t *testing.T, p *place, path string) (*Ring, *Copied) {
	t.Helper()
	c := WithCopy(OpenFileBeside(p.ring), func(context.Context) (Storage, error) { return OpenFileBeside(path), nil })
	r, err := Open(t.Context(), p.options(c, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := c.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, c
}

func copyHas(t *testing.T, path string, id KeyID) bool {
	t.Helper()
	contents, _, err := OpenFileBeside(path).Load(t.Context(), true)
	if err != nil || contents == nil {
		t.Fatal(contents, err)
	}
	for _, r := range contents.Records {
		if r.ID == id {
			return true
		}
	}
	return false
}

func TestCopyHasAKeyBeforeItIsUsedAndUntilItIsDestroyed(t *testing.T) {
	p, path := newPlace(t), filepath.Join(t.TempDir(), "copy")
	r, c := mustOpenCopied(t, p, path)
	lease, err := r.Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	id := lease.id
	if !copyHas(t, path, id) {
		t.Error("the key is not in the copy when it is handed out")
	}
	lease.Release()
	mustEnd(t, r, nothingLeft, ward)
	if copyHas(t, path, id) {
		t.Error("the key that was destroyed is in the copy")
	}
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustSeal(t, r, later, "text", "row")
	if err := c.Behind(); err != nil {
		t.Errorf("after a rotation the copy is behind: %v", err)
	}
}

// held is a storage that stops in the middle of a change: once the change is known, and before it is written.
type held struct {
	Storage
	changing, goOn chan struct{}
}

func (h *held) Rewrap(ctx context.Context, change func(*Contents) error) error {
	return h.Storage.Rewrap(ctx, func(c *Contents) error {
		err := change(c)
		h.changing <- struct{}{}
		<-h.goOn
		return err
	})
}

// While the copy catches up, a key is made, which the copy does not follow yet: it counts as complete only once it has
// that one too.
func TestCopyIsCompleteOnlyWithWhatWasMadeWhileItCaughtUp(t *testing.T) {
	p, path := newPlace(t), filepath.Join(t.TempDir(), "copy")
	r, _ := mustOpenCopied(t, p, path)
	mustSeal(t, r, lab, "text", "row")
	r.Close()
	h := &held{OpenFileBeside(path), make(chan struct{}), make(chan struct{})}
	c := WithCopy(OpenFileBeside(p.ring), func(context.Context) (Storage, error) { return h, nil })
	r, err := Open(t.Context(), p.options(c, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	caught := make(chan error, 1)
	go func() { caught <- c.CatchUp(t.Context()) }()
	<-h.changing
	id, _ := KeyOf(mustSeal(t, r, ward, "text", "row"))
	if err := c.Behind(); err == nil {
		t.Error("the copy counts as complete while it catches up")
	}
	close(h.goOn)
	for waiting := true; waiting; {
		select {
		case <-h.changing: // it catches up again
		case err := <-caught:
			waiting = false
			if err != nil {
				t.Error(err)
			}
		}
	}
	if err := c.Behind(); err != nil || !copyHas(t, path, id) {
		t.Errorf("the copy is behind: %v; it has the key: %v", err, copyHas(t, path, id))
	}
}

func TestKeyThatOnlyTheCopyHasStaysThere(t *testing.T) {
	p, path := newPlace(t), filepath.Join(t.TempDir(), "copy")
	r, _ := mustOpenCopied(t, p, path)
	mustSeal(t, r, ward, "text", "row")
	older := mustRead(t, p.ring)
	sealed := mustSeal(t, r, later, "text", "row")
	id, _ := KeyOf(sealed)
	r.Close()
	if err := os.WriteFile(p.ring, older, 0o600); err != nil {
		t.Fatal(err)
	}
	c := WithCopy(OpenFileBeside(p.ring), func(context.Context) (Storage, error) { return OpenFileBeside(path), nil })
	defer c.Close()
	for range 2 {
		var extra *Extra
		if err := c.CatchUp(t.Context()); !errors.As(err, &extra) || extra.Keys != 1 {
			t.Errorf("comparing: %v, want one key more in the copy", err)
		}
	}
	if !copyHas(t, path, id) {
		t.Fatal("the only copy of a key is gone")
	}
	again := p.mustOpenBeside(t)
	contents, _, err := OpenFileBeside(path).Load(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		done, err := again.Import(t.Context(), contents, MasterFile(p.master), func(Record) bool { return true })
		if err != nil || done.Added != want {
			t.Errorf("imported %+v, %v, want %d", done, err, want)
		}
	}
	wantText(t, again, sealed, "row", "text")
	if err := c.CatchUp(t.Context()); err != nil {
		t.Errorf("after the import: %v", err)
	}
}
