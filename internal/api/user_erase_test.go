package api_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/testenv"
)

// erase asks for the erasure of a person, whose username it repeats.
func (p *person) erase(who *person) *answer {
	p.t.Helper()
	return p.delete(who.path(""), jsonBody(fields{"username": who.name}))
}

func TestErasedUserIsGoneAtOnceAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	c := startClinic(t, approving)
	sent, got, forwarded, groupMessage := c.mustLiveOn()
	id := mustParseAccount(t, c.alice.token)
	short := base64.RawStdEncoding.EncodeToString(id[:]) // as statuses name it
	stream := c.alice.openStream("features=no-offline-messages")
	c.bob.forgetEvents()
	group := c.bob.get("/v2/message/" + groupMessage).reply().text("group_token")

	c.operator.delete(c.alice.path(""), jsonBody(fields{"username": "ALICE"})).want(204)
	stream.wantEnd()
	c.alice.get("/v2/user").want(401)
	c.signIn("alice", "a long password", "phone").want(401)
	for _, p := range []*person{c.bob, c.operator} {
		for _, address := range []string{c.alice.token, "alice", "alice@example.com"} {
			wantSameAnswer(p.get("/v2/user/"+address), p.get("/v2/user/"+randomToken()))
		}
		p.post("/v2/message", fields{"recipient": c.alice.token, "body": "x"}).wantMissing()
	}
	c.operator.erase(c.alice).wantMissing()
	c.operator.post(c.alice.path("/organization"), fields{"organization": c.org}).wantMissing()
	if n := c.bob.post("/v2/search", fields{"any": "alice"}).reply().int("metadata", "total_hits"); n != 0 {
		t.Errorf("a search finds %d", n)
	}
	if n := c.bob.get("/v2/group/" + group).reply().int("num_members"); n != 2 {
		t.Errorf("the group has %d members", n)
	}
	for _, list := range []string{"/v2/roster", "/v2/conversation", "/v2/group/" + group + "/members"} {
		if answer := c.bob.get(list); strings.Contains(string(answer.content), `"Alice"`) {
			t.Errorf("%s still names the erased: %d %s", list, answer.StatusCode, answer.content)
		}
	}
	c.bob.get("/v2/conversation/" + c.alice.token + "/message").wantMissing()
	updates := c.bob.wantEvents("update")
	updates[0].wantFields(fields{"token": group, "num_members": 2})
	c.operator.post("/v2/user", fields{"username": "alice"}, in(c.org)).want(200) // the name is free

	c.settle()
	c.mustSweep()
	c.clock.Advance(time.Second)
	c.mustSweep()
	c.wantNoTrace("an erased account", id, c.alice.token)
	c.wantNoTrace("a status of it", model.AccountID{}, short)
	c.wantNoTrace("its address", model.AccountID{}, "alice@example.com")
	if n := c.countBlobs(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	for _, gone := range []string{sent, got, forwarded} {
		c.bob.get("/v2/message/" + gone).wantMissing()
		c.carl.get("/v2/message/" + gone).wantMissing()
	}
	message := c.carl.get("/v2/message/" + groupMessage).reply() // others' words to others stay
	c.carl.get("/v2/group/"+message.text("group_token")).reply().wantFields(fields{"name": "G"}, "created_by")
	c.bob.wantEvents("update") // which the erasure has left
	c.bob.get("/v2/roster").want(200)
	c.bob.get("/v2/conversation").want(200)
	c.mustVerify()
}

