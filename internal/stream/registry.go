package stream

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

// Options are what a registry works with.
type Options struct {
	Store   *store.Store
	Hub     *live.Hub
	Clock   func() time.Time
	Log     *slog.Logger
	Outages *health.Outages // of what it works with; nil: each failure is logged
	// streams that an account may have on all nodes, where there are several (Register); 0: any number
	Limit int

	// NodeName is what this server is called among others on its store, and NodeVersion what
	// it runs, for its operator.
	NodeName, NodeVersion string

	QuietComment   time.Duration // how often a stream without a heartbeat shows that it is alive; 0: 10 s
	PresenceLinger time.Duration // how long an account counts as there after its last stream; 0: 5 s

	// LookAlone and LookConnected are how often a node looks for what its readers were not
	// woken for: all of it (0: 2 s), or what got lost where nodes are connected (0: 5 s).
	LookAlone, LookConnected time.Duration
}

// Registry knows which event streams are open: here, or on all nodes where there are
// several. It tells who is present, and ends streams and waiting polls whose key or
// membership has ended. It is safe for concurrent use.
type Registry struct {
	store   *store.Store
	hub     *live.Hub
	clock   func() time.Time
	log     *slog.Logger
	outages *health.Outages
	limit   int
	name    string
	version string
	started time.Time

	quietComment, linger     time.Duration
	lookAlone, lookConnected time.Duration

	node  *Node // nil: the server is alone on its store
	guard guard

	mu      sync.Mutex                 // guards present
	present map[model.AccountID]scopes // of the streams that make an account present, as was told
}

// NewRegistry returns the registry of a server that is alone on its store. It comes
// before the first use of the store, and before the first reader.
func NewRegistry(o Options) *Registry {
	r := &Registry{
		store: o.Store, hub: o.Hub, clock: o.Clock, log: o.Log, outages: o.Outages, limit: o.Limit, name: o.NodeName,
		version: o.NodeVersion, started: o.Clock(),
		quietComment: cmp.Or(o.QuietComment, 10*time.Second), linger: cmp.Or(o.PresenceLinger, 5*time.Second),
		lookAlone: cmp.Or(o.LookAlone, 2*time.Second), lookConnected: cmp.Or(o.LookConnected, 5*time.Second),
		present: map[model.AccountID]scopes{},
	}
	if o.Store.Observe(r.feed, r.hub.WakeFed) {
		o.Hub.FeedInOrder()
	}
	return r
}

// End ends the open streams of an account, on all nodes, or those of one of its keys or
// of its keys of a scope, and returns how many these were.
func (r *Registry) End(ctx context.Context, account model.AccountID, key string, scope model.OrganizationID) (int,
	error) {
	switch {
	case r.node != nil:
		return r.node.end(ctx, account, key, scope)
	case key != "":
		return r.hub.CloseKey(account, key, live.Deleted), nil
	case scope != "":
		return r.hub.CloseScope(account, scope, live.Deleted), nil
	default:
		return r.hub.CloseAccount(account, live.Deleted), nil
	}
}

// Scopes returns the scopes of the keys that opened the accounts' streams, on all nodes, one
// for each stream.
func (r *Registry) Scopes(tx *store.Tx, accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID,
	error) {
	out := map[model.AccountID][]model.OrganizationID{}
	if r.node == nil {
		for _, account := range accounts {
			out[account] = r.hub.StreamScopes(account)
		}
		return out, nil
	}
	rows, err := presence.StreamsOfEach(tx, accounts, r.node.time.StoreTime(r.clock()))
	for _, s := range rows {
		if s.Alive && s.State == presence.Open {
			out[s.Account] = append(out[s.Account], s.Scope)
		}
	}
	return out, err
}

// Keys returns the keys with which accounts have streams open, on all nodes.
func (r *Registry) Keys(tx *store.Tx, accounts []model.AccountID) (map[string]bool, error) {
	out := map[string]bool{}
	if r.node == nil {
		for _, account := range accounts {
			for _, key := range r.hub.StreamKeys(account) {
				out[key] = true
			}
		}
		return out, nil
	}
	rows, err := presence.StreamsOfEach(tx, accounts, r.node.time.StoreTime(r.clock()))
	for _, s := range rows {
		if s.Alive && s.State == presence.Open {
			out[s.Key] = true
		}
	}
	return out, err
}

// Readers returns whose streams are open, on all nodes, in no particular order.
func (r *Registry) Readers(ctx context.Context) ([]model.AccountID, error) {
	if r.node == nil {
		return r.hub.Readers(), nil
	}
	return store.Read(ctx, r.store, presence.Readers)
}

// Recheck soon ends the streams whose readers lost their access.
func (r *Registry) Recheck() { r.guard.remind(r.clock()) }
