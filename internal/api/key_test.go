package api_test

import (
	"runtime"
	"testing"
	"time"
)

func TestKeyIsIssuedListedRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.clock.Advance(time.Minute)
	issued := c.alice.post(c.alice.path("/key"), fields{"expires_in": 3600}).reply()
	issued.wantFields(fields{"kind": "regular", "created_time": "2026-11-21T08:16:30.123Z",
		"expires_time": "2026-11-21T09:16:30.123Z"})
	second := c.alice.withKey(issued)
	forever := c.alice.do("POST", "/v2/user/me/key", form("kind", "regular")).reply()
	forever.wantFields(fields{"kind": "regular"}, "expires_time", "issued_by")

	c.clock.Advance(time.Second)
	second.get("/v2/user").reply().wantFields(fields{"token": c.alice.token})
	keys := c.alice.get("/v2/user/me/key").reply().list()
	if len(keys) != 3 {
		t.Fatalf("the keys are %v, want three", keys)
	}
	for _, k := range keys {
		if k.has("api_secret") || k.has("secret") {
			t.Errorf("a list of keys shows a secret: %s", k)
		}
		switch k.text("api_key") {
		case second.key:
			k.wantFields(fields{"kind": "regular", "created_time": "2026-11-21T08:16:30.123Z",
				"last_used_time": "2026-11-21T08:16:31.123Z",
				"expires_time":   "2026-11-21T09:16:30.123Z"}, "issued_by")
		case forever.text("api_key"):
			k.wantFields(fields{"kind": "regular"}, "last_used_time", "expires_time", "issued_by")
		case c.alice.key:
			k.wantFields(fields{"issued_by": c.operator.token}, "expires_time")
		}
	}
	for _, refused := range []fields{{"kind": "super"}, {"expires_in": 0}, {"expires_in": -1}, {"expires_in": "soon"},
		{"messages_per_day": -1}} {
		c.operator.post(c.alice.path("/key"), refused).want(400)
	}

	// Rotation: the old secret stays valid for the grace.
	rotated := c.alice.post(c.alice.path("/key/"+second.key+"/rotate"), fields{"grace": 60}).reply()
	rotated.wantFields(fields{"api_key": second.key})
	renewed := c.alice.withKey(rotated)
	c.clock.Advance(time.Minute - time.Millisecond)
	second.get("/v2/user").want(200)
	renewed.get("/v2/user").want(200)
	c.clock.Advance(time.Millisecond)
	second.get("/v2/user").wantError(401, "credentials_invalid")
	renewed.get("/v2/user").want(200)
	third := c.alice.withKey(renewed.post("/v2/user/me/key/"+second.key+"/rotate", nil).reply()) // an hour
	c.clock.Advance(40 * time.Minute)
	renewed.get("/v2/user").want(200)
	fourth := c.alice.withKey(third.post("/v2/user/me/key/"+second.key+"/rotate", fields{"grace": "0"}).reply())
	third.get("/v2/user").want(401)
	fourth.get("/v2/user").want(200)
	for _, bad := range []any{-1, 86401, "long"} {
		c.alice.post("/v2/user/me/key/"+second.key+"/rotate", fields{"grace": bad}).want(400).wantField("grace")
	}
	c.alice.post("/v2/user/me/key/nonsense/rotate", nil).wantMissing()
	c.alice.post("/v2/user/me/key/"+c.bob.key+"/rotate", nil).wantMissing()

	// Expiry.
	c.clock.Advance(20 * time.Minute)
	fourth.get("/v2/user").wantError(401, "credentials_invalid")
	c.mustKeepHouse()
	if keys := c.alice.get("/v2/user/me/key").reply().list(); len(keys) != 2 {
		t.Errorf("after the clean-up the keys are %v", keys)
	}

	// Revocation holds at once.
	gone := c.alice.withKey(forever)
	gone.get("/v2/user").want(200)
	c.alice.delete(c.alice.path("/key/" + gone.key)).want(204)
	gone.get("/v2/user").wantError(401, "credentials_invalid")
	c.alice.delete(c.alice.path("/key/" + gone.key)).wantMissing()
	c.alice.delete(c.alice.path("/key/" + c.bob.key)).wantMissing()
	c.bob.get("/v2/user").want(200)
	c.alice.wantEvents() // what one does oneself one is not told
}

// keyCall is one of what there is to do with somebody's access.
type keyCall struct {
	name string
	do   func(by, of *person) *answer
	ok   int
}

