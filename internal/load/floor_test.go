package load

import (
	"context"
	"errors"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/app/apptest"
	"signet/internal/testenv"
)

// mustServeFloor serves the floor in this process.
func mustServeFloor(t *testing.T) *FloorServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	dir := t.TempDir()
	go func() { ended <- ServeFloor(ctx, l, dir) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &FloorServer{&Process{BaseURL: "http://" + l.Addr().String(), PID: os.Getpid()}}
}

func TestFloorIsMeasuredRightBeforeAndAfterEachPlan(t *testing.T) {
	testenv.Long(t)
	target := targetOf(apptest.Start(t))
	target.Floor = mustServeFloor(t)
	for _, test := range []struct{ scenario, floor string }{{Unread, Floor}, {Attachments, FileFloor}, {Streams, ""}} {
		plan := brief(test.scenario)
		var order []string
		result, err := Run(t.Context(), target, plan, func(p Progress) {
			order = append(order, p.Plan.Scenario+" "+p.Phase)
		})
		if err != nil {
			t.Fatal(err)
		}
		order = slices.DeleteFunc(order, func(step string) bool { return strings.HasSuffix(step, phaseMeasuring) })
		own := test.scenario + " "
		if test.floor == "" {
			if want := []string{own + phasePreparing, own + phaseCleaningUp}; !slices.Equal(order, want) || result.Floor != nil {
				t.Errorf("%s has no floor, but it went %q and has %+v", test.scenario, order, result.Floor)
			}
			continue
		}
		floor := test.floor + " " + phaseWarmup
		if want := []string{own + phasePreparing, floor, own + phaseWarmup, floor,
			own + phaseCleaningUp}; !slices.Equal(order, want) {
			t.Errorf("it went %q, want %q: nothing between a plan and its floor", order, want)
		}
		if result.Floor == nil || len(result.Floor.Runs) != 2 {
			t.Fatalf("beside it is %+v, want two runs of the floor", result.Floor)
		}
		for _, run := range result.Floor.Runs {
			if run.Scenario != test.floor || run.Connections != plan.Connections || run.Operations == 0 ||
				test.floor == FileFloor && run.Payload != plan.Payload {
				t.Errorf("the floor of %+v is %+v", plan, run)
			}
		}
	}
}

// The machine halves its speed at each step: the floor of before is of another one than
// that of after, and between them is what the plan ran on.
func TestRatioIsToTheMeanOfTheFloorsBeside(t *testing.T) {
	floor := func(perSecond, cpu, p50 float64) *Result {
		return &Result{OperationsPerSecond: perSecond, Server: &Usage{CPUMicros: cpu}, Latency: Latency{P50: p50}}
	}
	r := &Result{OperationsPerSecond: 6000, Server: &Usage{CPUMicros: 120}, Database: &Usage{CPUMicros: 60}}
	r.beside([]*Result{floor(40_000, 20, 1), floor(20_000, 40, 2)})
	got := *r.Floor
	got.Runs = nil
	want := Ratio{OperationsPerSecond: 30_000, CPUMicros: 30, Throughput: 0.2, CPU: 4, CPUWithDatabase: 6,
		Latency: Latency{P50: 1.5}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r = &Result{OperationsPerSecond: 6000} // nothing can be read of processes
	r.beside([]*Result{{OperationsPerSecond: 40_000}, {OperationsPerSecond: 20_000}})
	if r.Floor.Throughput != 0.2 || r.Floor.CPU != 0 || r.Floor.CPUMicros != 0 {
		t.Errorf("without the use of processes got %+v", r.Floor)
	}
}

// A run that is interrupted tells what it has, with as much of the floor as there is.
func TestInterruptedRunBesideTheFloor(t *testing.T) {
	s := apptest.Start(t)
	target := targetOf(s)
	target.Floor = mustServeFloor(t)
	for _, test := range []struct {
		at    string // where it is interrupted
		nth   int
		floor int // runs of the floor beside the result; -1: there is no result
		whole bool
		err   error
	}{
		{Floor, 1, -1, false, context.Canceled},
		{Unread, 1, 1, false, nil},
		{Floor, 2, 1, true, context.Canceled},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		plan, warmups := brief(Unread), 0
		plan.Duration = 300 * time.Millisecond
		result, err := Run(ctx, target, plan, func(p Progress) {
			if p.Phase == phaseWarmup && p.Plan.Scenario == test.at {
				if warmups++; warmups == test.nth {
					interrupt()
				}
			}
		})
		interrupt()
		if !errors.Is(err, test.err) || (result == nil) != (test.floor < 0) {
			t.Fatalf("interrupted at %s %d: got %+v, %v, want the error %v", test.at, test.nth, result, err, test.err)
		}
		if result != nil && (result.Interrupted == test.whole || result.Floor == nil ||
			len(result.Floor.Runs) != test.floor) {
			t.Errorf("interrupted at %s %d: got %+v", test.at, test.nth, result)
		}
		wantClean(t, s)
	}
}

// What is put beside a floor that does not answer would be put beside nothing.
func TestFloorThatFailsIsAnError(t *testing.T) {
	s := apptest.Start(t)
	target := targetOf(s)
	target.Floor = &FloorServer{&Process{BaseURL: "http://127.0.0.1:1", PID: os.Getpid()}}
	if result, err := Run(t.Context(), target, brief(Unread), nil); result != nil || err == nil ||
		!strings.Contains(err.Error(), "measure the floor") {
		t.Errorf("got %+v, %v, want that the floor cannot be measured", result, err)
	}
	wantClean(t, s)
}
