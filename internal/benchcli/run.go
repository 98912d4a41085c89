package benchcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"signet/internal/load"
)

type runCommand struct {
	Scenarios   []string      `arg:"" optional:"" name:"scenario" help:"Only these scenarios of the set."`
	Dir         string        `placeholder:"DIR" help:"Directory on the disk to measure, in which the server's own is made and removed. Default: where the system has temporary files."`
	Program     string        `placeholder:"PATH" help:"The server to measure. Default: signet beside this program, else on the PATH."`
	Database    string        `placeholder:"URL" help:"An empty PostgreSQL database to measure, instead of the embedded store [SIGNET_BENCH_DATABASE]. What was written stays there: drop it afterwards."`
	DatabasePID int           `name:"database-pid" placeholder:"PID" help:"The postmaster of the database on this machine, which counts with all of its children."`
	Duration    time.Duration `short:"d" default:"5s" placeholder:"TIME" help:"How long to measure each. Default 5s."`
	Warmup      time.Duration `default:"1s" placeholder:"TIME" help:"How long to run each before that. Default 1s."`
	Stored      int           `placeholder:"N" help:"Store so many messages first, by sending them: some thousands a second."`
	Quick       bool          `help:"Measure each for half a second only, to see that all works."`
	JSON        bool          `name:"json" help:"Print JSON, one value on a line."`
}

func (runCommand) Help() string {
	return `The server runs without limits, in a directory that is removed afterwards. The floor is
measured right before and right after each scenario, on as many connections, and the figures are put beside the
mean of both.

Examples:

  signet-bench run

  signet-bench run send group --duration 10s --dir /var/lib

  signet-bench run --database postgres://signet@127.0.0.1/bench --database-pid "$(head -1 /var/lib/postgresql/15/main/postmaster.pid)"`
}

// quickTime is how long a quick run measures.
const quickTime = 500 * time.Millisecond

func (b *runCommand) Run(ctx context.Context, con *console) (err error) {
	if b.Quick {
		b.Duration, b.Warmup = quickTime, quickTime/5
	}
	plans := load.Set(b.Duration, b.Warmup, b.Scenarios...)
	for _, name := range b.Scenarios {
		if !slices.ContainsFunc(plans, func(p load.Plan) bool { return p.Scenario == name }) {
			return wrongConfiguration{fmt.Errorf("the set has no scenario %q", name)}
		}
	}
	for i := range plans {
		if err := plans[i].Validate(); err != nil {
			return wrongConfiguration{err}
		}
	}
	if b.Stored < 0 {
		return wrongConfiguration{errors.New("--stored is 0 or more")}
	}
	if b.DatabasePID != 0 && !load.Running(b.DatabasePID) {
		return wrongConfiguration{fmt.Errorf("what process %d uses cannot be read", b.DatabasePID)}
	}
	server, err := b.findServer()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.Dir, "signet-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if !load.OnDisk(dir) {
		fmt.Fprintf(con.stderr, "signet-bench: %s is in memory, where nothing has to be waited for: name a directory on a "+
			"disk with --dir\n", dir)
	}
	own := load.Own{Program: server, Data: filepath.Join(dir, "data"),
		Database: cmp.Or(b.Database, con.env.Variable("SIGNET_BENCH_DATABASE")), Postgres: b.DatabasePID}
	out := newReport(con, b.JSON)
	return out.end(b.measure(ctx, own, plans, out))
}

// findServer returns the path of the server's program: both are built and installed beside
// each other.
func (b *runCommand) findServer() (string, error) {
	if b.Program != "" {
		return b.Program, nil
	}
	if self, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), "signet")); err == nil {
			return beside, nil
		}
	}
	found, err := exec.LookPath("signet")
	if err != nil {
		return "", wrongConfiguration{fmt.Errorf("find the server to measure: %w: name it with --program", err)}
	}
	return found, nil
}

// measure carries out the plans one after the other.
func (b *runCommand) measure(ctx context.Context, own load.Own, plans []load.Plan, out *report) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	floor, err := load.StartFloor(ctx, self, filepath.Dir(own.Data))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, floor.Stop()) }()
	server, target, err := load.StartServer(ctx, own)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if b.Stored > 0 {
		if err := load.Fill(ctx, target, b.Stored, out.progress); err != nil {
			return fmt.Errorf("store messages first: %w", err)
		}
	}
	target.Floor = floor
	for i := 0; i < len(plans) && ctx.Err() == nil; i++ {
		result, err := load.Run(ctx, target, plans[i], out.progress)
		out.add(result)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