var (
	issueKey  = keyCall{"issue", func(by, of *person) *answer { return by.post(of.path("/key"), fields{}) }, 200}
	rotateKey = keyCall{"rotate",
		func(by, of *person) *answer { return by.post(of.path("/key/"+of.key+"/rotate"), fields{"grace": 3600}) }, 200}
	labelKey = keyCall{"label",
		func(by, of *person) *answer { return by.post(of.path("/key/"+of.key), fields{"label": "Ward 3"}) }, 204}
	listKeys    = keyCall{"list", func(by, of *person) *answer { return by.get(of.path("/key")) }, 200}
	setPassword = keyCall{"set the password", func(by, of *person) *answer {
		return by.post(of.path("/password"), fields{"password": "a new password"})
	}, 204}
	revokeKey = keyCall{"revoke", func(by, of *person) *answer { return by.delete(of.path("/key/" + of.key)) }, 204}
)

// manage are those that give or change access; oversee those that only see it, name it or end it.
var (
	manage  = []keyCall{issueKey, rotateKey, setPassword}
	oversee = []keyCall{listKeys, labelKey, revokeKey}
)

// wantAll checks the status of several calls; 0 is each one's success.
func wantAll(t *testing.T, calls []keyCall, by, of *person, status int) {
	t.Helper()
	for _, call := range calls {
		want := status
		if want == 0 {
			want = call.ok
		}
		if got := call.do(by, of); got.StatusCode != want {
			t.Errorf("%s may %s the access of %s: got %d %s, want %d", by.name, call.name, of.name, got.StatusCode, got.content,
				want)
		}
	}
}

// wantScoped checks that an administrator gives keys to its own organization alone, and
// sees the others without changing them.
func wantScoped(t *testing.T, by, of *person) {
	t.Helper()
	wantAll(t, []keyCall{issueKey, listKeys}, by, of, 0)
	wantAll(t, []keyCall{rotateKey, setPassword, labelKey, revokeKey}, by, of, 403)
}

func TestNobodyGainsAnotherPersonsAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	admin, other := s.mustCreateAdmin(one, "admin"), s.mustCreateAdmin(two, "other")
	own, shared, borrowed, removed := s.mustCreate(one, "own"), s.mustCreate(one, "shared"), s.mustCreate(two, "borrowed"),
		s.mustCreate(one, "removed")
	other.mustJoin(two, shared)
	admin.mustJoin(one, borrowed)
	moved := s.mustCreate(one, "moved")
	other.mustJoin(two, moved)
	admin.delete(moved.path("/organization/" + one)).want(204)
	admin.delete(removed.path("/organization/" + one)).want(204)
	all := append(append([]keyCall{}, manage...), oversee...)

	// Which its organization created and which is in no other: everything.
	wantAll(t, all, admin, own, 0)
	wantAll(t, all, admin, removed, 0)
	// In another organization as well: keys for its own alone. The others it sees, while
	// the account is there.
	wantScoped(t, admin, shared)
	wantAll(t, all, admin, moved, 403)
	// Which another organization created: the same.
	shared, moved = s.mustCreate(one, "shared2"), s.mustCreate(one, "moved2")
	other.mustJoin(two, shared)
	other.mustJoin(two, moved)
	admin.delete(moved.path("/organization/" + one)).want(204)
	wantScoped(t, other, shared)
	wantScoped(t, other, moved)
	wantScoped(t, admin, borrowed)
	// An operator, though it is in the organization.
	wantAll(t, all, admin, s.operator, 403)
	// Nobody else.
	member := s.mustCreate(one, "member")
	own = s.mustCreate(one, "own2")
	wantAll(t, all, member, own, 403)
	wantAll(t, all, own.with(admin.key, "wrong"), member, 401)
	wantAll(t, all, other, own, 404)
	// A regular key of an administrator is no administrator's.
	regular := admin.withKey(admin.post(admin.path("/key"), nil).reply())
	wantAll(t, all, regular, own, 403)
	own.get("/v2/user").want(200)
	// Operators may, but never for another operator.
	wantAll(t, all, s.operator, borrowed, 0)
	if err := s.makeOperator("second"); err != nil {
		t.Fatal(err)
	}
	second := s.mustOperator("second")
	wantAll(t, all, s.operator, second, 403)
	wantAll(t, all, second, s.operator, 403)
}

