//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package seal

import (
	"os"
	"syscall"
	"testing"
)

// An administrator rotates, as root, the keys of a server that is another user.
func TestFilesStayTheirOwners(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	mustSeal(t, r, ward, "text", "row")
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	for _, path := range []string{p.ring, p.master} {
		if err := os.Chown(path, owner, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.mustOpenBeside(t).Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.ring, p.master} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := int(info.Sys().(*syscall.Stat_t).Uid); got != owner {
			t.Errorf("%s belongs to user %d, want %d", path, got, owner)
		}
	}
}
