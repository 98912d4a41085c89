package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"signet/internal/testenv"
)

// Contract section 1, Limits: each at the limit, and one past it.

func TestLimitOfMessagesADay(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.service.MessagesPerDay = 3 })
	send := func(p *person, options ...option) *answer {
		t.Helper()
		return p.post("/v2/message", fields{"recipient": c.bob.token, "body": "x"}, options...)
	}
	wantPast := func(a *answer) {
		t.Helper()
		a.wantError(429, "daily_limit").wantHeader("Retry-After", "56670") // to midnight UTC
	}
	first := send(c.alice, requestID("one")).want(204).Header.Get("TT-X-Message-Id")
	send(c.alice, requestID("one")).want(304) // a repeat is not counted
	c.alice.post("/v2/message", fields{"recipient": "nobody", "body": "x"}).wantMissing()
	c.alice.post("/v2/message", fields{"recipient": c.bob.token}).want(400)
	send(c.alice).want(204)
	c.alice.post("/v2/message/"+first+"/forward", fields{"recipient": c.carl.token}).want(204) // the third
	wantPast(send(c.alice))
	wantPast(c.alice.post("/v2/message/"+first+"/forward", fields{"recipient": c.carl.token}))
	send(c.alice, requestID("one")).want(304)
	c.alice.get("/v2/message/" + first).want(200)
	send(c.carl).want(204) // others have their own

	// Keys that the account issued itself or got by login share the counter, and
	// rotation keeps it.
	wantPast(send(c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply())))
	c.alice.useKey(c.alice.post("/v2/user/me/key/"+c.alice.key+"/rotate", nil).reply())
	wantPast(send(c.alice))
	signed := c.alice.post("/v5/login", fields{"device_id": "d"}).reply().at("auth")
	login := c.alice.with(signed.text("key"), signed.text("secret"))
	wantPast(send(login))
	wantPast(send(c.alice.withKey(login.post("/v2/user/me/key", nil).reply())))
	// A key that somebody else issued counts on its own, and an operator gives other
	// figures, which the keys issued with it share.
	own := c.alice.withKey(c.operator.post(c.alice.path("/key"), fields{"messages_per_day": 5}).reply())
	for range 4 {
		send(own).want(204)
	}
	child := c.alice.withKey(own.post("/v2/user/me/key", nil).reply())
	send(child).want(204)
	wantPast(send(child))
	wantPast(send(own))
	free := c.alice.withKey(c.operator.post(c.alice.path("/key"), fields{"messages_per_day": "0"}).reply())
	for range 6 {
		send(free).want(204)
	}
	// All password sign-ins of an account share one allowance.
	c.operator.post(c.carl.path("/password"), fields{"password": "correct horse"}).want(204)
	for i := range 4 {
		auth := c.signIn("carl", "correct horse", number(i)).reply().at("auth")
		got := send(c.carl.with(auth.text("key"), auth.text("secret")))
		if i < 3 {
			got.want(204)
		} else {
			wantPast(got)
		}
	}
	// The day is a UTC day.
	c.clock.Advance(56670*time.Second - 123*time.Millisecond - time.Millisecond)
	send(c.alice).wantError(429, "daily_limit").wantHeader("Retry-After", "1")
	c.clock.Advance(time.Millisecond)
	for range 3 {
		send(c.alice).want(204)
	}
	send(c.alice).wantError(429, "daily_limit").wantHeader("Retry-After", "86400")
	c.mustKeepHouse()
	send(c.alice).wantError(429, "daily_limit")
}

func TestLimitOfRequestsASecond(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 10, 20 })
	for left := 19; left >= 0; left-- {
		c.alice.get("/v2/user").want(200).wantHeader("RateLimit-Limit", "20").wantHeader("RateLimit-Remaining",
			number(left)).wantHeader("RateLimit-Reset", number((20-left+9)/10))
	}
	past := c.alice.get("/v2/user").wantError(429, "rate_limited").wantHeader("Retry-After",
		"1").wantHeader("RateLimit-Remaining", "0")
	if got := past.value().text("error", "message"); got != "Too many requests/second, please try again later." {
		t.Errorf("the message is %q", got)
	}
	c.alice.get("/v2/nothing").want(404) // the route wins, and is not counted
	c.alice.with(c.alice.key, "wrong").get("/v2/user").want(401)
	c.alice.post("/v2/organization", fields{}).want(429) // before the administrative key
	c.bob.get("/v2/user").want(200)
	c.clock.Advance(time.Second)
	for range 10 {
		c.alice.get("/v2/message/" + randomToken()).want(404)
	}
	c.alice.get("/v2/user").want(429)
	c.clock.Advance(time.Minute)
	quick := c.carl.withKey(c.operator.post(c.carl.path("/key"), fields{"requests_per_second": 20}).reply())
	quick.get("/v2/user").want(200).wantHeader("RateLimit-Limit", "40")
	free := c.carl.withKey(c.operator.post(c.carl.path("/key"), fields{"requests_per_second": 0}).reply())
	for range 50 {
		free.get("/v2/mute").want(200).wantHeader("RateLimit-Limit", "")
	}
}

