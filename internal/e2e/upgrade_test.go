package e2e

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestUpgradesServerByServerFailNoRequest: the servers of an installation are replaced one
// after the other, while people send and read through all of them: by the version before
// where there is one, by one that adds to the data (expand), and by one that removes what is
// no longer used (contract). So old and new ones run side by side on one database. No
// request fails, nothing is lost, doubled or out of order.
func TestUpgradesServerByServerFailNoRequest(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	expanding, contracting := mustBuildLater(t, false), mustBuildLater(t, true)
	c := mustServeVersionBefore(t)
	campaign := c.campaign()
	campaign.impatient(c.http)
	campaign.wage(10*time.Minute, func() {
		campaign.waitForProgress(100)
		this := store.SchemaVersion()
		for _, next := range []struct {
			program string
			schema  int
		}{{program, this}, {expanding, this + 1}, {contracting, this + 2}} {
			for _, node := range c.nodes {
				if node.program != next.program {
					c.replace(node, next.program)
				}
				if got := node.schema(); got != next.schema {
					t.Errorf("a server that was replaced works with version %d of the data, want %d", got, next.schema)
				}
				campaign.waitForProgress(100)
			}
		}
	})
	c.end()
	if n := repeats(campaign.senders); n > 0 {
		t.Errorf("%d messages were repeated", n)
	}
	t.Logf("%d messages", campaign.total())
}

// mustServeVersionBefore starts a cluster of the last release, or of this version where
// there is none.
func mustServeVersionBefore(t *testing.T) *cluster {
	t.Helper()
	before, found := mustBuildReleased(t)
	if !found {
		before = program
	}
	c := mustServeProgram(t, before, clusterNodes, postgrestest.Start(t, durable...).URL(t), "--shutdown.delay=1s")
	if store.Today().NeededBy() > c.nodes[0].schema() { // the notes of the upgrade say to stop all servers
		for _, node := range c.nodes {
			node.stop()
		}
		for _, node := range c.nodes {
			node.program = program
			node.mustStart()
		}
	}
	return c
}

// replace stops a server as a rolling update does, and starts another program in its place:
// it gets no new connections from the moment on that it is told to stop.
func (c *cluster) replace(node *server, by string) {
	c.t.Helper()
	c.out.Store(node)
	node.stop()
	node.program = by
	node.mustStart()
	eventually(c.t, "the server is ready again", node.ready)
	c.out.Store(nil)
}

// schema is the version of the data that the program which runs works with.
func (s *server) schema() int {
	s.t.Helper()
	label := regexp.MustCompile(`^signet_build_info\{.*schema="(\d+)"`)
	for series := range s.mustReadMetrics() {
		if m := label.FindStringSubmatch(series); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatal("the server does not tell the version of its data")
	return 0
}
