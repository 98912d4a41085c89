package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/internal/load"
)

type benchCommands struct {
	Send        benchSend        `cmd:"" help:"Measure messages from one person to another."`
	Attachments benchAttachments `cmd:"" help:"Measure messages with a file, which the recipient fetches."`
	Poll        benchPoll        `cmd:"" help:"Measure polls of 50 queued messages."`
	History     benchHistory     `cmd:"" help:"Measure pages of 50 messages of a conversation."`
	Ack         benchAck         `cmd:"" help:"Measure a send, a poll of one and its acknowledgement."`
	Unread      benchUnread      `cmd:"" help:"Measure unread counts."`
	Search      benchSearch      `cmd:"" help:"Measure searches for two letters of a name."`
	Group       benchGroup       `cmd:"" help:"Measure messages to a group whose members are away."`
	Deliver     benchDeliver     `cmd:"" help:"Measure how long messages take to open event streams."`
	Streams     benchStreams     `cmd:"" help:"Measure what idle event streams cost."`
	Mixed       benchMixed       `cmd:"" help:"Measure what people at work do, mixed."`
	Floor       benchFloor       `cmd:"" help:"Measure the same HTTP stack with nothing behind it."`
	Copy        benchCopy        `cmd:"" help:"Measure a plain copy of files over HTTP, the floor of attachments."`
	Run         benchRun         `cmd:"" help:"Measure the whole set, on a server of its own."`

	FloorServer benchFloorServer `cmd:"" hidden:"" help:"Serve the floor."`
}

func (benchCommands) Help() string {
	return `Each scenario makes an organization with people of its own and removes it afterwards, also when it is
interrupted. It takes an operator's key, which lifts the limits for these people, or an administrator's, for whom
they hold. The accounts stay, without keys and in no organization: the interface has no call that deletes one.

Latency counts from when an operation was to begin: with --rate, one that waited for a free connection has waited.
Without --rate each connection begins the next operation when the last has ended, which finds out how much the
server can do. CPU and memory are read on Linux only, of processes on this machine.

The exit code is 0 only if nothing failed and nobody interrupted it.

Examples:

  signet bench send --connections 64

  signet bench send --rate 500 --duration 1m --request-id

  signet bench run`
}

// benchLoad are the flags that say how much load there is.
type benchLoad struct {
	Connections int           `short:"c" default:"16" placeholder:"N" help:"Operations that may be under way at once, each on a connection of its own. Default 16."`
	Rate        float64       `placeholder:"N" help:"Begin so many operations a second, whether or not earlier ones have ended. Without it, each connection begins the next when the last has ended."`
	Duration    time.Duration `short:"d" default:"10s" placeholder:"TIME" help:"How long to measure. Default 10s."`
	Warmup      time.Duration `default:"2s" placeholder:"TIME" help:"How long to run before that. Default 2s."`
}

// benchTarget are the flags that say which server is under load.
type benchTarget struct {
	access
	benchLoad
	URL         string `name:"url" placeholder:"URL" help:"The server [SIGNET_URL, default the base_url of operator.json]."`
	PID         []int  `name:"pid" placeholder:"PID" help:"Processes of the server on this machine, to measure what they use; default that which has the data directory."`
	DatabasePID int    `name:"database-pid" placeholder:"PID" help:"The postmaster of its PostgreSQL on this machine, which counts with all of its children."`
	Floor       bool   `default:"true" negatable:"" help:"Measure the floor right before and after, where the server is on this machine."`
}

// benchMessages are the flags of scenarios that send.
type benchMessages struct {
	Payload   int  `default:"200" placeholder:"BYTES" help:"Length of a message's body. Default 200."`
	RequestID bool `name:"request-id" help:"Give every message a Request-ID, as the Go client does."`
}

type benchSend struct {
	benchTarget
	benchMessages
}

type benchAttachments struct {
	benchTarget
	Payload   int  `default:"65536" placeholder:"BYTES" help:"Length of the file. Default 65536."`
	RequestID bool `name:"request-id" help:"Give every message a Request-ID, as the Go client does."`
}

type benchPoll struct {
	benchTarget
	Payload int `default:"200" placeholder:"BYTES" help:"Length of a message's body. Default 200."`
}

type benchHistory struct{ benchPoll }

type benchAck struct {
	benchTarget
	benchMessages
}

type benchUnread struct{ benchTarget }

type benchSearch struct {
	benchTarget
	Members int `default:"1000" placeholder:"N" help:"People in the organization. Default 1000."`
}

type benchGroup struct {
	benchTarget
	benchMessages
	Members int `default:"10" placeholder:"N" help:"Members of the group. Default 10."`
}

type benchDeliver struct {
	benchTarget
	benchMessages
	Members int `default:"1" placeholder:"N" help:"Members of the group, all with a stream. Default 1: no group, each connection sends to one person."`
}

type benchStreams struct {
	benchTarget
	Members int `default:"1000" placeholder:"N" help:"How many streams, each of another person. Default 1000."`
}

type benchMixed struct {
	benchTarget
	benchMessages
	Members int `default:"1000" placeholder:"N" help:"People in the organization. Default 1000."`
}

// The scenarios with their plans. What a scenario has no use for is 1.
func (b *benchSend) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Send, b.Payload, 1, b.RequestID))
}

