package e2e

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestErasureOfAnOrganizationSurvivesKills: the server is killed again and again while it takes
// the members out of a deleted organization. From the answer on nobody is in it; in the end
// each was told once, and one of the same name has nothing of it.
func TestErasureOfAnOrganizationSurvivesKills(t *testing.T) {
	testenv.Long(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killWhileEnding(t, mustServe(t, freshDirectory(t), unlimited...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := postgrestest.Start(t, durable...)
		killWhileEnding(t, mustServe(t, freshDirectory(t), append([]string{"--database", database.URL(t)}, unlimited...)...))
	})
}

func killWhileEnding(t *testing.T, s *server) {
	const people, name, kills = 1500, "General Hospital", 3
	c := s.mustReadOperator()
	operator := s.client(c.Key, c.Secret, persistent)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	doomed, err := operator.CreateOrganization(ctx, name, client.OrganizationSettings{})
	must(err)
	numbers := make([]int, people)
	for i := range numbers {
		numbers[i] = i
	}
	var made []client.CreateResult
	for some := range slices.Chunk(numbers, 500) {
		users := client.NewUsers{}
		for _, n := range some {
			users.Users = append(users.Users, client.NewUser{Username: fmt.Sprint("user", n), IssueKey: n%100 == 0})
		}
		results, err := operator.CreateUsers(ctx, doomed, users)
		must(err)
		made = append(made, results...)
	}
	var keyed []person
	for _, r := range made {
		if r.User == nil {
			t.Fatal(r.Err)
		}
		if r.User.APIKey != "" {
			keyed = append(keyed, person{Client: s.client(r.User.APIKey, r.User.APISecret, persistent)})
		}
	}
	ann := keyed[0]
	_, err = ann.Send(ctx, client.Outgoing{Recipient: "user100", Body: "x"})
	must(err)
	must(operator.DeleteOrganization(ctx, doomed, name))
	for range kills {
		s.kill()
		s.mustStart()
		if _, err := operator.Organization(ctx, doomed); !errors.Is(err, client.ErrNotFound) {
			t.Fatalf("the organization is shown: %v", err)
		}
		for _, k := range keyed {
			in, err := k.UserOrganizations(ctx, "me")
			must(err)
			if len(in) > 0 {
				t.Fatalf("somebody is in %+v", in)
			}
		}
		if _, err := ann.Send(ctx, client.Outgoing{Recipient: "user100", Body: "x"}); !errors.Is(err, client.ErrNotFound) {
			t.Fatalf("a message is sent there: %v", err)
		}
	}
	for i, k := range keyed {
		eventually(t, "each is told once, of nothing else", func() bool {
			queue := mustQueue(t, k)
			if len(queue) > 1 {
				t.Fatalf("user%d has %d events", 100*i, len(queue))
			}
			return len(queue) == 1
		})
	}
	again, err := operator.CreateOrganization(ctx, name, client.OrganizationSettings{})
	must(err)
	o, err := operator.Organization(ctx, again)
	must(err)
	if o.Members > 1 {
		t.Fatalf("one of the same name has %d members", o.Members)
	}
	s.stop()
	s.wantQuietLog()
}
