package stream

import (
	"testing"
	"time"

	"signet/internal/live"
)

// An account whose leaving is still being told opens a stream, and that is told at once.
func TestItIsToldLastThatAnAccountIsBack(t *testing.T) {
	t.Parallel()
	c, read := newHouse(t)
	c.servers[0].registry.linger = time.Millisecond
	one, pal := c.pair()
	c.say(one, pal.Account.String(), "text") // so that each has the other in its roster
	c.say(pal, one.Account.String(), "text")
	watching := c.followWith(pal, Request{NoOfflineMessages: true, Features: []string{live.FeaturePresence}})
	first := c.follow(one)
	watching.wantNext("presence true")
	roster := read.hold()
	first.stream.Close()
	<-roster.reached
	c.follow(one)
	watching.wantNext("presence true")
	close(roster.release)
	watching.wantNext("presence false", "presence true")
}
