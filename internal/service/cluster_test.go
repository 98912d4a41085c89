package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/testclock"
)

// cluster is two nodes on one PostgreSQL. What each does is right on its own (the
// other tests say so); here they do it at the same time.
type cluster struct {
	t     *testing.T
	nodes []*Service
	store *store.Store // of the first node
	admin *model.Actor // an operator with an administrative key

	clock   *testclock.Clock
	url     string // of the database
	ring    string // of the key ring, and where its master key is
	master  string
	engine  store.Engine       // below store, of newSealed
	engines []*postgres.Engine // of the nodes
}

func newCluster(t *testing.T, limits Limits) *cluster {
	t.Helper()
	url := postgrestest.URL(t)
	return newClusterOn(t, limits, url, url)
}

// newClusterOn is a node on each of some addresses, which are of one database.
func newClusterOn(t *testing.T, limits Limits, urls ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, clock: testclock.New()}
	blobs, err := blob.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	c.url, c.ring, c.master = urls[0], postgrestest.URL(t), t.TempDir()
	for _, url := range urls {
		engine, err := postgres.Open(t.Context(), url, postgres.Options{Clock: c.clock.Now, Connections: 8})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close() })
		c.engines = append(c.engines, engine)
		kept, err := store.Open(t.Context(), engine, store.NewEpoch)
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Authenticate(kept)
		if c.store == nil {
			c.store = kept
		}
		c.nodes = append(c.nodes,
			newService(Options{Store: kept,
				Vault: &content.Vault{Store: kept, Ring: sealtest.OpenShared(t, c.ring, c.master, c.clock.Now), Blobs: blobs},
				Hub:   live.NewHub(0), Clock: c.clock.Now,
				Logger: slog.New(slog.DiscardHandler), Limits: limits, EventsRetention: time.Hour * 24 * 30}))
	}
	// The first start of all nodes at once.
	c.atOnce(len(urls), func(i int, node *Service) error {
		err := people.MakeFirstOperator(t.Context(), node.store, c.clock.Now(), fmt.Sprint("operator", i), "secret")
		if errors.Is(err, people.ErrOperatorExists) {
			return nil
		}
		return err
	})
	for _, key := range []string{"operator0", "operator1"} {
		if actor, err := c.owner(key); err == nil && c.admin != nil {
			t.Fatal("there are two operators")
		} else if err == nil {
			c.admin = actor
		}
	}
	return c
}

// atOnce does n things at the same time, on the nodes in turn. An answer that a
// client may be told is none of its faults.
func (c *cluster) atOnce(n int, do func(i int, node *Service) error) (refused int) {
	c.t.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex // guards refused
	begin := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-begin
			err := do(i, c.nodes[i%len(c.nodes)])
			var told *model.Error
			switch {
			case errors.As(err, &told):
				mu.Lock()
				refused++
				mu.Unlock()
			case err != nil:
				c.t.Errorf("%d: %v", i, err)
			}
		})
	}
	close(begin)
	group.Wait()
	return refused
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) organization() model.OrganizationID {
	c.t.Helper()
	name := "Hospital"
	id, err := directory(c.nodes[0]).CreateOrganization(c.t.Context(), c.admin, people.OrganizationCommand{Name: &name})
	c.must(err)
	return id
}

// member makes an account in an organization and returns it as it calls.
func (c *cluster) member(organization model.OrganizationID, name string) *model.Actor {
	c.t.Helper()
	made, err := create(c.t.Context(), c.nodes[0], c.admin, organization, name)
	c.must(err)
	return c.fresh(made.Key.Key.Key)
}

// owner returns the owner of a key, as the first node remembers it.
func (c *cluster) owner(key string) (*model.Actor, error) {
	actor, err := c.nodes[0].access.Current(c.t.Context(), &model.Actor{Key: model.Key{Key: key}})
	if err != nil {
		return nil, err
	}
	return actor.By(model.MarkOf(actor.Key.SecretHash)), nil
}

// fresh returns the owner of a key as it is now.
func (c *cluster) fresh(key string) *model.Actor {
	c.t.Helper()
	c.clock.Advance(time.Second) // past what is remembered of it
	actor, err := c.owner(key)
	c.must(err)
	return actor
}

// administrator makes an account that administers an organization.
func (c *cluster) administrator(organization model.OrganizationID, name string) *model.Actor {
	c.t.Helper()
	a := c.member(organization, name)
	_, err := directory(c.nodes[0]).GrantRole(c.t.Context(), c.admin, a.Account.String(), organization, model.RoleAdmin)
	c.must(err)
	key, err := c.nodes[0].access.IssueKey(c.t.Context(), c.admin,
		access.IssueKeyCommand{Account: a.Account.String(), Kind: model.Administrative})
	c.must(err)
	return c.fresh(key.Key.Key)
}

func (c *cluster) send(node *Service, from *model.Actor, to string, change ...func(*SendCommand)) (Sent, error) {
	command := SendCommand{Recipient: to, Body: "text"}
	for _, f := range change {
		f(&command)
	}
	return node.Send(context.Background(), from, command)
}

func (c *cluster) mustSend(from *model.Actor, to string, change ...func(*SendCommand)) model.MessageID {
	c.t.Helper()
	sent, err := c.send(c.nodes[0], from, to, change...)
	c.must(err)
	return sent.Message
}

func (c *cluster) wantUnread(a *model.Actor, want int) {
	c.t.Helper()
	got, err := c.nodes[0].Unread(c.t.Context(), a, "me")
	c.must(err)
	if got.Messages != want {
		c.t.Errorf("%d messages are unread, want %d", got.Messages, want)
	}
}

// view reads the store.
func view[T any](c *cluster, read func(*store.Tx) (T, error)) (out T) {
	c.t.Helper()
	c.must(c.store.View(c.t.Context(), func(tx *store.Tx) (err error) {
		out, err = read(tx)
		return err
	}))
	return out
}