func TestAdministrativeKeyTakesOneOrThePassword(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	regular := admin.withKey(admin.post(admin.path("/key"), nil).reply())
	administrative := fields{"kind": "administrative"}
	// With a regular key alone: never, not even for oneself.
	regular.post(admin.path("/key"), administrative).wantError(403, "administrative_key_required")
	c.alice.post(c.alice.path("/key"), administrative).wantError(403, "administrative_key_required")
	regular.post(admin.path("/key/"+admin.key+"/rotate"), nil).wantError(403, "administrative_key_required")
	admin.get("/v2/organization/" + c.org).want(200)
	regular.post(admin.path("/key/"+regular.key+"/rotate"), nil).reply() // a regular one

	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	c.alice.post(c.alice.path("/key"), fields{"kind": "administrative", "password": "wrong horse"}).wantError(403,
		"password_wrong")
	key := c.alice.post(c.alice.path("/key"), fields{"kind": "administrative", "password": "correct horse"}).reply()
	key.wantFields(fields{"kind": "administrative"})
	c.alice.post(c.alice.path("/key/"+key.text("api_key")+"/rotate"), nil).wantError(403, "administrative_key_required")
	c.alice.post(c.alice.path("/key/"+key.text("api_key")+"/rotate"), fields{"password": "correct horse"}).reply()
	// It works as such only while its account is an administrator.
	c.alice.withKey(key).get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	// With an administrative key.
	admin.withKey(admin.post(admin.path("/key"), administrative).reply()).get("/v2/organization/" + c.org).want(200)
	admin.post(c.bob.path("/key"), administrative).reply().wantFields(fields{"kind": "administrative"})
	admin.post(admin.path("/key/"+admin.key+"/rotate"), nil).reply()
}

func TestIssuedKeyNeverExceedsItsIssuer(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	short := c.alice.withKey(c.alice.post(c.alice.path("/key"), fields{"expires_in": 60}).reply())
	for asked, want := range map[string]fields{
		"longer":   {"expires_in": 3600},
		"for good": {},
	} {
		issued := short.post("/v2/user/me/key", want).reply()
		if got := issued.text("expires_time"); got != "2026-11-21T08:16:30.123Z" {
			t.Errorf("a key asked for %s ends at %s, past its issuer", asked, got)
		}
	}
	short.post("/v2/user/me/key",
		fields{"expires_in": 30}).reply().wantFields(fields{"expires_time": "2026-11-21T08:16:00.123Z"})
	// For others, and with a new account, and by signing in with it.
	admin := c.mustCreateAdmin(c.org, "admin")
	brief := admin.withKey(admin.post(admin.path("/key"), fields{"kind": "administrative", "expires_in": 60}).reply())
	dora := brief.mustCreate(c.org, "dora")
	own := c.mustCreate(c.org, "own")
	key := own.withKey(brief.post(own.path("/key"), fields{"expires_in": 86400}).reply())
	signed := brief.do("POST", "/v5/login", jsonBody(fields{"device_id": "d"})).reply().at("auth")
	c.clock.Advance(time.Minute)
	dora.get("/v2/user").want(401)
	key.get("/v2/user").want(401)
	admin.with(signed.text("key"), signed.text("secret")).get("/v2/user").want(401)
	own.get("/v2/user").want(200)
}

func TestKeyIssuedBySomebodyElseIsTold(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	issued := admin.post(c.alice.path("/key"), nil).reply().text("api_key")
	c.alice.wantEvents("account:settings")[0].wantIs(fields{"token": c.alice.token,
		"services": []fields{{"xmlns": "tigertext:iq:update:account", "account": c.alice.token}}})
	for _, k := range c.alice.get("/v2/user/me/key").reply().list() {
		if k.text("api_key") == issued {
			k.wantFields(fields{"issued_by": admin.token})
		}
	}
	// Only an operator gives other figures.
	for _, p := range []*person{c.alice, admin} {
		p.post(p.path("/key"), fields{"messages_per_day": 5}).wantError(403, "operator_required")
		p.post(p.path("/key"), fields{"requests_per_second": 5}).wantError(403, "operator_required")
	}
	c.alice.forgetEvents()
	admin.post(c.alice.path("/key/"+c.alice.key+"/rotate"), nil).reply()
	c.alice.wantEvents("account:settings")
	admin.post(c.alice.path("/password"), fields{"password": "a new password"}).want(204)
	c.alice.wantEvents("account:settings", "account:settings")
}

// Whoever rotates a key without grace because its secret leaked is rid of who listens.
func TestRotatingWithoutGraceEndsWhatTheOldSecretOpened(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	old := c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply())
	old.forgetEvents()
	sse := old.openStream("features=no-offline-messages")
	socket, _ := old.openSocket("features=no-offline-messages")
	stays := c.alice.openStream("features=no-offline-messages")
	readers := len(c.hub.Subscriptions())
	poll := old.start("GET", "/v2/events?wait=60")
	for len(c.hub.Subscriptions()) == readers { // until it waits
		runtime.Gosched()
	}
	renewed := old.withKey(c.alice.post(c.alice.path("/key/"+old.key+"/rotate"), fields{"grace": 0}).reply())
	sse.wantEnd()
	socket.wantEnd()
	poll.answer().wantError(401, "credentials_invalid")
	old.get("/v2/events").wantError(401, "credentials_invalid")

	listens := renewed.openStream("features=no-offline-messages")
	c.bob.mustSend(c.alice.token, "for alice alone")
	listens.wantNext("message")
	stays.wantNext("message")
}
