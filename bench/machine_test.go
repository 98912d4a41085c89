package bench

import (
	"cmp"
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
	"time"
)

// machine is the measured machine and program.
type machine struct {
	cpu      string
	cores    int
	memory   uint64 // bytes
	system   string
	sync     time.Duration // of 4 KiB written and fsynced, the median
	load     string        // the load average before
	commit   string
	postgres string // version; empty: it was not measured
}

func mustDescribeMachine(t *testing.T) machine {
	t.Helper()
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		t.Fatal(err)
	}
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return machine{
		cpu: cmp.Or(valueOf("/proc/cpuinfo", "model name", ":"), runtime.GOARCH), cores: runtime.NumCPU(),
		memory: uint64(info.Totalram) * uint64(info.Unit),
		system: cmp.Or(strings.Trim(valueOf("/etc/os-release", "PRETTY_NAME", "="), `"`), runtime.GOOS) + ", Linux " +
			firstLine("/proc/sys/kernel/osrelease"),
		sync: mustTimeSync(t), load: load, commit: mustDescribeCommit(t),
	}
}

func (m machine) String() string {
	database := ""
	if m.postgres != "" {
		database = ", PostgreSQL " + m.postgres
	}
	return fmt.Sprintf("%d cores (%s), %.0f GiB, %s, %s%s. Writing 4 KiB to the disk and waiting for it "+
		"took %.2f ms. The load average was %s before the run; the generator, the server and the database shared the "+
		"machine. Commit %s.",
		m.cores, m.cpu, float64(m.memory)/(1<<30), m.system, strings.Replace(runtime.Version(), "go", "Go ", 1), database,
		float64(m.sync.Microseconds())/1000, m.load, m.commit) + m.warning()
}

// warning says when others used the machine.
func (m machine) warning() string {
	if load, err := strconv.ParseFloat(m.load, 64); err != nil || load < 0.5*float64(m.cores) {
		return ""
	}
	return " **It was busy with other work**: throughput is below what it gives when it is free, and latency and CPU " +
		"time above."
}

// valueOf returns what follows a name in a file of lines, or "".
func valueOf(path, name, separator string) string {
	text, _ := os.ReadFile(path) // what cannot be read is not shown
	for line := range strings.Lines(string(text)) {
		if found, value, ok := strings.Cut(line, separator); ok && strings.TrimSpace(found) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstLine(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// mustTimeSync measures what every durable write waits for.
func mustTimeSync(t *testing.T) time.Duration {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "sync"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	page := make([]byte, 4<<10)
	var took []time.Duration
	for range 101 {
		begin := time.Now()
		if _, err := file.Write(page); err != nil {
			t.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// mustDescribeCommit names what was measured.
func mustDescribeCommit(t *testing.T) string {
	t.Helper()
	commit, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil {
		t.Fatal(err)
	}
	described := strings.TrimSpace(string(commit))
	if len(changed) > 0 {
		described += " with changes"
	}
	return described
}
