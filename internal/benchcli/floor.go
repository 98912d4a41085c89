package benchcli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"signet/internal/load"
)

type floorCommand struct {
	loadFlags
	Payload int  `default:"200" placeholder:"BYTES" help:"Length of the text in a call. Default 200."`
	JSON    bool `name:"json" help:"Print JSON, one value on a line."`
}

func (b *floorCommand) Run(ctx context.Context, con *console) error {
	return runFloor(ctx, con, b.plan(load.Floor, b.Payload, 1, false), b.JSON)
}

type copyCommand struct {
	loadFlags
	Payload int  `default:"65536" placeholder:"BYTES" help:"Length of the file. Default 65536."`
	JSON    bool `name:"json" help:"Print JSON, one value on a line."`
}

func (b *copyCommand) Run(ctx context.Context, con *console) error {
	return runFloor(ctx, con, b.plan(load.FileFloor, b.Payload, 1, false), b.JSON)
}

func runFloor(ctx context.Context, con *console, plan load.Plan, json bool) error {
	if err := plan.Validate(); err != nil {
		return wrongConfiguration{err}
	}
	out := newReport(con, json)
	return out.end(withFloor(ctx, func(floor *load.FloorServer) error {
		result, err := floor.Measure(ctx, plan, out.progress)
		out.add(result)
		return err
	}))
}

// withFloor runs fn while the floor runs in a process of its own, which is this program
// again.
func withFloor(ctx context.Context, fn func(*load.FloorServer) error) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "signet-bench-")
	if err != nil {
		return err
	}
	floor, err := load.StartFloor(ctx, self, dir)
	if err == nil {
		err = fn(floor)
		err = errors.Join(err, floor.Stop())
	}
	return errors.Join(err, os.RemoveAll(dir))
}

type floorServerCommand struct {
	Listen string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Where to listen."`
	Dir    string `required:"" placeholder:"DIR" help:"Where files are copied to."`
}

func (b *floorServerCommand) Run(ctx context.Context, con *console) error {
	l, err := net.Listen("tcp", b.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "base URL http://%s\n", l.Addr())
	return load.ServeFloor(ctx, l, b.Dir)
}
