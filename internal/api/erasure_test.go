package api_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/erasure"
)

// column is a column of a table.
type column struct{ table, name, kind string }

// columns lists all columns of the database.
func (s *server) columns() (out []column) {
	s.t.Helper()
	query := `SELECT m.name, p.name, p.type FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'`
	if enginetest.OnPostgres() {
		query = `SELECT c.table_name::text, c.column_name::text, c.data_type::text FROM information_schema.columns c WHERE c.table_schema = current_schema()`
	}
	err := s.engine.View(s.t.Context(), func(session store.Session) error {
		out = nil
		return session.Query(query, nil, func(row store.Row) error {
			var c column
			err := row.Scan(&c.table, &c.name, &c.kind)
			out = append(out, c)
			return err
		})
	})
	if err != nil || len(out) < 100 {
		s.t.Fatalf("found %d columns, %v", len(out), err)
	}
	return out
}

// traces lists where the database names an account or an organization.
func (s *server) traces(account model.AccountID, text string) (found map[string]int) {
	s.t.Helper()
	found = map[string]int{}
	for _, c := range s.columns() {
		where, arg := "", any(nil)
		switch kind := strings.ToLower(c.kind); {
		case kind == "blob" || kind == "bytea":
			if account.IsZero() {
				continue
			}
			// Anywhere in it: content that names the account counts too.
			where, arg = contains(c.name), account
		case strings.Contains(kind, "text") || strings.Contains(kind, "char"):
			where, arg = c.name+" LIKE ?", "%"+text+"%"
		default:
			continue
		}
		err := s.engine.View(s.t.Context(), func(session store.Session) error {
			return session.Query("SELECT COUNT(*) FROM "+c.table+" WHERE "+where, []any{arg}, func(row store.Row) error {
				var n int
				err := row.Scan(&n)
				if n > 0 {
					found[c.table+"."+c.name] = n
				}
				return err
			})
		})
		if err != nil {
			s.t.Fatalf("%+v: %v", c, err)
		}
	}
	return found
}

// contains is the condition that a column of bytes holds some.
func contains(column string) string {
	if enginetest.OnPostgres() {
		return "position(? in " + column + ") > 0"
	}
	return "instr(" + column + ", ?) > 0"
}

// wantNoTrace checks that only the audit log names what was erased, and for two minutes what tells other servers.
func (s *server) wantNoTrace(what string, account model.AccountID, text string) {
	s.t.Helper()
	traces := s.traces(account, text)
	maps.DeleteFunc(traces, func(where string, _ int) bool {
		return strings.HasPrefix(where, "audit_") || strings.HasPrefix(where, "key_endings") ||
			strings.HasPrefix(where, "access_changes")
	})
	if len(traces) > 0 {
		s.t.Errorf("%s is still named in %v", what, traces)
	}
}

func mustParseAccount(t *testing.T, token string) model.AccountID {
	t.Helper()
	id, ok := model.ParseAccountID(token)
	if !ok {
		t.Fatalf("%q is no token of an account", token)
	}
	return id
}

// mustLiveOn gives an account a trace in every place where one can be.
func (c *clinic) mustLiveOn() (sent, got, forwarded, groupMessage string) {
	c.t.Helper()
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	sent = c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("secret file"))
	got = c.bob.mustSend(c.alice.token, "to alice")
	groupMessage = c.bob.mustSend(group, "to all")
	c.alice.mustSend(group, "from alice")
	forwarded = c.bob.post("/v2/message/"+sent+"/forward",
		fields{"recipient": c.carl.token}).want(204).Header.Get("TT-X-Message-Id")
	c.alice.mustMark("read", got, groupMessage)
	c.alice.post("/v2/message", fields{"recipient": c.carl.token, "body": "once"}, requestID("once")).want(204)
	c.alice.post("/v2/metadata/"+c.alice.token, fields{"k": "v"}, in(c.org)).want(204)
	c.alice.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).want(204)
	c.alice.post("/v2/user/me/push", exampleSubscription("/erased")).want(204) // nobody answers there
	c.bob.mustSend(c.alice.token, "to be pushed")
	c.mustPush()
	c.bob.post("/v2/mute/p2p",
		fields{"sender_token": c.alice.token, "receiver_organization": c.org, "duration": 5}).want(204)
	c.operator.post(c.alice.path("/organization/"+c.org+"/roles/reporting"), nil).want(204)
	elsewhere := c.mustCreateOrganization("Elsewhere")
	c.mustCreateAdmin(elsewhere, "other").post(c.alice.path("/organization"),
		fields{"organization": elsewhere}).want(200) // which asks for her
	c.operator.post(c.alice.path("/password"), fields{"password": "a long password"}).want(204)
	c.signIn("alice", "a long password", "phone").want(200)
	return sent, got, forwarded, groupMessage
}

