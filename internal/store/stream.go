package store

import (
	"time"

	"signet/internal/model"
)

// StreamState is what has become of a stream that has a row.
type StreamState int

const (
	StreamOpen     StreamState = iota
	StreamReplaced             // its node is to end it: the account opened more than it may have
	StreamDeleted              // its node is to end it: it was closed by a call
	StreamClosed               // it has ended; the account counts as there for a while yet
)

// StreamRow is an event stream on some node. Only nodes that share a store keep
// them: a node that is alone knows its streams by heart.
type StreamRow struct {
	Account model.AccountID
	Stream  model.StreamID
	Node    model.NodeID
	Key     string               // that opened it
	Scope   model.OrganizationID // of the key
	Opened  int64                // a position of the account's queue, so that openings have one order on all nodes
	State   StreamState
	Alive   bool // its node has not lapsed
}

// NodeRow is a server on a store that several share. Times are the store's.
type NodeRow struct {
	ID      model.NodeID
	Name    string // its machine and process, for its operator
	Version string // of its program
	Started time.Time
	Heard   time.Time // when it last extended its lease
	Lease   time.Time // when that ends, or ended
}

// PutNode notes that a node is there until its lease ends.
func (tx *Tx) PutNode(n *NodeRow) error {
	return tx.Post(`INSERT INTO nodes (node, name, version, started, heard, lease) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (node) DO UPDATE SET heard = excluded.heard, lease = excluded.lease`,
		n.ID, n.Name, n.Version, millis(n.Started), millis(n.Heard), millis(n.Lease))
}

// RenewNode extends a lease. It reports false, and does nothing, where that has
// lapsed: others may have removed the node's streams by then.
func (tx *Tx) RenewNode(node model.NodeID, now, lease time.Time) (bool, error) {
	n, err := tx.exec(`UPDATE nodes SET heard = ?, lease = ? WHERE node = ? AND lease > ?`, millis(now), millis(lease), node,
		millis(now))
	return n > 0, err
}

// Nodes returns up to limit of the nodes that are there, or were a while ago, by name.
func (tx *Tx) Nodes(limit int) ([]NodeRow, error) {
	return List(tx, `SELECT node, name, version, started, heard, lease FROM nodes ORDER BY name, node LIMIT ? + 0`,
		[]any{limit}, func(n *NodeRow, row Row) error {
			var started, heard, lease int64
			err := row.Scan(&n.ID, &n.Name, &n.Version, &started, &heard, &lease)
			n.Started, n.Heard, n.Lease = FromMillis(started), FromMillis(heard), FromMillis(lease)
			return err
		})
}

// OtherNodes returns how many nodes there are besides one.
func (tx *Tx) OtherNodes(node model.NodeID, now time.Time) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM nodes WHERE node <> ? AND lease > ?`, []any{node, millis(now)}, &n)
	return n, err
}

// LapsedNode returns a node whose lease is over and which has streams left, and
// keeps others from seeing to it.
func (tx *Tx) LapsedNode(now time.Time) (node model.NodeID, found bool, err error) {
	found, err = tx.One(
		`SELECT n.node FROM nodes n WHERE n.lease <= ? AND EXISTS (SELECT 1 FROM streams s WHERE s.node = n.node)
		ORDER BY n.node LIMIT 1 `+tx.dialect.Skip, []any{millis(now)}, &node)
	return node, found, err
}

// DeleteNodesBefore forgets nodes whose leases were over before then. It is long
// after: a node that hung may note a stream late, and the node that cleans up its
// streams finds them by its row.
func (tx *Tx) DeleteNodesBefore(lapsed time.Time) error {
	return tx.Post(`DELETE FROM nodes WHERE lease < ?`, millis(lapsed))
}

// PutStream notes a stream, unless it is noted.
func (tx *Tx) PutStream(r *StreamRow) error {
	return tx.Post(`INSERT INTO streams (account, stream, node, api_key, organization, opened, state) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, stream) DO NOTHING`, r.Account, r.Stream, r.Node, r.Key, r.Scope, r.Opened, int(r.State))
}

// StreamsOf returns the streams of an account, the oldest first.
func (tx *Tx) StreamsOf(account model.AccountID, now time.Time) ([]StreamRow, error) {
	return tx.streams(`s.account = ? ORDER BY s.opened, s.stream`, now, account)
}

// StreamsOfEach returns the streams of several accounts, in no particular order.
func (tx *Tx) StreamsOfEach(accounts []model.AccountID, now time.Time) ([]StreamRow, error) {
	return tx.streams(`s.account IN (?*)`, now, accounts)
}

// StreamsOn returns up to limit streams of a node.
func (tx *Tx) StreamsOn(node model.NodeID, now time.Time, limit int) ([]StreamRow, error) {
	return tx.streams(`s.node = ? ORDER BY s.account, s.stream LIMIT ? + 0`, now, node, limit)
}

// StreamsToEnd returns the streams that a node is to end.
func (tx *Tx) StreamsToEnd(node model.NodeID, now time.Time) ([]StreamRow, error) {
	return tx.streams(`s.node = ? AND s.state IN (1, 2)`, now, node)
}

func (tx *Tx) streams(where string, now time.Time, args ...any) ([]StreamRow, error) {
	return List(tx, `SELECT s.account, s.stream, s.node, s.api_key, s.organization, s.opened, s.state, COALESCE(n.lease, 0)
		FROM streams s LEFT JOIN nodes n ON n.node = s.node WHERE `+where, args, func(r *StreamRow, row Row) error {
		var state int
		var lease int64
		err := row.Scan(&r.Account, &r.Stream, &r.Node, &r.Key, &r.Scope, &r.Opened, &state, &lease)
		r.State, r.Alive = StreamState(state), lease > millis(now)
		return err
	})
}

// Readers returns whose streams are open, on whatever node.
func (tx *Tx) Readers() ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT DISTINCT account FROM streams WHERE state = 0`)
}

// EndStreams asks the nodes of some open streams of an account to end them.
func (tx *Tx) EndStreams(account model.AccountID, streams []model.StreamID, state StreamState) error {
	return tx.Post(`UPDATE streams SET state = ? WHERE account = ? AND stream IN (?*) AND state = 0`, int(state), account,
		streams)
}

// CloseStreams notes that streams of these accounts have ended.
func (tx *Tx) CloseStreams(accounts []model.AccountID, streams []model.StreamID) error {
	return tx.Post(`UPDATE streams SET state = ? WHERE account IN (?*) AND stream IN (?*)`, int(StreamClosed), accounts,
		streams)
}

// DeleteStreams forgets streams of these accounts.
func (tx *Tx) DeleteStreams(accounts []model.AccountID, streams []model.StreamID) error {
	return tx.Post(`DELETE FROM streams WHERE account IN (?*) AND stream IN (?*)`, accounts, streams)
}

// StreamScopes returns the scopes of the keys with which the accounts have streams, ended
// ones included, each once.
func (tx *Tx) StreamScopes(accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID, error) {
	out := map[model.AccountID][]model.OrganizationID{}
	err := tx.Query(`SELECT DISTINCT account, organization FROM streams WHERE account IN (?*)`, []any{accounts},
		func(row Row) error {
			var account model.AccountID
			var scope model.OrganizationID
			err := row.Scan(&account, &scope)
			out[account] = append(out[account], scope)
			return err
		})
	return out, err
}
