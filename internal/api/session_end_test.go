package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	for name, end := range map[string]func(alice *person){
		"signed out":   func(alice *person) { alice.delete("/v2/session").want(204) },
		"logged out":   func(alice *person) { alice.post("/v2/logout", nil).want(204) },
		"key revoked":  func(alice *person) { c.alice.delete("/v2/user/me/key/" + alice.sessionKey()).want(204) },
		"new password": func(*person) { c.mustHavePassword(c.alice) },
		"other page's": func(*person) {
			c.alice.mustSignIn().post("/v2/user/me/password", fields{"password": password, "old_password": password}).want(204)
		},
		"signed in again": func(alice *person) {
			alice.post("/v2/session", fields{"username": "alice", "password": password}).want(204)
		},
		"signed in as another": func(alice *person) {
			alice.post("/v2/session", nil, func(r *http.Request) { r.SetBasicAuth(c.bob.key, c.bob.secret) }).want(204)
		},
	} {
		alice := c.alice.mustSignIn()
		st := alice.openStream("")
		socket, _ := alice.openSocket("")
		poll := alice.start("GET", "/v2/events?wait=60&after="+c.lastEvent(alice))
		end(alice)
		st.drain()
		socket.drain()
		// A new password is told as well, and a poll may be answered by that.
		got := poll.answer()
		told := name == "new password" && strings.Contains(string(got.content), "account:settings")
		if got.StatusCode != 401 && !told {
			t.Errorf("%s: a poll that waited got %d %s", name, got.StatusCode, got.content)
		}
		alice.wantSignedOut()
	}
	// What was signed in with a key ends with that.
	key := c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply())
	alice := c.alice.byCookie(key.post("/v2/session", nil).want(204))
	alice.get("/v2/session").want(200)
	c.alice.delete("/v2/user/me/key/" + key.key).want(204)
	alice.wantSignedOut()
	brief := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"expires_in": 60}).reply())
	alice = c.alice.byCookie(brief.post("/v2/session", nil).want(204))
	c.clock.Advance(59 * time.Second)
	alice.get("/v2/session").want(200)
	c.clock.Advance(time.Second)
	alice.wantSignedOut()
}

// What a session issued ends with it, also where that ends by itself: what it issued, and a session
// that was signed in with that, are no use of it.
func TestWhatASessionIssuedEndsWithIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	session := c.alice.mustSignIn()
	key := c.alice.withKey(session.post("/v2/user/me/key", nil).reply())
	next := c.alice.withKey(key.post("/v2/user/me/key", nil).reply())
	below := c.alice.byCookie(next.post("/v2/session", nil).want(204))
	c.clock.Advance(12 * time.Hour)
	for _, p := range []*person{key, next, below} {
		p.get("/v2/user").want(200)
	}
	st := next.openStream("")
	c.clock.Advance(time.Millisecond)
	key.get("/v2/user").want(401)
	next.get("/v2/user").want(401)
	below.wantSignedOut()
	c.bob.mustSend(c.alice.token, "x") // an open stream hears of the end with the next event, or the time of it
	st.drain()
	c.alice.get("/v2/user").want(200)
}

func TestASessionEndsByItself(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	idle, busy := c.alice.mustSignIn(), c.alice.mustSignIn()
	st := idle.openStream("")
	st.nextOf("client_advisory")
	for range 60 {
		c.clock.Advance(12*time.Hour - time.Millisecond)
		busy.get("/v2/session").want(200)
	}
	c.clock.Advance(60*time.Millisecond + time.Millisecond)
	busy.wantSignedOut()
	idle.wantSignedOut()
	// An open stream is no call. It hears of the end with the next event, or the time of it.
	c.bob.mustSend(c.alice.token, "x")
	st.drain()

	alice := c.alice.mustSignIn()
	c.clock.Advance(12 * time.Hour)
	alice.get("/v2/session").want(200)
	c.clock.Advance(12*time.Hour + time.Millisecond)
	alice.wantSignedOut()
	c.mustKeepHouse()
	for _, k := range c.alice.get("/v2/user/me/key").reply().list() {
		if k.text("api_key") != c.alice.key {
			t.Errorf("after they have ended there is still %s", k)
		}
	}
}

func TestAUseOfASessionIsSharedBeforeOthersTakeItForIdle(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	used := func() time.Time {
		t.Helper()
		k, found := c.mustReadKey(alice.sessionKey())
		if !found {
			t.Fatal("the session is gone")
		}
		return k.LastUsed
	}
	c.clock.Advance(6*time.Hour - time.Second)
	alice.get("/v2/user").want(200)
	if at := used(); !at.IsZero() {
		t.Errorf("an early use was written at %v: each would be", at)
	}
	c.clock.Advance(2 * time.Second)
	alice.get("/v2/user").want(200)
	if at := used(); !at.Equal(c.clock.Now()) {
		t.Errorf("a late use was written at %v, want %v", at, c.clock.Now())
	}
}

func TestWhatASessionIssues(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	issued := alice.post("/v2/user/me/key", nil).reply()
	if !issued.has("expires_time") {
		t.Errorf("it issued %s, want an end", issued)
	}
	own := c.alice.withKey(issued)
	own.get("/v2/user").want(200)
	alice.post("/v2/user/me/key/"+c.alice.key+"/rotate", nil).wantError(403, "exceeds_issuer")
	alice.delete("/v2/session").want(204)
	own.get("/v2/user").want(401)
}
