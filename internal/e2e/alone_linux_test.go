package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"signet/client"
)

// alone is set for a run of this test binary that is in a network of its own.
const alone = "SIGNET_TEST_ALONE"

// TestServerCallsNobody: from the first start on, with people who write and with all that it does by itself, the
// program needs no other machine and asks for none. It runs in a network namespace that has the loopback and no route,
// in which the kernel counts each attempt to reach anybody else; names are looked up at a place that no route leads to.
func TestServerCallsNobody(t *testing.T) {
	if os.Getenv(alone) != "" {
		mustCloseNetwork(t)
		before := mustCountCallsOut(t)
		liveAlone(t)
		if after := mustCountCallsOut(t); after != before {
			t.Errorf("the program tried to call somebody %d times", after-before)
		}
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), self, "-test.run=^TestServerCallsNobody$", "-test.v", "-test.timeout=5m")
	run.Env = append(os.Environ(), alone+"=1", "SIGNET_TEST_PROGRAM="+program)
	run.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	output, err := run.CombinedOutput()
	if err != nil && run.ProcessState == nil { // containers often forbid it
		t.Logf("no network of its own (%v): what the program has open is looked at instead", err)
		liveAlone(t)
		return
	}
	if err != nil || !bytes.Contains(output, []byte("--- PASS: TestServerCallsNobody")) {
		t.Errorf("alone: %v\n%s", err, output)
	}
}

// mustCloseNetwork brings up the loopback of a new network namespace, has names looked up where no route leads, and
// sees that the kernel counts who tries.
func mustCloseNetwork(t *testing.T) {
	t.Helper()
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback); err != nil {
		t.Fatalf("bring the loopback up: %v", err)
	}
	resolver := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(resolver, []byte("nameserver 192.0.2.53\noptions attempts:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatalf("keep mounts to this namespace: %v", err)
	}
	if err := unix.Mount(resolver, at, "", unix.MS_BIND, ""); err != nil {
		t.Fatalf("mount %s: %v", at, err)
	}
	for what, call := range map[string]func(context.Context) error{
		"connection": func(ctx context.Context) error {
			_, err := new(net.Dialer).DialContext(ctx, "tcp", "192.0.2.1:443")
			return err
		},
		"name": func(ctx context.Context) error {
			_, err := (&net.Resolver{PreferGo: true}).LookupHost(ctx, "updates.example.com")
			return err
		},
	} {
		before := mustCountCallsOut(t)
		if err := call(t.Context()); err == nil || mustCountCallsOut(t) == before {
			t.Fatalf("a %s to somebody else is not counted, or there is one (%v)", what, err)
		}
	}
}

// mustCountCallsOut is how often something in this network namespace wanted to send where no route leads.
func mustCountCallsOut(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string // the names, and the figures
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "Ip: "); found {
			rows = append(rows, strings.Fields(rest))
		}
	}
	if len(rows) == 2 {
		for i, name := range rows[0] {
			if name == "OutNoRoutes" {
				n, err := strconv.Atoi(rows[1][i])
				if err == nil {
					return n
				}
			}
		}
	}
	t.Fatalf("the kernel does not count OutNoRoutes:\n%s", text)
	return 0
}

// liveAlone has people write to each other on a new server, its commands look after it, and everything that it does by
// itself happen once.
func liveAlone(t *testing.T) {
	t.Helper()
	s := mustServe(t, freshDirectory(t), "--expiry.sweep=100ms")
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	ctx := t.Context()
	sent, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: "The results are in.", TTL: 1,
		Attachment: &client.Upload{Name: "scan.png", Content: strings.NewReader("a scan")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.Ack(ctx, ids(mustPoll(t, bob))...); err != nil {
		t.Error(err)
	}
	if got := kinds(mustPoll(t, alice), client.EventStatus); len(got) == 0 {
		t.Errorf("the sender of %s sees no status", sent.MessageID)
	}
	for _, command := range [][]string{
		{"status"}, {"backup", filepath.Join(t.TempDir(), "backup")}, {"keys", "verify"}, {"audit", "verify"}, {"version"},
	} {
		run := exec.CommandContext(ctx, program, command...)
		run.Env = []string{"SIGNET_DATA=" + s.dir}
		// The status has an exit code of its own where something needs attention.
		if output, err := run.CombinedOutput(); err != nil && command[0] != "status" {
			t.Errorf("signet %s: %v\n%s", strings.Join(command, " "), err, output)
		}
	}
	eventually(t, "everything in the background was done once", func() bool {
		tasks := 0
		for series, n := range s.mustReadMetrics() {
			if strings.HasPrefix(series, "signet_task_last_success_timestamp_seconds{") {
				if tasks++; n == 0 {
					return false
				}
			}
		}
		return tasks > 5
	})
	wantNoStrangers(t, s.current().command.Process.Pid)
	s.stop()
	s.wantQuietLog()
}

// wantNoStrangers reports sockets of a process that lead to another machine.
func wantNoStrangers(t *testing.T, pid int) {
	t.Helper()
	process := filepath.Join("/proc", strconv.Itoa(pid))
	open, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, entry := range open {
		if to, err := os.Readlink(filepath.Join(process, "fd", entry.Name())); err == nil { // it may be closed by now
			own[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	found := 0
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		text, err := os.ReadFile(filepath.Join(process, "net", table))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			cells := strings.Fields(line) // sl, local, remote, st, queues, tr, retrnsmt, uid, timeout, inode
			if len(cells) < 10 || !own[cells[9]] {
				continue
			}
			found++
			remote, _, _ := strings.Cut(cells[2], ":")
			if strings.Trim(remote, "0") != "" && !strings.HasSuffix(remote, "0100007F") {
				t.Errorf("%s: the program is connected to %s", table, fmt.Sprint(cells[1:3]))
			}
		}
	}
	if found == 0 {
		t.Errorf("the program listens nowhere: %d of its files are open", len(open))
	}
}
