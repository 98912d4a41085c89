package api_test

import (
	"strings"
	"testing"
	"time"

	"signet/internal/webpush/webpushtest"
)

func TestMessageIsPushedWhereNoStreamIsOpen(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	c.mustHavePassword(c.bob)
	one, two := c.bob.mustSignIn(), c.bob.mustSignIn()
	phone, desk := one.mustSubscribe(service, "/phone"), two.mustSubscribe(service, "/desk")
	browsers := []*browser{phone, desk}

	c.alice.mustSend(c.bob.token, "a secret")
	c.wantPushed("nobody reads", service, browsers, phone.unread(false, 1), desk.unread(false, 1))
	if last := one.get("/v2/user/me/push").reply().list()[0].text("last_success"); last != "2026-11-21T08:15:30.123Z" {
		t.Errorf("the last success was %s", last)
	}

	c.clock.Advance(time.Minute)
	two.openStream("")
	c.alice.mustSend(c.bob.token, "a secret")
	c.wantPushed("the desk reads", service, browsers, phone.unread(false, 2))

	c.clock.Advance(time.Minute)
	c.bob.mustSend(c.alice.token, "to somebody without a browser")
	if n := c.pushes(); n > 1 { // that of the desk waits
		t.Errorf("%d jobs are noted", n)
	}
	c.bob.mustSend(c.bob.token, "to oneself")
	c.wantPushed("to oneself", service, browsers, phone.unread(false, 3))
}

// A phone whose network is gone has a stream for a while that nobody reads.
func TestMessageIsPushedOnceItsStreamTurnsOutToBeDead(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	c.mustHavePassword(c.bob)
	for _, test := range []struct {
		name string
		do   func(session *person, message string)
		want bool
	}{
		{"it ends", func(session *person, _ string) { session.delete("/v2/events?connections_only=true").want(200) }, true},
		{"another device has it", func(session *person, message string) {
			c.bob.mustMark("delivered", message)
			session.delete("/v2/events?connections_only=true").want(200)
		}, true},
		{"it is read", func(session *person, message string) {
			c.bob.mustMark("read", message)
			session.delete("/v2/events?connections_only=true").want(200)
		}, false},
		{"it stays", func(*person, string) {}, false},
	} {
		session := c.bob.mustSignIn()
		session.mustSubscribe(service, "/"+strings.ReplaceAll(test.name, " ", "-"))
		session.openStream("")
		message := c.alice.mustSend(c.bob.token, "hello")
		c.wantPushed(test.name, service, nil)
		test.do(session, message)
		c.clock.Advance(14 * time.Second)
		c.wantPushed(test.name, service, nil)
		c.clock.Advance(time.Second)
		c.mustPush()
		if got := len(service.Take()); got != map[bool]int{true: 1}[test.want] {
			t.Errorf("%s: %d were pushed", test.name, got)
		}
		if n := c.pushes(); n > 0 {
			t.Errorf("%s: %d jobs are left", test.name, n)
		}
		session.delete("/v2/session").want(204)
	}
}

func TestWhatDoesNotDisturbIsNotPushed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	b := c.bob.mustSubscribe(service, "/b")
	browsers := []*browser{b}
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	send := func(recipient string, more ...any) {
		t.Helper()
		c.clock.Advance(time.Minute)
		c.alice.mustSend(recipient, "hello", more...)
	}
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 5, "receiver_organization": c.org}).
		want(204)
	send(c.bob.token)
	c.wantPushed("the person is muted", service, browsers)
	send(group)
	c.wantPushed("not the group", service, browsers, b.unread(false, 2))
	send(c.bob.token, "priority", 1)
	c.wantPushed("what is important comes through", service, browsers, b.unread(true, 3))
	c.clock.Advance(5 * time.Minute)
	send(c.bob.token)
	c.wantPushed("the mute is over", service, browsers, b.unread(false, 4))

	c.bob.post("/v2/mute/group/"+group, fields{"duration": 5}).want(204)
	send(group)
	c.wantPushed("the group is muted", service, browsers)
	c.bob.delete("/v2/mute").want(204)
	c.bob.post("/v2/mute/organization/"+c.org, fields{"duration": 5}).want(204)
	send(group)
	send(c.bob.token)
	c.wantPushed("all of the organization is muted", service, browsers)
	send(group, "priority", 1)
	c.wantPushed("all but what is important", service, browsers, b.unread(true, 8))
	c.bob.delete("/v2/mute").want(204)

	c.bob.post("/v2/user/me/settings", fields{"dnd": true}).want(204)
	send(c.bob.token, "priority", 1)
	c.wantPushed("not to be disturbed", service, browsers)
	c.bob.post("/v2/user/me/settings", fields{"dnd": false}).want(204)
	send(c.bob.token)
	c.wantPushed("to be disturbed again", service, browsers, b.unread(false, 10))
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

func TestPushesKeepTheirPace(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	b := c.bob.mustSubscribe(service, "/b")
	browsers := []*browser{b}
	c.alice.mustSend(c.bob.token, "first")
	c.wantPushed("the first at once", service, browsers, b.unread(false, 1))
	for range 3 {
		c.clock.Advance(time.Second)
		c.alice.mustSend(c.bob.token, "more")
		c.wantPushed("the others wait", service, browsers)
	}
	c.carl.mustSend(c.bob.token, "urgent", "priority", 1)
	c.wantPushed("what is important does not", service, browsers, b.unread(true, 5))
	c.clock.Advance(2 * time.Second)
	c.wantPushed("the important one told of all before", service, browsers)
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}

	c.clock.Advance(time.Minute)
	c.alice.mustSend(c.bob.token, "first")
	c.wantPushed("a minute later", service, browsers, b.unread(false, 6))
	c.alice.mustSend(c.bob.token, "one")
	c.alice.mustSend(c.bob.token, "two")
	c.clock.Advance(4999 * time.Millisecond)
	c.wantPushed("not yet", service, browsers)
	c.clock.Advance(time.Millisecond)
	c.wantPushed("both in one", service, browsers, b.unread(false, 8))

	c.clock.Advance(time.Second)
	gone := c.alice.mustSend(c.bob.token, "recalled")
	read := c.alice.mustSend(c.bob.token, "read")
	c.wantPushed("both wait", service, browsers)
	c.alice.delete("/v2/message/" + gone).want(204)
	c.bob.mustMark("read", read)
	c.clock.Advance(time.Minute)
	c.wantPushed("neither is left", service, browsers)
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// A message that an escalation sends on is pushed like any other.
func TestMessageThatIsSentOnIsPushed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	browsers := []*browser{c.carl.mustSubscribe(service, "/carl"), c.bob.mustSubscribe(service, "/bob")}
	group := c.alice.mustCreateGroup("Ward", c.bob)
	c.alice.mustSend(c.alice.token, "help", "escalate", []fields{{"after": 5, "to": []string{c.carl.token, group}}})
	c.mustPass(5 * time.Minute)
	c.wantPushed("it was sent on", service, browsers, browsers[0].unread(true, 1), browsers[1].unread(true, 1))
}
