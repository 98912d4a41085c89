package bustest

import (
	"context"
	"testing"

	"signet/internal/live"
	"signet/internal/live/link"
	"signet/internal/model"
	"signet/internal/testenv"
)

func networkGoesAndComes(t *testing.T, p *place) {
	p.Stop(t)
	here, there := p.prepare(t), p.prepare(t)
	s := there.Subscribe(live.Subscriber{Account: Alice, Stream: true})
	if here.Connected() {
		t.Error("it is connected without the network")
	}
	here.Wake(context.Background(), Alice)
	if got := here.Bus.Stats(); got != (link.Stats{Dropped: 1}) {
		t.Errorf("counted %+v, want one message dropped", got)
	}
	for range 2 {
		p.Restart(t)
		here.WantMissed(t)
		there.WantMissed(t)
		if !here.Connected() || !there.Connected() {
			t.Error("they are not connected")
		}
		here.Wake(context.Background(), Alice)
		Wait(t, "the wake-up", s.Wake())
		p.Stop(t)
		for here.Connected() { // it learns of it from its connection
			here.Wake(context.Background(), Alice)
		}
	}
	if err := here.Barred(); err != nil {
		t.Errorf("that the network is away bars the bus: %v", err)
	}
	_ = here.Bus.Close()
	here.WantLogged(t, "the bus is away", 3) // at the start, and after each connection
	here.WantLogged(t, "connected to the bus", 2)
}

// A connection that takes nothing holds up the goroutine that writes to it, for as long as a write
// may take. Nobody else waits.
func publishingDoesNotWait(t *testing.T, p *place) {
	way := testenv.NewLink(t, p.Addr())
	n := p.open(t, func(o *Options) { o.Via = way.Addr() })
	way.Cut()
	many := make([]model.StreamID, 2000) // 64 KiB and more
	for range 60 {                       // more than the sockets on the way hold
		n.CloseStreams(Alice, live.Revoked, many...)
	}
	for n.Connected() && n.Bus.Stats().Dropped == 0 {
		n.Wake(context.Background(), Alice)
	}
	s := n.Subscribe(live.Subscriber{Account: Alice})
	s.Close()
	if !n.Connected() {
		t.Error("the connection has been given up: something waited for it")
	}
	if n.Bus.Stats().Dropped == 0 {
		t.Error("nothing was dropped: nothing was held up")
	}
	way.Mend()
}
