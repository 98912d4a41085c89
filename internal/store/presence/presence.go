// Package presence keeps which servers share a store, and the streams that accounts have open on
// them.
//
// It owns nodes and streams. It does not know what a stream carries (package stream).
package presence

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// State is what has become of a stream that has a row.
type State int

const (
	Open     State = iota
	Replaced       // its node is to end it: the account opened more than it may have
	Deleted        // its node is to end it: it was closed by a call
	Closed         // it has ended; the account counts as there for a while yet
)

// Stream is an event stream on some node. Only nodes that share a store keep
// them: a node that is alone knows its streams by heart.
type Stream struct {
	Account model.AccountID
	Stream  model.StreamID
	Node    model.NodeID
	Key     string               // that opened it
	Scope   model.OrganizationID // of the key
	Opened  int64                // a position of the account's queue, so that openings have one order on all nodes
	State   State
	Alive   bool // its node has not lapsed
}

// Node is a server on a store that several share. Times are the store's.
type Node struct {
	ID      model.NodeID
	Name    string // its machine and process, for its operator
	Version string // of its program
	Started time.Time
	Heard   time.Time // when it last extended its lease
	Lease   time.Time // when that ends, or ended
}

// PutNode notes that a node is there until its lease ends.
func PutNode(tx *store.Tx, n *Node) error {
	return tx.Post(`INSERT INTO nodes (node, name, version, started, heard, lease) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (node) DO UPDATE SET heard = excluded.heard, lease = excluded.lease`,
		n.ID, n.Name, n.Version, store.Millis(n.Started), store.Millis(n.Heard), store.Millis(n.Lease))
}

// RenewNode extends a lease. It reports false, and does nothing, where that has
// lapsed: others may have removed the node's streams by then.
func RenewNode(tx *store.Tx, node model.NodeID, now, lease time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE nodes SET heard = ?, lease = ? WHERE node = ? AND lease > ?`, store.Millis(now),
		store.Millis(lease), node, store.Millis(now))
	return n > 0, err
}

// Nodes returns up to limit of the nodes that are there, or were a while ago, by name.
func Nodes(tx *store.Tx, limit int) ([]Node, error) {
	return store.List(tx, `SELECT node, name, version, started, heard, lease FROM nodes ORDER BY name, node LIMIT ? + 0`,
		[]any{limit}, func(n *Node, row store.Row) error {
			var started, heard, lease int64
			err := row.Scan(&n.ID, &n.Name, &n.Version, &started, &heard, &lease)
			n.Started, n.Heard, n.Lease = store.FromMillis(started), store.FromMillis(heard), store.FromMillis(lease)
			return err
		})
}

// OtherNodes returns how many nodes there are besides one.
func OtherNodes(tx *store.Tx, node model.NodeID, now time.Time) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM nodes WHERE node <> ? AND lease > ?`, []any{node, store.Millis(now)}, &n)
	return n, err
}

// LapsedNode returns a node whose lease is over and which has streams left, and
// keeps others from seeing to it.
func LapsedNode(tx *store.Tx, now time.Time) (node model.NodeID, found bool, err error) {
	found, err = tx.One(
		`SELECT n.node FROM nodes n WHERE n.lease <= ? AND EXISTS (SELECT 1 FROM streams s WHERE s.node = n.node)
		ORDER BY n.node LIMIT 1 `+tx.SkipLocked(), []any{store.Millis(now)}, &node)
	return node, found, err
}

// DeleteNodesBefore forgets nodes whose leases were over before then. It is long
// after: a node that hung may note a stream late, and the node that cleans up its
// streams finds them by its row.
func DeleteNodesBefore(tx *store.Tx, lapsed time.Time) error {
	return tx.Post(`DELETE FROM nodes WHERE lease < ?`, store.Millis(lapsed))
}

// PutStream notes a stream, unless it is noted.
func PutStream(tx *store.Tx, r *Stream) error {
	return tx.Post(`INSERT INTO streams (account, stream, node, api_key, organization, opened, state) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, stream) DO NOTHING`, r.Account, r.Stream, r.Node, r.Key, r.Scope, r.Opened, int(r.State))
}

