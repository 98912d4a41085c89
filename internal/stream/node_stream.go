package stream

import (
	"cmp"
	"context"
	"slices"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

// lingering are streams that have ended, and for which their accounts count as there
// until a time.
type lingering struct {
	until   time.Time
	streams []*live.Subscription
}

// open notes a stream that was opened on this node, and ends the account's oldest
// ones past the limit, wherever they are. before are the scopes of the streams with which
// the account was there already, on any node. The stream has its queue up to a position. Where
// open fails, the stream may be noted all the same, and is until it is closed.
func (n *Node) open(ctx context.Context, sub *live.Subscription, upTo int64) (before scopes, err error) {
	r := n.registry
	// Whoever holds the queue is the only one to open a stream of the account.
	var replaced []model.StreamID
	var position int64
	abreast := false
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		before, replaced = nil, nil
		if err := tx.AskPosition(&position, 1, sub.Account); err != nil {
			return err
		}
		var rows []presence.Stream
		if err := presence.AskStreamsOf(tx, sub.Account, n.time.StoreTime(r.clock()), &rows); err != nil {
			return err
		}
		last, err := tx.AskLastPosition(sub.Account)
		if err == nil {
			err = tx.Await()
		}
		if err != nil {
			return err
		}
		abreast = last.Row <= upTo
		before = scopesOf(rows)
		if has(rows, sub) { // it was noted with all the others of the node (noteAgain)
			return nil
		}
		_, replaced, err = n.seat(tx, sub, position, rows)
		return err
	}, store.ShortOf(sub.Account))
	if err != nil {
		return nil, err
	}
	if abreast { // nothing lies behind what the stream has, and its own position is no event
		sub.Saw(position)
	}
	r.hub.CloseStreams(sub.Account, live.Replaced, replaced...)
	return before, nil
}

// scopesOf are those of streams.
func scopesOf(rows []presence.Stream) (all scopes) {
	for _, r := range rows {
		all = append(all, r.Scope)
	}
	return all
}

// has reports whether a stream is among rows.
func has(rows []presence.Stream, sub *live.Subscription) bool {
	return slices.ContainsFunc(rows, func(r presence.Stream) bool { return r.Stream == sub.ID })
}

// seat notes a stream of an account that has these others, the oldest first. It returns those
// that there are then, and which made room for it because of the limit.
func (n *Node) seat(tx *store.Tx, sub *live.Subscription, position int64, others []presence.Stream) (
	all []presence.Stream, replaced []model.StreamID, err error) {
	row := presence.Stream{Account: sub.Account, Stream: sub.ID, Node: n.id, Key: sub.Key, Scope: sub.Scope,
		Opened: position, Alive: true}
	if limit := n.registry.limit; limit > 0 {
		elsewhere := func(r presence.Stream) bool { return r.Scope != sub.Scope }
		open := openStreams(slices.DeleteFunc(slices.Clone(others), elsewhere), "", "")
		replaced = open[:max(len(open)-limit+1, 0)]
	}
	goes := func(r presence.Stream) bool { return slices.Contains(replaced, r.Stream) }
	all = append(slices.DeleteFunc(others, goes), row)
	if err = presence.PutStream(tx, &row); err == nil && len(replaced) > 0 {
		err = presence.EndStreams(tx, sub.Account, replaced, presence.Replaced)
	}
	return all, replaced, err
}

