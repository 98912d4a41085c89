package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// town is one large organization, which somebody acts on, and a small one, whose people send
// to each other meanwhile.
type town struct {
	*Service
	store      *store.Store
	operator   *model.Actor
	large      model.OrganizationID
	person     *model.Actor // of the large organization
	bystanders []*model.Actor
}

const townName = "General Hospital"

// newTown makes a town whose large organization has so many members. Each has a key of its
// scope, and a conversation with one of them, the person.
func newTown(tb testing.TB, members int) *town {
	tb.Helper()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	ctx, dir := tb.Context(), tb.TempDir()
	engine := enginetest.Open(tb, dir, enginetest.Options{Clock: time.Now})
	kept, err := store.Open(ctx, engine, store.NewEpoch)
	must(err)
	enginetest.Authenticate(kept)
	blobs, err := blob.OpenDirectory(tb.TempDir())
	must(err)
	hub := live.NewHub(0)
	log := slog.New(slog.DiscardHandler)
	worker := backlog.NewWorker(backlog.Options{Store: kept, Now: time.Now, Log: log})
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: time.Now})
	worker.Register(fans.Kind())
	t := &town{store: kept}
	t.Service = New(Options{
		Access: access.New(access.Options{Store: kept, Hub: hub, Clock: time.Now, DefaultRegion: "US"}),
		Store:  kept, Vault: &content.Vault{Store: kept, Ring: sealtest.Open(tb, dir, time.Now), Blobs: blobs}, Hub: hub,
		Clock: time.Now, Logger: log, Fanout: fans, EraseSoon: func() {},
	})
	worker.Register(sweeper(t.Service).Eraser().Kinds()...)
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { worker.Run(running) })
	tb.Cleanup(func() {
		stop()
		work.Wait()
		must(kept.Close())
		must(blobs.Close())
	})
	must(people.MakeFirstOperator(ctx, kept, time.Now(), "operator", "secret"))
	t.operator = t.mustActor(tb, "operator", "secret")
	t.large = t.mustOrganization(tb, townName)
	small := t.mustOrganization(tb, "Clinic")
	t.operator = t.mustActor(tb, "operator", "secret")
	for i := range 8 {
		made, err := create(ctx, t.Service, t.operator, small, "bystander"+strconv.Itoa(i))
		must(err)
		t.bystanders = append(t.bystanders, t.mustActor(tb, made.Key.Key.Key, made.Key.Secret))
	}
	made, err := create(ctx, t.Service, t.operator, t.large, "person")
	must(err)
	t.person = t.mustActor(tb, made.Key.Key.Key, made.Key.Secret)
	t.populate(tb, members)
	return t
}

func (t *town) mustActor(tb testing.TB, key, secret string) *model.Actor {
	tb.Helper()
	actor, err := t.access.Authenticate(tb.Context(), key, secret, netip.MustParseAddr("127.0.0.1"))
	if err != nil {
		tb.Fatal(err)
	}
	return actor
}

