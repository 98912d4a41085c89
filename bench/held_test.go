package bench

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"signet/internal/load"
)

// spinning makes this program one that does nothing but use the processor.
const spinning = "SIGNET_BENCH_SPINS"

// spins is how often spinUntilKilled went round.
var spins uint64

// spinUntilKilled uses a core for as long as it gets it.
func spinUntilKilled() {
	for {
		spins++
	}
}

// TestProcessesThatAreHeldGetTheirShare: whatever way is there, a process that could use a core gets
// a tenth of it, and all once it is let go of.
func TestProcessesThatAreHeldGetTheirShare(t *testing.T) {
	mustReadProcesses(t)
	const cores = 0.1
	worked := 0
	for _, h := range holders() {
		child := exec.Command(os.Args[0])
		child.Env = []string{spinning + "=1"}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = child.Process.Kill()
			_ = child.Wait()
		})
		pid := child.Process.Pid
		end, err := h.begin(pid, cores)
		if err != nil {
			t.Logf("%s: not here: %v", h.how, err)
			continue
		}
		worked++
		begin, before := time.Now(), load.ConsumptionOf(pid).CPU
		wantSoon(t, h.how+": a process is held to its share", func() bool {
			used := load.ConsumptionOf(pid).CPU - before
			return used > 50*time.Millisecond && used.Seconds() < 2*cores*time.Since(begin).Seconds()
		})
		if err := end(); err != nil {
			t.Errorf("%s: %v", h.how, err)
		}
		before = load.ConsumptionOf(pid).CPU
		wantSoon(t, h.how+": a process that was let go of goes on", func() bool {
			return load.ConsumptionOf(pid).CPU-before > 10*time.Millisecond
		})
	}
	if worked == 0 {
		t.Error("there is no way to hold a process")
	}
}

// wantSoon waits until something is so.
func wantSoon(t *testing.T, what string, so func() bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(holdPeriod)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
