package app

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/handover"
)

// A client that has sent half of a request's head, and says nothing any more, holds up a hand-over for a moment
// and not for as long as a request may run.
func TestHalfOfARequestHoldsAHandOverUpForAMoment(t *testing.T) {
	cfg := settings(t)
	synctest.Test(t, func(t *testing.T) {
		a := mustOpen(t, cfg, newHarness(answerOK))
		a.network.listener.Close()
		memory := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		a.network.listener = memory
		stopped := make(chan error, 1)
		go func() { stopped <- a.Run(context.Background()) }()
		ours, theirs := net.Pipe()
		defer ours.Close()
		memory.waiting <- theirs
		if _, err := io.WriteString(ours, "GET /v2/us"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		a.next <- &handover.Successor{Version: "the next"}
		if err := <-stopped; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if pause := time.Since(a.left.stopped); pause != arriving {
			t.Errorf("the pause is %v, want %v", pause, arriving)
		}
		a.left.close()
	})
}
