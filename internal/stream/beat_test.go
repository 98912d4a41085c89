package stream

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"signet/internal/model"
)

// many opens streams of the members of a group, and returns the group's token.
func (c *house) many(of *model.Actor, n int) (group string, readers []*pen) {
	c.t.Helper()
	var members []*model.Actor
	for i := range n {
		members = append(members, c.member(of.Organizations()[0], "m"+strconv.Itoa(i)))
	}
	group = c.group(of, members...)
	for _, m := range members {
		readers = append(readers, c.follow(m))
	}
	return group, readers
}

func TestHeartbeatComesAgainAndAgain(t *testing.T) {
	c, _ := newHouse(t)
	_, bob := c.pair()
	p := c.followWith(bob, Request{NoOfflineMessages: true, Heartbeat: 10 * time.Millisecond})
	for range 3 {
		p.wantNext(string(model.EventHeartbeat))
	}
}

func TestStreamThatWaitsForItsClientHoldsNobodyUp(t *testing.T) {
	c, _ := newHouse(t)
	alice, bob := c.pair()
	group, readers := c.many(alice, runtime.GOMAXPROCS(0)+2)
	all := func(want string) {
		t.Helper()
		for _, p := range readers {
			p.wantNext(want)
		}
	}
	quick := c.follow(bob)
	c.say(alice, group, "first")
	all("first")
	for _, p := range readers {
		p.pause()
	}
	c.say(alice, group, "second")
	for _, p := range readers {
		p.waits()
	}
	for i := range 3 {
		c.say(alice, bob.Account.String(), strconv.Itoa(i))
		quick.wantNext(strconv.Itoa(i))
	}
	c.say(alice, group, "third")
	for _, p := range readers {
		p.goOn()
	}
	all("second")
	all("third")
}
