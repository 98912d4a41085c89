package api_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testenv"
)

// mustQueueOther queues so many events besides messages with the person.
func (p *person) mustQueueOther(organization string, n int) {
	p.t.Helper()
	account, _ := model.ParseAccountID(p.token)
	err := p.s.store.Update(p.t.Context(), func(tx *store.Tx) error {
		position, err := tx.Position(n, account)
		for i := range int64(n) {
			if err == nil {
				err = tx.InsertEvent(account, position+i, model.OrganizationID(organization), model.EventAdminRequest,
					model.MessageID{}, store.Payload{Account: account, State: "pending"}.Encode())
			}
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.s.hub.Wake(context.Background(), account)
}

// others are events that bring no message.
func others(events []event) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.kind == "message" })
}

// A queue holds so many events besides messages: the oldest go, and the reader is told once
// to read everything anew.
func TestAQueueHoldsSoManyEventsBesidesMessages(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.queueMax = 5 })
	c.alice.mustSend(c.bob.token, "before")
	c.bob.mustQueueOther(c.org, 5)
	stream := c.bob.openStream("features=no-offline-messages")
	c.mustSweep()
	if n := len(others(c.bob.events())); n != 5 {
		t.Errorf("at the limit %d events are queued", n)
	}
	c.alice.mustSend(c.bob.token, "between")
	stream.wantNext("message")
	c.bob.mustQueueOther(c.org, 3)
	for range 3 {
		stream.wantNext("admin_request")
	}
	c.mustSweep()
	stream.wantNext("account:settings")
	c.bob.wantEvents("message", "admin_request", "message", "admin_request", "admin_request",
		"admin_request", "account:settings")
	c.mustSweep() // it is looked at once more
	c.bob.mustQueueOther(c.org, 2)
	c.mustSweep()
	c.bob.wantEvents("message", "message", "admin_request", "admin_request", "account:settings",
		"admin_request", "admin_request")
	c.bob.mustQueueOther(c.org, 3) // now the event that told it is one of the oldest
	c.mustSweep()
	c.bob.wantEvents("message", "message", "admin_request", "admin_request", "admin_request",
		"admin_request", "account:settings")
	queued := c.bob.events()
	c.bob.mustAck(idsOf(queued[2:5])...) // what was acknowledged makes room
	c.bob.mustQueueOther(c.org, 3)
	c.mustSweep()
	if got := kindsOf(c.bob.events()); len(got) != 7 || slices.Contains(got[4:], "account:settings") {
		t.Errorf("where others were acknowledged there is %v", got)
	}
}

// Whatever comes into a queue, is acknowledged, deleted and swept: no message is lost, the
// order stays, and when it is swept it holds no more than it may, and that is the newest.
func TestALimitedQueueLosesNoMessageAndKeepsItsOrder(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const most = 12
	c := startClinic(t, func(f *figures) { f.queueMax = most })
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var before []event
	reloads := 0
	for step := range 150 {
		removed, swept := c.doAnything(random, most, before)
		now := c.bob.events("limit=1000")
		if swept {
			if n := len(others(now)); n > most {
				t.Fatalf("seed %d, step %d: when it was swept the queue holds %d", seed, step, n)
			}
		}
		left := slices.DeleteFunc(slices.Clone(before), func(e event) bool { return removed[e.id] })
		ids, newest := idsOf(now), false
		i := 0
		for _, e := range left {
			at := slices.Index(ids[i:], e.id)
			switch {
			case at >= 0:
				i += at + 1
				newest = newest || e.kind != "message"
			case e.kind == "message":
				t.Fatalf("seed %d, step %d: a message is lost, or is out of order", seed, step)
			case !swept || newest:
				t.Fatalf("seed %d, step %d: an event is lost that is none of the oldest", seed, step)
			}
		}
		if lost := len(left) - (len(now) - len(ids[i:])); lost > 0 {
			reloads++
			if !slices.Contains(kindsOf(now), "account:settings") {
				t.Fatalf("seed %d, step %d: %d events went, and the reader is not told", seed, step, lost)
			}
		}
		if n := strings.Count(strings.Join(kindsOf(now), " "), "account:settings"); n > 1 {
			t.Fatalf("seed %d, step %d: the reader is told %d times", seed, step, n)
		}
		before = now
	}
	if reloads == 0 {
		t.Errorf("seed %d: the queue was never too long", seed)
	}
}

