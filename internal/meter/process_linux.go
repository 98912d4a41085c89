package meter

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// OwnProcess returns what this process has used and holds.
func OwnProcess() (p Process) {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) == nil {
		p.CPU = time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			p.Memory = pages * int64(os.Getpagesize())
		}
	}
	return p
}