func TestErasedAccountLeavesNoTrace(t *testing.T) {
	t.Parallel()
	c := startClinic(t, approving)
	sent, got, forwarded, groupMessage := c.mustLiveOn()
	id := mustParseAccount(t, c.alice.token)
	before := c.traces(id, c.alice.token)
	for _, where := range []string{"messages.sender", "messages.recipient", "messages.original_sender",
		"deliveries.account", "events.account", "events.payload",
		"conversations.account", "conversations.entity", "keys.account", "addresses.account", "memberships.account",
		"join_requests.account",
		"roles.account", "group_members.account",
		"groups.created_by", "requests.account", "metadata.entity", "avatars.entity", "mutes.entity",
		"push_subscriptions.account",
		"search_entities.entity", "search_words.entity", "quotas.counter"} {
		if before[where] == 0 && where != "quotas.counter" {
			t.Errorf("the test leaves no trace in %s to erase: %v", where, before)
		}
	}
	short := base64.RawStdEncoding.EncodeToString(id[:]) // as statuses name it
	if c.traces(model.AccountID{}, short)["events.payload"] == 0 {
		t.Error("no status of the account is queued")
	}

	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	var told *model.Error
	if err := c.eraseAccount(c.alice.token, false); !errors.As(err, &told) || told.Code != "legal_hold" {
		t.Errorf("under a legal hold erasing answers %v", err)
	}
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	c.mustSweep()
	if err := c.eraseAccount(c.alice.token, false); err != nil {
		t.Fatal(err)
	}
	c.clock.Advance(time.Second) // until then a node may know a key
	c.mustSweep()
	c.wantNoTrace("an erased account", id, c.alice.token)
	c.wantNoTrace("a status of it", model.AccountID{}, short)
	c.wantNoTrace("its address", model.AccountID{}, "alice@example.com")
	if n := c.countBlobs(); n != 0 {
		t.Errorf("%d files are left", n)
	}

	c.alice.get("/v2/user").want(401)
	for _, gone := range []string{sent, got, forwarded} {
		c.bob.get("/v2/message/" + gone).wantMissing()
		c.carl.get("/v2/message/" + gone).wantMissing()
	}
	message := c.carl.get("/v2/message/" + groupMessage).reply() // others' words to others stay
	c.carl.get("/v2/group/"+message.text("group_token")).reply().wantFields(fields{"name": "G"}, "created_by")
	c.bob.get("/v2/user/" + c.alice.token).wantMissing()
	c.bob.get("/v2/roster").want(200)
	c.bob.get("/v2/events").want(200)
	if err := c.eraseAccount(c.alice.token, false); !model.IsNotFound(err) {
		t.Errorf("erasing again answers %v", err)
	}
	if err := c.eraseAccount(c.operator.token, true); !errors.Is(err, model.NotAllowed()) {
		t.Errorf("erasing the operator answers %v", err)
	}
	c.mustVerify()
}

// An erasure that was broken off after any number of its transactions is finished by
// another one.
func TestErasureIsResumed(t *testing.T) {
	t.Parallel()
	c := startClinic(t, approving)
	c.mustLiveOn()
	id := mustParseAccount(t, c.alice.token)
	err := c.store.Update(t.Context(), func(tx *store.Tx) error { return erasure.CloseAccount(tx, id) })
	if err != nil {
		t.Fatal(err)
	}
	if err := c.eraseAccount(c.alice.token, false); err != nil {
		t.Fatal(err)
	}
	c.wantNoTrace("an erased account", id, c.alice.token)
}

