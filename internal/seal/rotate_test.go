package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command rotates while a server goes on.
func TestRotationWrapsTheRingAnewWhileAServerGoesOn(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	first, second := mustSeal(t, r, ward, "first", "row"), mustSeal(t, r, later, "second", "row")
	master, ring := mustRead(t, p.master), mustRead(t, p.ring)
	command := p.mustOpenBeside(t)
	done, err := command.Rotate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if done.Keys != 2 || done.Version == 0 {
		t.Errorf("the rotation did %+v, want 2 keys", done)
	}
	wantText(t, command, first, "row", "first")
	// The server reads, and makes keys under the new version.
	wantText(t, r, second, "row", "second")
	third := mustSeal(t, r, lab, "third", "row")
	r.Close()
	r = p.mustOpen(t, r.ID())
	for text, sealed := range map[string][]byte{"first": first, "second": second, "third": third} {
		wantText(t, r, sealed, "row", text)
	}
	r.Close()
	// Nothing of the ring opens with the old master key any more, and the old one is
	// not needed.
	if bytes.Equal(mustRead(t, p.master), master) {
		t.Error("the master key is what it was")
	}
	now, _, err := parseFile(mustRead(t, p.ring))
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range now.Records {
		if record.Master != done.Version {
			t.Errorf("a key is wrapped by version %d, want %d", record.Master, done.Version)
		}
	}
	if keys, err := MasterFile(p.master).load(); err != nil || len(keys.versions) != 1 {
		t.Errorf("the master key has %d versions (%v), want the new one", len(keys.versions), err)
	}
	if err := os.WriteFile(p.master, master, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), p.options(OpenFileBeside(p.ring), "")); !errors.As(err, new(*SetupError)) {
		t.Errorf("the old master key: %v, want a SetupError", err)
	}
	// An older copy of the ring still goes with the older master key.
	if err := os.WriteFile(p.ring, ring, 0o600); err != nil {
		t.Fatal(err)
	}
	wantText(t, p.mustOpenBeside(t), first, "row", "first")
}

// A crash after each step of a rotation leaves what the next one finishes.
func TestRotationCutShortIsFinishedByTheNext(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "text", "row")
	r.Close()
	prepared, err := PrepareMaster(MasterFile(p.master))
	if err != nil {
		t.Fatal(err)
	}
	between := mustRead(t, p.master) // both versions
	r = p.mustOpen(t, r.ID())
	wantText(t, r, sealed, "row", "text")
	more := mustSeal(t, r, later, "more", "row") // under the version that the ring names
	done, err := p.mustOpenBeside(t).Rotate(t.Context())
	if err != nil || done.Version != prepared || done.Keys != 2 {
		t.Errorf("the rotation did %+v, %v, want version %d and 2 keys", done, err, prepared)
	}
	if err := os.WriteFile(p.master, between, 0o600); err != nil { // as if it ended before its last step
		t.Fatal(err)
	}
	if _, err := p.mustOpenBeside(t).Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := p.mustOpenBeside(t)
	wantText(t, again, sealed, "row", "text")
	wantText(t, again, more, "row", "more")
	wantText(t, r, sealed, "row", "text")
}

func TestRotationToAnotherKeyOfAVariable(t *testing.T) {
	p := newPlace(t)
	old, err := NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	value := string(old)
	open := func() *Ring {
		t.Helper()
		master, err := ParseMaster("env:X", func(string) string { return value })
		if err != nil {
			t.Fatal(err)
		}
		o := p.options(OpenFileBeside(p.ring), "")
		o.Master = master
		r, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	sealed := mustSeal(t, r, ward, "text", "row")
	if _, err := r.Rotate(t.Context()); !errors.As(err, new(*SetupError)) {
		t.Errorf("a rotation without another key: %v, want a SetupError", err)
	}
	// The administrator adds a version, with any tool.
	path := filepath.Join(p.dir, "edited")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	version, err := PrepareMaster(MasterFile(path))
	if err != nil {
		t.Fatal(err)
	}
	value = string(mustRead(t, path))
	r = open()
	if done, err := r.Rotate(t.Context()); err != nil || done.Version != version || done.Keys != 1 {
		t.Errorf("the rotation did %+v, %v", done, err)
	}
	wantText(t, open(), sealed, "row", "text")
}

func TestExportCopiesWhatIsAlive(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	gone, kept := mustSeal(t, r, ward, "gone", "row"), mustSeal(t, r, later, "kept", "row")
	copied := &place{p.dir, filepath.Join(p.dir, "copy"), p.master, p.clock, p.log}
	export := func(want int) {
		t.Helper()
		if n, err := r.Export(t.Context(), OpenFileBeside(copied.ring)); err != nil || n != want {
			t.Fatalf("copied %d keys, %v, want %d", n, err, want)
		}
	}
	export(2)
	wantText(t, copied.mustOpenBeside(t), gone, "row", "gone")
	mustEnd(t, r, nothingLeft, ward)
	export(1) // over the older copy
	again := copied.mustOpenBeside(t)
	wantText(t, again, kept, "row", "kept")
	if _, err := again.Open(t.Context(), gone, Bind("row")); !errors.Is(err, ErrKeyGone) {
		t.Errorf("what was destroyed: %v, want ErrKeyGone", err)
	}
	other := newPlace(t)
	other.mustOpen(t, "")
	if _, err := r.Export(t.Context(), OpenFileBeside(other.ring)); !errors.As(err, new(*SetupError)) ||
		!strings.Contains(err.Error(), "another key ring") {
		t.Errorf("over another ring: %v, want a SetupError", err)
	}
}
