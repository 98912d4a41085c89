package patronitest

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"testing"

	"signet/internal/testenv"
)

// Fault is what happens to the leader, so that another member takes over.
type Fault struct {
	Name string

	// Strike has it happen. What it returns makes the machine whole again, which then follows the new leader.
	Strike func(testing.TB, *Member) (mend func())
}

// Faults are those that a cluster has to survive.
var Faults = []Fault{
	{"the server is killed", killServer},
	{"the machine is lost", loseMachine},
	{"the machine stands still", freezeMachine},
	{"the machine loses etcd", cutFromEtcd},
	{"the machine is cut off", cutOff},
	{"the lead is handed over", handOver},
}

// killServer leaves Patroni, which gives the lead away at once.
func killServer(t testing.TB, m *Member) func() {
	t.Helper()
	m.patroni.mustSignal(t, serverFile, syscall.SIGKILL, false)
	return func() {}
}

// loseMachine leaves nobody who gives the lead away: it ends with the key's life.
func loseMachine(t testing.TB, m *Member) func() {
	t.Helper()
	m.patroni.mustSignal(t, patroniFile, syscall.SIGKILL, false)
	m.patroni.mustSignal(t, serverFile, syscall.SIGKILL, false)
	return func() { m.patroni.mustStart(t) }
}

// freezeMachine leaves connections that nobody answers, and a server that takes itself for the leader when it goes on.
func freezeMachine(t testing.TB, m *Member) func() {
	t.Helper()
	m.mustSignalAll(t, syscall.SIGSTOP)
	return func() { m.mustSignalAll(t, syscall.SIGCONT) }
}

// cutFromEtcd has the leader give up by itself, for it cannot keep its key.
func cutFromEtcd(_ testing.TB, m *Member) func() {
	m.etcd.Cut()
	return m.etcd.Mend
}

// cutOff leaves a leader that nobody reaches, and that reaches nobody.
func cutOff(_ testing.TB, m *Member) func() {
	links := []*testenv.Link{m.clients, m.followers, m.asked, m.etcd}
	for _, l := range links {
		l.Cut()
	}
	return func() {
		for _, l := range links {
			l.Mend()
		}
	}
}

// handOver is what is done before a machine is taken down. Patroni answers when it is over.
func handOver(t testing.TB, m *Member) func() {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		from := fmt.Appendf(nil, `{"leader": %q}`, m.Name)
		status, err := m.ask(context.Background(), http.MethodPost, "/switchover", from, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("it is answered with %d", status)
		}
		done <- err
	}()
	return func() {
		if err := <-done; err != nil {
			t.Fatalf("hand the lead over: %v", err)
		}
	}
}
