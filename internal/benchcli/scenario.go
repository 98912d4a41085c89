package benchcli

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/internal/commandline"
	"signet/internal/load"
)

// loadFlags are the flags that say how much load there is.
type loadFlags struct {
	Connections int           `short:"c" default:"16" placeholder:"N" help:"Operations that may be under way at once, each on a connection of its own. Default 16."`
	Rate        float64       `placeholder:"N" help:"Begin so many operations a second, whether or not earlier ones have ended. Without it, each connection begins the next when the last has ended."`
	Duration    time.Duration `short:"d" default:"10s" placeholder:"TIME" help:"How long to measure. Default 10s."`
	Warmup      time.Duration `default:"2s" placeholder:"TIME" help:"How long to run before that. Default 2s."`
}

// targetFlags are the flags that say which server is under load.
type targetFlags struct {
	commandline.Access
	loadFlags
	JSON        bool   `name:"json" help:"Print JSON, one value on a line."`
	URL         string `name:"url" placeholder:"URL" help:"The server [SIGNET_URL, default the base_url of operator.json]."`
	PID         []int  `name:"pid" placeholder:"PID" help:"Processes of the server on this machine, to measure what they use; default that which has the data directory."`
	DatabasePID int    `name:"database-pid" placeholder:"PID" help:"The postmaster of its PostgreSQL on this machine, which counts with all of its children."`
	Floor       bool   `default:"true" negatable:"" help:"Measure the floor right before and after, where the server is on this machine."`
}

// messageFlags are the flags of scenarios that send.
type messageFlags struct {
	Payload   int  `default:"200" placeholder:"BYTES" help:"Length of a message's body. Default 200."`
	RequestID bool `name:"request-id" help:"Give every message a Request-ID, as the Go client does."`
}

type sendCommand struct {
	targetFlags
	messageFlags
}

type attachmentsCommand struct {
	targetFlags
	Payload   int  `default:"65536" placeholder:"BYTES" help:"Length of the file. Default 65536."`
	RequestID bool `name:"request-id" help:"Give every message a Request-ID, as the Go client does."`
}

type pollCommand struct {
	targetFlags
	Payload int `default:"200" placeholder:"BYTES" help:"Length of a message's body. Default 200."`
}

type historyCommand struct{ pollCommand }

type ackCommand struct {
	targetFlags
	messageFlags
}

type unreadCommand struct{ targetFlags }

type searchCommand struct {
	targetFlags
	Members int `default:"1000" placeholder:"N" help:"People in the organization. Default 1000."`
}

type groupCommand struct {
	targetFlags
	messageFlags
	Members int `default:"10" placeholder:"N" help:"Members of the group. Default 10."`
}

type deliverCommand struct {
	targetFlags
	messageFlags
	Members int `default:"1" placeholder:"N" help:"Members of the group, all with a stream. Default 1: no group, each connection sends to one person."`
}

type streamsCommand struct {
	targetFlags
	Members int `default:"1000" placeholder:"N" help:"How many streams, each of another person. Default 1000."`
}

type mixedCommand struct {
	targetFlags
	messageFlags
	Members int `default:"1000" placeholder:"N" help:"People in the organization. Default 1000."`
}

type soakCommand struct {
	targetFlags
	messageFlags
	Members int           `default:"1000" placeholder:"N" help:"People in the organization. Default 1000."`
	TTL     int           `name:"ttl" default:"5" placeholder:"MINUTES" help:"How long a message lives. Default 5."`
	Sample  time.Duration `placeholder:"TIME" help:"With --json, take figures so often on the way. Without it, at the end only."`
}

// The scenarios with their plans. What a scenario has no use for is 1.
func (b *sendCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Send, b.Payload, 1, b.RequestID))
}

func (b *attachmentsCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Attachments, b.Payload, 1, b.RequestID))
}

func (b *pollCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Poll, b.Payload, 1, false))
}

func (b *historyCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.History, b.Payload, 1, false))
}

func (b *ackCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Acknowledge, b.Payload, 1, b.RequestID))
}

func (b *unreadCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Unread, 1, 1, false))
}

func (b *searchCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Search, 1, b.Members, false))
}

func (b *groupCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Group, b.Payload, b.Members, b.RequestID))
}

func (b *deliverCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Deliver, b.Payload, b.Members, b.RequestID))
}

func (b *streamsCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Streams, 1, b.Members, false))
}

func (b *mixedCommand) Run(ctx context.Context, con *console) error {
	return b.run(ctx, con, b.plan(load.Mixed, b.Payload, b.Members, b.RequestID))
}

func (b *soakCommand) Run(ctx context.Context, con *console) error {
	plan := b.plan(load.Soak, b.Payload, b.Members, b.RequestID)
	plan.TTL, plan.Sample = b.TTL, b.Sample
	return b.run(ctx, con, plan)
}

func (b *loadFlags) plan(scenario string, payload, members int, requestID bool) load.Plan {
	return load.Plan{Scenario: scenario, Connections: b.Connections, Rate: b.Rate, Duration: b.Duration, Warmup: b.Warmup,
		Payload: payload, Members: members, RequestID: requestID}
}

// run puts the server under load and prints what came of it.
func (b *targetFlags) run(ctx context.Context, con *console, plan load.Plan) error {
	if err := plan.Validate(); err != nil {
		return wrongConfiguration{err}
	}
	target, err := b.target(con)
	if err != nil {
		return err
	}
	out := newReport(con, b.JSON)
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
func (b *targetFlags) target(con *console) (*load.Target, error) {
	found, err := b.Credentials(con.env, b.URL)
	if err != nil {
		return nil, wrongConfiguration{err}
	}
	t := &load.Target{BaseURL: found.BaseURL, Key: found.Key, Secret: found.Secret, Servers: b.PID,
		Database:     b.DatabasePID,
		VendorPrefix: con.env.Variable("SIGNET_VENDOR_PREFIX"), VendorNamespace: con.env.Variable("SIGNET_VENDOR_NAMESPACE")}
	for _, pid := range append(slices.Clip(b.PID), b.DatabasePID) {
		if pid != 0 && !load.Running(pid) {
			return nil, wrongConfiguration{fmt.Errorf("what process %d uses cannot be read: it has to run on this machine, "+
				"and this has to be Linux", pid)}
		}
	}
	if len(t.Servers) == 0 && found.Local && onThisMachine(t.BaseURL) {
		// The server writes its number into the directory's lock.
		text, err := os.ReadFile(filepath.Join(b.Directory(con.env), "lock"))
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
