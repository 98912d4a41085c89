package stream

import (
	"context"
	"time"

	"signet/internal/store"
	"signet/internal/store/presence"
)

// mostPeers is how many servers on one store are told of at most.
const mostPeers = 1000

// Peer is a server as those on its store know it.
type Peer struct {
	Name    string // its machine and process
	Version string
	Started time.Time
	Heard   time.Time
	Alive   bool // its lease holds
	Self    bool
}

// Peers returns the servers on the store, this one among them, by name: those that are
// alive, and for about an hour those that are not any more. Their times are the store's. A
// server that is alone asks nothing.
func (r *Registry) Peers(ctx context.Context) ([]Peer, error) {
	if r.node == nil {
		return []Peer{{Name: r.name, Version: r.version, Started: r.started, Heard: r.clock(), Alive: true, Self: true}}, nil
	}
	rows, err := store.Read(ctx, r.store, func(tx *store.Tx) ([]presence.Node, error) {
		return presence.Nodes(tx, mostPeers)
	})
	now := r.node.time.StoreTime(r.clock())
	peers := make([]Peer, len(rows))
	for i, n := range rows {
		peers[i] = Peer{Name: n.Name, Version: n.Version, Started: n.Started, Heard: n.Heard, Alive: n.Lease.After(now),
			Self: n.ID == r.node.id}
	}
	return peers, err
}
