package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// wantGoneFor checks that a message is unreadable through every endpoint: that
// nothing tells it from one that never was.
func wantGoneFor(c clinic, id string, readers ...*person) {
	c.t.Helper()
	for _, p := range readers {
		unknown := p.get("/v2/message/" + randomToken()).wantMissing()
		for _, a := range []*answer{
			p.get("/v2/message/" + id), p.get("/v2/message/" + id + "/status"), p.get("/v2/message/" + id + "/attachment/1"),
			p.delete("/v2/message/" + id), p.post("/v2/message/"+id+"/forward", fields{"recipient": p.token}),
		} {
			wantSameAnswer(a, unknown)
		}
		p.post("/v2/get_bulk_message_status",
			fields{"messages": []string{id}}).reply().at("bulk_message_statuses").wantIs([]any{})
		for _, e := range p.events() {
			if e.has("body") && e.at("message_id").v == id {
				c.t.Errorf("%s still has the event of a message that is gone", p.name)
			}
		}
	}
}

func TestExpiredMessageIsGoneForEveryReader(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		p.forgetEvents()
	}
	withFile := parts(map[string]string{"recipient": c.bob.token, "body": "one", "ttl": "1"},
		file{"attachment", "a.png", "image/png", picture})
	one := c.alice.do("POST", "/v2/message", withFile).want(204).Header.Get("TT-X-Message-Id")
	two := c.alice.mustSend(group, "two", "ttl", 2, "priority", 1)
	never := c.alice.mustSend(c.bob.token, "never", "ttl", -1)
	c.bob.get(c.bob.path("/message/unread_count")).reply().wantIs(fields{"unread_count": 3, "unread_priority_count": 1})
	wantUnread := func(messages, priority int) {
		t.Helper()
		want := fields{"unread_count": messages, "unread_priority_count": priority}
		c.bob.get(c.bob.path("/message/unread_count")).reply().wantIs(want)
		c.bob.get(c.bob.path("/organization/" + c.org + "/message/unread_count")).reply().wantIs(want)
	}

	c.clock.Advance(time.Minute - time.Millisecond)
	c.bob.wantEvents("message", "group_message", "message")
	c.clock.Advance(time.Millisecond)
	wantGoneFor(c, one, c.alice, c.bob)
	c.bob.wantEvents("group_message", "message")
	wantUnread(2, 1)
	c.mustSweep() // changes nothing that a reader sees
	wantGoneFor(c, one, c.alice, c.bob)
	wantUnread(2, 1)

	c.clock.Advance(time.Minute)
	wantGoneFor(c, two, c.alice, c.bob, c.carl)
	c.carl.wantEvents()
	wantUnread(1, 0)
	for _, entry := range c.bob.get("/v2/roster").reply().list() {
		if entry.text("token") == group && entry.int("unread_count") != 0 {
			t.Errorf("the roster counts what has expired: %s", entry)
		}
	}
	c.bob.post("/v2/message/status", fields{"read": []string{one, two}}).want(204)
	c.alice.wantEvents()
	c.mustSweep()
	wantUnread(1, 0)

	c.clock.Advance(10 * 365 * 24 * time.Hour)
	c.bob.get("/v2/message/"+never).reply().wantFields(fields{"ttl": -1}, "expires_time")
	wantUnread(1, 0)
}

func TestDeleteOnReadGoesAMinuteAfterReading(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustSend(c.bob.token, "x", "dor", true)
	c.bob.mustMark("delivered", id)
	c.clock.Advance(time.Hour)
	c.bob.mustMark("read", id)
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"status": "Read", "body": "x"})
	c.clock.Advance(time.Minute - time.Millisecond)
	c.bob.get("/v2/message/" + id).want(200)
	c.alice.get("/v2/message/" + id).reply().wantFields(fields{"status": "Read"})
	c.clock.Advance(time.Millisecond)
	wantGoneFor(c, id, c.alice, c.bob)
	// The sender learns of Read after the message is gone.
	c.mustSweep()
	status := c.alice.wantEvents("message:status")[0]
	status.wantFields(fields{"client_id": id, "account_id": c.bob.token, "status": "Read"})
}

func TestDeleteOnReadInAGroupGoesForEachReaderOnItsOwn(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "replay_history": true}, c.bob, c.carl)
	id := c.alice.mustSend(group, "x", "dor", true)
	c.bob.forgetEvents()
	c.bob.mustMark("read", id)
	c.clock.Advance(time.Minute)
	wantGoneFor(c, id, c.bob)
	c.carl.get("/v2/message/" + id).want(200)
	c.alice.get("/v2/message/" + id).want(200)
	// A member who got it with the history does not hold it up.
	dora := c.mustCreate(c.org, "dora")
	c.alice.post("/v2/group/"+group+"/members", fields{"members": dora.token}).want(204)
	dora.get("/v2/message/" + id).want(200)
	c.carl.mustMark("read", id)
	c.clock.Advance(time.Minute - time.Millisecond)
	c.alice.get("/v2/message/" + id).want(200)
	dora.get("/v2/message/" + id).want(200)
	c.clock.Advance(time.Millisecond)
	wantGoneFor(c, id, c.alice, c.bob, c.carl, dora)
	dora.get(dora.path("/message/unread_count")).reply().wantFields(fields{"unread_count": 0})

	// Without any recipient it does nothing.
	alone := c.alice.mustCreateGroup("Alone")
	id = c.alice.mustSend(alone, "x", "dor", true)
	c.clock.Advance(time.Hour)
	c.alice.get("/v2/message/" + id).reply().wantFields(fields{"status": "New"})
}