// What an erasure has not done when its server ends, the next one does, wherever that was.
func TestErasureOfAUserIsGoneOnWith(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for steps := range 5 {
		c := startClinic(t, approving)
		c.mustLiveOn()
		id := mustParseAccount(t, c.alice.token)
		c.operator.erase(c.alice).want(204)
		c.settle()
		// As a server leaves it that is killed after so many looks at the tables.
		for range steps {
			err := c.store.Update(t.Context(), func(tx *store.Tx) error {
				left, there, err := erasure.Of(tx, id)
				if err != nil || !there {
					t.Fatalf("the account is not being erased: %v", err)
				}
				found, err := erasure.TracesOf(tx, left, 4)
				if err != nil || left.Stage == erasure.StageOver {
					return err
				}
				// The last of the window is still to come, as the rows that it found are.
				if len(found.Messages)+len(found.Copies)+len(found.Events)+len(found.Changes) > 0 {
					return nil
				}
				return erasure.Keep(tx, &found.Next)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		c.mustSweep()
		c.wantNoTrace("an erased account", id, c.alice.token)
	}
}

func TestErasureOfAUserIsForThoseWhoDecideAboutTheWholeAccount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	other := c.mustCreateOrganization("Other")
	chief := c.mustCreateAdmin(other, "chief")
	for _, address := range []string{c.bob.token, "bob", randomToken(), "nobody"} {
		wantSameAnswer(chief.delete("/v2/user/"+address, jsonBody(fields{"username": "bob"})),
			chief.delete("/v2/user/"+randomToken(), jsonBody(fields{"username": "bob"})))
	}
	boss.delete(c.bob.path("")).wantError(400, "username_required").wantField("username")
	boss.delete(c.bob.path(""), jsonBody(fields{"username": "carl"})).wantError(400, "username_mismatch").
		wantField("username")
	boss.delete(c.bob.path(""), jsonBody(fields{"username": "bob@example.com"})).wantError(400, "username_mismatch")
	boss.delete(boss.path(""), jsonBody(fields{"username": "boss"})).wantError(403, "not_allowed")
	boss.delete("/v2/user/me", jsonBody(fields{"username": "boss"})).wantError(403, "not_allowed")
	c.operator.erase(c.operator).wantError(403, "not_allowed")
	boss.erase(c.operator).wantError(403, "not_allowed")
	c.bob.delete("/v2/user/me", jsonBody(fields{"username": "bob"})).wantError(403, "administrative_key_required")

	// In another organization besides, it is not the first one's alone.
	c.operator.mustJoin(other, c.bob)
	boss.erase(c.bob).wantError(403, "not_allowed")
	chief.erase(c.bob).wantError(403, "not_allowed")
	c.operator.erase(c.bob).want(204)
	told := map[string]string{}
	for _, e := range c.auditLines() {
		if e.Action == model.ActionUserErase && e.User.String() == c.bob.token && e.Outcome == model.AuditOK {
			told[string(e.Chain)] = e.Key
		}
	}
	if len(told) != 2 || told[c.org] != c.operator.key || told[other] != "" {
		t.Errorf("the logs of %s and %s have %v", c.org, other, told)
	}
	boss.delete(c.carl.path(""), header("TT-X-Username", "carl")).want(204)

	// An address stands for a username that there is not.
	made := boss.post("/v2/user", fields{"email": "dora@example.com", "phone": "+14155550123"}, in(c.org)).reply()
	dora := &person{s: c.server, t: t, token: made.text("token")}
	for _, wrong := range []string{"dora", dora.token, "dora@example.org"} {
		boss.delete(dora.path(""), jsonBody(fields{"username": wrong})).wantError(400, "username_mismatch")
	}
	boss.delete(dora.path(""), jsonBody(fields{"username": "Dora@Example.com"})).want(204)

	// An organization keeps an administrator that is not disabled.
	second := c.mustCreateAdmin(c.org, "second")
	c.operator.delete(c.operator.path("/organization/" + c.org)).want(204)
	c.operator.post(second.path("/disable"), nil).want(204)
	c.operator.erase(boss).wantError(400, "last_administrator")
	c.operator.erase(second).want(204)
	c.mustSweep()
	c.mustVerify()
}

func TestErasureOfAUserUnderALegalHold(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.alice)
	c.operator.mustJoin(other, c.bob)
	there := c.alice.mustSend(c.bob.token, "under a hold", "sender_organization", other)
	here := c.alice.mustSend(c.bob.token, "here", "sender_organization", c.org)
	c.operator.post("/v2/organization/"+other+"/hold", nil).want(204)
	c.operator.erase(c.alice).wantError(403, "legal_hold")
	c.operator.delete(c.alice.path("/organization/" + other)).want(204)
	c.operator.erase(c.alice).wantError(403, "legal_hold") // it has messages there
	c.alice.get("/v2/user").want(200)
	c.operator.delete("/v2/organization/" + other + "/hold").want(204)

	// A hold that comes after the erasure keeps what is still there.
	c.operator.erase(c.alice).want(204)
	c.operator.post("/v2/organization/"+other+"/hold", nil).want(204)
	c.mustSweep()
	c.bob.get("/v2/message/" + there).wantMissing()
	c.bob.get("/v2/message/" + here).wantMissing()
	held := func() (n int) {
		err := c.store.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.HeldMessages(model.OrganizationID(other), model.MessageID{}, 10)
			n = len(rows)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := held(); n != 1 {
		t.Errorf("the hold keeps %d messages", n)
	}
	c.operator.delete("/v2/organization/" + other + "/hold").want(204)
	c.mustSweep()
	c.wantNoTrace("an erased account", mustParseAccount(t, c.alice.token), c.alice.token)
	if n := held(); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// Who got messages of a group in an organization that it has left is kept by its hold.
func TestLegalHoldKeepsWhoGotMessagesOfAGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Other")
	chief := c.mustCreateAdmin(other, "chief")
	dora, eve := c.mustCreate(other, "dora"), c.mustCreate(other, "eve")
	c.operator.mustJoin(c.org, dora)
	c.operator.mustJoin(c.org, eve)
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "replay_history": true}, c.bob, dora)
	id := c.alice.mustSend(group, "to all", "ttl", 1)
	c.alice.post("/v2/group/"+group+"/members", fields{"members": eve.token}).want(204) // who gets it as history
	c.settle()
	for _, p := range []*person{dora, eve} {
		c.operator.delete(p.path("/organization/" + c.org)).want(204)
	}
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	wantBoth := func(when string) {
		t.Helper()
		if m := c.mustExportHeld(c.org).message(t, id); m == nil || len(m["statuses"].([]any)) != 2 {
			t.Errorf("%s the message is exported as %v, want the statuses of bob and dora", when, m)
		}
	}
	chief.erase(dora).wantError(403, "legal_hold")
	chief.erase(eve).want(204)
	c.mustSweep()
	wantBoth("before its end")
	c.clock.Advance(2 * time.Minute)
	c.mustSweep()
	chief.erase(dora).wantError(403, "legal_hold")
	wantBoth("after its end")
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	c.mustSweep()
	chief.erase(dora).want(204)
	c.mustSweep()
	c.wantNoTrace("an erased account", mustParseAccount(t, dora.token), dora.token)
}

