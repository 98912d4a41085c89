package stream

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
	"signet/internal/testenv"
)

func TestNodeThatHungNotesItsStreamsAgain(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	watching := j.stream(0, j.pal, "presence", "is-typing")
	hung := j.stream(1, j.one)
	for range 4 {
		j.clock.Advance(nodeRenew)
		j.round(0)
	}
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
	j.round(1)
	hung.wantOpen()
	j.wantStates(j.one, presence.Open)
}

// A store that fails once more while a node comes back ends none of its streams, and leaves none out.
func TestNodeThatHungGoesOnNotingItsStreams(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	hung := []*sink{j.stream(1, j.one), j.stream(1, j.pal)}
	for range 4 {
		j.clock.Advance(nodeRenew)
		j.round(0)
	}
	back := j.servers[1]
	back.engine.fails.Store(2) // the first one takes the lease anew
	if err := back.node.Round(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the round ended with %v, want that the store fails", err)
	}
	j.round(1)
	j.round(1)
	for i, of := range []*model.Actor{j.one, j.pal} {
		hung[i].wantOpen()
		j.wantStates(of, presence.Open)
	}
}

// A node that takes its time over each transaction notes very many streams again before its lease lapses once more.
func TestNodeThatHungNotesManyStreamsWithinALease(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	const many = 40
	for range many {
		j.stream(1, j.one)
	}
	j.clock.Advance(nodeLease + time.Second)
	j.round(0)
	j.wantStates(j.one)
	back := j.servers[1]
	back.engine.lasts.Store(1)
	j.round(1)
	j.round(1)
	back.engine.lasts.Store(0)
	if n := back.node; n.lapsed || len(n.unnoted) > 0 {
		t.Errorf("after two rounds the lease has lapsed: %t, and %d streams are to be noted", n.lapsed, len(n.unnoted))
	}
	open := 0
	for _, s := range j.rows(j.one) {
		if s.Alive && s.State == presence.Open {
			open++
		}
	}
	if open != many {
		t.Errorf("%d streams are open, want %d", open, many)
	}
}

func TestNodeThatStopsLeavesItsStreamsToTheOthers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	watching := j.stream(0, j.pal, "presence", "is-typing")
	stream := j.stream(1, j.one)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		j.servers[1].node.Run(ctx)
	}()
	j.servers[1].hub.Close()
	if e := stream.next(); e.Kind != model.EventReconnect {
		t.Errorf("got %+v, want the word to connect again", e)
	}
	stream.wantEnd()
	stop()
	<-stopped
	j.wantStates(j.one, presence.Closed)
	j.clock.Advance(linger - time.Millisecond)
	j.servers[0].node.renewed = time.Time{} // its time to look for nodes that lapsed
	j.round(0)
	j.wantPresence(watching, j.one.Account)
	j.clock.Advance(time.Millisecond)
	j.servers[0].node.renewed = time.Time{}
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
}
