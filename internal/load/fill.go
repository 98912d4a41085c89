package load

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Those among whom a store is filled: so many that their queues and rosters lie
// all over it, as those of a house do.
const (
	fillSenders    = 64
	fillRecipients = 2000
)

// filling is the plan of a fill, for its progress.
const filling = "fill"

// Fill stores messages on a server that is there for the run alone: each is sent
// by way of the interface, like every other, from one of some people to one of
// some thousands, who leave them in their queues. It takes as long as sending them
// takes. The target is one of StartServer.
func Fill(ctx context.Context, t *Target, messages int, show func(Progress)) error {
	if show == nil {
		show = func(Progress) {}
	}
	p := Plan{Scenario: filling, Connections: fillSenders, Payload: DefaultPayload}
	show(Progress{Plan: p, Phase: phasePreparing})
	s, err := newStage(ctx, t)
	if err != nil {
		return err
	}
	defer s.admin.Close()
	senders, err := s.hire(ctx, min(fillSenders, messages))
	if err != nil {
		return err
	}
	recipients, err := s.fill(ctx, min(fillRecipients, messages))
	if err != nil {
		return err
	}
	letters := make([]*request, len(recipients))
	for i, recipient := range recipients {
		letters[i] = letter(s, senders[0], recipient.token, p.Payload, 0)
	}
	defer lessCollecting()()
	var taken, sent atomic.Int64
	ended := make(chan error, 1)
	go func() {
		ended <- together(ctx, len(senders), len(senders), func(ctx context.Context, worker int) error {
			c := newConnection(readBuffer)
			defer c.close()
			for taken.Add(1) <= int64(messages) {
				r := letters[rand.IntN(len(letters))].from(senders[worker])
				if err := c.call(ctx, r); err != nil {
					return err
				}
				sent.Add(1)
			}
			return nil
		})
	}()
	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	for last := int64(0); ; {
		select {
		case err := <-ended:
			return err
		case <-ticker.C:
			now := sent.Load()
			show(Progress{Plan: p, Phase: phaseFilling, Operations: now, Total: int64(messages),
				PerSecond: float64(now-last) / reportInterval.Seconds()})
			last = now
		}
	}
}