func TestLimitOfFailedLogins(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.FailedLoginsPerMinute, f.api.FailedLoginsPerMinuteAddress = 3, 8 })
	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	// Of a key: past it the right secret opens all the same.
	for range 3 {
		c.alice.with(c.alice.key, "wrong").get("/v2/user").wantError(401, "credentials_invalid")
	}
	c.alice.with(c.alice.key, "wrong").get("/v2/user").wantError(429, "too_many_failures").wantHeader("Retry-After",
		"60")
	c.alice.get("/v2/user").want(200)
	c.alice.post("/v5/login", nil).want(200)
	c.alice.with(c.alice.key, "wrong").post("/v5/login", nil).wantError(429, "too_many_failures")
	c.clock.Advance(time.Minute)
	c.signIn("alice", "correct horse", "d").want(200)
	// Of a user name at sign-in, however it is spelt.
	for _, spelt := range []string{"alice", "ALICE", " Alice"} {
		c.signIn(spelt, "guess", "d").want(401)
	}
	c.signIn("alice", "correct horse", "d").wantError(429, "too_many_failures")
	// Of a password that is given along with a key.
	c.clock.Advance(time.Minute)
	for range 3 {
		c.alice.post("/v2/user/me/password", fields{"old_password": "guess", "password": "a new password"}).want(403)
	}
	c.alice.post("/v2/user/me/password",
		fields{"old_password": "correct horse", "password": "a new password"}).wantError(429, "too_many_failures")
	c.alice.post("/v2/user/me/key", fields{"kind": "administrative", "password": "correct horse"}).wantError(429,
		"too_many_failures")
	c.alice.get("/v2/user").want(200)
	// Of the address: no password, right or wrong, and every right secret.
	c.clock.Advance(2 * time.Minute)
	c.signIn("alice", "correct horse", "d").want(200)
	for i := range 8 {
		c.alice.with("nobody"+number(i), "x").get("/v2/user").want(401)
	}
	c.alice.with("nobody9", "x").get("/v2/user").wantError(429, "too_many_failures")
	c.signIn("alice", "correct horse", "d").wantError(429, "too_many_failures")
	c.alice.with("alice", "correct horse").post("/v5/login", nil).wantError(429, "too_many_failures")
	c.carl.get("/v2/user").want(200) // new here
	c.carl.post("/v5/login", nil).want(200)
	c.operator.get("/v2/user").want(200)
}

func TestLimitOfABody(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	// A field that nobody knows fills the body up to its limit.
	padded := func(size int) option {
		head := `{"recipient":"` + c.bob.token + `","padding":"`
		return body("application/json", strings.NewReader(head+strings.Repeat("x", size-len(head)-2)+`"}`))
	}
	c.alice.do("POST", "/v2/message/typing", padded(256<<10)).want(204)
	c.alice.do("POST", "/v2/message/typing", padded(256<<10+1)).wantError(413, "body_too_large")
	filled := func(size int) option {
		head := "recipient=" + c.bob.token + "&padding="
		return body("application/x-www-form-urlencoded", strings.NewReader(head+strings.Repeat("x", size-len(head))))
	}
	c.alice.do("POST", "/v2/message/typing", filled(256<<10)).want(204)
	c.alice.do("POST", "/v2/message/typing", filled(256<<10+1)).wantError(413, "body_too_large")
}

func TestLimitOfAMessagesText(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, send := range map[string]func(text string) *answer{
		"JSON": func(text string) *answer {
			return c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": text})
		},
		"form": func(text string) *answer {
			return c.alice.do("POST", "/v2/message", form("recipient", c.bob.token, "body", text))
		},
		"multipart": func(text string) *answer {
			return c.alice.do("POST", "/v2/message", parts(map[string]string{"recipient": c.bob.token, "body": text}))
		},
	} {
		id := send(strings.Repeat("x", 64<<10)).want(204).Header.Get("TT-X-Message-Id")
		if got := c.bob.get("/v2/message/" + id).reply().text("body"); len(got) != 64<<10 {
			t.Errorf("as %s %d bytes arrived", name, len(got))
		}
		send(strings.Repeat("x", 64<<10+1)).wantError(400, "body_too_long").wantField("body")
	}
}

