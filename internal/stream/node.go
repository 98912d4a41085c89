package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"signet/internal/custody"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

const (
	// nodeTick is how often a node asks whose access has changed: the end of a key or a
	// membership on one node holds within 1 s on all (contract, section 1), even where the
	// word of it is lost.
	nodeTick = 750 * time.Millisecond

	// nodeLease is how long a node counts as present after its last renewal.
	nodeLease = 30 * time.Second
	nodeRenew = 10 * time.Second

	// nodeBatch is how many readers one statement is about.
	nodeBatch = 500
)

// Node is this server's part among several on one store. It keeps what must be known
// on all of them as rows, leased by each: which streams are open. It also asks
// the store now and then, because words between nodes get lost: the store is the truth,
// and what nodes say to each other a hint.
//
// A server that is alone has none, and its hub knows everything.
type Node struct {
	registry *Registry
	time     *custody.Clock // for the store's time
	id       model.NodeID
	soon     chan struct{} // receives when there is something in closed

	mu     sync.Mutex // guards closed
	closed []*live.Subscription

	access accessLog // used by one goroutine, that of watch

	// What follows is used by one goroutine, that of Run.
	lingering       []lingering
	looked, renewed time.Time
	failing, warned bool
	lapsed          bool                 // the lease did, and it is not settled what is to be noted again
	unnoted         []*live.Subscription // streams that others may have removed since
	unswept         bool                 // the lease was renewed, and what lapsed of others is not looked for since
}

// Register makes the server one of several on its store, until the node's Run has
// ended. It comes before the first call.
func (r *Registry) Register(ctx context.Context, clock *custody.Clock) (*Node, error) {
	if _, err := clock.Measure(ctx); err != nil {
		return nil, err
	}
	n := &Node{
		registry: r, time: clock, id: model.NodeID(uuid.Must(uuid.NewV7())), soon: make(chan struct{}, 1), looked: r.clock(),
		renewed: r.clock(),
	}
	if err := n.lease(ctx, nodeLease); err != nil {
		return nil, err
	}
	r.node = n
	return n, nil
}

// lease notes for how long the node counts as there.
func (n *Node) lease(ctx context.Context, lease time.Duration) error {
	return n.registry.store.Update(ctx, func(tx *store.Tx) error { return n.put(tx, lease) })
}

func (n *Node) put(tx *store.Tx, lease time.Duration) error {
	r := n.registry
	now := n.time.StoreTime(r.clock())
	return presence.PutNode(tx, &presence.Node{ID: n.id, Name: r.name, Version: r.version,
		Started: n.time.StoreTime(r.started),
		Heard:   now, Lease: now.Add(lease)})
}

// Run does what is due until ctx ends. All streams must be closed by then.
func (n *Node) Run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { n.watch(ctx) })
	defer watching.Wait()
	tick := time.NewTicker(nodeTick)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-tick.C:
			err = n.tend(ctx)
		case <-n.soon:
			err = n.writeClosed(ctx)
		case <-n.registry.hub.Missed():
			err = n.look(ctx)
		case <-ctx.Done():
			if err := n.leave(context.WithoutCancel(ctx)); err != nil {
				n.registry.log.Warn("the streams of this node count as open for a while yet", "error", err)
			}
			return
		}
		if ctx.Err() == nil {
			n.report(ctx, &n.failing, err)
		}
	}
}

// watch ends what may not be read any more, until ctx ends. It waits for nothing else that is due, which takes long
// where very many readers have gone at once.
func (n *Node) watch(ctx context.Context) {
	tick := time.NewTicker(nodeTick)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := n.check(ctx); ctx.Err() == nil {
			n.report(ctx, &failing, err)
		}
	}
}

// report logs the first of what may be many failures in a row.
func (n *Node) report(ctx context.Context, failing *bool, err error) {
	if err != nil && !*failing {
		health.Complain(ctx, n.registry.log, n.registry.outages,
			"this node does not learn from the store what others do; it asks again until it does", err)
	}
	*failing = err != nil
}

// Round does once all that Run does. It is not for a node that runs.
func (n *Node) Round(ctx context.Context) error { return errors.Join(n.check(ctx), n.tend(ctx)) }

// tend does what is due by now, but for check.
func (n *Node) tend(ctx context.Context) error {
	problems := []error{n.keepUp(ctx), n.depart(ctx, n.registry.clock()), n.noteAgain(ctx)}
	if n.unswept {
		n.unswept = false
		problems = append(problems, n.sweepLapsed(ctx))
	}
	return errors.Join(problems...)
}

// keepUp does what cannot wait until something long is over, such as the telling of very many
// who have left: it comes between two pieces.
func (n *Node) keepUp(ctx context.Context) error {
	now := n.registry.clock()
	problems := []error{n.writeClosed(ctx)}
	interval := n.registry.lookAlone
	if n.registry.hub.Connected() {
		interval = n.registry.lookConnected
	}
	if now.Sub(n.looked) >= interval {
		problems = append(problems, n.look(ctx))
	}
	if now.Sub(n.renewed) >= nodeRenew {
		problems = append(problems, n.renew(ctx, now))
	}
	return errors.Join(problems...)
}

// look wakes the readers whose queue has what they have not read.
func (n *Node) look(ctx context.Context) error {
	r := n.registry
	n.looked = r.clock()
	accounts := accountsOf(r.hub.Subscriptions())
	for some := range slices.Chunk(accounts, nodeBatch) {
		last, err := store.Read(ctx, r.store, func(tx *store.Tx) (map[model.AccountID]int64, error) {
			return tx.LastPositions(some)
		})
		if err != nil {
			return err
		}
		r.hub.WakeBehind(last)
	}
	return nil
}

// renew extends the lease. Where that lapsed, because this node hung or the store
// was away, others may have removed its streams: they are to be noted again.
func (n *Node) renew(ctx context.Context, now time.Time) error {
	r := n.registry
	var lapsed bool
	var others int
	// Leases are of the store's time: a server whose clock is ahead would end those of
	// all others, and have one that lasts.
	if _, err := n.time.Measure(ctx); err != nil {
		return err
	}
	at := n.time.StoreTime(now)
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		lapsed = false
		held, err := presence.RenewNode(tx, n.id, at, at.Add(nodeLease))
		if err == nil && !held {
			lapsed = true
			err = n.put(tx, nodeLease)
		}
		if err != nil {
			return err
		}
		others, err = presence.OtherNodes(tx, n.id, at)
		return err
	})
	n.lapsed = n.lapsed || lapsed // also where it is not known whether the lease was taken anew
	if err != nil {
		return err
	}
	n.renewed, n.unswept = now, true
	if why := r.hub.Barred(); why != nil && others > 0 && !n.warned {
		n.warned = true
		r.log.Warn("other servers use the same database, and this one hears of them by looking into it only: events can "+
			"come seconds late, and typing and presence not at all", "others", others, "error", why)
	}
	if n.lapsed {
		n.lapsed = false
		n.unnoted = slices.DeleteFunc(r.hub.Subscriptions(), func(sub *live.Subscription) bool { return !sub.Stream })
	}
	return nil
}

// leave lets the node's lease end when its last streams do not linger any more, so
// that another one tells of those who do not come back.
func (n *Node) leave(ctx context.Context) error {
	if err := n.writeClosed(ctx); err != nil {
		return err
	}
	return n.lease(ctx, n.registry.linger)
}
