package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/load"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/testenv"
)

// Those among whom a store is filled: so many that their queues and rosters lie
// all over it, as those of a house do.
const (
	fillSenders    = 64
	fillRecipients = 2000

	// fillAtOnce is how many messages wait for the writer at a time: more than it
	// takes into one transaction, so that each is full.
	fillAtOnce = 512

	// fillBurst is how many messages in a row somebody gets. The rows come to lie
	// where they would else, and a transaction writes far fewer pages.
	fillBurst = 100

	// fillCache is the memory, in bytes, that the embedded store has for it.
	fillCache = 1 << 30
)

// mustFill stores messages as a server does, sealed and with all of their rows,
// through the service itself: without HTTP millions take minutes. No server may
// run on the data directory meanwhile.
// The operator is who makes the people: a target of StartServer holds its key.
func mustFill(t *testing.T, own load.Own, operator *load.Target, messages int) {
	t.Helper()
	ctx := t.Context()
	control, directory, cases, done := mustOpenService(t, own)
	defer func() {
		if err := done(); err != nil {
			t.Fatal(err)
		}
	}()
	name := "Filled " + time.Now().UTC().Format(time.RFC3339Nano)
	authenticate := func() *model.Actor { return mustAuthenticate(t, control, operator.Key, operator.Secret) }
	organization, err := directory.CreateOrganization(ctx, authenticate(), people.OrganizationCommand{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	mark := strings.ToLower(store.NewEpoch())
	user := func(i int, withKey bool) people.Created {
		made, err := directory.Create(ctx, authenticate(), people.CreateCommand{
			Organization: organization, Username: fmt.Sprintf("filled-%s-%d", mark, i), IssueKey: withKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	senders := make([]*access.IssuedKey, min(fillSenders, messages))
	for i := range senders {
		senders[i] = user(i, true).Key
	}
	recipients := make([]string, min(fillRecipients, messages))
	for i := range recipients {
		recipients[i] = user(len(senders)+i, false).Entity.Account.ID.String()
	}
	body := strings.Repeat("x", load.DefaultPayload)
	var taken atomic.Int64
	var failed sync.Map
	var workers sync.WaitGroup
	for worker := range min(fillAtOnce, messages) {
		workers.Go(func() {
			sender := senders[worker%len(senders)]
			for n := taken.Add(1); n <= int64(messages) && ctx.Err() == nil; n = taken.Add(1) {
				recipient := recipients[int(n)/fillBurst%len(recipients)]
				actor, err := control.Authenticate(ctx, sender.Key.Key, sender.Secret, loopback)
				if err == nil {
					_, err = cases.Send(ctx, actor, service.SendCommand{Recipient: recipient, Body: body})
				}
				if err != nil {
					failed.Store(worker, err)
					return
				}
			}
		})
	}
	workers.Wait()
	failed.Range(func(_, err any) bool {
		t.Fatalf("store messages: %v", err)
		return false
	})
}

var loopback = netip.MustParseAddr("127.0.0.1")

func mustAuthenticate(t *testing.T, control *access.Control, key, secret string) *model.Actor {
	t.Helper()
	actor, err := control.Authenticate(t.Context(), key, secret, loopback)
	if err != nil {
		t.Fatal(err)
	}
	return actor
}

// mustOpenService opens what a server has below HTTP, on a data directory that one
// has made.
func mustOpenService(t *testing.T, own load.Own) (control *access.Control, directory *people.People,
	cases *service.Service, done func() error) {
	t.Helper()
	ctx := t.Context()
	var engine store.Engine
	var err error
	if own.Database == "" {
		engine, err = sqlite.Open(filepath.Join(own.Data, "signet.db"), sqlite.Options{CacheBytes: fillCache})
	} else {
		engine, err = postgres.Open(ctx, own.Database, postgres.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(ctx, engine, store.NewEpoch)
	if err != nil {
		t.Fatal(errors.Join(err, engine.Close()))
	}
	ring := sealtest.Open(t, own.Data, time.Now)
	err = content.Authenticate(ctx, kept, ring, func(f store.Forgery) { t.Error("the code is wrong of", f) })
	if err != nil {
		t.Fatal(errors.Join(err, kept.Close()))
	}
	blobs, err := blob.OpenDirectory(filepath.Join(own.Data, "blobs"))
	if err != nil {
		t.Fatal(errors.Join(err, kept.Close()))
	}
	hub := live.NewHub(0)
	control = access.New(access.Options{Store: kept, Hub: hub, Clock: time.Now, DefaultRegion: "US"})
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: time.Now})
	cases = service.New(service.Options{
		Access: control, Store: kept,
		Vault: &content.Vault{Store: kept, Ring: ring, Blobs: blobs},
		Hub:   hub, Fanout: fans, Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	directory = people.New(people.Options{Store: kept, Access: control, Hub: hub, Fanout: fans, Clock: time.Now,
		Memory: cases})
	return control, directory, cases, func() error {
		ctx := context.WithoutCancel(ctx)
		// What a server does while it runs would else be the next one's to do.
		return errors.Join(control.FlushUses(ctx), kept.Erase(ctx), kept.Close(), blobs.Close())
	}
}

func TestFilledStoreIsOneThatAServerReads(t *testing.T) {
	testenv.Long(t)
	for _, e := range mustEngines(t) {
		own := e.mustOwn(t)
		var operator *load.Target
		e.serve(t, own, func(target *load.Target) error { operator = target; return nil })
		const messages = 150
		mustFill(t, own, operator, messages)
		e.serve(t, own, func(target *load.Target) error {
			c, err := client.New(target.BaseURL, target.Key, target.Secret)
			if err != nil {
				return err
			}
			defer c.Close()
			unread := 0
			for hit, err := range c.SearchAll(t.Context(), client.Search{PageSize: 200}) {
				if err != nil {
					return err
				}
				n, err := c.Unread(t.Context(), hit.Entity.Token())
				if err != nil {
					return err
				}
				unread += n.Count
			}
			if unread != messages {
				t.Errorf("%s: people have %d messages, want %d", e.name, unread, messages)
			}
			return nil
		})
		e.mustClear(t, own)
	}
}
