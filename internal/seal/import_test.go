package seal

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestImportTakesNoKeyOfTheRingThatTheCopyHasDestroyed(t *testing.T) {
	p, path := newPlace(t), filepath.Join(t.TempDir(), "copy")
	r := p.mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "text", "row")
	id, _ := KeyOf(sealed)
	copied := OpenFileBeside(path)
	if _, err := r.Export(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	missing := KeyID{1}
	if err := copied.Destroy(t.Context(), []KeyID{id, missing}, p.clock.Now()); err != nil {
		t.Fatal(err)
	}
	contents, _, err := copied.Load(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		done, err := r.Import(t.Context(), contents, MasterFile(p.master), func(Record) bool { return true })
		if want := (Imported{}); err != nil || done != want {
			t.Errorf("imported %+v, %v, want nothing", done, err)
		}
	}
	again := p.mustOpenBeside(t)
	for _, ring := range []*Ring{r, again} {
		wantText(t, ring, sealed, "row", "text")
	}
	if again.Lacks(missing) {
		t.Error("the ring does not know of the key that the copy had destroyed, and that it lacks")
	}
	mustEnd(t, r, nothingLeft, ward)
	if _, err := r.Open(t.Context(), sealed, Bind("row")); !errors.Is(err, ErrKeyGone) {
		t.Errorf("after the end of the key: %v, want ErrKeyGone", err)
	}
}
