package installtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// platform is the one of this machine: what is installed here has to run here.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// machine is this one's root file system with whatever changes: in a namespace of its own, so
// that it is gone with the process that keeps it.
type machine struct {
	t    *testing.T
	root string
	pid  int // who keeps it
}

// setUp makes the copy below $1, and keeps it as long as somebody holds the standard input.
const setUp = `
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" overlay "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$1/root/run"
chroot "$1/root" sh -c 'dpkg --purge signet; userdel signet
	rm -rf /etc/signet /var/lib/signet* /etc/dpkg/dpkg.cfg.d/*' >/dev/null 2>&1 || true
echo ready
exec cat
`

// newMachine makes a machine, which ends with the test. Where none can be made, the test does.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if built.confined != nil {
		t.Skipf("nothing is installed: %v", built.confined)
	}
	m := &machine{t: t, root: filepath.Join(t.TempDir(), "machine")}
	if err := os.Mkdir(m.root, 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"--mount", "sh", "-ec", setUp, "sh", m.root}
	if os.Geteuid() != 0 {
		args = append([]string{"--user", "--map-root-user", "--map-auto"}, args...)
	}
	keeper := exec.Command("unshare", args...)
	keeper.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var problems strings.Builder
	keeper.Stderr = &problems
	hold, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(said).ReadString('\n') // what is wrong is on the standard error
	t.Cleanup(func() {
		hold.Close()
		_ = keeper.Wait() // it has no result
	})
	if line != "ready\n" {
		t.Fatalf("no namespace with a file system of its own can be made here (as root, it can): %s", &problems)
	}
	m.root, m.pid = filepath.Join(m.root, "root"), keeper.Process.Pid
	return m
}

// command is one that runs on the machine. The program's own process is the one that is
// started here.
func (m *machine) command(args ...string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(m.pid), "--mount"}
	if os.Geteuid() != 0 {
		enter = append(enter, "--user", "--preserve-credentials")
	}
	command := exec.Command("nsenter", append(append(enter, "chroot", m.root), args...)...)
	command.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root"}
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// run runs a shell's line, and says what it printed.
func (m *machine) run(line string) (string, error) {
	out, err := m.command("sh", "-c", line).CombinedOutput()
	return string(out), err
}

// must is run for what has to work.
func (m *machine) must(line string) string {
	m.t.Helper()
	out, err := m.run(line)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// want reports a line that prints something else.
func (m *machine) want(line, want string) {
	m.t.Helper()
	if out, err := m.run(line); err != nil || strings.TrimSpace(out) != want {
		m.t.Errorf("%s: %v, %q, want %q", line, err, strings.TrimSpace(out), want)
	}
}

// wantGone reports what is still there.
func (m *machine) wantGone(paths ...string) {
	m.t.Helper()
	for _, path := range paths {
		if out, err := m.run("test ! -e " + path + " && test ! -L " + path); err != nil {
			m.t.Errorf("%s is still there %s", path, out)
		}
	}
}

// put copies a file of this machine to it.
func (m *machine) put(from, to string) {
	m.t.Helper()
	f, err := os.Open(from)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	command := m.command("sh", "-c", "cat >"+to)
	command.Stdin = f
	if out, err := command.CombinedOutput(); err != nil {
		m.t.Fatalf("copy %s: %v\n%s", from, err, out)
	}
}

// putRelease copies the package of a version, and returns where it lies.
func (m *machine) putRelease(version, pattern string) string {
	m.t.Helper()
	found, err := filepath.Glob(filepath.Join(built.releases[version], pattern))
	if err != nil || len(found) != 1 {
		m.t.Fatalf("%s is there %d times: %v", pattern, len(found), err)
	}
	to := fmt.Sprintf("/tmp/%s", filepath.Base(found[0]))
	m.put(found[0], to)
	return to
}

// withSystemctl gives the machine a systemctl that only writes down what it was asked, and knows
// who runs; and what packages take for a sign that systemd does.
func (m *machine) withSystemctl() {
	m.must(`mkdir -p /run/systemd/system; rm -f /usr/bin/systemctl /usr/sbin/policy-rc.d; echo 0 >/run/main
printf '#!/bin/sh\necho "$*" >>/run/asked; [ "$1" != show ] || cat /run/main\n' >/usr/bin/systemctl
chmod 755 /usr/bin/systemctl`)
}

// runs has systemctl say that a process is the server's; 0: none is.
func (m *machine) runs(process int) {
	m.t.Helper()
	m.must(fmt.Sprintf("echo %d >/run/main", process))
}

// wantAsked reports what else systemctl was asked since the last time.
func (m *machine) wantAsked(what string, want ...string) {
	m.t.Helper()
	asked := strings.TrimSpace(m.must("cat /run/asked 2>/dev/null; rm -f /run/asked"))
	if asked != strings.Join(want, "\n") {
		m.t.Errorf("%s asks systemd for %q, want %q", what, asked, want)
	}
}

// wantUpgradeAsked is wantAsked for what an upgrade asks, and more if it is to.
func (m *machine) wantUpgradeAsked(what string, more ...string) {
	m.t.Helper()
	m.wantAsked(what, append([]string{"daemon-reload", "try-restart " + timers(m.t),
		"show --property=MainPID --value signet.service"}, more...)...)
}

// units are those of systemd that the packages have.
func units(t *testing.T) string {
	t.Helper()
	var names []string
	for _, kind := range []string{"service", "socket", "timer"} {
		found, err := filepath.Glob("../signet*." + kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			names = append(names, filepath.Base(file))
		}
	}
	return strings.Join(names, " ")
}

// timers are the units that an upgrade restarts by themselves: a socket is busy while its server
// runs, and what a timer started is in the middle of its work.
func timers(t *testing.T) string {
	t.Helper()
	all := strings.Fields(units(t))
	return strings.Join(slices.DeleteFunc(all, func(unit string) bool { return !strings.HasSuffix(unit, ".timer") }), " ")
}

// wantUnits holds the list of a package's files to the units of deploy.
func wantUnits(t *testing.T, files string) {
	t.Helper()
	var got []string
	for file := range strings.Lines(files) {
		if name, found := strings.CutPrefix(strings.TrimSpace(file), "/usr/lib/systemd/system/"); found {
			got = append(got, name)
		}
	}
	want := strings.Fields(units(t))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the package has the units %q, and deploy has %q", got, want)
	}
}
