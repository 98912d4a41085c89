package e2e

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// cluster is several servers on one database, with a client that goes to another
// one with every request, as through a load balancer that keeps no client to a node.
type cluster struct {
	t     *testing.T
	nodes []*server
	http  *http.Client
	turn  atomic.Uint64
	out   atomic.Pointer[server] // the one that gets no new connections; nil: none
}

const clusterNodes = 3

// mustServeCluster starts the nodes of a cluster on a database.
func mustServeCluster(t *testing.T, database string, args ...string) *cluster {
	t.Helper()
	return mustServeNodes(t, clusterNodes, database, args...)
}

// mustServeNodes is mustServeCluster with another number of nodes.
func mustServeNodes(t *testing.T, nodes int, database string, args ...string) *cluster {
	t.Helper()
	return mustServeProgram(t, program, nodes, database, args...)
}

// mustServeProgram is mustServeNodes with another version of the program.
func mustServeProgram(t *testing.T, program string, nodes int, database string, args ...string) *cluster {
	t.Helper()
	c := &cluster{t: t}
	// A connection for each request: a kept one would stay with its node.
	transport := &http.Transport{DialContext: c.dial, DisableKeepAlives: true, DisableCompression: true}
	c.http = &http.Client{Transport: transport}
	// They share a key ring, and the same master key was given to each.
	master := filepath.Join(t.TempDir(), "master.json")
	made, err := exec.CommandContext(t.Context(), program, "keys", "generate").Output()
	if err == nil {
		err = os.WriteFile(master, made, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--database", database, "--keyring", postgrestest.URL(t), "--master-key", "file:" + master},
		args...)
	for range nodes {
		node := newServer(t, freshDirectory(t), append(args, unlimited...)...)
		node.program = program
		node.mustStart()
		c.nodes = append(c.nodes, node)
	}
	return c
}

// dial connects to the node whose turn it is, or to the next that answers.
func (c *cluster) dial(ctx context.Context, _, _ string) (conn net.Conn, err error) {
	first := c.turn.Add(1)
	for i := range uint64(len(c.nodes)) {
		node := c.nodes[(first+i)%uint64(len(c.nodes))]
		if node == c.out.Load() {
			continue
		}
		if conn, err = node.dial(ctx, "", ""); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// campaign begins one through all nodes.
func (c *cluster) campaign() *campaign {
	c.t.Helper()
	return newCampaign(c.t, c.nodes[0].mustPeople(campaigners()...), c.http, 0)
}

// end stops the nodes and reports what they logged of defects.
func (c *cluster) end() {
	c.t.Helper()
	for _, node := range c.nodes {
		node.stop()
		node.wantQuietLogBut("the database does not answer") // as some of these tests have it
	}
}

// durable makes a database server as safe as it is by itself.
var durable = []string{"fsync = on", "full_page_writes = on"}

// TestKilledNodesLoseNothing: nodes die in the middle of their work, one after the
// other, and the others go on.
func TestKilledNodesLoseNothing(t *testing.T) {
	testenv.Long(t)
	database := postgrestest.Start(t, durable...)
	c := mustServeCluster(t, database.URL(t))
	campaign := c.campaign()
	campaign.wage(5*time.Minute, func() {
		for range 6 {
			campaign.waitForProgress(150)
			node := c.nodes[rand.IntN(len(c.nodes))]
			node.kill()
			campaign.waitForProgress(50) // by the others
			node.mustStart()
		}
	})
	c.end()
	t.Logf("%d messages, of which %d were repeated", campaign.total(), repeats(campaign.senders))
}

// TestDatabaseThatStopsAndStartsLosesNothing: the database goes away in good order
// and as in a crash, and comes back.
func TestDatabaseThatStopsAndStartsLosesNothing(t *testing.T) {
	testenv.Long(t)
	database := postgrestest.Start(t, durable...)
	c := mustServeCluster(t, database.URL(t))
	campaign := c.campaign()
	campaign.wage(5*time.Minute, func() {
		for _, inOrder := range []bool{true, false, false} {
			campaign.waitForProgress(200)
			database.Stop(t, inOrder)
			eventually(t, "the nodes say that they are not ready", func() bool { return !c.anyReady() })
			database.Restart(t)
		}
		campaign.waitForProgress(200)
	})
	c.end()
	t.Logf("%d messages, of which %d were repeated", campaign.total(), repeats(campaign.senders))
}

// TestPromotedReplicaHasEverything: the database is lost, and its synchronous
// replica takes over; the nodes, which were told of both, go there by themselves.
func TestPromotedReplicaHasEverything(t *testing.T) {
	testenv.Long(t)
	primary := postgrestest.Start(t, durable...)
	standby := primary.StartStandby(t, durable...)
	url := primary.URL(t)
	c := mustServeCluster(t, postgrestest.Through(t, url, primary.Addr()+","+standby.Addr()))
	campaign := c.campaign()
	campaign.wage(5*time.Minute, func() {
		campaign.waitForProgress(400)
		primary.Stop(t, false)
		standby.Promote(t)
		campaign.waitForProgress(400)
	})
	c.end()
	t.Logf("%d messages, of which %d were repeated", campaign.total(), repeats(campaign.senders))
}

// anyReady reports whether a node would be sent requests by a load balancer.
func (c *cluster) anyReady() bool {
	return slices.ContainsFunc(c.nodes, (*server).ready)
}

// ready reports whether a load balancer would send the server requests.
func (s *server) ready() bool {
	answer, err := s.http.Get(anyServer + "/readyz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // nothing of it is read
	return answer.StatusCode == http.StatusOK
}
