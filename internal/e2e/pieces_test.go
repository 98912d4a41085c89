package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestWorkInPiecesSurvivesKills: people enter a group with a long history, and a long queue
// is emptied, while messages are sent and the server is killed again and again. Nothing is
// lost, doubled or out of order.
func TestWorkInPiecesSurvivesKills(t *testing.T) {
	testenv.Long(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killInPieces(t, mustServe(t, freshDirectory(t), unlimited...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := postgrestest.Start(t, durable...)
		killInPieces(t, mustServe(t, freshDirectory(t), append([]string{"--database", database.URL(t)}, unlimited...)...))
	})
}

func killInPieces(t *testing.T, s *server) {
	const before, during, newcomers = 200, 60, 60
	names := []string{"ann", "bob"}
	for i := range newcomers {
		names = append(names, fmt.Sprint("new", i))
	}
	people := s.mustPeople(names...)
	ctx := t.Context()
	ann, bob, coming := people[0], people[1], people[2:]
	ann.Client = s.client(ann.key, ann.secret, persistent)
	bob.Client = s.client(bob.key, bob.secret, persistent)
	group, err := ann.CreateGroup(ctx, client.NewGroup{Name: "Ward", Members: []string{bob.token}, ReplayHistory: true})
	if err != nil {
		t.Fatal(err)
	}
	send := func(to string, n int) {
		if _, err := ann.Send(ctx, client.Outgoing{Recipient: to, Body: strconv.Itoa(n)}); err != nil {
			t.Errorf("message %d: %v", n, err)
		}
	}
	for n := range before {
		send(group.Token, n)
	}
	for n := range 400 { // so that bob's queue is too long to be emptied in one transaction
		send(bob.token, n)
	}
	var tokens []string
	for _, p := range coming {
		tokens = append(tokens, p.token)
	}

	var work sync.WaitGroup
	work.Go(func() {
		if err := ann.AddMembers(ctx, group.Token, tokens...); err != nil {
			t.Errorf("people enter: %v", err)
		}
		for n := before; n < before+during; n++ {
			send(group.Token, n)
			time.Sleep(20 * time.Millisecond) // not a wait: it goes on while the server is killed
		}
	})
	var emptied []string // what bob had when its queue was emptied
	work.Go(func() {
		emptied = ids(mustQueue(t, bob))
		for { // the client does not repeat a call that was cut off
			if _, err := bob.DeleteEvents(ctx, false); err == nil {
				break
			} else if ctx.Err() != nil {
				t.Errorf("the queue is emptied: %v", err)
				return
			}
			time.Sleep(10 * time.Millisecond) // while the server starts
		}
		for _, e := range mustQueue(t, bob) {
			if slices.Contains(emptied, e.ID) {
				t.Errorf("event %s comes after it was deleted", e.ID)
				return
			}
		}
	})
	for range 6 {
		time.Sleep(250 * time.Millisecond) // not a wait: the server is killed at some moment of its work
		s.kill()
		s.mustStart()
	}
	work.Wait()

	var want []string
	for n := range before + during {
		want = append(want, strconv.Itoa(n))
	}
	for _, reader := range coming {
		reader.Client = s.client(reader.key, reader.secret, persistent)
		wantHistory(t, reader, want)
	}
	for _, e := range mustQueue(t, bob) {
		if slices.Contains(emptied, e.ID) {
			t.Fatalf("event %s came back", e.ID)
		}
	}
	s.stop()
	s.wantQuietLog()
}

// wantHistory waits until a new member has all messages of a group, in their order.
func wantHistory(t *testing.T, reader person, want []string) {
	t.Helper()
	var got []string
	eventually(t, "a new member has all messages", func() bool {
		got = nil
		for _, e := range kinds(mustQueue(t, reader), client.EventGroupMessage) {
			m, err := e.Message()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Body)
		}
		return len(got) >= len(want)
	})
	if !slices.Equal(got, want) {
		t.Fatalf("a new member reads %v", got)
	}
	wantUnread(t, reader, len(want))
}

// mustQueue reads a whole queue and leaves it as it is.
func mustQueue(t *testing.T, p person) (out []client.Event) {
	t.Helper()
	for after := ""; ; {
		events, err := p.Poll(t.Context(), client.PollOptions{Limit: 1000, After: after})
		if err != nil {
			t.Error(err)
			return out
		}
		if len(events) == 0 {
			return out
		}
		out, after = append(out, events...), events[len(events)-1].ID
	}
}
