package app_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

// TestTheAuditLogIsFollowedOnEveryServer: what one server writes is on the stream of another,
// each entry once, and the stream ends with the right to it, wherever that ended.
func TestTheAuditLogIsFollowedOnEveryServer(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		entries := make(chan client.AuditEntry, 1000)
		ended := make(chan error, 1)
		dana := c.at(1, c.Dana)
		go func() {
			for e, err := range dana.AuditFollow(ctx, c.Organization, client.AuditFollowOptions{After: new(int64)}) {
				if err != nil {
					ended <- err
					return
				}
				entries <- e
			}
		}()
		var last int64
		next := func(until string) (slowest time.Duration) {
			t.Helper()
			for began := time.Now(); ; {
				select {
				case e := <-entries:
					if e.Number != last+1 {
						t.Fatalf("entry %d comes after %d", e.Number, last)
					}
					if last = e.Number; e.Action == until {
						return time.Since(began)
					}
				case err := <-ended:
					t.Fatalf("it ends with %v", err)
				}
			}
		}
		next("audit.read") // its opening
		for range 5 {
			c.must(c.Operator.Client.DisableUser(t.Context(), c.Bob.Token))
			if took := next("user.disable"); took > within {
				t.Errorf("an entry of another server came after %v", took)
			}
			c.must(c.Operator.Client.EnableUser(t.Context(), c.Bob.Token))
			next("user.enable")
		}
		// The platform's entries too.
		for e, err := range c.at(1, c.Operator).AuditFollow(ctx, "", client.AuditFollowOptions{}) {
			if err != nil || e.Action != "audit.read" {
				t.Errorf("got %v %v", e, err)
			}
			break
		}
		// One administrator has to be left.
		_, err := c.Operator.Client.GrantRole(t.Context(), c.Bob.Token, c.Organization, client.RoleAdmin)
		c.must(err)
		c.must(c.Operator.Client.RemoveFromOrganization(t.Context(), c.Dana.Token, c.Organization))
		began := time.Now()
		if err := <-ended; !errors.Is(err, client.ErrForbidden) && !errors.Is(err, client.ErrNotFound) {
			t.Errorf("it ends with %v", err)
		}
		if took := time.Since(began); took > within {
			t.Errorf("it ended after %v", took)
		}
	})
}
