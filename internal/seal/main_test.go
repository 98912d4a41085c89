package seal

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testclock"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// place is where a test keeps a ring and its master key.
type place struct {
	dir, ring, master string
	clock             *testclock.Clock
	log               *bytes.Buffer
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir := t.TempDir()
	return &place{dir, filepath.Join(dir, "keyring"), filepath.Join(dir, "master.json"), testclock.New(),
		new(bytes.Buffer)}
}

func (p *place) options(storage Storage, expect string) Options {
	return Options{Storage: storage, Master: MasterFile(p.master), Clock: p.clock.Now,
		Log: slog.New(slog.NewTextHandler(p.log, nil)), Expect: expect}
}

// mustOpen opens the place's ring as a server does; it is closed when the test ends,
// if not before.
func (p *place) mustOpen(t testing.TB, expect string) *Ring {
	t.Helper()
	file, err := OpenFile(p.ring)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), p.options(file, expect))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// mustOpenBeside opens it as a command does.
func (p *place) mustOpenBeside(t testing.TB) *Ring {
	t.Helper()
	r, err := Open(t.Context(), p.options(OpenFileBeside(p.ring), ""))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustSeal(t testing.TB, r *Ring, name Name, text, bound string) []byte {
	t.Helper()
	lease, err := r.Use(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	sealed, err := lease.Seal([]byte(text), Bind(bound))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func wantText(t testing.TB, r *Ring, sealed []byte, bound, want string) {
	t.Helper()
	text, err := r.Open(t.Context(), sealed, Bind(bound))
	if err != nil || string(text) != want {
		t.Errorf("it opens as %q, %v, want %q", text, err, want)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// nothingLeft is what an owner of texts says when all of them are gone.
func nothingLeft(context.Context, Name) (bool, error) { return false, nil }

func somethingLeft(context.Context, Name) (bool, error) { return true, nil }

// names of the tests, of two organizations.
var (
	ward  = Name{"ward", "until-2026-12-21"}
	later = Name{"ward", "until-2026-12-22"}
	lab   = Name{"lab", "until-2026-12-21"}
)
