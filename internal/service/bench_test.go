package service_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal/sealtest"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// house is an organization with people in it, on a real store, for benchmarks.
type house struct {
	access       *access.Control
	people       *people.People
	fanout       *fanout.Fanout
	service      *service.Service
	engine       *sqlite.Engine
	counted      *countedEngine // the same, with all that the store runs on it
	statements   *atomic.Int64  // run so far
	rows         *atomic.Int64  // that the largest transaction wrote
	mostRead     *atomic.Int64  // that the one read which may write and reads most
	store        *store.Store
	vault        *content.Vault
	organization model.OrganizationID
	actors       []*model.Actor
}

// newHouse makes a house of n people.
func newHouse(b testing.TB, n int, change ...func(*service.Options)) *house {
	b.Helper()
	return newHouseOn(b, n, func(e store.Engine) store.Engine { return e }, change...)
}

// newHouseOn makes one whose store uses the engine by way of another, which sees what it is asked.
func newHouseOn(b testing.TB, n int, by func(store.Engine) store.Engine, change ...func(*service.Options)) *house {
	b.Helper()
	ctx := context.Background()
	dir := b.TempDir()
	engine, err := sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{})
	must(b, err)
	counted := &countedEngine{Engine: engine}
	kept, err := store.Open(ctx, by(counted), store.NewEpoch)
	must(b, err)
	enginetest.Authenticate(kept)
	b.Cleanup(func() { must(b, kept.Close()) })
	blobs, err := blob.OpenDirectory(filepath.Join(dir, "blobs"))
	must(b, err)
	options := service.Options{
		Store: kept, Vault: &content.Vault{Store: kept, Ring: sealtest.Open(b, dir, time.Now), Blobs: blobs},
		Hub: live.NewHub(0), Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&options)
	}
	options.Access = access.New(access.Options{Store: kept, Hub: options.Hub, Clock: time.Now, DefaultRegion: "US"})
	if options.Fanout == nil {
		options.Fanout = fanout.New(fanout.Options{Store: kept, Hub: options.Hub, Clock: time.Now})
	}
	s := service.New(options)
	directory := people.New(people.Options{Store: kept, Access: options.Access, Vault: options.Vault, Hub: options.Hub,
		Fanout: options.Fanout, Clock: time.Now, Logger: options.Logger, Memory: s})
	must(b, people.MakeFirstOperator(ctx, kept, time.Now(), "operator", "secret"))
	operator := actor(b, options.Access, "operator", "secret")
	name := "General Hospital"
	h := &house{access: options.Access, service: s, people: directory, fanout: options.Fanout, engine: engine,
		counted: counted, statements: &counted.statements, rows: &counted.rows, mostRead: &counted.read, store: kept,
		vault: options.Vault}
	h.organization, err = directory.CreateOrganization(ctx, operator, people.OrganizationCommand{Name: &name})
	must(b, err)
	operator = actor(b, options.Access, "operator", "secret")
	for i := range n {
		user, err := directory.Create(ctx, operator, people.CreateCommand{
			Organization: h.organization, Username: fmt.Sprintf("user%d", i), IssueKey: true,
		})
		must(b, err)
		h.actors = append(h.actors, actor(b, options.Access, user.Key.Key.Key, user.Key.Secret))
	}
	return h
}

func actor(b testing.TB, s *access.Control, key, secret string) *model.Actor {
	b.Helper()
	a, err := s.Authenticate(context.Background(), key, secret, loopback)
	must(b, err)
	return a
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkSend sends messages of 200 bytes from 64 senders at a time, and shows
// what sealing them costs.
func BenchmarkSend(b *testing.B) {
	for _, unsealed := range []bool{false, true} {
		name := "sealed"
		if unsealed {
			name = "unsealed"
		}
		b.Run(name, func(b *testing.B) {
			benchmarkSend(b, newHouse(b, 65, func(o *service.Options) { o.Vault.Unsealed = unsealed }))
		})
	}
}

func benchmarkSend(b *testing.B, h *house) {
	body := strings.Repeat("x", 200)
	recipient := h.actors[64].Account.String()
	var next atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		sender := h.actors[next.Add(1)%64]
		for pb.Next() {
			if _, err := h.service.Send(context.Background(), sender,
				service.SendCommand{Recipient: recipient, Body: body}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkCodesOfASend sends one message after the other, in turns with and without checking
// the codes of the rows that a send reads. What counts is cpu-us: the processor time.
func BenchmarkCodesOfASend(b *testing.B) {
	h := newHouse(b, 2)
	kept, err := store.OpenCurrent(context.Background(), h.engine)
	must(b, err)
	options := service.Options{Store: kept, Vault: h.vault, Hub: live.NewHub(0), Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler)}
	options.Access = access.New(access.Options{Store: kept, Hub: options.Hub, Clock: time.Now, DefaultRegion: "US"})
	unchecked := service.New(options)
	send := service.SendCommand{Recipient: h.actors[1].Account.String(), Body: strings.Repeat("x", 200)}
	const turn = 50
	var took [2]time.Duration
	for b.Loop() {
		for i, s := range []*service.Service{h.service, unchecked} {
			begun := processorTime(b)
			for range turn {
				_, err := s.Send(context.Background(), h.actors[0], send)
				must(b, err)
			}
			took[i] += processorTime(b) - begun
		}
	}
	for i, name := range []string{"checked", "unchecked"} {
		b.ReportMetric(float64(took[i].Microseconds())/float64(b.N*turn), "cpu-us/"+name)
	}
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkFanOut sends to groups of several sizes; ns/member is what counts.
func BenchmarkFanOut(b *testing.B) {
	for _, members := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			h := newHouse(b, members)
			ctx := context.Background()
			var names []string
			for _, a := range h.actors {
				names = append(names, a.Account.String())
			}
			g, err := h.service.CreateGroup(ctx, h.actors[0], service.GroupCommand{Members: names})
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := h.service.Send(ctx, h.actors[0], service.SendCommand{Recipient: g.ID.String(), Body: "x"})
				must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(members), "ns/member")
		})
	}
}

