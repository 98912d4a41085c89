//go:build darwin || linux

package doctor

import (
	"syscall"
	"testing"
)

func TestFaultsOfTheMachine(t *testing.T) {
	look := func(server *Server, zone string) []Finding {
		e := &examination{Options: Options{Server: server, Getenv: func(name string) string {
			return map[string]string{"TZ": zone}[name]
		}}}
		e.machine()
		return e.found
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = min(before.Cur, leastFiles-1)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}()
	wantCodes(t, "few files", look(nil, ""), "machine.files")
	wantCodes(t, "few files here, and many for the server", look(&Server{OpenFiles: 10, MostFiles: 1 << 20}, "UTC"))
	wantCodes(t, "an unknown zone", look(&Server{MostFiles: 1 << 20}, "Nowhere/Town"), "machine.zone")
}