// What has ended is erased from the disk, its file too, within a sweep.
func TestEndedContentIsErasedFromTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir, f.unsealed = dir, true }) // so that it can be looked for
	// Five different ways to end, each with a body and a file of its own.
	ways := []string{"expired", "recalled", "read-and-gone", "of-a-group", "of-a-deleted-organization"}
	secret := func(way, what string) string { return "needle-" + what + "-" + way + "-" }
	send := func(p *person, to, way string, more ...string) string {
		t.Helper()
		texts := map[string]string{"recipient": to, "body": secret(way, "body") + string(bytes.Repeat([]byte("x"), 3000))}
		for i := 0; i < len(more); i += 2 {
			texts[more[i]] = more[i+1]
		}
		content := bytes.Repeat([]byte(secret(way, "file")), 4000)
		return p.do("POST", "/v2/message",
			parts(texts, file{"attachment", "a.bin", "", content})).want(204).Header.Get("TT-X-Message-Id")
	}
	doomed := c.mustCreateOrganization("Doomed")
	dora, ed := c.mustCreate(doomed, "dora"), c.mustCreate(doomed, "ed")
	group := c.alice.mustCreateGroup("G", c.bob)
	send(c.alice, c.bob.token, ways[0], "ttl", "1")
	recalled := send(c.alice, c.bob.token, ways[1])
	read := send(c.alice, c.bob.token, ways[2], "dor", "1")
	send(c.alice, group, ways[3], "ttl", "1")
	send(dora, ed.token, ways[4], "ttl", "-1")
	kept := send(c.alice, c.bob.token, "kept", "ttl", "-1")

	c.alice.delete("/v2/message/" + recalled).want(204)
	c.bob.mustMark("read", read)
	c.operator.delete("/v2/organization/"+doomed, jsonBody(fields{"name": "Doomed"})).want(204)
	c.clock.Advance(time.Minute)
	c.mustSweep()
	for _, way := range ways {
		for _, what := range []string{"body", "file"} {
			if found := filesHolding(t, dir, secret(way, what)); len(found) > 0 {
				t.Errorf("what is %s is still in %v", secret(way, what), found)
			}
		}
	}
	if len(filesHolding(t, dir, secret("kept", "file"))) == 0 {
		t.Error("the file that is kept is not found: the search finds nothing")
	}
	c.bob.get("/v2/message/" + kept).want(200)
}

// filesHolding lists the files under a directory that hold a text.
func filesHolding(t *testing.T, dir, text string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What its sender wanted gone once it is read, or soon, is not kept for a month by being
// forwarded; nor does a forward live for longer than the organization wants.
func TestForwardKeepsAShorterLife(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	forwarded := func(said fields) value {
		t.Helper()
		said["recipient"], said["body"] = c.bob.token, "x"
		source := c.alice.post("/v2/message", said).want(204).Header.Get("TT-X-Message-Id")
		return c.bob.post("/v2/message/"+source+"/forward?response_format=message", fields{"recipient": "carl"}).reply()
	}
	forwarded(fields{"ttl": 5, "dor": true}).wantFields(fields{"ttl": 5, "dor": true})
	forwarded(fields{"ttl": -1}).wantFields(fields{"ttl": 43200, "dor": false})
	forwarded(fields{"ttl": 525600}).wantFields(fields{"ttl": 43200, "dor": false})
}

func TestForwardOutlivesTheMessageThatItCameFrom(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	withFile := parts(map[string]string{"recipient": c.bob.token, "body": "x", "ttl": "1",
		"data": `[{"mimetype":"a/b","namespace":"n","payload":"p"}]`},
		file{"attachment", "a.png", "image/png", picture})
	source := c.alice.do("POST", "/v2/message", withFile).want(204).Header.Get("TT-X-Message-Id")
	c.clock.Advance(time.Second)
	forward := c.bob.post("/v2/message/"+source+"/forward",
		fields{"recipient": "carl", "priority": 1, "sender_organization": c.org, "recipient_organization": c.org}).
		want(204).wantHeader("TT-X-Msg-Ttl", "1").Header.Get("TT-X-Message-Id") // as short as that of the first
	onward := c.carl.post("/v2/message/"+forward+"/forward?response_format=message",
		fields{"recipient": c.carl.token}).reply()
	for _, m := range []value{c.carl.get("/v2/message/" + forward).reply(), onward} {
		m.wantFields(fields{"body": "x", "is_forwarded": true, "original_sender": c.alice.token,
			"original_timestamp": "2026-11-21T08:15:30.123Z",
			"attachment_name":    "a.png", "data": []fields{{"mimetype": "a/b", "namespace": "n", "payload": "p"}}})
	}
	c.carl.get("/v2/message/" + forward).reply().wantFields(fields{"sender_token": c.bob.token, "priority": 1})
	c.bob.post("/v2/message/"+source+"/forward", fields{}).wantError(400, "recipient_required")
	c.bob.post("/v2/message/"+source+"/forward",
		fields{"recipient": c.carl.token, "priority": 3}).want(400).wantField("priority")
	c.clock.Advance(59*time.Second + 500*time.Millisecond)
	c.mustSweep()
	if got := c.carl.get("/v2/message/" + forward + "/attachment/1").want(200); !bytes.Equal(got.content, picture) {
		t.Error("the forwarded file is not the one that was sent")
	}
	c.bob.delete("/v2/message/" + forward).want(204)
	c.carl.get("/v2/message/" + onward.text("message_id") + "/attachment/1").want(200)
}
