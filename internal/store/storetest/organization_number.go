package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// organizationNumbers: rows that name an organization by its number belong to it, whoever
// made it, and never to another one, whatever becomes of it.
func organizationNumbers(t *testing.T, h conformance.Harness) {
	conformance.InTurn(t, h, []conformance.Case{
		{Name: "of_an_organization_that_came_to_nothing_are_the_next_ones", Run: numbersThatCameToNothing},
		{Name: "are_none_of_an_organization_that_there_is_not", Run: numbersOfNoOrganization},
		{Name: "are_not_given_again", Run: numbersNotGivenAgain},
		{Name: "of_what_another_node_made_are_read", Run: numbersOfAnotherNode},
		{Name: "are_read_while_ever_more_are_given", Run: numbersWhileMoreAreGiven},
		{Name: "are_read_anew_when_the_database_has_lost_some", Run: numbersThatWereLost},
		{Name: "are_met_first_in_a_transaction_that_writes", Run: numbersMetInAWrite},
	})
}

func numbersThatCameToNothing(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	failed, lost := errors.New("failed"), p.letter(p.organizationID(), ann, bob)
	err := p.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&model.Organization{ID: lost.Organization, Created: p.now()}); err != nil {
			return err
		}
		if err := tx.InsertMessage(lost); err != nil {
			return err
		}
		got, found, err := tx.Message([]model.OrganizationID{lost.Organization}, lost.ID, p.now())
		if err != nil || !found || got.Organization != lost.Organization {
			t.Errorf("within its transaction the message is %+v, %v, %v", got, found, err)
		}
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Fatalf("the transaction answered %v", err)
	}
	for range 3 {
		m := p.letter(p.mustOrganization(t, ann, bob), ann, bob)
		p.mustSend(t, m)
		if queue := p.mustQueue(t, bob); queue[len(queue)-1].Organization != m.Organization {
			t.Errorf("a message of %s is queued as one of %s", m.Organization, queue[len(queue)-1].Organization)
		}
		wantMissing(t, p, "the message in the organization that is not there", p.found(m, lost.Organization))
	}
	wantMissing(t, p, "the message that was not stored", p.found(lost, lost.Organization))
}

func numbersOfNoOrganization(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	nowhere := p.organizationID()
	m := p.letter(nowhere, ann, bob)
	for what, insert := range map[string]func(*store.Tx) error{
		"a message":  func(tx *store.Tx) error { return tx.InsertMessage(m) },
		"a delivery": func(tx *store.Tx) error { return tx.InsertDelivery(m, bob, 1, false) },
		"an event":   func(tx *store.Tx) error { return tx.InsertEvent(bob, 1, nowhere, model.EventFriends, m.ID, nil) },
	} {
		if err := p.Update(t.Context(), insert); err == nil {
			t.Errorf("%s of it was stored", what)
		}
	}
	wantEqual(t, "queue", len(p.mustQueue(t, bob)), 0)
}

func numbersNotGivenAgain(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	m := p.letter(p.mustOrganization(t, ann, bob), ann, bob)
	p.mustSend(t, m)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, m.Organization) })
	next := p.mustOrganization(t, ann, bob)
	left := mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) { return erasure.MessagesOf(tx, next, 10) })
	wantEqual(t, "messages of the next organization", len(left), 0)
	left = mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) {
		return erasure.MessagesOf(tx, m.Organization, 10)
	})
	wantEqual(t, "messages of the deleted one", left, []store.MessageRow{*m})
}

func numbersOfAnotherNode(t *testing.T, h conformance.Harness) {
	here, there, _ := twoStores(t, h)
	ann, bob := here.mustAccount(t, "ann").ID, here.mustAccount(t, "bob").ID
	for range 3 {
		there.made.Store(here.made.Load())
		m := there.letter(there.mustOrganization(t, ann, bob), ann, bob)
		there.mustSend(t, m)
		here.made.Store(there.made.Load())
		queue := here.mustQueue(t, bob)
		wantEqual(t, "the newest of the queue", queue[len(queue)-1].Message, m)
		here.mustUpdate(t, func(tx *store.Tx) error { // and by who has not met it before, in a transaction that writes
			arrivals, _, err := tx.Arrivals(bob, []int64{m.Sort}, 0, here.now())
			if err == nil && (len(arrivals) != 1 || arrivals[0].Organization != m.Organization || !arrivals[0].Told) {
				t.Errorf("arrivals %+v", arrivals)
			}
			return err
		})
	}
}

