package service

import (
	"testing"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// A database shows what its server has alone, where the wait for the replica was ended. Who sends again under a
// Request-ID, since the answer was lost, is not told of such a message before the replica has it.
func TestARepeatedSendWaitsForTheReplica(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	url := primary.URL(t)
	c := newClusterOn(t, Limits{}, url+"&synchronous_commit=local", url) // the first node waits for no replica
	o := c.organization()
	alice, bob := c.member(o, "alice"), c.member(o, "bob")
	once := func(s *SendCommand) { s.RequestID = "once" }

	standby.Stop(t, false)
	sent := c.mustSend(alice, bob.Account.String(), once)
	answered := make(chan Sent, 1)
	failed := make(chan error, 1)
	go func() {
		again, err := c.send(c.nodes[1], alice, bob.Account.String(), once)
		if err != nil {
			failed <- err
			return
		}
		answered <- again
	}()
	for waiting := 0; waiting == 0; {
		select {
		case <-answered:
			t.Fatal("it was answered while no replica had it")
		case err := <-failed:
			t.Fatal(err)
		default:
		}
		waiting = view(c, func(tx *store.Tx) (n int, err error) {
			_, err = tx.One(`SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`, nil, &n)
			return n, err
		})
	}
	standby.Restart(t)
	select {
	case again := <-answered:
		if !again.Repeated || again.Message != sent {
			t.Errorf("got %+v, want message %s again", again, sent)
		}
	case err := <-failed:
		t.Fatal(err)
	}
}
