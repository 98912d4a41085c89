package load

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Process is a server that a run started for itself.
type Process struct {
	BaseURL string
	PID     int

	command *exec.Cmd
	ended   chan struct{} // closed when it has ended
	err     error         // set before ended is closed
	log     tail
}

const (
	// startTime is how long a server may take until it listens.
	startTime = time.Minute
	// stopTime is how long it may take to end, before it is made to.
	stopTime = 30 * time.Second
)

// start runs a program that prints its base URL on a line. It gets this program's
// environment without the settings of servers, so that those of another server do not
// hold for it.
func start(ctx context.Context, program string, environment []string, arguments ...string) (*Process, error) {
	p := &Process{command: exec.Command(program, arguments...), ended: make(chan struct{})}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "SIGNET_") {
			p.command.Env = append(p.command.Env, entry)
		}
	}
	p.command.Env = append(p.command.Env, environment...)
	p.command.Stderr = &p.log
	out, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	p.PID = p.command.Process.Pid
	listening := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, base, found := strings.Cut(lines.Text(), "base URL "); found && len(listening) == 0 {
				listening <- base
			}
		}
		_, _ = io.Copy(io.Discard, out)
		p.err = p.command.Wait()
	}()
	late := time.NewTimer(startTime)
	defer late.Stop()
	select {
	case p.BaseURL = <-listening:
		return p, nil
	case <-p.ended:
		err = errors.Join(errors.New("it ended"), p.err)
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = fmt.Errorf("it does not listen after %v", startTime)
	}
	p.Kill()
	return nil, fmt.Errorf("start %s %s: %w\n%s", filepath.Base(program), arguments[0], err, p.log.text())
}

// Stop ends the process and waits for that. What it logged is part of the error
// when it did not end well.
func (p *Process) Stop() error {
	if p.command.Process.Signal(os.Interrupt) != nil { // it has ended, or signals are unknown here
		_ = p.command.Process.Kill()
	}
	late := time.NewTimer(stopTime)
	defer late.Stop()
	select {
	case <-p.ended:
	case <-late.C:
		_ = p.command.Process.Kill()
		<-p.ended
	}
	if p.err != nil {
		return fmt.Errorf("the server that was started ended: %w\n%s", p.err, p.log.text())
	}
	return nil
}

// Kill ends the process as a crash would, and waits for that. One that has ended stays
// as it is.
func (p *Process) Kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

// tail keeps the end of what a process logs. It is safe for concurrent use.
type tail struct {
	mu    sync.Mutex // guards what follows
	bytes []byte
}

// tailLength is how much is kept.
const tailLength = 8 << 10

// Write keeps the end.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes = append(t.bytes, b...)
	if more := len(t.bytes) - tailLength; more > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[more:]...)
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.bytes))
}

// Own says what server a run starts for itself.
type Own struct {
	Program  string   // signet
	Data     string   // its data directory, which must be empty
	Database string   // URL of a PostgreSQL database, which must be empty; "": the embedded store
	Postgres int      // the process id of its postmaster, where it is on this machine
	Listen   string   // its address; "": a free port of this machine
	Settings []string // further flags of signet serve
}

// StartNode runs a further server without limits, on the database of another one.
func StartNode(ctx context.Context, o Own) (*Process, error) {
	arguments := []string{"serve", "--listen", cmp.Or(o.Listen, "127.0.0.1:0"), "--data", o.Data, "--log.level", "warn",
		"--limits.messages-per-day", "0", "--limits.requests-per-second", "0"}
	var environment []string
	if o.Database != "" { // with its password, which is not for the list of processes
		environment = []string{"SIGNET_DATABASE=" + o.Database}
	}
	return start(ctx, o.Program, environment, append(arguments, o.Settings...)...)
}

// StartServer runs a server without limits. It returns it as a target, on which
// nothing has to be cleaned up.
func StartServer(ctx context.Context, o Own) (*Process, *Target, error) {
	p, err := StartNode(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	t := &Target{BaseURL: p.BaseURL, Servers: []int{p.PID}, Database: o.Postgres, Keep: true}
	text, err := os.ReadFile(filepath.Join(o.Data, "operator.json"))
	if err == nil {
		err = json.Unmarshal(text, &struct {
			Key    *string `json:"api_key"`
			Secret *string `json:"api_secret"`
		}{&t.Key, &t.Secret})
	}
	if err == nil && t.Key == "" {
		err = errors.New("the database has an operator already, whose key is not known: give one that is empty")
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read the server's credentials: %w", err), p.Stop())
	}
	return p, t, nil
}