// BenchmarkConversations reads the first page of 50 of one account's conversations, to which
// something was sent in the order in which the others' accounts were made, or in any.
func BenchmarkConversations(b *testing.B) {
	for _, c := range []struct {
		conversations int
		shuffled      bool
	}{{100, false}, {10_000, false}, {10_000, true}} {
		b.Run(fmt.Sprintf("conversations=%d/shuffled=%t", c.conversations, c.shuffled), func(b *testing.B) {
			h := newHouse(b, c.conversations+1)
			ctx := context.Background()
			reader := h.actors[c.conversations]
			senders := h.actors[:c.conversations]
			if c.shuffled {
				rand.Shuffle(len(senders), func(i, j int) { senders[i], senders[j] = senders[j], senders[i] })
			}
			for _, sender := range senders {
				_, err := h.service.Send(ctx, sender, service.SendCommand{Recipient: reader.Account.String(), Body: "x"})
				must(b, err)
			}
			b.ReportAllocs()
			for b.Loop() {
				page, _, err := h.service.Conversations(ctx, reader, service.ConversationsCommand{PageSize: 50})
				must(b, err)
				if len(page) != 50 {
					b.Fatalf("the page has %d conversations", len(page))
				}
			}
		})
	}
}

// BenchmarkHistory reads the newest page of 50 of a conversation, 64 readers at a time, each
// one with a conversation of its own.
func BenchmarkHistory(b *testing.B) {
	const readers, page = 64, 50
	h := newHouse(b, readers+1)
	ctx := context.Background()
	body := strings.Repeat("x", 200)
	sender := h.actors[readers]
	for _, reader := range h.actors[:readers] {
		for range page {
			_, err := h.service.Send(ctx, sender, service.SendCommand{Recipient: reader.Account.String(), Body: body})
			must(b, err)
		}
	}
	with := service.HistoryCommand{Entity: sender.Account.String(), Limit: page}
	var next atomic.Int64
	b.SetParallelism(readers / 2)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		reader := h.actors[next.Add(1)%readers]
		for pb.Next() {
			found, err := h.service.History(ctx, reader, with)
			if err != nil || len(found.Messages) != page {
				b.Errorf("%d messages: %v", len(found.Messages), err)
				return
			}
		}
	})
}

// BenchmarkMessageSearch looks through all messages of an account, a page after the other, for
// what is in none of them; they are of 64 conversations, in turn. So it tells what looking at a
// message takes, and how long the longest call of them.
func BenchmarkMessageSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			const others = 64
			h := newHouse(b, others+1)
			ctx := context.Background()
			reader := h.actors[others]
			var sending sync.WaitGroup // all at a time: so they share transactions
			for i, sender := range h.actors[:others] {
				sending.Go(func() {
					for i := i; i < n; i += others {
						_, err := h.service.Send(ctx, sender, service.SendCommand{Recipient: reader.Account.String(),
							Body: fmt.Sprint("Potassium 6.1 in bed ", i, ", please call back at once.")})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			sending.Wait()
			b.ReportAllocs()
			begun := processorTime(b)
			looked, calls, longest := 0, 0, time.Duration(0)
			for b.Loop() {
				ask := service.MessageSearchCommand{Text: "creatinine bedside", PageSize: 100}
				for looked = 0; ; {
					call := time.Now()
					found, err := h.service.SearchMessages(ctx, reader, ask)
					must(b, err)
					longest, calls = max(longest, time.Since(call)), calls+1
					looked += found.Looked
					if ask.Continuation = found.Continuation; ask.Continuation == "" {
						break
					}
				}
				if looked != n {
					b.Fatalf("%d messages were looked at, want %d", looked, n)
				}
			}
			b.ReportMetric((processorTime(b)-begun).Seconds()*1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
			b.ReportMetric(longest.Seconds()*1000, "ms-longest-call")
		})
	}
}
