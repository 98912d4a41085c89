package load

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of times in /proc/PID/stat: Linux shows programs 100 a second on
// every architecture that Go knows, whatever the kernel's own clock does. The postmaster's
// children are rounded one by one, which is too coarse for a second of measuring: so the CPU
// time of a process comes from its clock.
const tick = 10 * time.Millisecond

// stat is what is read of /proc/PID/stat.
type stat struct {
	parent int
	cpu    time.Duration // of the process itself
	waited time.Duration // of its children that have ended
}

// readStat reads a process; ok is false where there is none.
func readStat(pid int) (s stat, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	// The name of the program, in parentheses, may hold anything. Behind it are the
	// third field and the rest (proc_pid_stat(5)).
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 15 {
		return s, false
	}
	number := func(field int) time.Duration {
		n, _ := strconv.ParseInt(fields[field-3], 10, 64) // the kernel writes numbers
		return time.Duration(n)
	}
	s.parent = int(number(4))
	s.cpu = (number(14) + number(15)) * tick
	var cpu unix.Timespec
	if unix.ClockGettime(clockOf(pid), &cpu) == nil { // else it has just ended
		s.cpu = time.Duration(cpu.Nano())
	}
	s.waited = (number(16) + number(17)) * tick
	return s, true
}

// clockOf is the clock of a process's CPU time, which any process may read. Linux has no call
// for its number: this is what clock_getcpuclockid(3) returns.
func clockOf(pid int) int32 {
	const process = 2 // the clock that the scheduler keeps for all threads, in nanoseconds
	return int32(^pid<<3 | process)
}

// Running reports whether a process with this id exists and can be measured.
func Running(pid int) bool {
	_, ok := readStat(pid)
	return ok
}

func ownConsumption() Consumption { return ConsumptionOf(os.Getpid()) }

// ConsumptionOf returns the CPU time of a process alone, and its resident memory. For
// a process that has ended, or that may not be read, both are zero.
func ConsumptionOf(pid int) (c Consumption) {
	if s, ok := readStat(pid); ok {
		c.CPU = s.cpu
		c.Memory = kibibytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") << 10
	}
	return c
}

// ConsumptionOfTree returns what a process and all of its descendants have used,
// those that have ended among them. Of memory that several share each counts its
// part, where that may be read: which takes seconds where many share much and are busy.
func ConsumptionOfTree(root int) (c Consumption) {
	for pid, s := range tree(root) {
		c.CPU += s.cpu + s.waited
		share := kibibytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
		if share == 0 { // another user's
			share = kibibytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:")
		}
		c.Memory += share << 10
	}
	return c
}

// CPUOfTree is the CPU time of ConsumptionOfTree, and read at once.
func CPUOfTree(root int) (cpu time.Duration) {
	for _, s := range tree(root) {
		cpu += s.cpu + s.waited
	}
	return cpu
}

// tree are a process and all of its descendants that run.
func tree(root int) map[int]stat {
	children := make(map[int][]int)
	stats := make(map[int]stat)
	entries, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		if s, ok := readStat(pid); ok {
			stats[pid] = s
			children[s.parent] = append(children[s.parent], pid)
		}
	}
	found := make(map[int]stat)
	var add func(pid int)
	add = func(pid int) {
		found[pid] = stats[pid]
		for _, child := range children[pid] {
			add(child)
		}
	}
	if _, ok := stats[root]; ok {
		add(root)
	}
	return found
}

// kibibytes reads a line such as "VmRSS: 123 kB" of a file; 0 where it is not there.
func kibibytes(path, name string) (n int64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			if fields := strings.Fields(rest); len(fields) > 0 {
				n, _ = strconv.ParseInt(fields[0], 10, 64)
			}
			return n
		}
	}
	return 0
}
