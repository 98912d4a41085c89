package patronitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"signet/internal/testenv"
)

// Member is one of the machines: Patroni and its PostgreSQL server, and PgBouncer where the cluster has it.
type Member struct {
	Name string

	patroni *process
	pooler  *process // nil where there is none
	server  string   // where PostgreSQL listens
	api     string   // where Patroni's interface listens

	// The links by which others reach the machine, and it etcd.
	clients   *testenv.Link // to the pooler, or to the server where there is none
	followers *testenv.Link // to the server, from the other members'
	asked     *testenv.Link // to Patroni's interface, from the other members
	etcd      *testenv.Link
}

// state is what Patroni says of its server.
type state struct {
	Replication []struct {
		State     string `json:"state"`
		SyncState string `json:"sync_state"`
	} `json:"replication"`
}

// overview is what Patroni says of all members.
type overview struct {
	Members []struct {
		Name string `json:"name"`
		Role string `json:"role"`
	} `json:"members"`
}

// apiTimeout is how long Patroni may take to answer. A switchover is answered when it is over.
const apiTimeout = time.Minute

// ask calls Patroni's interface, past all links. It returns the status, and puts the answer where it is wanted.
func (m *Member) ask(ctx context.Context, method, path string, body []byte, into any) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+m.api+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if into == nil {
		return answer.StatusCode, nil
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return answer.StatusCode, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return answer.StatusCode, nil
}

// leads reports whether Patroni says that its server is the one that may be written to. One that does not answer
// within a second does not lead.
func (m *Member) leads(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	status, err := m.ask(ctx, http.MethodGet, "/primary", nil, nil)
	return err == nil && status == http.StatusOK
}

// complete reports whether the member leads all others: both follow it, and Patroni has put down which of them has
// every commit, so that it may take over.
func (m *Member) complete(ctx context.Context) bool {
	var s state
	var o overview
	if _, err := m.ask(ctx, http.MethodGet, "/patroni", nil, &s); err != nil || len(s.Replication) != members-1 {
		return false
	}
	synchronous := 0
	for _, follower := range s.Replication {
		if follower.State != "streaming" {
			return false
		}
		if follower.SyncState == "sync" {
			synchronous++
		}
	}
	if _, err := m.ask(ctx, http.MethodGet, "/cluster", nil, &o); err != nil || len(o.Members) != members {
		return false
	}
	heirs := 0
	for _, each := range o.Members {
		if each.Role == "sync_standby" {
			heirs++
		}
	}
	return synchronous == 1 && heirs == 1
}

// The files with the numbers of a member's processes.
const (
	patroniFile = "child"
	serverFile  = "data/postmaster.pid"
	poolerFile  = "pid"
)

// mustSignalAll sends a signal to all processes of the machine.
func (m *Member) mustSignalAll(t testing.TB, which syscall.Signal) {
	t.Helper()
	m.patroni.mustSignal(t, patroniFile, which, true)
	m.patroni.mustSignal(t, serverFile, which, true)
	if m.pooler != nil {
		m.pooler.mustSignal(t, poolerFile, which, false)
	}
}
