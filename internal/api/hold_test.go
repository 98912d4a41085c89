package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/store/sealing"
)

// exported is what an export of held messages wrote, by the names of its files.
type exported map[string]*bytes.Buffer

type exportedFile struct{ *bytes.Buffer }

func (exportedFile) Close() error { return nil }

// mustExportHeld exports what is held of an organization.
func (s *server) mustExportHeld(org string) exported {
	s.t.Helper()
	return s.mustExportHeldWhile(org, func(string) {})
}

// mustExportHeldWhile exports what is held, and calls meanwhile before each file.
func (s *server) mustExportHeldWhile(org string, meanwhile func(file string)) exported {
	s.t.Helper()
	out := exported{}
	_, err := offline.WriteHeld(s.t.Context(), s.vault, s.clock.Now(), model.OrganizationID(org),
		func(name string) (io.WriteCloser, error) {
			meanwhile(name)
			out[name] = new(bytes.Buffer)
			return exportedFile{out[name]}, nil
		})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// message returns a line of the export.
func (e exported) message(t *testing.T, id string) (m map[string]any) {
	t.Helper()
	for line := range strings.Lines(e["messages.jsonl"].String()) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got["message_id"] == id {
			return got
		}
	}
	return nil
}

// wantGone checks that nobody is shown anything of a message.
func (c *clinic) wantGone(what, id, text string) {
	c.t.Helper()
	for _, p := range []*person{c.alice, c.bob, c.carl, c.operator} {
		for _, path := range []string{"", "/status", "/attachment/1"} {
			if got := p.get("/v2/message/" + id + path); got.StatusCode != 404 &&
				!(got.StatusCode == 200 && !bytes.Contains(got.content, []byte(text))) {
				c.t.Errorf("%s: %s is answered %d %s at %q", what, p.name, got.StatusCode, got.content, path)
			}
		}
		for _, path := range []string{"/v2/events", "/v2/roster?render_metadata=true", "/v2/user/me/message/unread_count"} {
			if got := p.get(path); bytes.Contains(got.content, []byte(text)) {
				c.t.Errorf("%s: %s is shown it at %s", what, p.name, path)
			}
		}
	}
	if got := c.alice.post("/v2/message/"+id+"/forward", fields{"recipient": c.carl.token}); got.StatusCode != 404 {
		c.t.Errorf("%s: it is forwarded: %d %s", what, got.StatusCode, got.content)
	}
}

// A legal hold keeps what expires, is recalled, and is read and gone; nobody sees
// more of it than without, and it goes when the hold is lifted.
func TestLegalHoldKeepsWhatIsOverAndShowsItToNobody(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	hold := "/v2/organization/" + c.org + "/hold"
	boss := c.mustCreateAdmin(c.org, "boss")
	before := c.alice.mustSend(c.bob.token, "gone before", "ttl", 1)
	c.clock.Advance(2 * time.Minute)
	c.mustSweep()

	boss.post(hold, nil).wantError(403, "operator_required")
	c.alice.post(hold, nil).wantError(403, "administrative_key_required")
	c.operator.post(hold, nil).want(204)
	c.operator.post(hold, nil).want(204)
	if !boss.get("/v2/organization/" + c.org).reply().has("legal_hold") {
		t.Error("an administrator is not shown the hold")
	}
	if c.alice.get("/v2/user/me/organization").reply().at(0).has("legal_hold") {
		t.Error("a member is shown the hold")
	}

	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	expires := c.alice.mustSend(c.bob.token, "secret of expiry", "ttl", 1)
	recalled := c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("secret of a recall"))
	read := c.alice.mustSend(group, "secret of reading", "dor", true)
	stays := c.alice.mustSend(c.bob.token, "still here")
	c.bob.mustMark("read", read)
	c.carl.mustMark("read", read)
	c.alice.delete("/v2/message/" + recalled).want(204)
	c.clock.Advance(2 * time.Minute)
	for range 2 {
		c.mustSweep()
		c.wantGone("expired", expires, "secret of expiry")
		c.wantGone("recalled", recalled, "secret of a recall")
		c.wantGone("read", read, "secret of reading")
	}
	if got := c.bob.get("/v2/user/me/message/unread_count").reply().int("unread_count"); got != 1 {
		t.Errorf("%d messages are unread, want the one that is left", got)
	}

	c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).wantError(403, "legal_hold")
	c.wantHeld(expires, read, recalled, stays, before)

	// The recalled message's own end comes, and changes nothing.
	c.clock.Advance(31 * 24 * time.Hour)
	c.mustSweep()
	files := c.mustExportHeld(c.org)
	if m := files.message(t, recalled); m == nil || files[recalled].String() != "secret of a recall" ||
		len(m["statuses"].([]any)) != 1 {
		t.Errorf("after its end what was recalled is exported as %v", m)
	}
	if n := c.countHeld(); n != 4 {
		t.Errorf("%d messages are kept, want 4", n)
	}

	boss.delete(hold).wantError(403, "operator_required")
	c.operator.delete(hold).want(204)
	c.mustSweep()
	if n := c.countHeld(); n != 0 {
		t.Errorf("%d messages are kept after the hold", n)
	}
	if n := c.countBlobs(); n != 0 {
		t.Errorf("%d files are kept after the hold", n)
	}
	if boss.get("/v2/organization/" + c.org).reply().has("legal_hold") {
		t.Error("the hold is shown after it was lifted")
	}
	c.wantHoldAudited()
	c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).want(204)
	c.mustVerify()
}