func TestErasedOrganizationLeavesNoTrace(t *testing.T) {
	t.Parallel()
	c := startClinic(t, approving)
	c.mustLiveOn()
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.bob)
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	var told *model.Error
	if err := c.eraseOrganization(c.org, false); !errors.As(err, &told) || told.Code != "legal_hold" {
		t.Errorf("under a legal hold erasing answers %v", err)
	}
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	c.mustSweep()
	if err := c.eraseOrganization(c.org, false); err != nil {
		t.Fatal(err)
	}
	c.clock.Advance(time.Second) // until then a node may know a key
	c.mustSweep()
	c.wantNoTrace("an erased organization", model.AccountID{}, c.org)
	for _, p := range []*person{c.alice, c.carl} {
		c.wantNoTrace("an account that was in no other", mustParseAccount(t, p.token), p.token)
	}
	c.bob.get("/v2/user").want(200) // it is in another one
	if n := c.countBlobs(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if err := c.eraseOrganization(c.org, false); !model.IsNotFound(err) {
		t.Errorf("erasing again answers %v", err)
	}
	c.mustVerify()
}

// What an erased organization asked administrators of others for is in no queue and no counter. What it did is in the
// log of the organization that created the account.
func TestErasedOrganizationLeavesNoTraceOfWhatItAskedFor(t *testing.T) {
	t.Parallel()
	a := startAbroad(t, approving)
	for range 2 {
		a.other.post(a.nurse.path("/organization"), fields{"organization": a.two}).want(200)
		a.other.delete(a.nurse.path("/organization/" + a.two)).want(204)
	}
	before := a.traces(model.AccountID{}, a.two)
	if before["events.payload"] == 0 || before["quotas.counter"] != 2 {
		t.Errorf("the test leaves no trace to erase: %v", before)
	}
	if err := a.eraseOrganization(a.two, false); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second) // until then a node may know a key
	a.mustSweep()
	a.wantNoTrace("an erased organization", model.AccountID{}, a.two)
	var more []int64
	for _, e := range a.told(a.one, a.nurse) {
		if e.Action == model.ActionMore && string(e.Organization) == a.two {
			more = append(more, e.Times)
		}
	}
	if !slices.Equal(more, []int64{3}) {
		t.Errorf("the log of One counts %v more acts, want 3", more)
	}
	a.mustVerify()
}

// What an administrator of an organization that is gone knows opens no account that is in another one.
func TestPasswordOfAGoneOrganizationOpensNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *clinic){
		"deleted": func(c *clinic) {
			c.operator.delete("/v2/organization/"+c.org, jsonBody(fields{"name": "Clinic"})).want(204)
		},
		"erased": func(c *clinic) {
			if err := c.eraseOrganization(c.org, false); err != nil {
				c.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startClinic(t)
			boss := c.mustCreateAdmin(c.org, "boss")
			const password = "known to the administrator"
			boss.post(c.bob.path("/password"), fields{"password": password}).want(204)
			c.signIn("bob", password, "phone").want(200)
			other := c.mustCreateOrganization("Other")
			c.operator.mustJoin(other, c.bob)
			end(&c)
			c.signIn("bob", password, "tablet").want(401)
			c.mustSweep()
			c.signIn("bob", password, "tablet").want(401)
			if n := c.traces(model.AccountID{}, c.org)["keys.organization"]; n != 0 {
				t.Errorf("%d keys name the organization", n)
			}
			c.bob.get("/v2/user").want(200)
			if name == "erased" {
				c.clock.Advance(time.Second) // until then a node may know a key
				c.mustSweep()
				c.wantNoTrace("an erased organization", model.AccountID{}, c.org)
			}
			c.operator.post(c.bob.path("/password"), fields{"password": "horse battery staple"}).want(204)
			c.signIn("bob", "horse battery staple", "tablet").want(200)
		})
	}
}

// An organization keeps an administrator, unless who erases its last one says otherwise.
func TestLastAdministratorIsErasedOnlyOnPurpose(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	admin, other := c.mustCreateAdmin(c.org, "admin"), c.mustCreateAdmin(c.org, "other")
	c.operator.mustJoin(second, admin)
	c.operator.post(admin.path("/organization/"+second+"/roles/admin"), nil).want(204)
	for _, o := range []string{c.org, second} {
		c.operator.delete(c.operator.path("/organization/" + o + "/roles/admin")).want(204)
	}
	if err := c.eraseAccount(admin.token, false); !errors.Is(err, access.LastAdministrator()) {
		t.Fatalf("erasing the last administrator of %s answers %v", second, err)
	}
	admin.get("/v2/user").want(200)
	if err := c.eraseAccount(admin.token, true); err != nil {
		t.Fatal(err)
	}
	c.clock.Advance(time.Second)
	admin.get("/v2/user").want(401)
	other.get("/v2/organization/" + c.org).want(200)
	c.operator.get("/v2/organization/" + second).want(200) // who can give the role again
}