// noteAgain notes the streams again that others may have removed while the lease had lapsed.
func (n *Node) noteAgain(ctx context.Context) error {
	for len(n.unnoted) > 0 {
		some := n.unnoted[:min(len(n.unnoted), nodeBatch)]
		// What ends from here on is written after it is noted.
		open := slices.DeleteFunc(slices.Clone(some), hasEnded)
		if err := n.reopen(ctx, open); err != nil {
			return err
		}
		n.unnoted = n.unnoted[len(some):]
		if err := n.keepUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

func hasEnded(sub *live.Subscription) bool {
	select {
	case <-sub.Done():
		return true
	default:
		return false
	}
}

// reopen is open of several streams, of which those that are noted stay as they are.
func (n *Node) reopen(ctx context.Context, subs []*live.Subscription) error {
	if len(subs) == 0 {
		return nil
	}
	type arrival struct {
		sub    *live.Subscription
		before scopes
	}
	r, accounts := n.registry, accountsOf(subs)
	var arrivals []arrival
	var replaced map[model.AccountID][]model.StreamID
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		arrivals, replaced = nil, map[model.AccountID][]model.StreamID{}
		position, err := tx.Position(len(subs), accounts...)
		if err != nil {
			return err
		}
		rows, err := presence.StreamsOfEach(tx, accounts, n.time.StoreTime(r.clock()))
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b presence.Stream) int {
			return cmp.Or(cmp.Compare(a.Opened, b.Opened), slices.Compare(a.Stream[:], b.Stream[:]))
		})
		noted := map[model.AccountID][]presence.Stream{}
		for _, row := range rows {
			noted[row.Account] = append(noted[row.Account], row)
		}
		for i, sub := range subs {
			of := noted[sub.Account]
			if has(of, sub) {
				continue
			}
			arrivals = append(arrivals, arrival{sub, scopesOf(of)})
			all, over, err := n.seat(tx, sub, position+int64(i), of)
			if err != nil {
				return err
			}
			noted[sub.Account], replaced[sub.Account] = all, append(replaced[sub.Account], over...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for account, streams := range replaced {
		r.hub.CloseStreams(account, live.Replaced, streams...)
	}
	for _, a := range arrivals {
		r.tellArrived(ctx, a.sub, a.before)
	}
	return nil
}

// openStreams returns those of an account's streams that are open, and opened with
// the key, or a key of the scope, where one is given.
func openStreams(rows []presence.Stream, key string, scope model.OrganizationID) (out []model.StreamID) {
	for _, r := range rows {
		if r.Alive && r.State == presence.Open && (key == "" || key == r.Key) &&
			(scope == "" || scope == r.Scope) {
			out = append(out, r.Stream)
		}
	}
	return out
}

// end ends the open streams of an account on all nodes, or those of one of its keys,
// and returns how many these were.
func (n *Node) end(ctx context.Context, account model.AccountID, key string, scope model.OrganizationID) (int,
	error) {
	r := n.registry
	var streams []model.StreamID
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		rows, err := presence.StreamsOf(tx, account, n.time.StoreTime(r.clock()))
		if err != nil {
			return err
		}
		streams = openStreams(rows, key, scope)
		return presence.EndStreams(tx, account, streams, presence.Deleted)
	})
	if err != nil {
		return 0, err
	}
	r.hub.CloseStreams(account, live.Deleted, streams...)
	return len(streams), nil
}

// close takes note of a stream that has ended, for Run to write it.
func (n *Node) close(sub *live.Subscription) {
	n.mu.Lock()
	n.closed = append(n.closed, sub)
	n.mu.Unlock()
	select {
	case n.soon <- struct{}{}:
	default:
	}
}

// writeClosed writes which streams have ended. They keep their accounts there until
// they have lingered.
func (n *Node) writeClosed(ctx context.Context) error {
	n.mu.Lock()
	closed := n.closed
	n.closed = nil
	n.mu.Unlock()
	until := n.registry.clock().Add(n.registry.linger)
	for len(closed) > 0 {
		some := closed[:min(len(closed), nodeBatch)]
		err := n.registry.store.Update(ctx, func(tx *store.Tx) error {
			return presence.CloseStreams(tx, accountsOf(some), streamsOf(some))
		})
		if err != nil {
			n.mu.Lock()
			n.closed = append(closed, n.closed...)
			n.mu.Unlock()
			return err
		}
		n.lingering = append(n.lingering, lingering{until, some})
		closed = closed[len(some):]
	}
	return nil
}