// What was to be told in pieces when the account ended is told before it is looked for.
func TestErasureWaitsForWhatIsStillToBeTold(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.rows = 4 })
	extra := c.mustFillOrganization(c.org, 20)
	group := c.bob.mustCreateGroup("G", c.alice, c.carl)
	c.bob.post("/v2/group/"+group+"/members", fields{"members": extra}).want(204)
	c.alice.post("/v2/group/"+group+"/members/remove", fields{"members": extra[:2]}).want(204) // which names her to all
	c.operator.erase(c.alice).want(204)
	c.mustSweep()
	c.settle()
	id := mustParseAccount(t, c.alice.token)
	if len(c.traces(id, c.alice.token)) == 0 {
		t.Error("nothing was to be told any more: the test shows nothing")
	}
	c.mustSweep()
	c.wantNoTrace("an erased account", id, c.alice.token)
	kinds := kindsOf(c.bob.events())
	if !slices.Contains(kinds, "update") {
		t.Errorf("bob was told %v", kinds)
	}
}

// What the account had recalled is taken back from all members of a group before it is erased, and they are told.
func TestErasureWaitsForWhatIsStillTakenBack(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.bob.mustCreateGroup("G", c.alice, c.carl)
	id := c.alice.mustSend(group, "not for you")
	message, _ := model.ParseMessageID(id)
	c.settle()
	err := c.store.Update(t.Context(), func(tx *store.Tx) error { // as it is where the server ends during the recall
		row, _, err := tx.MessageOf(model.OrganizationID(c.org), message)
		if err != nil {
			return err
		}
		holders, err := tx.DeliveredTo(row.Organization, row.ID)
		if err != nil {
			return err
		}
		plan := fanout.New(fanout.Options{Store: c.store, Hub: c.hub, Clock: c.clock.Now, Rows: 1}).Plan(tx, c.clock.Now())
		return errors.Join(plan.Recall(&row, model.EventGroupStatus, holders), tx.RecallMessage(&row))
	})
	if err != nil {
		t.Fatal(err)
	}
	c.operator.erase(c.alice).want(204)
	if err := c.work.Settle(t.Context(), store.EraseAccount); err != nil {
		t.Fatal(err)
	}
	c.settle()
	c.clock.Advance(time.Second)
	c.mustSweep()
	c.wantNoTrace("an erased account", mustParseAccount(t, c.alice.token), c.alice.token)
	for _, p := range []*person{c.bob, c.carl} {
		if n := p.get("/v2/user/me/message/unread_count").reply().int("unread_count"); n != 0 {
			t.Errorf("%s has %d unread messages", p.name, n)
		}
		if kinds := kindsOf(p.events()); !slices.Contains(kinds, string(model.EventGroupStatus)) {
			t.Errorf("%s was told %v", p.name, kinds)
		}
	}
}
