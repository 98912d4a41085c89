package load

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process tree for these tests: a shell that has a child work and end, and then
// waits to be told to go on. It says when it is there.
const workingShell = `sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'; echo ready; read -r _`

// mustStartTree starts a shell and returns its number once it is ready.
func mustStartTree(t *testing.T, script string) int {
	t.Helper()
	command := exec.Command("sh", "-c", script)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = command.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the shell said %q, %v", line, err)
	}
	return command.Process.Pid
}

// PostgreSQL has a process for each connection; when one ends, what it used is
// still the database's.
func TestTreeCountsChildrenThatHaveEnded(t *testing.T) {
	pid := mustStartTree(t, workingShell)
	alone, tree := ConsumptionOf(pid), ConsumptionOfTree(pid)
	if alone.CPU >= tree.CPU || tree.CPU < 3*tick {
		t.Errorf("the shell used %v, with its child %v; want the child's work in the latter only", alone.CPU, tree.CPU)
	}
}

// A process that works on after it has answered is waited for.
func TestWhatIsLeftToBeDoneCounts(t *testing.T) {
	pid := mustStartTree(t, `echo ready; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; read -r _`)
	g := &gauge{servers: []int{pid}}
	begin := time.Now()
	first := g.read()
	last, over := g.rest(t.Context())
	worked := last.server.CPU - first.server.CPU
	if later := g.read().server.CPU - last.server.CPU; worked < 3*tick || later > worked/5 || !over.After(begin) {
		t.Errorf("it worked %v, and %v after that; over %v after the begin", worked, later, over.Sub(begin))
	}
}

func TestTreeCountsChildrenThatRun(t *testing.T) {
	pid := mustStartTree(t, `sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo ready; read -r _; :'; :`)
	alone, tree := ConsumptionOf(pid), ConsumptionOfTree(pid)
	if alone.CPU >= tree.CPU || tree.CPU < 3*tick {
		t.Errorf("the shell used %v, with its child %v; want the child's work in the latter only", alone.CPU, tree.CPU)
	}
	if tree.Memory <= 0 {
		t.Errorf("the memory of the tree is %d", tree.Memory)
	}
}

func TestConsumptionIsTheProcesssOwn(t *testing.T) {
	if !Running(os.Getpid()) || Running(1<<31-1) {
		t.Error("this process does not run, or one that cannot be does")
	}
	before, work := ownConsumption(), mustReadUse(t)
	for mustReadUse(t)-work < 100*time.Millisecond {
	}
	after := ownConsumption()
	if used := after.CPU - before.CPU; used < 8*tick || used > 200*tick {
		t.Errorf("100 ms of CPU time were read as %v", used)
	}
	// The Go runtime alone takes a few MiB.
	if after.Memory < 2<<20 {
		t.Errorf("this process has %d bytes", after.Memory)
	}
	if gone := ConsumptionOf(1<<31 - 1); gone != (Consumption{}) || ConsumptionOfTree(1<<31-1) != gone {
		t.Errorf("a process that is not there used %+v", gone)
	}
}

// In two seconds a hundredth of a second is half a percent, and each process of a database is
// rounded by itself.
func TestConsumptionIsFinerThanATick(t *testing.T) {
	for range 100 {
		if ownConsumption().CPU%tick != 0 {
			return
		}
	}
	t.Error("the CPU time of this process is always a whole number of ticks")
}

// mustReadUse is the CPU time of this process as the system tells it directly.
func mustReadUse(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// A program's name may hold anything, parentheses and blanks too.
func TestStatIsReadBehindTheProgramsName(t *testing.T) {
	dir := t.TempDir()
	program := dir + "/a) R 1 (b"
	shell, err := exec.LookPath("sh")
	if err == nil {
		err = os.Symlink(shell, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-c", "read -r _; :")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = command.Wait()
	}()
	s, ok := readStat(command.Process.Pid)
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", command.Process.Pid)); err != nil ||
		!strings.Contains(string(name), ")") {
		t.Fatalf("the program is called %q, %v", name, err)
	}
	if !ok || s.parent != os.Getpid() {
		t.Errorf("its parent is %d, want %d", s.parent, os.Getpid())
	}
}

func TestUsageIsBetweenTwoReadings(t *testing.T) {
	from := Consumption{CPU: 2 * time.Second, Memory: 5}
	got := usage(from, Consumption{CPU: 3 * time.Second, Memory: 7 << 20}, 4*time.Second, 10_000)
	if want := (Usage{CPUMicros: 100, Cores: 0.25, Memory: 7 << 20}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := usage(Consumption{}, Consumption{}, time.Second, 1); got != nil {
		t.Errorf("nothing was read, and it came to %+v", got)
	}
}
