package people_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// clinic is an organization with an operator, who makes people in it. argon is what is done
// for each password.
type clinic struct {
	*people.People
	store        *store.Store
	operator     *model.Actor
	organization model.OrganizationID
}

func open(t *testing.T, argon func()) *clinic {
	t.Helper()
	dir := t.TempDir()
	engine, err := sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{Clock: time.Now})
	must(t, err)
	kept, err := store.Open(t.Context(), engine, func() string { return "epoch" })
	must(t, err)
	t.Cleanup(func() { must(t, kept.Close()) })
	enginetest.Authenticate(kept)
	control := access.New(access.Options{Store: kept, Hub: live.NewHub(0), Clock: time.Now, DefaultRegion: "US",
		Derive: func(password, salt []byte, _, _ uint32, threads uint8, keyLen uint32) []byte {
			argon()
			return argon2.IDKey(password, salt, 1, 64, threads, keyLen)
		}})
	must(t, people.MakeFirstOperator(t.Context(), kept, time.Now(), "operator", "secret"))
	c := &clinic{store: kept, organization: "aaaaaaaaaaaaaaaaaaaaaaaa", People: people.New(people.Options{Store: kept,
		Access: control, Clock: time.Now, Vault: &content.Vault{Store: kept, Ring: sealtest.Open(t, dir, time.Now)}})}
	must(t, kept.Update(t.Context(), func(tx *store.Tx) error {
		return tx.InsertOrganization(&model.Organization{ID: c.organization, Name: "Clinic", Created: time.Now()})
	}))
	c.operator, err = control.Authenticate(t.Context(), "operator", "secret", netip.Addr{})
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// many are people with passwords.
func (c *clinic) many(n int, prefix string) people.Many {
	m := people.Many{Organization: c.organization, Request: "r"}
	for i := range n {
		m.People = append(m.People, people.Asked{CreateCommand: people.CreateCommand{
			Username: fmt.Sprint(prefix, i), Password: "long enough"}})
	}
	return m
}

// While the passwords of a call are hashed nothing of it holds up others, and whom it has made
// before it is cut off is not made again.
func TestNoTransactionWaitsForAPassword(t *testing.T) {
	hashing, goOn := make(chan struct{}), make(chan struct{})
	c := open(t, func() { hashing <- struct{}{}; <-goOn })
	ctx, cutOff := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CreateMany(ctx, c.operator, c.many(3, "many"))
		done <- err
	}()
	for i := range 2 {
		<-hashing
		made, err := c.Create(t.Context(), c.operator,
			people.CreateCommand{Organization: c.organization, Username: fmt.Sprint("beside", i)})
		if err != nil || made.Entity.Account == nil {
			t.Fatalf("beside a password nobody is made: %v", err)
		}
		goOn <- struct{}{}
	}
	<-hashing
	cutOff()
	goOn <- struct{}{}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cut off answers %v", err)
	}
	go func() {
		for range hashing { // the last one alone, or none where it was made after all
			goOn <- struct{}{}
		}
	}()
	results, err := c.CreateMany(t.Context(), c.operator, c.many(3, "many"))
	must(t, err)
	close(hashing)
	for i, r := range results {
		if len(r.Errs) > 0 || i < 2 && !r.Repeated {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// Where the store fails at one, those who follow are not tried.
func TestNobodyIsTriedOnceTheStoreIsAway(t *testing.T) {
	asked := 0
	var c *clinic
	c = open(t, func() {
		if asked++; asked == 2 {
			must(t, c.store.Close())
		}
	})
	results, err := c.CreateMany(t.Context(), c.operator, c.many(4, "user"))
	must(t, err)
	for i, r := range results {
		if err := errors.Join(r.Errs...); i == 0 != (err == nil) || i > 0 && !errors.Is(err, store.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if asked != 2 {
		t.Errorf("%d passwords were hashed", asked)
	}
}
