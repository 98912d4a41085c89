package natsbus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/model"
)

// confirmTimeout is how long NATS may take to say that it knows of subscriptions.
const confirmTimeout = 5 * time.Second

// interest is what the node wants to hear of, and what it has subscribed for.
type interest struct {
	changed chan struct{} // receives when there is something in touched

	mu      sync.Mutex // guards the two below
	wanted  map[live.Topic]bool
	touched map[live.Topic]bool // changed since the worker looked

	held map[live.Topic]*nats.Subscription // the worker's alone
}

func newInterest() interest {
	return interest{
		changed: make(chan struct{}, 1), held: map[live.Topic]*nats.Subscription{},
		wanted: map[live.Topic]bool{}, touched: map[live.Topic]bool{},
	}
}

// Listen says that this node has readers of a topic from now on.
func (b *Bus) Listen(topic live.Topic) { b.interest.set(topic, true) }

// Ignore says that this node has no readers of a topic any more.
func (b *Bus) Ignore(topic live.Topic) { b.interest.set(topic, false) }

func (i *interest) set(topic live.Topic, wanted bool) {
	i.mu.Lock()
	if wanted {
		i.wanted[topic] = true
	} else {
		delete(i.wanted, topic)
	}
	i.touched[topic] = true
	i.mu.Unlock()
	kick(i.changed)
}

// take returns what changed, and to what.
func (i *interest) take() map[live.Topic]bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := i.touched
	i.touched = map[live.Topic]bool{}
	for topic := range out {
		out[topic] = i.wanted[topic]
	}
	return out
}

// settle subscribes for what is wanted and unsubscribes from what is not.
func (b *Bus) settle() {
	var subscribed []model.AccountID
	for topic, wanted := range b.interest.take() {
		subscription, held := b.interest.held[topic]
		switch {
		case wanted && !held:
			// All share one channel: nats.go then needs no goroutine for each.
			subscription, err := b.conn.ChanSubscribe(b.subjects.of(topic), b.in)
			if err != nil {
				b.link.Complain("an account cannot be listened for", err)
				continue
			}
			b.interest.held[topic] = subscription
			if topic.Feature == "" { // signals of a feature are lost, as for a stream that is not open yet
				subscribed = append(subscribed, topic.Account)
			}
		case !wanted && held:
			delete(b.interest.held, topic)
			if err := subscription.Unsubscribe(); err != nil {
				b.log.Debug("an account is still listened for", "error", err)
			}
		}
	}
	if len(subscribed) > 0 {
		b.fresh.add(subscribed, false)
	}
}

// fresh are accounts that were subscribed for, and connections that were made,
// without NATS having said yet that it knows.
type fresh struct {
	changed chan struct{}

	mu       sync.Mutex // guards all below
	accounts []model.AccountID
	all      bool
}

func (f *fresh) add(accounts []model.AccountID, all bool) {
	f.mu.Lock()
	f.accounts = append(f.accounts, accounts...)
	f.all = f.all || all
	f.mu.Unlock()
	kick(f.changed)
}

func (f *fresh) take() (accounts []model.AccountID, all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	accounts, all = f.accounts, f.all
	f.accounts, f.all = nil, false
	return accounts, all
}

// confirm waits until NATS knows of new subscriptions, and wakes their readers once more:
// what was queued in between has woken none here.
func (b *Bus) confirm() {
	for {
		select {
		case <-b.fresh.changed:
		case <-b.life.Done():
			return
		}
		accounts, all := b.fresh.take()
		if !b.Connected() {
			continue // once it is back, all readers look
		}
		if err := b.flush(confirmTimeout); err != nil || all {
			b.hub.Miss()
			continue
		}
		b.hub.Hear(live.Notice{Kind: live.NoticeWake, Accounts: accounts})
	}
}

// flush waits until NATS has taken everything that was sent to it.
func (b *Bus) flush(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(b.life, limit)
	defer cancel()
	return b.conn.FlushWithContext(ctx)
}

func kick(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
