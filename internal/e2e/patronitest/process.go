package patronitest

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"signet/internal/testenv"
)

// process is a program on a directory of its own, in which it finds its configuration in the file "config" and writes
// its log to the file "log".
type process struct {
	directory string
	keeper    *testenv.Keeper
}

// keeper runs as the server's user, for PostgreSQL and PgBouncer refuse to be root's. It starts the program when it is
// told to. When there is nobody left to tell it, it kills the program, the server that the program has started, and
// the children of both, also those that were stopped, and removes the directory. An old number may be another process's
// by now: that one works in another directory.
const keeper = `
directory=$1 config=$2
shift 2
mkdir -m 700 "$directory" && cd "$directory" && printf '%s' "$config" >config || exit 1
exec 2>/dev/null
family() { # of a process that works in a directory: itself and its children
	[ "$1" ] && [ "$(readlink "/proc/$1/cwd")" = "$2" ] || return
	echo "$1"
	for stat in /proc/[0-9]*/stat; do
		read -r id name state parent rest <"$stat" && [ "$parent" = "$1" ] && echo "$id"
	done
}
end() {
	doomed="$(family "$(cat pid)" "$directory") $(family "$(head -n 1 data/postmaster.pid)" "$directory/data")"
	kill -KILL $doomed
	rm -rf "$directory" || rm -rf "$directory" # one that dies may have written meanwhile
}
trap end EXIT
trap 'exit 1' HUP INT TERM
echo done
while read -r command; do
	"$@" >>log 2>&1 </dev/null &
	echo $! >pid
	echo done
done
`

// reaper runs a program and takes note of the end of all processes that come from it, as the first process of a machine
// does. Where nobody does, a killed server stays in the list of processes, and Patroni takes it for running.
var reaper = []string{"python3", "-c", `
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
with open("child", "w") as f:
	f.write(str(child))
try:
	while True:
		os.wait()
except ChildProcessError:
	pass
`}

// mustPrepare makes the directory of a process that runs a command in it, and starts nothing yet. In the configuration
// and the command, HERE stands for the directory.
func mustPrepare(t testing.TB, name, config string, command ...string) *process {
	t.Helper()
	root, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{directory: filepath.Join(root, "signet-"+name+"-"+strings.ToLower(rand.Text()[:8]))}
	arguments := []string{"sh", "-c", keeper, "signet-" + name, p.directory}
	for _, argument := range append([]string{config}, command...) {
		arguments = append(arguments, strings.ReplaceAll(argument, "HERE", p.directory))
	}
	if os.Geteuid() == 0 {
		arguments = append([]string{"runuser", "-u", "postgres", "--"}, arguments...)
	}
	if p.keeper, err = testenv.StartKeeper(exec.Command(arguments[0], arguments[1:]...)); err != nil {
		t.Fatalf("prepare %s: %v", name, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s logged:\n%s", name, p.log())
		}
		_ = p.keeper.Close() // its answers are not read any more
	})
	return p
}

// mustStart runs the program, which has ended or was never started.
func (p *process) mustStart(t testing.TB) {
	t.Helper()
	p.keeper.Must(t, "start")
}

// mustSignal sends a signal to a process, whose number is in the first line of a file of the directory, and then, where
// it is to reach the family, to its children until there are no others: a parent that stands still has no more of them.
// Who has ended already misses nothing.
func (p *process) mustSignal(t testing.TB, file string, which syscall.Signal, family bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.directory, file))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	id, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || id <= 1 {
		t.Fatalf("%s holds %q, which is no process", file, line)
	}
	told := map[int]bool{}
	for waiting := []int{id}; len(waiting) > 0; {
		for _, id := range waiting {
			if err := syscall.Kill(id, which); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatalf("send %v to %d: %v", which, id, err)
			}
			told[id] = true
		}
		waiting = nil
		if family {
			waiting = childrenBut(t, id, told)
		}
	}
}

// childrenBut returns the processes whose parent a process is, without those that are known.
func childrenBut(t testing.TB, parent int, known map[int]bool) (found []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil || known[id] {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// Behind the name, which is in parentheses and may hold anything: state, parent, ...
		fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			found = append(found, id)
		}
	}
	return found
}

// log returns the last lines that the program logged.
func (p *process) log() string {
	const most = 8 << 10
	text, err := os.ReadFile(filepath.Join(p.directory, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
