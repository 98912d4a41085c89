package api_test

import (
	"strings"
	"testing"
	"time"
)

// TestSignInsCountAsCalls: against the rate of the key, or where a password is given,
// of what all password sign-ins of the account share.
func TestSignInsCountAsCalls(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 10, 5 })
	c.clock.Advance(time.Minute)
	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	c.clock.Advance(time.Minute)
	for left := 4; left >= 0; left-- {
		c.alice.post("/v5/login", nil).want(200).wantHeader("RateLimit-Remaining", number(left))
	}
	c.alice.post("/v5/login", nil).wantError(429, "rate_limited").wantHeader("Retry-After", "1")
	c.alice.get("/v2/user").wantError(429, "rate_limited")
	var signed value
	for left := 4; left >= 0; left-- {
		signed = c.signIn("alice", "correct horse", "phone").want(200).wantHeader("RateLimit-Remaining",
			number(left)).reply()
	}
	c.signIn("alice", "correct horse", "phone").wantError(429, "rate_limited")
	phone := c.alice.with(signed.text("auth", "key"), signed.text("auth", "secret"))
	phone.get("/v2/user").wantError(429, "rate_limited")
	c.bob.get("/v2/user").want(200)
}

// TestKeysThatAnAccountIssuedItselfShareARate: forty of them get no more than one.
func TestKeysThatAnAccountIssuedItselfShareARate(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 10, 100 })
	keys := []*person{c.alice}
	for range 19 {
		keys = append(keys, c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply()))
	}
	child := keys[19].withKey(keys[19].post("/v2/user/me/key", nil).reply())
	auth := child.post("/v5/login", fields{"device_id": "d"}).reply().at("auth")
	keys = append(keys, child, c.alice.with(auth.text("key"), auth.text("secret")))
	c.clock.Advance(time.Minute)
	served := 0
	for range 10 {
		for _, key := range keys {
			if key.get("/v2/user").StatusCode == 200 {
				served++
			}
		}
	}
	if served != 100 {
		t.Errorf("%d calls of %d keys were served, want 100", served, len(keys))
	}
	// What somebody else issued has a bucket of its own.
	c.alice.withKey(c.operator.post(c.alice.path("/key"), nil).reply()).get("/v2/user").want(200)
}

// TestABodyOfASignInIsSmall: and its credentials are looked at first.
func TestABodyOfASignInIsSmall(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	padded := func(size int) option {
		const head = `{"padding":"`
		return body("application/json", strings.NewReader(head+strings.Repeat("x", size-len(head)-2)+`"}`))
	}
	for _, p := range []*person{c.alice, c.alice.with("alice", "correct horse")} {
		p.do("POST", "/v5/login", padded(8<<10)).want(200)
		p.do("POST", "/v5/login", padded(8<<10+1)).wantError(413, "body_too_large")
	}
	c.alice.with("alice", "wrong").do("POST", "/v5/login", padded(8<<10+1)).wantError(401, "credentials_invalid")
	c.anyone().do("POST", "/v2/login", padded(8<<10+1)).wantError(401, "credentials_missing")
	c.anyone().do("POST", "/v2/login", body("text/plain", strings.NewReader("x"))).wantError(401, "credentials_missing")
}

// TestAcknowledgementsOfASocketCount: as calls do; they wait where a call is refused.
func TestAcknowledgementsOfASocketCount(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 1000, 10 })
	ids := make([]string, 20)
	told := c.alice.openStream("")
	st, send := c.bob.openSocket("")
	for i := range ids {
		c.clock.Advance(time.Second)
		c.alice.mustSend(c.bob.token, "x")
		ids[i] = st.nextOf("message").id
	}
	c.clock.Advance(time.Minute)
	for _, id := range ids {
		send(`{"ack":["` + id + `"]}`)
	}
	// The clock stands: ten tokens were there, and ten acknowledgements waited.
	for range ids {
		told.nextOf("message:status")
	}
	c.bob.get("/v2/user").wantError(429, "rate_limited")
	c.clock.Advance(time.Minute)
	if left := c.bob.get("/v2/events").reply().list(); len(left) != 0 {
		t.Errorf("%d events are still queued", len(left))
	}
}
