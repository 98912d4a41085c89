package bustest

import (
	"context"
	"slices"
	"testing"

	"signet/internal/live"
	"signet/internal/model"
)

func installationsDoNotMix(t *testing.T, p *place) {
	ours, sibling := p.open(t), p.open(t)
	for name, change := range map[string]func(*Options){
		"another secret": func(o *Options) { o.Secret = []byte("another") },
		"another epoch":  func(o *Options) { o.Epoch = "another" },
	} {
		others := []*Node{p.open(t, change), p.open(t, change)}
		s := p.read(t, others[0], Alice)
		ours.Wake(context.Background(), Alice)
		ours.CloseAccount(Alice, live.Revoked)
		ours.Forget(Alice)
		sibling.Told(t, ours)
		others[0].Told(t, others[1])
		wantQuiet(t, name+": a reader", s)
		if got := others[0].Bus.Stats(); got.Received != 1 || got.Dropped != 0 {
			t.Errorf("%s: it counted %+v, want only its own message", name, got)
		}
	}
}

func strangersArePassedOver(t *testing.T, p *place) {
	here, there := p.open(t), p.open(t)
	s, other := p.read(t, there, Alice), p.read(t, there, Bob)
	stranger := p.Overhear(t, Options{Secret: p.secret, Epoch: "epoch"})
	here.CloseStreams(Alice, live.Revoked, model.StreamID(Bob)) // of Alice there is none of this name
	there.Told(t, here)
	sealed := stranger.Next(t)
	bent := slices.Clone(sealed)
	bent[len(bent)-1] ^= 1
	forgeries := [][]byte{{1}, []byte(`{"kind":"end","ending":{"reason":3}}`), make([]byte, 1000), bent,
		sealed} // what was heard is not heard again
	for _, forged := range forgeries {
		stranger.Say(t, forged)
	}
	there.Told(t, here)
	wantQuiet(t, "alice's stream", s)
	wantQuiet(t, "bob's stream", other)
	if got := there.Bus.Stats().Dropped; got != uint64(len(forgeries)) {
		t.Errorf("%d messages were not taken in, want %d", got, len(forgeries))
	}
	there.WantLogged(t, "none of this installation", 1)
}
