package app_test

import (
	"testing"

	"signet/client"
	"signet/internal/testenv"
)

// Each server tells of all that share its database, and of those that have ended; what only
// it knows it tells of itself alone.
func TestStatusTellsOfAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, 2, "")
	status := func(node int) *client.InstallationStatus {
		t.Helper()
		s, err := c.nodes[node].Operator.Client.InstallationStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	alive := func(s *client.InstallationStatus) (n int) {
		for _, node := range s.Nodes {
			if node.Alive {
				n++
			}
		}
		return n
	}
	answered := map[string]bool{}
	c.listen(0, c.Alice)
	for i, streams := range []int{1, 0} {
		s := status(i)
		if len(s.Nodes) != 2 || alive(s) != 2 || s.Store != "postgresql" || s.Backup != nil {
			t.Errorf("server %d tells of %+v", i, s)
		}
		if s.Server.Streams != streams {
			t.Errorf("server %d tells of %d streams, want %d", i, s.Server.Streams, streams)
		}
		for n, node := range s.Nodes {
			if node.Answers {
				answered[node.StartedTime.String()] = true
			}
			if node.Version != s.Server.Version || node.HeardTime.Before(node.StartedTime) {
				t.Errorf("server %d tells of node %d that it is %+v", i, n, node)
			}
		}
	}
	if len(answered) != 2 {
		t.Errorf("%d servers have answered, want 2", len(answered))
	}
	c.nodes[0].Stop()
	eventually(t, "the server that has ended is not alive", func() bool {
		s := status(1)
		return len(s.Nodes) == 2 && alive(s) == 1
	})
}