// depart forgets the streams that have lingered, and tells others which accounts have left.
func (n *Node) depart(ctx context.Context, now time.Time) error {
	for len(n.lingering) > 0 && !n.lingering[0].until.After(now) {
		var over []presence.Stream
		for _, sub := range n.lingering[0].streams {
			over = append(over, presence.Stream{Account: sub.Account, Stream: sub.ID, Scope: sub.Scope})
		}
		var left []departure
		err := n.registry.store.Update(ctx, func(tx *store.Tx) (err error) {
			left, err = forgetStreams(tx, over)
			return err
		})
		if err != nil {
			return err
		}
		n.lingering = n.lingering[1:]
		n.tellDeparted(ctx, left)
		if err := n.keepUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sweepLapsed forgets the streams of nodes whose lease has lapsed, and tells others which
// accounts have left.
func (n *Node) sweepLapsed(ctx context.Context) error {
	r := n.registry
	now := n.time.StoreTime(r.clock()) // of the renewal right before
	for {
		var found bool
		err := r.store.View(ctx, func(tx *store.Tx) (err error) {
			_, found, err = presence.LapsedNode(tx, now)
			return err
		})
		if err != nil || !found {
			return err
		}
		var left []departure
		err = r.store.Update(ctx, func(tx *store.Tx) error {
			left = nil
			var node model.NodeID
			if node, found, err = presence.LapsedNode(tx, now); err != nil || !found {
				return err // another node sees to it
			}
			rows, err := presence.StreamsOn(tx, node, now, nodeBatch)
			if err != nil {
				return err
			}
			left, err = forgetStreams(tx, rows)
			return err
		})
		if err != nil || !found {
			return err
		}
		n.tellDeparted(ctx, left)
		if err := n.keepUp(ctx); err != nil {
			return err
		}
	}
}

// departure is an account of which streams ended: their scopes before, and of those left.
type departure struct {
	account      model.AccountID
	before, left scopes
}

// forgetStreams removes streams and returns those of their accounts that have none of the
// same scope left on any node.
func forgetStreams(tx *store.Tx, over []presence.Stream) (out []departure, err error) {
	accounts, streams := make([]model.AccountID, len(over)), make([]model.StreamID, len(over))
	ended := map[model.AccountID]scopes{}
	for i, r := range over {
		accounts[i], streams[i] = r.Account, r.Stream
		ended[r.Account] = append(ended[r.Account], r.Scope)
	}
	accounts = distinct(accounts)
	if err := tx.LockQueues(accounts...); err != nil {
		return nil, err
	}
	if err := presence.DeleteStreams(tx, accounts, streams); err != nil {
		return nil, err
	}
	left, err := presence.StreamScopes(tx, accounts)
	for _, account := range accounts {
		d := departure{account, left[account], left[account]}
		for _, scope := range ended[account] {
			if !slices.Contains(d.before, scope) {
				d.before = d.before.with(scope)
			}
		}
		if len(d.before) > len(d.left) {
			out = append(out, d)
		}
	}
	return out, err
}

// tellDeparted tells that accounts have left, of which some may be back on any node by now.
func (n *Node) tellDeparted(ctx context.Context, left []departure) {
	r := n.registry
	var accounts []model.AccountID
	for _, d := range left {
		r.tellPresence(ctx, d.account, d.left, d.before, false)
		accounts = append(accounts, d.account)
	}
	if len(accounts) == 0 {
		return
	}
	now, err := store.Read(ctx, r.store, func(tx *store.Tx) (map[model.AccountID][]model.OrganizationID, error) {
		return presence.StreamScopes(tx, accounts)
	})
	if err != nil {
		r.log.DebugContext(ctx, "it is not told who is back", "error", err)
		return
	}
	for _, d := range left {
		r.tellBack(ctx, d.account, d.left, now[d.account])
	}
}

func streamsOf(subs []*live.Subscription) []model.StreamID {
	out := make([]model.StreamID, len(subs))
	for i, sub := range subs {
		out[i] = sub.ID
	}
	return out
}

// accountsOf lists the accounts that read, each once.
func accountsOf(subs []*live.Subscription) []model.AccountID {
	out := make([]model.AccountID, len(subs))
	for i, sub := range subs {
		out[i] = sub.Account
	}
	return distinct(out)
}

// distinct sorts accounts and leaves out repetitions.
func distinct(accounts []model.AccountID) []model.AccountID {
	slices.SortFunc(accounts, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(accounts)
}
