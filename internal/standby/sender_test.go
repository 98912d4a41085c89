package standby

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A program that goes on with the data does not wait for a standby that does not answer. Where another server
// took over, the standby has what is in no other place.
func TestLastRoundIsShortWhereAnotherProgramGoesOn(t *testing.T) {
	for _, fenced := range []bool{false, true} {
		for _, handsOver := range []bool{false, true} {
			want := map[[2]bool]time.Duration{{false, false}: lastRound, {false, true}: lastHandOverRound,
				{true, false}: lastFencedRound, {true, true}: lastFencedRound}[[2]bool{fenced, handsOver}]
			synctest.Test(t, func(t *testing.T) {
				s := NewSender(SenderOptions{})
				_, _, leave, err := s.enter(t.Context(), "stuck")
				if err != nil {
					t.Fatal(err)
				}
				defer leave()
				ctx, end := context.WithCancel(t.Context())
				s.fenced.Store(fenced)
				if handsOver {
					s.HandOver()
				}
				end()
				began := time.Now()
				if s.Run(ctx); time.Since(began) != want {
					t.Errorf("fenced %v, handing over %v: it waited for %v, want %v", fenced, handsOver, time.Since(began), want)
				}
			})
		}
	}
}