// wantHeld exports what is held: what expired, was read and was recalled, as it was, and what
// stays; what was gone before does not come back.
func (c *clinic) wantHeld(expires, read, recalled, stays, before string) {
	t := c.t
	t.Helper()
	files := c.mustExportHeld(c.org)
	if m := files.message(t, expires); m["body"] != "secret of expiry" || m["is_over"] != true ||
		len(m["statuses"].([]any)) != 1 {
		t.Errorf("what expired is exported as %v", m)
	}
	if m := files.message(t, read); m["body"] != "secret of reading" || len(m["statuses"].([]any)) != 2 {
		t.Errorf("what was read is exported as %v", m)
	}
	if m := files.message(t, recalled); m["is_recalled"] != true || files[recalled] == nil ||
		files[recalled].String() != "secret of a recall" {
		t.Errorf("what was recalled is exported as %v, with the file %v", m, files[recalled])
	}
	if m := files.message(t, stays); m["body"] != "still here" || m["is_over"] != nil {
		t.Errorf("what is not over is exported as %v", m)
	}
	if m := files.message(t, before); m != nil {
		t.Errorf("what was gone before the hold is exported as %v", m)
	}
}

// wantHoldAudited looks for the lines of a hold that was set twice, exported twice and released.
func (c *clinic) wantHoldAudited() {
	c.t.Helper()
	actions := map[model.AuditAction]int{}
	for _, e := range c.auditLines() {
		if e.Outcome == model.AuditOK {
			actions[e.Action]++
		}
	}
	if actions[model.ActionHoldSet] != 2 || actions[model.ActionHoldRelease] != 1 || actions[model.ActionHoldExport] != 2 {
		c.t.Errorf("the audit log has %v", actions)
	}
}

// A message that ends while the export runs is in it once, as one that readers see or as one that is over.
func TestExportOfAHoldHasWhatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	var sent []string
	for range 3 {
		sent = append(sent, c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("a scan")))
		c.clock.Advance(time.Second)
	}
	c.alice.delete("/v2/message/" + sent[1]).want(204)
	files := c.mustExportHeldWhile(c.org, func(file string) {
		if file == sent[1] {
			c.alice.delete("/v2/message/" + sent[0]).want(204)
			c.alice.delete("/v2/message/" + sent[2]).want(204)
		}
	})
	if n := strings.Count(files["messages.jsonl"].String(), "\n"); n != len(sent) {
		t.Errorf("%d messages are exported, want %d", n, len(sent))
	}
	for i, id := range sent {
		if m := files.message(t, id); m == nil || m["file"] != id || files[id].String() != "a scan" {
			t.Errorf("message %d is exported as %v", i, m)
		}
	}
}

// Who got a message with the history of its group has no status of it, before it is over and after.
func TestExportOfAHoldHasNoStatusOfHistory(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	group := c.alice.mustCreateGroupAs(fields{"name": "Open", "replay_history": true}, c.bob)
	id := c.alice.mustSend(group, "x", "ttl", 1)
	c.bob.mustMark("read", id)
	c.alice.post("/v2/group/"+group+"/members", fields{"members": c.carl.token}).want(204)
	c.settle()
	c.carl.get("/v2/message/" + id).want(200)
	before := c.mustExportHeld(c.org).message(t, id)
	c.clock.Advance(2 * time.Minute)
	c.mustSweep()
	after := c.mustExportHeld(c.org).message(t, id)
	if before["is_over"] != nil || after["is_over"] != true || len(before["statuses"].([]any)) != 1 {
		t.Errorf("it is exported as %v, and once it is over as %v", before, after)
	}
	delete(after, "is_over")
	if !reflect.DeepEqual(before, after) {
		t.Errorf("once it is over it is exported as %v, want %v", after, before)
	}
}

// A key's content is told to be there as long as a hold keeps some.
func TestLegalHoldKeepsTheKeysOfWhatItKeeps(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	id := c.alice.mustSend(c.bob.token, "x", "ttl", 1)
	day := store.KeyDay{Day: c.clock.Now().Add(time.Minute).UnixMilli() / (24 * time.Hour).Milliseconds()}
	c.clock.Advance(2 * time.Minute)
	c.mustSweep()
	wantLeft := func(want bool) {
		t.Helper()
		err := c.store.View(t.Context(), func(tx *store.Tx) error {
			got, err := sealing.MessagesLeft(tx, model.OrganizationID(c.org), day, c.clock.Now())
			if got != want {
				t.Errorf("content is left under the key of message %s: %v, want %v", id, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wantLeft(true)
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	c.mustSweep()
	wantLeft(false)
}

func (c *clinic) countHeld() (n int) {
	c.t.Helper()
	err := c.store.View(c.t.Context(), func(tx *store.Tx) error {
		rows, err := tx.HeldMessages(model.OrganizationID(c.org), model.MessageID{}, 1000)
		n = len(rows)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (s *server) countBlobs() (n int) {
	s.t.Helper()
	err := s.blobs.List(s.t.Context(), func(model.BlobID, time.Time) error { n++; return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}