func numbersWhileMoreAreGiven(t *testing.T, h conformance.Harness) {
	here, there, _ := twoStores(t, h)
	bob := here.mustAccount(t, "bob").ID
	const rounds = 50
	made := make(chan error, 1)
	go func() {
		defer close(made)
		for i := range rounds {
			id := model.OrganizationID(fmt.Sprintf("%024d", i))
			err := there.Update(context.Background(), func(tx *store.Tx) error {
				if err := tx.InsertOrganization(&model.Organization{ID: id, Created: there.now()}); err != nil {
					return err
				}
				position, err := tx.Position(1, bob)
				if err != nil {
					return err
				}
				return tx.InsertEvent(bob, position, id, model.EventSettings, model.MessageID{}, []byte("{}"))
			})
			if err != nil {
				made <- err
				return
			}
		}
	}()
	for seen := 0; seen < rounds; {
		select {
		case err, failed := <-made:
			if failed {
				t.Fatal(err)
			}
		default:
		}
		queue := mustRead(t, here,
			func(tx *store.Tx) ([]store.EventRow, error) { return tx.Events(here.queue(bob), rounds, nil) })
		for i, e := range queue {
			if e.Organization != model.OrganizationID(fmt.Sprintf("%024d", i)) {
				t.Fatalf("event %d is of %s", i, e.Organization)
			}
		}
		seen = len(queue)
	}
}

func numbersThatWereLost(t *testing.T, h conformance.Harness) {
	here, there, e := twoStores(t, h)
	ann, bob := here.mustAccount(t, "ann").ID, here.mustAccount(t, "bob").ID
	lost := here.letter(here.mustOrganization(t, ann, bob), ann, bob)
	here.mustSend(t, lost)
	here.wantQueued(t, bob, lost)
	conformance.MustExec(t, e, `DELETE FROM organization_numbers WHERE organization = ?`, lost.Organization)
	conformance.MustExec(t, e, `DELETE FROM events`)
	there.made.Store(here.made.Load())
	next := there.letter(there.mustOrganization(t, ann, bob), ann, bob) // its number is the lost one's
	here.mustSend(t, next)
	here.wantQueued(t, bob, next)
	wantMissing(t, here, "the message in the lost organization", here.found(next, lost.Organization))
}

func numbersMetInAWrite(t *testing.T, h conformance.Harness) {
	d := conformance.NewDatabase(t, h)
	p := mustOpenPlatform(t, d)
	ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
	m := p.letter(p.mustOrganization(t, ann, bob), ann, bob)
	p.mustSend(t, m)
	conformance.MustClose(t, p)
	p = mustOpenPlatform(t, d) // it knows no number
	runs := 0
	p.mustUpdate(t, func(tx *store.Tx) error {
		runs++
		arrivals, _, err := tx.Arrivals(bob, []int64{m.Sort}, 0, p.now())
		if err == nil && (len(arrivals) != 1 || arrivals[0].Organization != m.Organization) {
			t.Errorf("arrivals %+v", arrivals)
		}
		return err
	})
	wantEqual(t, "runs of the transaction", runs, 1)
}

// twoStores are two servers' stores of one database, on two engines where these can be.
func twoStores(t *testing.T, h conformance.Harness) (here, there *platform, e store.Engine) {
	t.Helper()
	d := conformance.NewDatabase(t, h)
	nodes := d.MustOpenNodes(t, h)
	open := func(e store.Engine) *platform {
		opened, err := store.Open(t.Context(), e, conformance.Epoch("first"))
		if err != nil {
			t.Fatal(err)
		}
		opened.Authenticate(rowKey, nil)
		return &platform{Store: opened, clock: d.Clock, memory: memory{}}
	}
	return open(nodes[0]), open(nodes[len(nodes)-1]), nodes[0]
}

// eventKinds: each kind that can be queued comes back as itself.
func eventKinds(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	ann := p.mustAccount(t, "ann").ID
	organization := p.mustOrganization(t, ann)
	kinds := []model.EventKind{model.EventStatus, model.EventGroupStatus, model.EventFriends, model.EventBang,
		model.EventUpdate, model.EventSettings,
		model.EventPresence, model.EventAdminRequest, model.EventConversationMute, model.EventTyping, model.EventAdvisory}
	var want []store.EventRow
	for _, kind := range kinds {
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, ann)
			if err != nil {
				return err
			}
			return tx.InsertEvent(ann, position, organization, kind, model.MessageID{}, []byte(kind))
		})
	}
	for _, e := range p.mustQueue(t, ann) {
		want = append(want, store.EventRow{Position: e.Position, Kind: kinds[len(want)], Organization: organization,
			Payload: []byte(kinds[len(want)])})
	}
	wantEqual(t, "queue", p.mustQueue(t, ann), want)
	wantEqual(t, "number of events", len(want), len(kinds))
	for _, kind := range []model.EventKind{"", "unheard of", model.EventHeartbeat} {
		if err := p.Update(t.Context(), func(tx *store.Tx) error {
			return tx.InsertEvent(ann, 1<<60, organization, kind, model.MessageID{}, nil)
		}); err == nil {
			t.Errorf("an event of kind %q was queued", kind)
		}
	}
}