func TestLimitOfAnAttachment(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	content := bytes.Repeat([]byte("x"), 25<<20+1)
	attach := func(size int) *answer {
		t.Helper()
		return c.alice.do("POST", "/v2/message",
			parts(map[string]string{"recipient": c.bob.token}, file{"attachment", "a", "", content[:size]}))
	}
	id := attach(25 << 20).want(204).Header.Get("TT-X-Message-Id")
	c.bob.get("/v2/message/"+id+"/attachment/1").want(200).wantHeader("Content-Length", number(25<<20))
	attach(25<<20+1).wantError(413, "file_too_large").wantField("attachment")

	avatar := func(size int) *answer {
		t.Helper()
		return c.alice.do("POST", c.alice.path("/settings"),
			parts(nil, file{"avatar", "a.png", "", append(picture[:8:8], content[:size-8]...)}))
	}
	avatar(2 << 20).want(204)
	avatar(2<<20+1).wantError(413, "file_too_large").wantField("avatar")
}

func TestLimitOfGroupMembers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	extra := c.mustFillOrganization(c.org, 2000)
	create := func(members []string) *answer {
		t.Helper()
		return c.alice.post("/v2/group", fields{"name": "G", "members": members})
	}
	create(extra).wantError(400, "too_many_members").wantField("members") // and the creator
	create(extra[:1999]).want(204)
	group := c.alice.mustCreateGroup("G")
	add := func(members ...string) *answer {
		t.Helper()
		return c.alice.post("/v2/group/"+group+"/members", fields{"members": members})
	}
	add(extra...).wantError(400, "too_many_members").wantField("members")
	add(extra[:1999]...).want(204)
	add(extra[1998]).want(204) // is there already
	add(extra[1999]).wantError(400, "too_many_members")
	c.alice.post("/v2/group/"+group, fields{"members": extra}).wantError(400, "too_many_members")
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"num_members": 2000})
	id := c.alice.mustSend(group, "to all of them")
	if rows := c.alice.get("/v2/message/" + id + "/status").reply().list("statuses"); len(rows) != 1999 {
		t.Errorf("the message has %d statuses, want one for each recipient", len(rows))
	}
}

func TestLimitOfMetadata(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	keys := func(n int) fields {
		f := fields{}
		for i := range n {
			f[fmt.Sprintf("key%d", i)] = "v"
		}
		return f
	}
	for name, put := range map[string]func(fields) *answer{
		"metadata": func(f fields) *answer { return c.alice.post("/v2/metadata/me", f, in(c.org)) },
		"group":    func(f fields) *answer { return c.alice.post("/v2/group", fields{"name": "G", "metadata": f}) },
		"form": func(f fields) *answer {
			text, _ := json.Marshal(f)
			return c.alice.do("POST", "/v2/group", form("name", "G", "metadata", string(text)))
		},
	} {
		put(keys(11)).want(204)
		put(keys(12)).wantError(400, "too_many_metadata_keys")
		put(fields{strings.Repeat("ä", 64): "v"}).want(204)
		put(fields{strings.Repeat("ä", 65): "v"}).wantError(400, "metadata_key_invalid")
		put(fields{"k": strings.Repeat("ä", 4096)}).want(204)
		put(fields{"k": strings.Repeat("ä", 4097)}).wantError(400, "metadata_value_too_long").wantField("k")
		if t.Failed() {
			t.Fatalf("by %s", name)
		}
	}
}

func TestLimitOfStatusIDs(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	ids := make([]string, 501)
	for i := range ids {
		ids[i] = randomToken()
	}
	for _, list := range []string{"delivered", "read"} {
		c.bob.post("/v2/message/status", fields{list: ids[:500]}).want(204)
		c.bob.post("/v2/message/status", fields{list: ids}).wantError(400, "too_many_ids").wantField(list)
	}
	c.bob.post("/v2/get_bulk_message_status", fields{"messages": ids[:500]}).want(200)
	c.bob.post("/v2/get_bulk_message_status", fields{"messages": ids}).wantError(400, "too_many_ids").wantField("messages")
}

func TestLimitOfZeroIsNone(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) {
		f.api.BodyBytes, f.api.AttachmentBytes, f.streams = 0, 0, 0
		f.service.MessageBytes, f.service.MetadataKeys, f.service.GroupMembers = 0, 0, 0
	})
	c.alice.mustSend(c.bob.token, strings.Repeat("x", 300<<10))
	many := fields{}
	for i := range 20 {
		many[fmt.Sprintf("key%d", i)] = "v"
	}
	c.alice.post("/v2/metadata/me", many, in(c.org)).want(204)
	var open []*stream
	for range 22 {
		open = append(open, c.alice.openStream(""))
	}
	open[0].wantReplay()
}
