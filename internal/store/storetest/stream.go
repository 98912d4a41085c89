package storetest

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/presence"
)

// node is one whose lease ends in some time.
func (p *platform) node(id model.NodeID, lease time.Duration) *presence.Node {
	return &presence.Node{ID: id, Name: "a machine", Version: "v1", Started: p.now(), Heard: p.now(),
		Lease: p.now().Add(lease)}
}

func nodes(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	first, second := model.NodeID(p.id()), model.NodeID(p.id())
	account := model.AccountID(p.id())
	put := func(node model.NodeID, lease time.Duration) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return presence.PutNode(tx, p.node(node, lease)) })
	}
	renew := func(node model.NodeID, lease time.Duration) (renewed bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			renewed, err = presence.RenewNode(tx, node, p.now(), p.now().Add(lease))
			return err
		})
		return renewed
	}
	others := func(node model.NodeID) int {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (int, error) { return presence.OtherNodes(tx, node, p.now()) })
	}
	lapsed := func() (node model.NodeID) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			node, _, err = presence.LapsedNode(tx, p.now())
			return err
		})
		return node
	}

	t.Run("know_of_each_other_while_their_leases_hold", func(t *testing.T) {
		put(first, time.Minute)
		wantEqual(t, "others when it is alone", others(first), 0)
		put(second, 2*time.Minute)
		wantEqual(t, "others of the first", others(first), 1)
		p.clock.Advance(time.Minute)
		wantEqual(t, "others of the first", others(first), 1)
		wantEqual(t, "others of the second", others(second), 0)
		put(first, time.Minute)
		wantEqual(t, "others of the second after the first is back", others(second), 1)
	})
	t.Run("are_listed_with_when_each_was_heard_of", func(t *testing.T) {
		list := func(limit int) []presence.Node {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]presence.Node, error) { return presence.Nodes(tx, limit) })
		}
		started := p.now().Add(-time.Minute)
		one := *p.node(first, time.Minute)
		one.Started = started
		all := list(10)
		if len(all) != 2 {
			t.Fatalf("got %v, want 2 nodes", all)
		}
		for _, n := range all {
			if n.ID == first {
				wantEqual(t, "the first", n, one)
			} else {
				wantEqual(t, "the second, which lapsed", n.Heard, started)
			}
		}
		p.clock.Advance(time.Second)
		renew(first, time.Hour)
		for _, n := range list(10) {
			if n.ID == first {
				wantEqual(t, "when it was heard of", n.Heard, p.now())
				wantEqual(t, "when it started", n.Started, started)
			}
		}
		wantEqual(t, "those of a list of one", len(list(1)), 1)
	})
	t.Run("renew_a_lease_that_has_not_lapsed", func(t *testing.T) {
		wantEqual(t, "renewed", renew(first, time.Hour), true)
		p.clock.Advance(time.Hour - time.Millisecond)
		wantEqual(t, "renewed at the last moment", renew(first, time.Minute), true)
		p.clock.Advance(time.Minute)
		wantEqual(t, "renewed after it lapsed", renew(first, time.Hour), false)
		wantEqual(t, "renewed what nobody has", renew(model.NodeID(p.id()), time.Hour), false)
	})
	t.Run("that_lapsed_are_seen_to_as_long_as_they_have_streams", func(t *testing.T) {
		wantEqual(t, "lapsed without streams", lapsed(), model.NodeID{})
		stream := model.StreamID(p.id())
		p.mustUpdate(t, func(tx *store.Tx) error {
			return presence.PutStream(tx, &presence.Stream{Account: account, Stream: stream, Node: first})
		})
		wantEqual(t, "lapsed with a stream", lapsed(), first)
		put(first, time.Minute)
		wantEqual(t, "lapsed after it is back", lapsed(), model.NodeID{})
		p.clock.Advance(time.Minute)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return presence.DeleteStreams(tx, []model.AccountID{account}, []model.StreamID{stream})
		})
		wantEqual(t, "lapsed after its streams are gone", lapsed(), model.NodeID{})
	})
	t.Run("that_lapsed_long_ago_are_forgotten", func(t *testing.T) {
		put(second, time.Minute)
		p.mustUpdate(t, func(tx *store.Tx) error { return presence.DeleteNodesBefore(tx, p.now().Add(time.Millisecond)) })
		wantEqual(t, "nodes", others(model.NodeID{}), 1)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return presence.PutStream(tx, &presence.Stream{Account: account, Stream: model.StreamID(p.id()), Node: first})
		})
		wantEqual(t, "lapsed but forgotten", lapsed(), model.NodeID{})
	})
}

