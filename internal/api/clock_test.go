package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/custody"
	"signet/internal/model"
	"signet/internal/store/auditlog"
)

const (
	oneDay = 24 * time.Hour
	// wrong is by how much the clock of these tests is wrong: by more than a message lives.
	wrong = 31 * oneDay
)

// run has the server's background tasks go round for a while, a minute at a time.
func (s *server) run(d time.Duration) {
	s.t.Helper()
	for ; d > 0; d -= time.Minute {
		s.clock.Advance(min(d, time.Minute))
		s.mustSweep()
	}
	s.mustKeepHouse()
}

// kept is what a clinic has that a wrong clock would erase.
type kept struct {
	*clinic
	texts      map[string]string // by message
	attachment string
	read       string // deleted when it was read, a moment ago
	repeated   string // sent under a Request-ID
	short      *person
	events     int
}

func (c *clinic) mustKeep() *kept {
	c.t.Helper()
	k := &kept{clinic: c, texts: map[string]string{}}
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	c.bob.forgetEvents()
	for text, ttl := range map[string]int{"an hour": 60, "a day": 24 * 60, "the usual time": 30 * 24 * 60} {
		k.texts[c.alice.mustSend(c.bob.token, text, "ttl", ttl)] = text
		k.texts[c.alice.mustSend(group, text+" for all", "ttl", ttl)] = text + " for all"
	}
	k.attachment = c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("the scan"))
	k.repeated = c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "once"},
		requestID("r-1")).want(204).Header.Get("TT-X-Message-Id")
	k.texts[k.repeated] = "once"
	k.short = c.bob.withKey(c.bob.post(c.bob.path("/key"), fields{"expires_in": 3600}).reply())
	k.read = c.alice.mustSend(c.bob.token, "read and gone", "dor", true)
	k.events = len(c.bob.events("limit=1000"))
	c.bob.mustMark("read", k.read)
	k.texts[k.read] = "read and gone"
	return k
}

// wantAll checks that everything is there.
func (k *kept) wantAll(what string) {
	k.t.Helper()
	for id, text := range k.texts {
		if got := k.bob.get("/v2/message/" + id); got.StatusCode != 200 || got.reply().text("body") != text {
			k.t.Errorf("%s: the message %q is answered %d %s", what, text, got.StatusCode, got.content)
		}
	}
	if got := k.bob.get("/v2/message/" + k.attachment + "/attachment/1"); got.StatusCode != 200 ||
		string(got.content) != "the scan" {
		k.t.Errorf("%s: the attachment is answered %d %s", what, got.StatusCode, got.content)
	}
	if got := len(k.bob.events("limit=1000")); got != k.events {
		k.t.Errorf("%s: %d events are queued, want %d", what, got, k.events)
	}
	again := k.alice.post("/v2/message", fields{"recipient": k.bob.token, "body": "once"}, requestID("r-1"))
	if got := again.Header.Get("TT-X-Message-Id"); again.StatusCode != 304 || got != k.repeated {
		k.t.Errorf("%s: a message that is sent again under its Request-ID is answered %d %s", what, again.StatusCode, got)
	}
	k.short.get("/v2/events").want(200)
}

