package e2e

import (
	"fmt"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestManyPeopleSurviveKills: the server is killed again and again while one call makes many
// people. The client repeats the call under its Request-ID, and each is made once.
func TestManyPeopleSurviveKills(t *testing.T) {
	testenv.Long(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killAmongPeople(t, mustServe(t, freshDirectory(t), unlimited...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := postgrestest.Start(t, durable...)
		killAmongPeople(t, mustServe(t, freshDirectory(t), append([]string{"--database", database.URL(t)}, unlimited...)...))
	})
}

func killAmongPeople(t *testing.T, s *server) {
	const people, kills = 80, 3
	c := s.mustReadOperator()
	operator := s.client(c.Key, c.Secret, persistent)
	ctx := t.Context()
	organization, err := operator.CreateOrganization(ctx, "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	members := func() int {
		o, err := operator.Organization(ctx, organization)
		if err != nil {
			t.Fatal(err)
		}
		return o.Members - 1 // the operator
	}
	users := client.NewUsers{RequestID: "import"}
	for i := range people {
		users.Users = append(users.Users, client.NewUser{Username: fmt.Sprint("user", i), Password: "takes its time"})
	}
	type outcome struct {
		results []client.CreateResult
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		results, err := operator.CreateUsers(ctx, organization, users)
		done <- outcome{results, err}
	}()
	for n := range kills {
		before := n * people / (kills + 1)
		eventually(t, "some are made", func() bool { return members() > before })
		s.kill()
		s.mustStart()
	}
	made := map[string]string{}
	for range 2 { // the call that was cut off, and once more
		var got outcome
		select {
		case got = <-done:
		case <-time.After(2 * time.Minute):
			t.Fatal("the call has no answer")
		}
		if got.err != nil {
			t.Fatal(got.err)
		}
		repeated := 0
		for i, r := range got.results {
			if r.User == nil {
				t.Fatalf("%d: %v", i, r.Err)
			}
			if r.Repeated {
				repeated++
			}
			name := r.User.Username
			if token, known := made[name]; known && token != r.User.Token {
				t.Errorf("%s was %s and is %s", name, token, r.User.Token)
			}
			made[name] = r.User.Token
		}
		if repeated == 0 || len(got.results) != people || len(made) != people || members() != people {
			t.Fatalf("%d results, %d of them repeated, %d people, %d members", len(got.results), repeated, len(made), members())
		}
		results, err := operator.CreateUsers(ctx, organization, users)
		done <- outcome{results, err}
	}
	s.stop()
	s.wantQuietLog()
}