// doAnything does something that bob's queue grows or shrinks by. It returns which of the events
// before its reader removed, and whether the queue was swept.
func (c *clinic) doAnything(random *rand.Rand, most int, before []event) (removed map[string]bool, swept bool) {
	removed = map[string]bool{}
	switch random.IntN(8) {
	case 0, 1:
		c.alice.mustSend(c.bob.token, "x")
	case 2, 3, 4:
		c.bob.mustQueueOther(c.org, 1+random.IntN(most))
	case 5:
		var ids []string
		for _, e := range before {
			if random.IntN(3) == 0 {
				ids, removed[e.id] = append(ids, e.id), true
			}
		}
		if len(ids) > 0 {
			c.bob.mustAck(ids...)
		}
	case 6:
		if random.IntN(6) == 0 {
			c.bob.forgetEvents()
			for _, e := range before {
				removed[e.id] = true
			}
		}
	default:
		c.mustSweep()
		c.mustSweep()
		swept = true
	}
	return removed, swept
}

// What is deleted from a very long queue is out of it when the call is answered, and what
// comes then is not.
func TestAVeryLongQueueIsDeletedAtOnce(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stream := c.bob.openStream("")
	stream.wantReplay()
	last := c.alice.mustSend(c.bob.token, "old")
	c.bob.mustQueueOther(c.org, 1500)
	queued := c.bob.events("limit=1000")
	c.bob.delete("/v2/events").want(200).reply().wantFields(fields{"count": 1, "deleted": 1501})
	c.bob.wantEvents()
	c.bob.openStream("features=close-after-messages").wantReplay()
	c.bob.openStream("features=close-after-messages", header("Last-Event-ID", queued[3].id)).wantReplay()
	c.bob.mustAck(idsOf(queued)...) // it ignores events that are no longer queued
	c.alice.get("/v2/message/" + last).reply().wantFields(fields{"status": "New"})
	c.alice.wantEvents()
	c.bob.delete("/v2/events").want(200).reply().wantFields(fields{"count": 0, "deleted": 0})
	young := c.alice.mustSend(c.bob.token, "young")
	c.bob.wantEvents("message")[0].wantFields(fields{"message_id": young})
	c.mustSweep()
	c.bob.wantEvents("message")
	c.bob.get("/v2/message/" + last).want(200)
}

// Of a long queue too, what an account leaves is out of it when the call is answered.
func TestWhatIsLeftIsOutOfALongQueue(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Elsewhere")
	c.operator.post("/v2/user/"+c.bob.token+"/organization", fields{"organization": other}).want(204)
	c.bob.forgetEvents()
	c.alice.mustSend(c.bob.token, "from alice")
	c.carl.mustSend(c.bob.token, "from carl")
	c.bob.mustQueueOther(other, 1200)
	c.alice.mustSend(c.bob.token, "from alice")
	c.bob.delete("/v2/roster/" + c.alice.token + "?organization=" + c.org).want(204)
	if got := ofKind(append(c.bob.events("limit=1000"), c.bob.events("limit=1000",
		"after="+c.bob.events("limit=1000")[999].id)...), "message"); len(got) != 1 {
		t.Errorf("when the conversation was removed %d messages are queued, want that of carl", len(got))
	}
	c.operator.delete("/v2/user/" + c.bob.token + "/organization/" + other).want(204)
	c.bob.wantEvents("message", "friends", "account:settings")
	c.operator.post("/v2/user/"+c.bob.token+"/organization", fields{"organization": other}).want(204)
	c.bob.wantEvents("message", "friends", "account:settings", "account:settings")
	c.mustSweep()
	c.bob.wantEvents("message", "friends", "account:settings", "account:settings")
}
