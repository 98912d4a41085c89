package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestErasureOfAUserSurvivesKills: the server is killed again and again while it erases what
// a person sent. Nothing of it is left in the end, and everything of others.
func TestErasureOfAUserSurvivesKills(t *testing.T) {
	testenv.Long(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killWhileErasing(t, mustServe(t, freshDirectory(t), unlimited...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := postgrestest.Start(t, durable...)
		killWhileErasing(t, mustServe(t, freshDirectory(t), append([]string{"--database", database.URL(t)}, unlimited...)...))
	})
}

func killWhileErasing(t *testing.T, s *server) {
	const messages = 600
	people := s.mustPeople("ann", "bob", "carl")
	ann, bob, carl := people[0], people[1], people[2]
	bob.Client, carl.Client = s.client(bob.key, bob.secret, persistent), s.client(carl.key, carl.secret, persistent)
	ctx := t.Context()
	group, err := carl.CreateGroup(ctx, client.NewGroup{Name: "Ward", Members: []string{ann.token, bob.token}})
	if err != nil {
		t.Fatal(err)
	}
	var doomed, kept []string
	for n := range messages {
		for _, m := range []struct {
			from person
			to   string
			into *[]string
		}{{ann, bob.token, &doomed}, {bob, ann.token, &doomed}, {carl, bob.token, &kept}, {ann, group.Token, &doomed},
			{bob, group.Token, &kept}} {
			if n%10 > 0 && m.into == &kept {
				continue
			}
			sent, err := m.from.Send(ctx, client.Outgoing{Recipient: m.to, Body: fmt.Sprint(n)})
			if err != nil {
				t.Fatal(err)
			}
			*m.into = append(*m.into, sent.MessageID)
		}
	}
	c := s.mustReadOperator()
	operator := s.client(c.Key, c.Secret, persistent)
	if err := operator.EraseUser(ctx, ann.token, "ann"); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		s.kill()
		s.mustStart()
		if _, err := s.client(ann.key, ann.secret).Self(ctx); !errors.Is(err, client.ErrUnauthorized) {
			t.Fatalf("the erased account is told %v", err)
		}
		time.Sleep(30 * time.Millisecond) // not a wait: the server is killed at some moment of its work
	}
	eventually(t, "all is erased", func() bool {
		for ; len(doomed) > 0; doomed = doomed[1:] { // what is gone is not asked for again
			if _, err := bob.Message(ctx, doomed[0]); !errors.Is(err, client.ErrNotFound) {
				return false
			}
		}
		return true
	})
	for _, id := range kept {
		if _, err := bob.Message(ctx, id); err != nil {
			t.Fatalf("a message between others: %v", err)
		}
	}
	eventually(t, "nobody has a conversation with it", func() bool {
		roster, err := bob.Roster(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range roster {
			if e.Token() == ann.token {
				return false
			}
		}
		return true
	})
	for _, e := range mustQueue(t, bob) {
		if m, err := e.Message(); err == nil && m.SenderToken == ann.token {
			t.Fatalf("bob has an event of it: %s", e.ID)
		}
	}
	wantUnread(t, bob, messages/10)
	s.stop()
	s.wantQuietLog()
}