func (t *town) mustOrganization(tb testing.TB, name string) model.OrganizationID {
	tb.Helper()
	id, err := directory(t.Service).CreateOrganization(tb.Context(), t.operator, people.OrganizationCommand{Name: &name})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// populate makes members by the store's own statements, some in a transaction.
func (t *town) populate(tb testing.TB, members int) {
	tb.Helper()
	all := make([]int, members)
	for i := range all {
		all[i] = i
	}
	for some := range slices.Chunk(all, 500) {
		err := t.store.Update(tb.Context(), func(tx *store.Tx) error {
			for _, i := range some {
				if err := t.addMember(tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func (t *town) addMember(tx *store.Tx, i int) error {
	a := model.Account{ID: newID(), Username: fmt.Sprint("member", i), DisplayName: fmt.Sprint("Member ", i),
		CreatedBy: t.large, Created: t.now()}
	if err := tx.InsertAccount(&a, ""); err != nil {
		return err
	}
	m := model.Membership{Organization: t.large, Account: a.ID, Title: "Nurse", Joined: a.Created, Since: 1}
	if _, err := tx.PutMembership(m); err != nil {
		return err
	}
	if err := search.IndexAccount(tx, &a, m); err != nil {
		return err
	}
	if err := tx.InsertKey(&model.Key{Key: "key of " + a.ID.String(), Account: a.ID, Scope: t.large}); err != nil {
		return err
	}
	return tx.Post(`INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread,
		unread_priority, cleared, listed) VALUES (?, ?, ?, 1, 1, 0, 0, 0, 1)`, a.ID, t.large, t.person.Account)
}

// erases reports whether something is left of an account or an organization that has ended.
func (t *town) erases(ctx context.Context) (bool, error) {
	return store.Read(ctx, t.store, func(tx *store.Tx) (left bool, err error) {
		_, left, err = tx.NextDue([]store.JobKind{store.EraseAccount, store.EraseOrganization})
		return left, err
	})
}

// sends are how long the bystanders' sends took, while something was done or not.
type sends struct{ usual, meanwhile []time.Duration }

// beside has bystanders send for a while, and then until what is done is done. It is done once
// the sweep and the worker have nothing left.
func (t *town) beside(tb testing.TB, usual time.Duration, act func() error) (s sends) {
	tb.Helper()
	var acting, over atomic.Bool
	var mu sync.Mutex // guards s
	var senders sync.WaitGroup
	body := strings.Repeat("x", 200)
	for i, from := range t.bystanders {
		to := t.bystanders[(i+1)%len(t.bystanders)].Account.String()
		senders.Go(func() {
			tick := time.NewTicker(4 * time.Millisecond)
			defer tick.Stop()
			for !over.Load() {
				<-tick.C
				before, begun := acting.Load(), time.Now()
				if _, err := t.Send(tb.Context(), from, SendCommand{Recipient: to, Body: body}); err != nil {
					tb.Error(err)
					return
				}
				took := time.Since(begun)
				mu.Lock()
				if before || acting.Load() {
					s.meanwhile = append(s.meanwhile, took)
				} else {
					s.usual = append(s.usual, took)
				}
				mu.Unlock()
			}
		})
	}
	time.Sleep(usual)
	acting.Store(true)
	err := act()
	over.Store(true)
	senders.Wait()
	if err != nil {
		tb.Error(err)
	}
	slices.Sort(s.usual)
	slices.Sort(s.meanwhile)
	return s
}

func p99(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*99/100]
}

// BenchmarkBystanders shows what sends of others take while something is done to an organization
// of very many members, or to a person whom they all know, as a ratio to what they take before,
// by the 99th percentile. SIGNET_BENCH_MEMBERS is how many members there are.
func BenchmarkBystanders(b *testing.B) {
	members := 100_000
	if text := os.Getenv("SIGNET_BENCH_MEMBERS"); text != "" {
		var err error
		if members, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	t := newTown(b, members)
	person := t.person.Account.String()
	sweeper := sweeper(t.Service)
	swept := func(err error) error {
		for left := true; left && err == nil; time.Sleep(10 * time.Millisecond) {
			left, err = t.erases(b.Context())
		}
		return errors.Join(err, sweeper.Sweep(b.Context()))
	}
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"status", func() (err error) {
			for i := range 50 {
				text := fmt.Sprint("in theatre ", i)
				change := people.ProfileCommand{Status: &text}
				if err := directory(t.Service).UpdateProfile(b.Context(), t.person, "me", change); err != nil {
					return err
				}
			}
			return nil
		}},
		{"disable", func() error {
			for i := range 50 {
				if err := t.access.SetDisabled(b.Context(), t.operator, person, i%2 == 0); err != nil {
					return err
				}
			}
			return nil
		}},
		{"erase", func() error {
			return swept(directory(t.Service).EraseUser(b.Context(), t.operator,
				people.EraseCommand{Address: person, Username: "person"}))
		}},
		{"delete", func() error {
			return swept(directory(t.Service).DeleteOrganization(b.Context(), t.operator,
				people.DeleteCommand{Organization: t.large, Name: townName}))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			begun := time.Now()
			var answered time.Duration
			s := t.beside(b, 3*time.Second, func() error {
				begun = time.Now()
				err := c.do()
				answered = time.Since(begun)
				return err
			})
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(p99(s.usual)), "p99-ms/usual")
			b.ReportMetric(ms(p99(s.meanwhile)), "p99-ms/meanwhile")
			b.ReportMetric(float64(p99(s.meanwhile))/float64(max(p99(s.usual), 1)), "ratio")
			b.ReportMetric(ms(slices.Max(append(s.meanwhile, 0))), "longest-ms")
			b.ReportMetric(float64(len(s.meanwhile)), "sends")
			b.ReportMetric(answered.Seconds(), "s/all")
		})
	}
}