func streams(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	here, there, gone := model.NodeID(p.id()), model.NodeID(p.id()), model.NodeID(p.id())
	ann, bob := model.AccountID(p.id()), model.AccountID(p.id())
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(presence.PutNode(tx, p.node(here, time.Minute)), presence.PutNode(tx, p.node(there, time.Minute)),
			presence.PutNode(tx, p.node(gone, 0)))
	})
	row := func(account model.AccountID, node model.NodeID, opened int64) presence.Stream {
		return presence.Stream{Account: account, Stream: p.id(), Node: node, Key: "Key", Opened: opened,
			Alive: node == here || node == there}
	}
	put := func(rows ...presence.Stream) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			for i := range rows {
				if err := presence.PutStream(tx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	of := func(account model.AccountID) []presence.Stream {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]presence.Stream, error) {
			return presence.StreamsOf(tx, account, p.now())
		})
	}
	second, first, lost, other := row(ann, there, 7), row(ann, here, 5), row(ann, gone, 6), row(bob, here, 1)
	scope := p.organizationID()
	second.Scope = scope
	orphan := row(ann, model.NodeID(p.id()), 9)

	t.Run("come_back_in_the_order_of_their_opening", func(t *testing.T) {
		put(second, first, lost, other, orphan)
		wantEqual(t, "streams", of(ann), []presence.Stream{first, lost, second, orphan})
		wantEqual(t, "streams of nobody", len(of(p.id())), 0)
	})
	t.Run("are_noted_once", func(t *testing.T) {
		again := other
		again.Opened, again.Node = 100, there
		put(again)
		wantEqual(t, "streams", of(bob), []presence.Stream{other})
	})
	t.Run("are_found_by_their_node", func(t *testing.T) {
		on := func(limit int) []presence.Stream {
			return mustRead(t, p, func(tx *store.Tx) ([]presence.Stream, error) {
				return presence.StreamsOn(tx, here, p.now(), limit)
			})
		}
		wantEqual(t, "streams", on(10), []presence.Stream{first, other})
		wantEqual(t, "one of the streams", on(1), []presence.Stream{first})
	})
	t.Run("are_ended_by_their_nodes", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(
				presence.EndStreams(tx, ann, []model.StreamID{first.Stream, other.Stream}, presence.Replaced),
				presence.EndStreams(tx, ann, []model.StreamID{first.Stream, second.Stream}, presence.Deleted),
				presence.EndStreams(tx, ann, nil, presence.Deleted))
		})
		first.State, second.State = presence.Replaced, presence.Deleted
		toEnd := func(node model.NodeID) []presence.Stream {
			return mustRead(t, p, func(tx *store.Tx) (out []presence.Stream, err error) {
				if err = presence.AskStreamsToEnd(tx, node, p.now(), &out); err == nil {
					err = tx.Await()
				}
				return out, err
			})
		}
		wantEqual(t, "here", toEnd(here), []presence.Stream{first})
		wantEqual(t, "there", toEnd(there), []presence.Stream{second})
		p.mustUpdate(t, func(tx *store.Tx) error {
			return presence.CloseStreams(tx, []model.AccountID{ann, bob}, []model.StreamID{first.Stream, other.Stream})
		})
		first.State, other.State = presence.Closed, presence.Closed
		wantEqual(t, "here after they ended", len(toEnd(here)), 0)
		wantEqual(t, "all", of(ann), []presence.Stream{first, lost, second, orphan})
		wantEqual(t, "those of another", of(bob), []presence.Stream{other})
	})
	t.Run("tell_whose_account_is_there_until_they_are_forgotten", func(t *testing.T) {
		type scopes = map[model.AccountID][]model.OrganizationID
		with := func() scopes {
			out := mustRead(t, p, func(tx *store.Tx) (scopes, error) {
				return presence.StreamScopes(tx, []model.AccountID{ann, bob, p.id()})
			})
			slices.Sort(out[ann])
			return out
		}
		wantEqual(t, "with streams", with(), scopes{ann: {"", scope}, bob: {""}})
		p.mustUpdate(t, func(tx *store.Tx) error {
			return presence.DeleteStreams(tx, []model.AccountID{ann, bob}, []model.StreamID{first.Stream, other.Stream})
		})
		wantEqual(t, "with streams", with(), scopes{ann: {"", scope}})
		wantEqual(t, "left", of(ann), []presence.Stream{lost, second, orphan})
	})
}

// manyAtOnce: what a node asks about all who read on it, in one statement each.
func manyAtOnce(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first := p.mustOrganization(t, ann, bob)
	second := p.mustOrganization(t, ann)
	for _, name := range []string{"one", "two"} {
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.InsertKey(&model.Key{Key: name, Account: ann, SecretHash: []byte{1}, PreviousHash: []byte{}, Counter: name,
				Created: p.now()})
		})
	}
	p.mustNote(t, bob, first, "a")
	last := p.mustNote(t, bob, first, "b")
	only := p.mustNote(t, ann, first, "c")
	everybody := []model.AccountID{ann, bob, eve, p.id()}

	positions := mustRead(t, p,
		func(tx *store.Tx) (map[model.AccountID]int64, error) { return tx.LastPositions(everybody) })
	if p.alone(t) { // nobody else queues anything
		wantEqual(t, "last positions", positions, map[model.AccountID]int64{})
	} else {
		wantEqual(t, "last positions", []int64{positions[ann], positions[bob]}, []int64{only, last})
		var locked int64 // of which there is no event
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			locked, err = tx.Position(1, ann)
			return err
		})
		positions = mustRead(t, p,
			func(tx *store.Tx) (map[model.AccountID]int64, error) { return tx.LastPositions([]model.AccountID{ann}) })
		wantEqual(t, "last position", positions, map[model.AccountID]int64{ann: locked})
	}
	known := map[string]model.Key{}
	p.mustView(t, func(tx *store.Tx) error {
		if err := tx.AskKeysNamed([]string{"one", "Two", "none"}, known); err != nil {
			return err
		}
		return tx.Await()
	})
	wantEqual(t, "known keys", slices.Collect(maps.Keys(known)), []string{"one"})
	places := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]model.OrganizationID, error) {
		return tx.OrganizationsOfEach(everybody)
	})
	slices.Sort(places[ann])
	both := []model.OrganizationID{first, second}
	slices.Sort(both)
	wantEqual(t, "organizations", places, map[model.AccountID][]model.OrganizationID{ann: both, bob: {first}})
	if empty := mustRead(t, p,
		func(tx *store.Tx) (map[model.AccountID]int64, error) { return tx.LastPositions(nil) }); len(empty) != 0 {
		t.Errorf("last positions of nobody: %v", empty)
	}
}
