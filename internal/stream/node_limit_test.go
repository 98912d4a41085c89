package stream

import (
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store/presence"
	"signet/internal/testenv"
)

// wantCrowdedOut waits until the stream has ended because its account has opened others.
func (s *sink) wantCrowdedOut() {
	s.t.Helper()
	s.wantEnd()
	if !s.waits.Load() {
		s.t.Error("the client of a stream that made room for another is not told to wait")
	}
}

func TestStreamsPastTheLimitEndOnWhicheverNode(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 2)
	oldest, second := j.stream(0, j.one), j.stream(1, j.one)
	other := j.stream(0, j.pal)
	third := j.stream(1, j.one)
	j.wantStates(j.one, presence.Replaced, presence.Open, presence.Open)
	j.round(0) // where nobody has told it
	oldest.wantCrowdedOut()
	j.stream(1, j.one)
	second.wantCrowdedOut() // on the same node at once
	j.round(0)
	j.round(1)
	third.wantOpen()
	other.wantOpen()
	j.wantStates(j.one, presence.Closed, presence.Closed, presence.Open, presence.Open)
}

func TestNodeThatNotesItsStreamsAgainEndsNoneOfThem(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 2)
	first, second := j.stream(0, j.one), j.stream(0, j.one)
	j.clock.Advance(nodeLease + time.Second) // and no other node has removed them
	j.round(0)
	j.round(0)
	first.wantOpen()
	second.wantOpen()
	j.wantStates(j.one, presence.Open, presence.Open)
}

func TestNodesKeepToTheStreamsOfAnAccount(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const limit = 3
	j := newPeople(t, limit)
	var group sync.WaitGroup
	for i := range 10 { // at once
		group.Go(func() { j.stream(i%2, j.one) })
	}
	group.Wait()
	j.round(0)
	j.round(1)
	j.wantCount(j.one, limit)
}

func TestNodeThatHungKeepsToTheStreamsOfAnAccount(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const limit = 2
	j := newPeople(t, limit)
	for range limit {
		j.stream(1, j.one)
	}
	j.clock.Advance(nodeLease + time.Second)
	j.round(0)
	j.wantCount(j.one, 0)
	j.stream(0, j.one) // there is room for it
	j.round(1)
	j.wantCount(j.one, limit)
}

// wantCount compares how many streams of an account are open.
func (j *nodes) wantCount(actor *model.Actor, want int) {
	j.t.Helper()
	open := 0
	for _, state := range j.states(actor) {
		if state == presence.Open {
			open++
		}
	}
	if open != want {
		j.t.Errorf("%d streams are open, want %d", open, want)
	}
}
