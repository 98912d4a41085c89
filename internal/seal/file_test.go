package seal

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/durable"
)

func mustLink(t *testing.T, old, new string) {
	t.Helper()
	if err := os.Link(old, new); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsOneServersAndOpenToCommands(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	if _, err := OpenFile(p.ring); !errors.As(err, new(*SetupError)) || !strings.Contains(err.Error(), p.ring) {
		t.Errorf("a second server: %v, want a SetupError that names the file", err)
	}
	sealed := mustSeal(t, r, ward, "text", "row")
	wantText(t, p.mustOpenBeside(t), sealed, "row", "text")
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	p.mustOpen(t, r.ID())
	if _, err := OpenFile(filepath.Join(p.dir, "missing", "keyring")); !errors.As(err, new(*SetupError)) {
		t.Errorf("a directory that is missing: %v, want a SetupError", err)
	}
}

// A crash leaves a part of the line that was being written.
func TestHalfALineIsNoKeyAndInNobodysWay(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	first := mustSeal(t, r, ward, "first", "row")
	r.Close()
	whole := mustRead(t, p.ring)
	line := whole[bytes.IndexByte(whole, '\n')+1:]
	for n := 1; n < len(line); n += 7 {
		if err := os.WriteFile(p.ring, append(bytes.Clone(whole), line[:n]...), 0o600); err != nil {
			t.Fatal(err)
		}
		r := p.mustOpen(t, "")
		wantText(t, r, first, "row", "first")
		second := mustSeal(t, r, later, "second", "row")
		r.Close()
		r = p.mustOpen(t, "")
		wantText(t, r, first, "row", "first")
		wantText(t, r, second, "row", "second")
		r.Close()
	}
}

// A process that is killed while it writes the file anew leaves what it had written.
func TestRemainsOfAKilledWriteGo(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "text", "row")
	r.Close()
	remains := p.ring + ".123.new"
	if err := os.WriteFile(remains, mustRead(t, p.ring), 0o600); err != nil {
		t.Fatal(err)
	}
	mustLink(t, remains, filepath.Join(p.dir, "bytes")) // where they lie
	wantText(t, p.mustOpen(t, ""), sealed, "row", "text")
	if _, err := os.Stat(remains); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", remains, err)
	}
	if left := mustRead(t, filepath.Join(p.dir, "bytes")); len(bytes.Trim(left, "\x00")) > 0 {
		t.Errorf("its bytes are there: %q", left)
	}
}

func TestRingThatIsAwayIsUnavailableAndComesBack(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "text", "row")
	if err := os.Rename(p.ring, p.ring+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Use(t.Context(), later); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a new key: %v, want ErrUnavailable", err)
	}
	wantText(t, r, sealed, "row", "text") // it is in memory
	unknown := bytes.Clone(sealed)
	unknown[1] ^= 1
	if _, err := r.Open(t.Context(), unknown, nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a key that may be there: %v, want ErrUnavailable, not that it is gone", err)
	}
	if err := os.Rename(p.ring+".away", p.ring); err != nil {
		t.Fatal(err)
	}
	mustSeal(t, r, later, "text", "row")
}

func TestKeyIsNotUsedWhenItCannotBeWritten(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	mustSeal(t, r, ward, "text", "row")
	file := r.storage.(*File)
	// The file is what it was, and takes nothing more.
	if err := os.Rename(p.ring, p.ring+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", p.ring); err != nil {
		t.Fatal(err)
	}
	record, err := r.master.wrap(&r.header, newKeyID(), later, newKey())
	if err != nil {
		t.Fatal(err)
	}
	if err := file.append(appendLine(nil, &record)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a line that cannot be written: %v, want ErrUnavailable", err)
	}
	if err := errors.Join(os.Remove(p.ring), os.Rename(p.ring+".away", p.ring)); err != nil {
		t.Fatal(err)
	}
	sealed := mustSeal(t, r, later, "text", "row")
	wantText(t, p.mustOpenBeside(t), sealed, "row", "text")
}

func TestFileIsWrittenAsItIsRead(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	for _, name := range []Name{ward, later, lab, {"", Always}} {
		mustSeal(t, r, name, "text", "row")
	}
	text := mustRead(t, p.ring)
	contents, whole, err := parseFile(text)
	if err != nil || whole != len(text) || len(contents.Records) != 4 {
		t.Fatalf("%d records in %d of %d bytes, %v", len(contents.Records), whole, len(text), err)
	}
	if got := formatFile(contents); !bytes.Equal(got, text) {
		t.Errorf("it is written as\n%s\nand was\n%s", got, text)
	}
}

func FuzzParseFile(f *testing.F) {
	p := newPlace(f)
	r := p.mustOpen(f, "")
	mustSeal(f, r, ward, "text", "row")
	f.Add(mustRead(f, p.ring))
	f.Add([]byte("signet-keyring 1 0 0 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		contents, whole, err := parseFile(text)
		if err != nil {
			return
		}
		again, _, err := parseFile(formatFile(contents))
		if err != nil || len(again.Records) != len(contents.Records) || whole > len(text) {
			t.Fatalf("%q is read, and not what is written of it: %v", text, err)
		}
	})
}

// Somebody looks at a ring while its server writes it anew: neither the server's file nor its lock is
// touched.
func TestLookingAtARingWritesNothing(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	mustSeal(t, r, ward, "text", "row")
	written, err := durable.New(p.ring)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Discard()
	if _, err := written.WriteString("half of it"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.ring + ".lock"); err != nil {
		t.Fatal(err)
	}
	looked, err := Open(t.Context(), Options{Storage: OpenFileToLook(p.ring), Master: MasterFile(p.master),
		Clock: p.clock.Now, Log: slog.New(slog.DiscardHandler), Existing: true})
	if err != nil || looked.ID() != r.ID() {
		t.Fatalf("it is not read: %v", err)
	}
	if err := looked.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(written.Name()); err != nil || string(text) != "half of it" {
		t.Errorf("what the server writes is %q, %v", text, err)
	}
	if _, err := os.Stat(p.ring + ".lock"); err == nil {
		t.Error("a lock was made")
	}
}
