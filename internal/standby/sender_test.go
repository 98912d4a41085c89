package standby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/testenv"
)

// mustFirstWithStuck is a first that is patient for so long, with a standby that reads nothing.
func mustFirstWithStuck(t *testing.T, patience time.Duration) *first {
	t.Helper()
	f := mustFirst(t, t.TempDir())
	f.sender.patience = patience
	f.mustNote(strings.Repeat("more than sockets hold ", 1<<20)) // in the first commit for the standby
	peer, err := NewPeer(f.url, testKey, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(peer.Close)
	conn, _, err := peer.upgrade(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	l := newLink(conn, nil)
	hello, err := json.Marshal(standbyHello{Protocol: protocol, ID: "stuck"})
	// Both at once: the first is not patient.
	if err = errors.Join(err, l.send(kindHello, hello), l.send(kindDigested), l.flush()); err != nil {
		t.Fatal(err)
	}
	return f
}

// A standby that reads nothing holds up neither those who write at the first, nor its end.
func TestStuckStandbyHoldsNobodyUp(t *testing.T) {
	testenv.Long(t)
	f := mustFirstWithStuck(t, time.Hour)
	f.until("the standby follows", func() bool { return f.sender.Figures().Connected })
	for i := range 20 {
		f.mustNote(fmt.Sprint(i))
	}
	if !f.sender.Figures().Connected {
		t.Error("the standby was dropped before its time")
	}
	f.close()
}

func TestStuckStandbyIsDropped(t *testing.T) {
	testenv.Long(t)
	f := mustFirstWithStuck(t, time.Second)
	f.until("the standby is dropped", func() bool { return f.log.Count("does not follow any more") > 0 })
	if f.log.Count("a standby follows this server") == 0 || f.sender.Figures().Connected {
		t.Errorf("it was dropped before it followed, or is said to follow: %s", f.log.String())
	}
}

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