// StreamsOf returns the streams of an account, the oldest first.
func StreamsOf(tx *store.Tx, account model.AccountID, now time.Time) ([]Stream, error) {
	return streams(tx, ofAccount, now, account)
}

// ofAccount selects the streams of an account, the oldest first.
const ofAccount = `s.account = ? ORDER BY s.opened, s.stream`

// AskStreamsOf asks for that.
func AskStreamsOf(tx *store.Tx, account model.AccountID, now time.Time, out *[]Stream) error {
	return askStreams(tx, out, ofAccount, now, account)
}

// StreamsOfEach returns the streams of several accounts, in no particular order.
func StreamsOfEach(tx *store.Tx, accounts []model.AccountID, now time.Time) ([]Stream, error) {
	return streams(tx, `s.account IN (?*)`, now, accounts)
}

// StreamsOn returns up to limit streams of a node.
func StreamsOn(tx *store.Tx, node model.NodeID, now time.Time, limit int) ([]Stream, error) {
	return streams(tx, `s.node = ? ORDER BY s.account, s.stream LIMIT ? + 0`, now, node, limit)
}

// AskStreamsToEnd asks for the streams that a node is to end.
func AskStreamsToEnd(tx *store.Tx, node model.NodeID, now time.Time, out *[]Stream) error {
	return askStreams(tx, out, `s.node = ? AND s.state IN (1, 2)`, now, node)
}

func streams(tx *store.Tx, where string, now time.Time, args ...any) (out []Stream, err error) {
	if err = askStreams(tx, &out, where, now, args...); err == nil {
		err = tx.Await()
	}
	return out, err
}

func askStreams(tx *store.Tx, out *[]Stream, where string, now time.Time, args ...any) error {
	return store.AskList(tx, `SELECT s.account, s.stream, s.node, s.api_key, s.organization, s.opened, s.state, COALESCE(n.lease, 0)
		FROM streams s LEFT JOIN nodes n ON n.node = s.node WHERE `+where, args, out, func(r *Stream, row store.Row) error {
		var state int
		var lease int64
		err := row.Scan(&r.Account, &r.Stream, &r.Node, &r.Key, &r.Scope, &r.Opened, &state, &lease)
		r.State, r.Alive = State(state), lease > store.Millis(now)
		return err
	})
}

// Readers returns whose streams are open, on whatever node.
func Readers(tx *store.Tx) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT DISTINCT account FROM streams WHERE state = 0`)
}

// EndStreams asks the nodes of some open streams of an account to end them.
func EndStreams(tx *store.Tx, account model.AccountID, streams []model.StreamID, state State) error {
	return tx.Post(`UPDATE streams SET state = ? WHERE account = ? AND stream IN (?*) AND state = 0`, int(state), account,
		streams)
}

// CloseStreams notes that streams of these accounts have ended.
func CloseStreams(tx *store.Tx, accounts []model.AccountID, streams []model.StreamID) error {
	return tx.Post(`UPDATE streams SET state = ? WHERE account IN (?*) AND stream IN (?*)`, int(Closed), accounts,
		streams)
}

// DeleteStreams forgets streams of these accounts.
func DeleteStreams(tx *store.Tx, accounts []model.AccountID, streams []model.StreamID) error {
	return tx.Post(`DELETE FROM streams WHERE account IN (?*) AND stream IN (?*)`, accounts, streams)
}

// StreamScopes returns the scopes of the keys with which the accounts have streams, ended
// ones included, each once.
func StreamScopes(tx *store.Tx, accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID, error) {
	out := map[model.AccountID][]model.OrganizationID{}
	err := tx.Query(`SELECT DISTINCT account, organization FROM streams WHERE account IN (?*)`, []any{accounts},
		func(row store.Row) error {
			var account model.AccountID
			var scope model.OrganizationID
			err := row.Scan(&account, &scope)
			out[account] = append(out[account], scope)
			return err
		})
	return out, err
}
