package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/internal/load"
)

// holdPeriod is how often a process that is held gets its time: in short stretches, so that a
// call waits for the next one and not for a tenth of a second.
const holdPeriod = 20 * time.Millisecond

// holder keeps each of some processes to a share of a core until it lets go of them.
type holder struct {
	how   string // for people
	begin func(pid int, cores float64) (end func() error, err error)
}

// holders are the ways to hold a process. The first that works here is taken: the kernel holds a
// process in a control group exactly, and needs root. Anybody may stop a process and let it go on.
func holders() []holder {
	return []holder{
		{"control groups, version 2 (cpu.max)", func(pid int, cores float64) (func() error, error) {
			if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err != nil {
				return nil, err
			}
			quota := fmt.Sprintf("%d %d", int64(cores*float64(holdPeriod.Microseconds())), holdPeriod.Microseconds())
			return holdInGroup("/sys/fs/cgroup", pid, []setting{{"cpu.max", quota}})
		}},
		{"control groups, version 1 (cpu.cfs_quota_us)", func(pid int, cores float64) (func() error, error) {
			return holdInGroup("/sys/fs/cgroup/cpu", pid, []setting{
				{"cpu.cfs_period_us", strconv.FormatInt(holdPeriod.Microseconds(), 10)},
				{"cpu.cfs_quota_us", strconv.FormatInt(int64(cores*float64(holdPeriod.Microseconds())), 10)},
			})
		}},
		{"signals (SIGSTOP and SIGCONT)", holdBySignals},
	}
}

// mustHold holds processes to a share of a core each, and returns how. They are let go of by
// release, or when the test ends.
func mustHold(t *testing.T, pids []int, cores float64) (how string, release func()) {
	t.Helper()
	var problems error
	for _, h := range holders() {
		var ends []func() error
		var err error
		for _, pid := range pids {
			var end func() error
			if end, err = h.begin(pid, cores); err != nil {
				break
			}
			ends = append(ends, end)
		}
		released := false
		release = func() {
			if released {
				return
			}
			released = true
			for _, end := range ends {
				if err := end(); err != nil {
					t.Errorf("let go of a process: %v", err)
				}
			}
		}
		if err == nil {
			t.Cleanup(release)
			return h.how, release
		}
		release()
		problems = errors.Join(problems, fmt.Errorf("%s: %w", h.how, err))
	}
	t.Fatalf("no process can be held to %g cores here: %v", cores, problems)
	return "", nil
}

// setting is a file of a control group, and what is written to it.
type setting struct{ file, value string }

// holdInGroup moves a process to a control group of its own, below the root of a hierarchy. end
// moves it back to where it was and removes the group.
func holdInGroup(root string, pid int, settings []setting) (end func() error, err error) {
	before, err := groupOf(root, pid)
	if err != nil {
		return nil, err
	}
	group, err := os.MkdirTemp(root, "signet-bench-")
	if err != nil {
		return nil, err
	}
	write := func(directory, file, value string) error {
		return os.WriteFile(filepath.Join(directory, file), []byte(value), 0)
	}
	for _, s := range settings {
		err = errors.Join(err, write(group, s.file, s.value))
	}
	if err == nil {
		err = write(group, "cgroup.procs", strconv.Itoa(pid))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(group))
	}
	return func() error {
		// A process that has ended is in no group any more.
		if err := write(before, "cgroup.procs", strconv.Itoa(pid)); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return os.Remove(group)
	}, nil
}

// groupOf is the directory of the control group, in a hierarchy, that a process is in.
func groupOf(root string, pid int) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		// 1:cpu,cpuacct:/path; that of version 2 is 0::/path.
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		named := len(fields) == 3 && strings.Contains(","+fields[1]+",", ",cpu,")
		if named && root != "/sys/fs/cgroup" || len(fields) == 3 && fields[0] == "0" && root == "/sys/fs/cgroup" {
			return filepath.Join(root, fields[2]), nil
		}
	}
	return "", fmt.Errorf("process %d is in no group below %s", pid, root)
}

// holdBySignals stops a process whenever it has had more time than its share since it was held,
// and lets it go on once it has not.
func holdBySignals(pid int, cores float64) (end func() error, err error) {
	if !load.Running(pid) {
		return nil, fmt.Errorf("process %d does not run", pid)
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(holdPeriod / 4)
		defer tick.Stop()
		begin, before, stopped := time.Now(), load.ConsumptionOf(pid).CPU, false
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			due := time.Duration(float64(time.Since(begin)) * cores)
			used := load.ConsumptionOf(pid).CPU - before
			switch {
			case used > due && !stopped:
				stopped = syscall.Kill(pid, syscall.SIGSTOP) == nil
			case used <= due && stopped:
				stopped = syscall.Kill(pid, syscall.SIGCONT) != nil
			}
			// What it did not use is gone, as in a control group: it may not catch up at full speed.
			if spare := due - used; spare > time.Duration(cores*float64(holdPeriod)) {
				begin, before, used = time.Now(), before+used, 0
			}
		}
	}()
	return func() error {
		close(done)
		<-ended
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}, nil
}