func (b *benchAttachments) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Attachments, b.Payload, 1, b.RequestID))
}

func (b *benchPoll) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Poll, b.Payload, 1, false))
}

func (b *benchHistory) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.History, b.Payload, 1, false))
}

func (b *benchAck) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Acknowledge, b.Payload, 1, b.RequestID))
}

func (b *benchUnread) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Unread, 1, 1, false))
}

func (b *benchSearch) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Search, 1, b.Members, false))
}

func (b *benchGroup) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Group, b.Payload, b.Members, b.RequestID))
}

func (b *benchDeliver) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Deliver, b.Payload, b.Members, b.RequestID))
}

func (b *benchStreams) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Streams, 1, b.Members, false))
}

func (b *benchMixed) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Mixed, b.Payload, b.Members, b.RequestID))
}

func (b *benchLoad) plan(scenario string, payload, members int, requestID bool) load.Plan {
	return load.Plan{Scenario: scenario, Connections: b.Connections, Rate: b.Rate, Duration: b.Duration, Warmup: b.Warmup,
		Payload: payload, Members: members, RequestID: requestID}
}

// run puts the server under load and prints what came of it.
func (b *benchTarget) run(ctx context.Context, con *console, plan load.Plan) error {
	if err := plan.Validate(); err != nil {
		return wrongConfiguration{err}
	}
	target, err := b.target(con)
	if err != nil {
		return err
	}
	out := newBenchReport(con, b.JSON)
	measure := func(floor *load.FloorServer) error {
		target.Floor = floor
		result, err := load.Run(ctx, target, plan, out.progress)
		out.add(result)
		return err
	}
	if _, ok := load.FloorOf(plan); ok && b.Floor && onThisMachine(target.BaseURL) {
		return out.end(withFloor(ctx, measure))
	}
	return out.end(measure(nil))
}

// target finds the server, and the key that makes people on it.
func (b *benchTarget) target(con *console) (*load.Target, error) {
	found, err := b.credentials(con, b.URL)
	if err != nil {
		return nil, err
	}
	t := &load.Target{BaseURL: found.BaseURL, Key: found.Key, Secret: found.Secret, Servers: b.PID,
		Database:     b.DatabasePID,
		VendorPrefix: con.variable("SIGNET_VENDOR_PREFIX"), VendorNamespace: con.variable("SIGNET_VENDOR_NAMESPACE")}
	for _, pid := range append(slices.Clip(b.PID), b.DatabasePID) {
		if pid != 0 && !load.Running(pid) {
			return nil, wrongConfiguration{fmt.Errorf("what process %d uses cannot be read: it has to run on this machine, "+
				"and this has to be Linux", pid)}
		}
	}
	if len(t.Servers) == 0 && found.local && onThisMachine(t.BaseURL) {
		// The server writes its number into the directory's lock.
		text, err := os.ReadFile(filepath.Join(b.directory(con), "lock"))
		if pid, wrong := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && wrong == nil && load.Running(pid) {
			t.Servers = []int{pid}
		}
	}
	return t, nil
}

// onThisMachine tells whether a URL names this machine by a loopback address.
func onThisMachine(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

type benchFloor struct {
	benchLoad
	Payload int  `default:"200" placeholder:"BYTES" help:"Length of the text in a call. Default 200."`
	JSON    bool `name:"json" help:"Print JSON, one value on a line."`
}

func (b *benchFloor) Run(ctx context.Context, con *console) error {
	return runFloor(ctx, con, b.plan(load.Floor, b.Payload, 1, false), b.JSON)
}

type benchCopy struct {
	benchLoad
	Payload int  `default:"65536" placeholder:"BYTES" help:"Length of the file. Default 65536."`
	JSON    bool `name:"json" help:"Print JSON, one value on a line."`
}

func (b *benchCopy) Run(ctx context.Context, con *console) error {
	return runFloor(ctx, con, b.plan(load.FileFloor, b.Payload, 1, false), b.JSON)
}

func runFloor(ctx context.Context, con *console, plan load.Plan, json bool) error {
	if err := plan.Validate(); err != nil {
		return wrongConfiguration{err}
	}
	out := newBenchReport(con, json)
	return out.end(withFloor(ctx, func(floor *load.FloorServer) error {
		result, err := floor.Measure(ctx, plan, out.progress)
		out.add(result)
		return err
	}))
}

// withFloor runs fn while the floor runs in a process of its own, which is this program
// again.
func withFloor(ctx context.Context, fn func(*load.FloorServer) error) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "signet-bench-")
	if err != nil {
		return err
	}
	floor, err := load.StartFloor(ctx, program, dir)
	if err == nil {
		err = fn(floor)
		err = errors.Join(err, floor.Stop())
	}
	return errors.Join(err, os.RemoveAll(dir))
}

type benchFloorServer struct {
	Listen string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Where to listen."`
	Dir    string `required:"" placeholder:"DIR" help:"Where files are copied to."`
}

func (b *benchFloorServer) Run(ctx context.Context, con *console) error {
	l, err := net.Listen("tcp", b.Listen)
	if err != nil {
		return err
	}
	con.printf("base URL http://%s\n", l.Addr())
	return load.ServeFloor(ctx, l, b.Dir)
}