// A clock that is 31 days ahead for a while erases nothing: with messages of all
// lifetimes, one that was read a moment ago and is to be deleted, attachments, keys of
// days, events, a key that expires, and what was sent under a Request-ID.
func TestClockThatIsWrongForAWhileErasesNothing(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	k := c.mustKeep()
	c.run(5 * time.Second)
	k.wantAll("before")

	c.clock.Jump(wrong)
	c.run(16 * time.Second)
	if !c.time.InDoubt() {
		t.Error("the clock is not in doubt")
	}
	// Readers see by the clock as ever.
	for id, text := range k.texts {
		if got := c.bob.get("/v2/message/" + id); got.StatusCode != 404 {
			t.Errorf("the message %q is answered %d while the clock says that it is over", text, got.StatusCode)
		}
	}
	k.short.get("/v2/events").wantError(401, "credentials_invalid")

	// What somebody asks for is erased all the same.
	lasting := c.alice.do("POST", "/v2/message",
		parts(map[string]string{"recipient": c.carl.token, "ttl": "-1"}, file{"attachment", "x", "text/plain", []byte("x")})).
		want(204).Header.Get("TT-X-Message-Id")
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	blobs := c.countBlobs()
	c.alice.delete("/v2/message/" + lasting).want(204)
	ahead := c.alice.mustSend(c.carl.token, "sent from the future")
	c.run(5 * time.Second)
	if got := c.countBlobs(); got != blobs-1 {
		t.Errorf("%d files are left after a recall, want %d", got, blobs-1)
	}

	c.clock.Jump(-wrong)
	c.run(5 * time.Second)
	if c.time.InDoubt() {
		t.Error("the clock is in doubt though it is right again")
	}
	k.wantAll("afterwards")

	// What was queued while the clock was ahead has positions in the future, and a queue goes on from them.
	c.carl.get("/v2/message/" + ahead).want(200)
	events := c.carl.events("limit=1000")
	last := events[len(events)-1].id
	c.alice.mustSend(c.carl.token, "sent in the present")
	for _, e := range c.carl.wantEvents(append(kinds(events), "message")...)[len(events):] {
		c.carl.mustAck(e.id)
	}
	if got := len(c.carl.events("after=" + last)); got != 0 {
		t.Errorf("%d events are behind the last one", got)
	}

	// And what ends later, ends.
	c.clock.Advance(2 * time.Minute)
	c.mustSweep()
	c.bob.get("/v2/message/" + k.read).want(404)
	c.clock.Advance(oneDay)
	c.mustSweep()
	c.mustKeepHouse()
	if got := len(c.bob.events("limit=1000")); got >= k.events {
		t.Errorf("%d events are queued when a day has passed, want fewer than %d", got, k.events)
	}
	k.short.get("/v2/events").wantError(401, "credentials_invalid")
}

func kinds(events []event) (out []string) {
	for _, e := range events {
		out = append(out, e.kind)
	}
	return out
}

// A clock that stays where it is is taken as right in the end: by itself, or because
// somebody says so.
func TestClockInDoubtIsTakenAsRightAfterADayOrWhenItIsAccepted(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		c := startClinic(t)
		c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("the scan"))
		c.run(time.Minute)
		c.clock.Jump(wrong)
		c.run(time.Minute)
		if got := c.countBlobs(); got != 1 {
			t.Fatalf("%d files are left of one at once", got)
		}
		if accepted {
			if _, err := custody.AcceptClock(t.Context(), c.store, c.clock.Now()); err != nil {
				t.Fatal(err)
			}
			accepts := func(row auditlog.Row) bool { return row.Action == model.ActionClockAccept }
			if !slices.ContainsFunc(c.auditLines(), accepts) {
				t.Error("the audit log does not say that the clock was accepted")
			}
		} else {
			for range 23 * 2 {
				c.clock.Advance(30 * time.Minute)
				c.mustSweep()
			}
			if got := c.countBlobs(); got != 1 {
				t.Fatalf("%d files are left of one after 23 hours", got)
			}
			c.clock.Advance(time.Hour)
		}
		c.run(time.Minute)
		if got := c.countBlobs(); got != 0 || c.time.InDoubt() {
			t.Errorf("accepted %v: %d files are left; in doubt: %v", accepted, got, c.time.InDoubt())
		}
	}
}

// Positions go on from the last one that was handed out, so a queue has ids that are ahead of a
// clock that went back.
func TestQueueKnowsItsOwnIDsWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{2 * time.Second, 30 * time.Minute, 5 * oneDay} {
		c := startClinic(t)
		c.mustSweep()
		c.clock.Jump(ahead)
		for range 2 {
			c.alice.mustSend(c.bob.token, "text")
		}
		events := c.bob.events()
		c.bob.mustAck(events[1].id)
		c.clock.Jump(-ahead)
		c.mustSweep()

		if got := len(c.bob.events("after=" + events[1].id)); got != 0 {
			t.Errorf("%v: %d events are behind the last one, want none", ahead, got)
		}
		c.bob.openStream("", header("Last-Event-ID", events[1].id)).wantReplay()
		newest, _ := model.ParseCursor(events[1].id)
		newest.Position += oneDay.Microseconds()
		c.bob.get("/v2/events?after="+newest.String()).wantError(400, "after_invalid").wantField("after")
		c.bob.openStream("", header("Last-Event-ID", newest.String())).wantReplay("message")

		c.alice.mustSend(c.bob.token, "sent in the present")
		if got := len(c.bob.events("after=" + events[1].id)); got != 1 {
			t.Errorf("%v: %d events are behind the last one, want the one that came", ahead, got)
		}
	}
}
